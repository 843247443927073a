/* SPDX-License-Identifier: MIT */
#ifndef JUDGE_WATCH_H
#define JUDGE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/answer.h"
#include "monitor/judge_host.h"

/* The targets that packets judge; with those of all kinds, which no packet
 * judges; and with the crowd. */
#define JUDGE_TARGETS 256
#define JUDGE_FIXED   (JUDGE_TARGETS + ANSWER_TARGETS)
#define JUDGE_WATCHED (JUDGE_FIXED + JUDGE_CROWD)

/* A monitor of a host. */
struct judge_watch {
	const struct judge_host *host;
	struct reach_monitor *monitor;
	uint64_t ids[JUDGE_WATCHED];
	/* What the monitor reported last of each target, with size 0 before the
	 * first. */
	struct reach_state reported[JUDGE_WATCHED];
	/* A target was reported that had not changed. */
	bool is_repeated;
};

/* The number of targets of a host. */
size_t judge_count(const struct judge_host *host);

void judge_target(const struct judge_host *host, size_t i,
		  struct reach_target *ret);

/* Opens a monitor with all targets. A receive buffer of 0 is a large one. */
bool judge_watch_open(struct judge_watch *watch, const struct judge_host *host,
		      uint32_t receive_buffer);

/* Takes all events and changes. */
bool judge_watch_dispatch(struct judge_watch *watch);

/* Gets the latest state of a target. */
bool judge_watch_state(struct judge_watch *watch, size_t i,
		       struct reach_state *ret);

/* Removes target @i, and adds it again with the address that it has now. */
bool judge_watch_exchange(struct judge_watch *watch, size_t i);

/* Whether all states are those of a new monitor, and those reported last, and
 * whether reach_check() agrees about a few. If not, prints why if @tell. */
bool judge_watch_is_fresh(struct judge_watch *watch, size_t first, bool tell);

/* Prints a target, and a state of it. */
void judge_tell_state(const struct judge_host *host, size_t i, const char *who,
		      const struct reach_state *state);

#endif
