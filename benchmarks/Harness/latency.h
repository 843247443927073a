/* SPDX-License-Identifier: MIT */
/* Contenders of latency.c, and blocks of changes for them. */
#ifndef LATENCY_H
#define LATENCY_H

#include <sys/types.h>

#include "../Sources/CBoard/include/CBoard.h"
#include "peers.h"

/* Figures of a block, in microseconds. */
enum figure {
	P50,
	P99,
	/* CPU time of the contender per change. */
	CPU,
	FIGURES
};

struct contender {
	const char *name;
	/* One of the three is set: a function, a function of peers.h, or the
	 * mode of a Swift program. */
	void (*run)(struct board *board);
	peer *peer;
	const char *program;
	const char *mode;
	/* Goal for the ratio to raw; 0 for none. */
	double goal;
	bool may_miss;
	double (*blocks)[FIGURES];
	size_t count;
	size_t missed;
	pid_t child;
};

/* Functions that run in a process of their own until it is killed. They post
 * each verdict about BOARD_TARGET. */
void latency_raw(struct board *board);
void latency_library(struct board *board);
/* With several targets, all behind the route that changes. */
void latency_library_20(struct board *board);
void latency_library_60(struct board *board);
void latency_library_100(struct board *board);

/* Pins the caller to a core. */
void latency_pin(int core);

/* Starts the contender, makes a block of changes through route socket @fd with
 * idle gaps between them, and adds the block's figures. @directory has the
 * Swift programs. */
void latency_block(struct contender *contender, const char *directory, int fd);

/* Makes @changes without a pause. @return whether each was seen. */
bool latency_endure(struct contender *contender, const char *directory, int fd,
		    long changes);

void latency_die(const char *what);

#endif
