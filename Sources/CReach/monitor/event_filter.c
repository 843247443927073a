/* SPDX-License-Identifier: MIT */
/*
 * The filter on the event socket.
 *
 * The kernel decides about an event when it announces it, and what is queued
 * stays queued. So a destination's first question comes after the filter that
 * knows it: what was announced and dropped before had been carried out by then,
 * but for the removals that are announced first, for which there is a barrier.
 * A filter that is wider than it must be is never wrong, and none at all is the
 * widest.
 *
 * Where destinations are too many for a program they are known by prefixes, and
 * routes in these pass though nobody is meant. The engine tells where that
 * happens again and again (noise); there they are known better than elsewhere.
 *
 * To make one takes time, so that over time no more than one part in PAUSE is
 * spent on it. Meanwhile there is none if the old one will not do. The first
 * waits until the first answers have been taken.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/filter.h>

#include "base/address.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "monitor/state.h"

#define PAUSE 32

/* Nanoseconds; so many may be owed, that few targets in a row find filters. */
#define FIRST_AFTER 1000000
#define CREDIT	    50000000

/* Prefixes of a family: in all; and once there is noise of which hosts are
 * known one by one, and of more where it is, and elsewhere: 256 of 8 bits and
 * one for each bit of its prefix at the least. The kernel takes instructions
 * for some 800, of more than 32 bits for half as many. */
#define ROOM	  1024
#define HOSTS	  700
#define ROOM_NEAR 600
#define ROOM_FAR  400

/* Where it is, so few that they fit along with all others. */
#define FEW_NEAR 256

/* Noise that is spread wider comes from everywhere. */
#define NOISE_LENGTH_MIN 9

/* Halved no further. */
#define CAPACITY_MIN 128

void reach_attach_init(struct reach_attachment *attachment)
{
	*attachment = (struct reach_attachment){
		.capacity = BPF_MAXINSNS,
		.due = INT64_MAX,
	};
}

/* What is next to @focus: the other half of its prefix of one bit less. */
static struct reach_filter_prefix
beside(const struct reach_filter_prefix *focus, uint8_t length)
{
	struct reach_filter_prefix ret = *focus;

	ret.length = length;
	ret.address.bytes[(length - 1) / 8] ^=
		(uint8_t)(0x80 >> (length - 1) % 8);
	return ret;
}

/* The destinations outside of @focus; all if that is of length 0. */
static ssize_t collect_others(const struct reach_engine *engine,
			      const struct reach_filter_prefix *focus,
			      uint8_t length, struct reach_filter_prefix *ret,
			      size_t capacity)
{
	size_t count = 0;
	uint8_t bits;

	if (!focus->length)
		return reach_engine_destinations(engine, focus, length, ret,
						 capacity);
	for (bits = 1; bits <= focus->length; bits++) {
		const struct reach_filter_prefix other = beside(focus, bits);
		const ssize_t more = reach_engine_destinations(
			engine, &other, length, ret + count, capacity - count);

		if (more < 0)
			return more;
		count += (size_t)more;
	}
	return (ssize_t)count;
}

/* The destinations of a family in the longest prefixes that are few enough.
 * Where those are not hosts, who is where the noise is comes first. */
static size_t collect(const struct reach_engine *engine,
		      const struct reach_filter_prefix *noise,
		      struct reach_filter_prefix *ret)
{
	static const uint8_t lengths[2][6] = {
		{ 32, 24, 20, 16, 12, 8 },
		{ 128, 64, 48, 40, 32, 8 },
	};
	const bool inet6 = noise->address.family == AF_INET6;
	const struct reach_filter_prefix all = {
		.address.family = noise->address.family,
	};
	const size_t room = noise->length ? ROOM_FAR : ROOM;
	ssize_t near = -1, others;
	uint8_t i;

	others = collect_others(engine, &all, lengths[inet6][0], ret,
				noise->length ? HOSTS : ROOM);
	if (others >= 0)
		return (size_t)others;
	if (!noise->length)
		near = 0;
	for (i = 0; i < 6 && near < 0; i++)
		near = reach_engine_destinations(
			engine, noise, lengths[inet6][i], ret, ROOM_NEAR);
	for (i = 1; i < 6 && others < 0; i++)
		others = collect_others(
			engine, noise, lengths[inet6][i], ret + near,
			noise->length && lengths[inet6][i] > 32 ? room / 2
								: room);
	return (size_t)(near + others);
}

static int detach(struct reach_monitor *monitor)
{
	const int none = 0;

	if (!monitor->attachment.attached)
		return 0;
	if (setsockopt(monitor->events, SOL_SOCKET, SO_DETACH_FILTER, &none,
		       sizeof(none)) &&
	    errno != ENOENT)
		return -errno;
	monitor->attachment.attached = false;
	return 0;
}

struct work {
	struct reach_filter_prefix prefixes[2 * ROOM];
	struct sock_filter program[BPF_MAXINSNS];
};

/* Attaches a filter for the first @count of @work's prefixes that has the
 * instructions there may be. */
static int attach(struct reach_monitor *monitor, struct work *work,
		  size_t count)
{
	struct sock_fprog program = { .filter = work->program };
	size_t length;
	int err = reach_filter_build(
		work->prefixes, count, reach_engine_stock(monitor->engine),
		work->program, monitor->attachment.capacity, &length);

	if (err < 0)
		return err;
	program.len = (unsigned short)length;
	return setsockopt(monitor->events, SOL_SOCKET, SO_ATTACH_FILTER,
			  &program, sizeof(program))
		       ? -errno
		       : 0;
}

/* Where the kernel has no memory for two (net.core.optmem_max) the old one
 * goes first; where it has none for one, that is made smaller. */
static int attach_what_fits(struct reach_monitor *monitor, struct work *work,
			    size_t count)
{
	struct reach_attachment *attachment = &monitor->attachment;
	int err = attach(monitor, work, count);

	if (err == -ENOMEM && attachment->attached) {
		err = detach(monitor);
		if (!err)
			err = attach(monitor, work, count);
	}
	while (err == -ENOMEM && attachment->capacity > CAPACITY_MIN) {
		attachment->capacity /= 2;
		err = attach(monitor, work, count);
	}
	return err;
}

/* Whether nothing is dropped that could change an answer. */
static bool is_wide_enough(const struct reach_monitor *monitor)
{
	const struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_engine *engine = monitor->engine;

	return !attachment->attached ||
	       (attachment->turnover.added ==
			reach_engine_turnover(engine)->added &&
		!(attachment->stock & ~reach_engine_stock(engine)));
}

/* Whether noise comes that the filter knows nothing of. */
static bool is_noisy(const struct reach_monitor *monitor, uint8_t family)
{
	const struct reach_filter_prefix *known =
		&monitor->attachment.noise[family == AF_INET6];
	const struct reach_filter_prefix noise =
		reach_engine_noise(monitor->engine, family);

	return noise.length >= NOISE_LENGTH_MIN &&
	       (noise.length < known->length || !known->length ||
		!reach_address_in_prefix(&noise.address, &known->address,
					 known->length));
}

/* Whether not much is taken that cannot. */
static bool is_narrow_enough(const struct reach_monitor *monitor)
{
	const struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_engine *engine = monitor->engine;
	const uint64_t gone = reach_engine_turnover(engine)->removed -
			      attachment->turnover.removed;

	return attachment->attached && 2 * gone <= attachment->count &&
	       !(reach_engine_stock(engine) & ~attachment->stock) &&
	       !is_noisy(monitor, AF_INET) && !is_noisy(monitor, AF_INET6);
}

/* What both are in. */
static struct reach_filter_prefix join(struct reach_filter_prefix a,
				       const struct reach_filter_prefix *b)
{
	if (a.length > b->length)
		a.length = b->length;
	while (!reach_address_in_prefix(&a.address, &b->address, a.length))
		a.length--;
	return a;
}

/* Whether who is in there can be known one by one, of IPv6 by networks. */
static bool is_sparse(const struct reach_engine *engine,
		      const struct reach_filter_prefix *whole)
{
	struct reach_filter_prefix few[FEW_NEAR];

	return reach_engine_destinations(engine, whole,
					 whole->address.family == AF_INET ? 32
									  : 64,
					 few, FEW_NEAR) >= 0;
}

/* The widest surroundings of @noise that are sparse. */
static struct reach_filter_prefix widest(const struct reach_engine *engine,
					 struct reach_filter_prefix noise)
{
	uint8_t low = noise.address.family == AF_INET ? 12 : 32;
	uint8_t high = noise.length;

	while (low < high) {
		noise.length = (uint8_t)((low + high) / 2);
		if (is_sparse(engine, &noise))
			high = noise.length;
		else
			low = noise.length + 1;
	}
	noise.length = high;
	return noise;
}

/* Takes over where there is new noise. What comes in order moves on, so that
 * its surroundings count as well, and where it has been if that is not too
 * much. */
static void find_noise(struct reach_monitor *monitor)
{
	const struct reach_engine *engine = monitor->engine;
	size_t i;

	for (i = 0; i < 2; i++) {
		struct reach_filter_prefix *known =
			&monitor->attachment.noise[i];
		struct reach_filter_prefix noise =
			reach_engine_noise(engine, i ? AF_INET6 : AF_INET);
		struct reach_filter_prefix joined;

		known->address.family = i ? AF_INET6 : AF_INET;
		if (noise.length < NOISE_LENGTH_MIN)
			continue;
		noise = widest(engine, noise);
		joined = join(noise, known);
		if (joined.length >= NOISE_LENGTH_MIN &&
		    is_sparse(engine, &joined))
			noise = joined;
		*known = noise;
	}
	reach_engine_forget_noise(monitor->engine);
}

static void remember(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_turnover *turnover =
		reach_engine_turnover(monitor->engine);

	/* A route that only one who is gone was inside of may be announced
	 * yet, to nobody. */
	if (attachment->turnover.removed != turnover->removed &&
	    reach_engine_doubt_errors(monitor->engine))
		reach_wakeup_kick(&monitor->wakeup);
	attachment->attached = true;
	attachment->turnover = *turnover;
	attachment->stock = reach_engine_stock(monitor->engine);
	attachment->count = reach_engine_asked(monitor->engine);
}

/* What the thread has computed, in nanoseconds; not how long it waited. */
static int64_t time_spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Replaces the filter by one for what is asked now. One that cannot be had is
 * not needed. */
static int replace(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const int64_t now = reach_monotonic(), begin = time_spent();
	struct work *work = malloc(sizeof(*work));
	size_t count;
	int err = -ENOMEM;

	if (work) {
		find_noise(monitor);
		count = collect(monitor->engine, &attachment->noise[0],
				work->prefixes);
		count += collect(monitor->engine, &attachment->noise[1],
				 work->prefixes + count);
		err = attach_what_fits(monitor, work, count);
		free(work);
	}
	if (attachment->paid < now)
		attachment->paid = now;
	attachment->paid += PAUSE * (time_spent() - begin);
	attachment->due = INT64_MAX;
	if (!err) {
		remember(monitor);
		return 0;
	}
	attachment->refused = err != -ENOMEM ||
			      attachment->capacity <= CAPACITY_MIN;
	return detach(monitor);
}

/* Now, or when those before have been paid for. */
static int replace_when_due(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const int64_t now = reach_monotonic();
	int64_t from = attachment->due;

	if (attachment->paid)
		from = attachment->paid - CREDIT;
	else if (from == INT64_MAX)
		from = now + FIRST_AFTER;
	if (now >= from)
		return replace(monitor);
	attachment->due = from;
	return 0;
}

int reach_attach_widen(struct reach_monitor *monitor)
{
	int err;

	if (is_wide_enough(monitor))
		return 0;
	reach_engine_barrier(monitor->engine);
	err = replace_when_due(monitor);
	if (!err && !is_wide_enough(monitor))
		err = detach(monitor);
	return err;
}

int reach_attach_narrow(struct reach_monitor *monitor)
{
	if (!monitor->attachment.refused && !is_narrow_enough(monitor))
		return replace_when_due(monitor);
	/* What a timer was set for may have passed. */
	monitor->attachment.due = INT64_MAX;
	return 0;
}
