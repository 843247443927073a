/* SPDX-License-Identifier: MIT */
#ifndef REACH_NAMES_NAME_SCHEDULE_H
#define REACH_NAMES_NAME_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* When which name is due for resolution. Pure: ids, names and the clock in,
 * due ids out. */
struct reach_name_schedule;

int reach_name_schedule_create(struct reach_name_schedule **ret);
void reach_name_schedule_destroy(struct reach_name_schedule *names);

/* @name is copied and due at once. */
int reach_name_schedule_add(struct reach_name_schedule *names, uint64_t id,
			    const char *name);
void reach_name_schedule_remove(struct reach_name_schedule *names, uint64_t id);

/* The network or the resolver's configuration changed: every name is due
 * again, shortly (a burst makes one resolution), and back-off starts over.
 * Shortly is 100 ms, doubled up to 5 s while no 10 s pass without a change.
 * A name in flight is due too, since its lookup may hang, but only once until
 * an answer has come: of two lookups only the later may be reported. */
void reach_name_schedule_changed(struct reach_name_schedule *names,
				 int64_t now);

/* What changed, as was just told, may have brought the way to a name server
 * back: names whose last answer was a failure, and those in flight, are due in
 * 50 ms, whatever the burst. Ten in a row are heeded, and one a second. */
void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now);

/* The result of @id's latest question came. A failure or an empty answer is
 * tried again after 1 s, doubled each time up to 5 minutes; a good answer never
 * by itself. */
void reach_name_schedule_done(struct reach_name_schedule *names, uint64_t id,
			      bool good, int64_t now);

/* The next name that is due at @now and counts as in flight from then on;
 * NULL if there is none. */
const char *reach_name_schedule_due(struct reach_name_schedule *names,
				    int64_t now, uint64_t *id);

/* When reach_name_schedule_due() will have one, or INT64_MAX. */
int64_t reach_name_schedule_deadline(const struct reach_name_schedule *names);

#pragma GCC visibility pop

#endif
