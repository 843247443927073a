/* SPDX-License-Identifier: MIT */
/* Memory shared by the process that makes changes and a contender that posts
 * the new verdict. */
#ifndef CBOARD_H
#define CBOARD_H

#include <stdbool.h>
#include <stdint.h>

#define BOARD_TARGET "8.8.8.8"

struct board;

/* Creates a board. @return its descriptor, which exec leaves open, or -1. */
int board_create(void);

/* @return the mapped board, or NULL. */
struct board *board_map(int fd);
void board_unmap(struct board *board);

/* Posts the current verdict and the time, unless the verdict is the same as the
 * last one. */
void board_post(struct board *board, bool reachable);

/* The last verdict (1, 0, or -1 if there is none), and when it was posted. */
int board_verdict(struct board *board);
int64_t board_time(struct board *board);

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t board_now(void);

/* The least that a watcher does, the yardstick of the others: it receives one
 * event, and looks BOARD_TARGET up once. */
struct board_bare {
	int events;
	int lookups;
};

/* Opens its two sockets. @return 0 or a negative errno. */
int board_bare_open(struct board_bare *ret);

/* Waits for an event of IPv4's routes. @return 0 or a negative errno. */
int board_bare_wait(const struct board_bare *bare);

/* @return 1 if the kernel has a route, 0 if not, or a negative errno. */
int board_bare_look_up(const struct board_bare *bare);

#endif
