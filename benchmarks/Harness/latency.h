/* SPDX-License-Identifier: MIT */
/* Contenders of latency.c, and blocks of changes for them. */
#ifndef LATENCY_H
#define LATENCY_H

#include <sys/types.h>

#include "../Sources/CBoard/include/CBoard.h"
#include "network.h"
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
	void (*run)(const struct contender *contender, struct board *board);
	peer *peer;
	const char *program;
	const char *mode;
	/* Of a function: all are behind the route that changes. */
	unsigned int targets;
	/* Name of the contender that the goals are ratios to; NULL for none. */
	const char *yardstick;
	/* Goals for the median, and for the CPU time; 0 for none. */
	double goals[FIGURES];
	bool may_miss;
	double (*blocks)[FIGURES];
	size_t count;
	size_t missed;
	pid_t child;
};

/* Functions that run in a process of their own until it is killed. They post
 * each verdict about BOARD_TARGET. */
void latency_raw(const struct contender *contender, struct board *board);
void latency_library(const struct contender *contender, struct board *board);
/* The process's second monitor; the first one takes this many changes. */
#define LATENCY_FIRST_MONITOR 50
void latency_library_second(const struct contender *contender,
			    struct board *board);

/* Starts the contender, makes a block of changes through route socket @fd with
 * idle gaps between them, and adds the block's figures. @directory has the
 * Swift programs. */
void latency_block(struct contender *contender, const char *directory, int fd);

/* The processes of each contender in the table of first events. */
#define LATENCY_PROCESSES 40

/* Runs @processes of each contender, at most LATENCY_PROCESSES, one after
 * another, and prints the time of the first event of each beside later ones.
 * @return whether no row is past its limit. */
bool latency_first(const char *directory, int fd, int processes);

/* Starts a process of the contender, and waits for its first verdict. */
struct board *latency_start(struct contender *contender, const char *directory);
void latency_stop(struct contender *contender, struct board *board);

/* Makes one change. @return the nanoseconds until the verdict; -1 if missed. */
int64_t latency_toggle(const struct contender *contender, struct board *board,
		       int fd, bool add);

/* An idle gap, so that the contender sleeps: 0.3 to 0.9 ms. */
void latency_pause(void);

/* The median of @values, which it sorts; 0 if there are none. */
double latency_median(double *values, size_t count);

#endif
