/* SPDX-License-Identifier: MIT */
/* When each name must be resolved. Pure: names and times go in, due names come
 * out. Times are nanoseconds of CLOCK_MONOTONIC. */
#ifndef REACH_NAMES_NAME_SCHEDULE_H
#define REACH_NAMES_NAME_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_name_schedule;

/* The schedule's state of a name. Zeroed by the owner, and private to the
 * schedule from then on. */
struct reach_scheduled {
	/* Order of addition, which decides between equal times. */
	uint64_t number;
	/* Time of the next lookup, or INT64_MAX. */
	int64_t due;
	/* Time of the last result. */
	int64_t done;
	/* Back-off after the next failure. */
	int64_t delay;
	/* Generation of the latest lookup; 0 before the first. */
	uint64_t generation;
	/* Index in the heap. */
	uint32_t position;
	/* Lookups since the last result. */
	uint16_t in_flight;
	/* The last result had no addresses. */
	bool failed;
};

/* @return 0 or -ENOMEM. The caller owns @ret. */
int reach_name_schedule_create(struct reach_name_schedule **ret);
/* Frees the schedule, and none of its names. */
void reach_name_schedule_destroy(struct reach_name_schedule *names);

/* Adds @name, borrowed until it is removed or the schedule destroyed, due at
 * once. @return 0 or -ENOMEM. */
int reach_name_schedule_add(struct reach_name_schedule *names,
			    struct reach_scheduled *name);
void reach_name_schedule_remove(struct reach_name_schedule *names,
				struct reach_scheduled *name);

/* Records that another target has @name. Unless a lookup of this network is in
 * flight, or its result is recent (addresses 60 s, a failure 1 s), the name
 * becomes due at once. @return whether the result is recent. */
bool reach_name_schedule_join(struct reach_name_schedule *names,
			      struct reach_scheduled *name, int64_t now);

/* Records a change of the network or of the resolver's files. Every name
 * becomes due, and its back-off starts over. A burst of changes causes one
 * resolution, 100 ms after its first change. In further bursts the delay
 * doubles up to 5 s, until 10 s have passed without a change. A name whose
 * lookup is in flight becomes due, too, since that lookup may hang, but only
 * once until a result comes. The result of the later lookup counts. */
void reach_name_schedule_changed(struct reach_name_schedule *names,
				 int64_t now);

/* Records that the change just passed to reach_name_schedule_changed() may have
 * restored the route to a name server. Names whose last result was a failure,
 * and those in flight, become due in 50 ms, whatever the delay of the burst.
 * Limited by a token bucket: ten in a row, one per second in the long run. */
void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now);

/* Records the result of the latest lookup of @name. Without addresses (@good
 * false) the name is due again after 1 s, doubled each time up to 5 minutes;
 * with addresses only after a change. */
void reach_name_schedule_done(struct reach_name_schedule *names,
			      struct reach_scheduled *name, bool good,
			      int64_t now);

/* Takes the next name that is due at @now; it counts as in flight from then on.
 * @return NULL if there is none. */
struct reach_scheduled *
reach_name_schedule_due(struct reach_name_schedule *names, int64_t now);

/* Time at which the next name is due, or INT64_MAX. */
int64_t reach_name_schedule_deadline(const struct reach_name_schedule *names);

#pragma GCC visibility pop

#endif
