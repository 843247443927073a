/* SPDX-License-Identifier: MIT */
/* When each name has to be resolved. Pure: ids, names and times go in, due ids
 * come out; times are nanoseconds of CLOCK_MONOTONIC. */
#ifndef REACH_NAMES_NAME_SCHEDULE_H
#define REACH_NAMES_NAME_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_name_schedule;

/* @return 0 or -ENOMEM. The caller owns @ret. */
int reach_name_schedule_create(struct reach_name_schedule **ret);
void reach_name_schedule_destroy(struct reach_name_schedule *names);

/* Adds @name (copied) of target @id, due at once. @return 0, -EEXIST or
 * -ENOMEM. */
int reach_name_schedule_add(struct reach_name_schedule *names, uint64_t id,
			    const char *name);
void reach_name_schedule_remove(struct reach_name_schedule *names, uint64_t id);

/* Records a change of the network or of the resolver's files: every name
 * becomes due, and its back-off starts over. A burst of changes makes one
 * resolution, 100 ms after its first; in further bursts the delay doubles up to
 * 5 s, until 10 s have passed without a change. A name whose lookup is in
 * flight becomes due too, since that may hang, but once only until a result
 * comes: the result of the later lookup counts. */
void reach_name_schedule_changed(struct reach_name_schedule *names,
				 int64_t now);

/* Records that the change just passed to reach_name_schedule_changed() may have
 * restored the route to a name server: names whose last result was a failure,
 * and those in flight, become due in 50 ms, whatever the delay of the burst.
 * Limited by a token bucket: ten in a row, one a second in the long run. */
void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now);

/* Records the result of @id's latest lookup. Without addresses (@good false)
 * the name is due again after 1 s, doubled each time up to 5 minutes; with
 * addresses only after a change. */
void reach_name_schedule_done(struct reach_name_schedule *names, uint64_t id,
			      bool good, int64_t now);

/* Takes the next name that is due at @now; it counts as in flight from then on.
 * Sets @id.
 * @return the name, owned by the schedule until it is removed, or NULL. */
const char *reach_name_schedule_due(struct reach_name_schedule *names,
				    int64_t now, uint64_t *id);

/* Time at which the next name is due, or INT64_MAX. */
int64_t reach_name_schedule_deadline(const struct reach_name_schedule *names);

#pragma GCC visibility pop

#endif
