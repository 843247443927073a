/* SPDX-License-Identifier: MIT */
/* The contenders of latency.c. Each runs in a process of its own until it is
 * killed, and posts each verdict about BOARD_TARGET. */
#ifndef LATENCY_H
#define LATENCY_H

#include "../Sources/CBoard/include/CBoard.h"

void latency_raw(struct board *board);
void latency_library(struct board *board);
/* With so many targets, all behind the route that changes. */
void latency_library_20(struct board *board);
void latency_library_100(struct board *board);

void latency_die(const char *what);

#endif
