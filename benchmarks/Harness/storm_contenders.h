/* SPDX-License-Identifier: MIT */
/* The contenders of storm.c. Each runs in a process of its own until it is
 * killed. */
#ifndef STORM_CONTENDERS_H
#define STORM_CONTENDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What it tells, in shared memory. */
struct tally {
	_Atomic uint64_t wakeups;
	_Atomic uint64_t events;
	/* Targets that are. */
	_Atomic int64_t reachable;
	_Atomic bool ready;
};

struct setup {
	/* For receiving, in bytes; the peers choose their own. */
	int buffer;
	/* Targets; those of raw and deaf are none. */
	int inet;
	int inet6;
};

typedef void contender(const struct setup *setup, struct tally *tally);

/* A loop of recvmmsg() that reads nothing but headers. */
contender storm_raw;
/* A socket whose filter drops all: what any subscriber costs the writer. */
contender storm_deaf;
contender storm_libreach;
contender storm_libnl;
contender storm_glib;

/* @count targets anywhere; where they are few every other is where the storm
 * is. */
struct reach_monitor;
void storm_add_targets(struct reach_monitor *monitor, int family, int count);

/* Counts what other events bring to who watches 100,000 targets; whether that
 * is within limits. Enters a namespace. */
bool storm_events(bool brief);

#endif
