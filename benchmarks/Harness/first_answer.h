/* SPDX-License-Identifier: MIT */
/* What a contender of first_answer.c writes to its end of the pipe. */
#ifndef FIRST_ANSWER_H
#define FIRST_ANSWER_H

#include <stdint.h>

#define FIRST_ANSWER_FD 3

struct first_answer {
	/* Time in main(), in nanoseconds. */
	int64_t time;
	int64_t reachable;
};

#endif
