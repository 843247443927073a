/* SPDX-License-Identifier: MIT */
/* The contenders of storm.c. Each runs in a process of its own until it is
 * killed. */
#ifndef STORM_CONTENDERS_H
#define STORM_CONTENDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A contender's report, in shared memory. */
struct tally {
	_Atomic uint64_t events;
	/* Number of reachable targets. */
	_Atomic int64_t reachable;
	_Atomic bool ready;
};

struct setup {
	/* Receive buffer in bytes; the peers choose their own. */
	int buffer;
	/* Number of targets; raw and deaf have none. */
	int inet;
	int inet6;
};

typedef void contender(const struct setup *setup, struct tally *tally);

/* A loop of recvmmsg() that reads only headers. */
contender storm_raw;
/* A socket whose filter drops everything: the cost of any subscriber to the
 * writer. */
contender storm_deaf;
contender storm_libreach;
contender storm_libnl;
contender storm_glib;

#endif
