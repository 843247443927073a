/* SPDX-License-Identifier: MIT */
/*
 * Route churn: routes that come and go in great numbers and affect no target.
 *
 * The program of the event filter has room for about a thousand prefixes. With
 * more targets it has shorter prefixes, each for several targets, and passes
 * all routes inside these. With 10,000 or 100,000 targets in most of IPv4, a
 * routing daemon's 262,144 changes in one /14 then take 1.1 to 1.3 times the
 * CPU time of a loop of recvmmsg().
 *
 * So the engine samples the events that affected no target. The prefix that
 * they share is the focus. The filter has the addresses of targets inside the
 * focus, and short prefixes elsewhere. The same changes then take 0.01 to 0.02
 * times the CPU time of the loop.
 */
#include "engine/state/state.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/base.h"

/*
 * Prefixes of a family in a filter that has a focus. The kernel accepts 4,096
 * instructions (BPF_MAXINSNS): about 800 prefixes, or half as many of more than
 * 32 bits.
 *
 * ROOM_HOSTS: up to this number of targets, the filter has each by address and
 * needs no focus. ROOM_INSIDE, ROOM_OUTSIDE: the most prefixes inside and
 * outside of the focus. Outside there are up to 256 of 8 bits and 128 siblings
 * of the focus, so 384 must fit. Both together stay below
 * REACH_FILTER_PREFIXES.
 */
#define ROOM_HOSTS   700
#define ROOM_INSIDE  600
#define ROOM_OUTSIDE 400

/* Limit of the targets (IPv6: networks of 64 bits) inside the focus, for which
 * the filter has room beside the other prefixes. */
#define FOCUS_TARGETS 256

/* Shortest prefix that a sample may share to count as churn in one place. */
#define FOCUS_LENGTH_MIN 9

/* The longest prefix that contains both. */
static struct reach_prefix join(struct reach_prefix a,
				const struct reach_prefix *b)
{
	if (a.length > b->length)
		a.length = b->length;
	while (!reach_address_in_prefix(&a.address, &b->address, a.length))
		a.length--;
	return a;
}

void reach_churn_sample(struct reach_engine *engine,
			const struct reach_address *prefix, uint8_t length)
{
	struct reach_churn *churn = &engine->churn[prefix->family == AF_INET6];
	const struct reach_prefix event = { *prefix, length };

	churn->next = churn->count ? join(churn->next, &event) : event;
	if (++churn->count < REACH_CHURN_SAMPLE)
		return;
	churn->sampled = churn->next;
	churn->count = 0;
}

/* Whether the last sample shares a prefix that is not inside the focus. */
static bool has_moved(const struct reach_churn *churn)
{
	const struct reach_prefix *sampled = &churn->sampled;
	const struct reach_prefix *focus = &churn->focus;

	return sampled->length >= FOCUS_LENGTH_MIN &&
	       (sampled->length < focus->length || !focus->length ||
		!reach_address_in_prefix(&sampled->address, &focus->address,
					 focus->length));
}

bool reach_churn_has_moved(const struct reach_engine *engine)
{
	return has_moved(&engine->churn[0]) || has_moved(&engine->churn[1]);
}

/* Whether no more than FOCUS_TARGETS are inside @whole. */
static bool is_sparse(const struct reach_engine *engine,
		      const struct reach_prefix *whole)
{
	struct reach_prefix few[FOCUS_TARGETS];

	return reach_engine_destinations(engine, whole,
					 whole->address.family == AF_INET ? 32
									  : 64,
					 few, FOCUS_TARGETS) >= 0;
}

/* The shortest prefix around @inner that is_sparse() and has 12 (IPv6: 32) bits
 * or more, by bisection; @inner if that is shorter already, or not sparse. */
static struct reach_prefix widest(const struct reach_engine *engine,
				  struct reach_prefix inner)
{
	uint8_t low = inner.address.family == AF_INET ? 12 : 32;
	uint8_t high = inner.length;

	while (low < high) {
		inner.length = (uint8_t)((low + high) / 2);
		if (is_sparse(engine, &inner))
			high = inner.length;
		else
			low = inner.length + 1;
	}
	inner.length = high;
	return inner;
}

/* Moves the focus to the sampled prefix. A daemon that changes routes in order
 * soon leaves a narrow prefix. So the focus is as wide as is_sparse() allows,
 * and contains the old focus if possible. */
static void move_focus(const struct reach_engine *engine,
		       struct reach_churn *churn)
{
	struct reach_prefix focus, joined;

	if (churn->sampled.length < FOCUS_LENGTH_MIN)
		return;
	focus = widest(engine, churn->sampled);
	joined = join(focus, &churn->focus);
	if (joined.length >= FOCUS_LENGTH_MIN && is_sparse(engine, &joined))
		focus = joined;
	churn->focus = focus;
}

/* Sibling: prefix of @length bits that differs from @focus in the last of them.
 */
static struct reach_prefix beside(const struct reach_prefix *focus,
				  uint8_t length)
{
	struct reach_prefix ret = *focus;

	ret.length = length;
	ret.address.bytes[(length - 1) / 8] ^=
		(uint8_t)(0x80 >> (length - 1) % 8);
	return ret;
}

/* Writes prefixes of @length that cover the targets outside of @focus: those
 * inside the sibling of each of its prefixes. If the length of @focus is 0,
 * they cover all targets.
 * @return as reach_engine_destinations(). */
static ssize_t collect_outside(const struct reach_engine *engine,
			       const struct reach_prefix *focus, uint8_t length,
			       struct reach_prefix *ret, size_t capacity)
{
	size_t count = 0;
	uint8_t bits;

	if (!focus->length)
		return reach_engine_destinations(engine, focus, length, ret,
						 capacity);
	for (bits = 1; bits <= focus->length; bits++) {
		const struct reach_prefix other = beside(focus, bits);
		const ssize_t more = reach_engine_destinations(
			engine, &other, length, ret + count, capacity - count);

		if (more < 0)
			return more;
		count += (size_t)more;
	}
	return (ssize_t)count;
}

/* Writes the longest prefixes that fit the room, those inside the focus first.
 * @return their number. */
static size_t collect(const struct reach_engine *engine,
		      const struct reach_prefix *focus,
		      struct reach_prefix *ret)
{
	static const uint8_t lengths[2][6] = {
		{ 32, 24, 20, 16, 12, 8 },
		{ 128, 64, 48, 40, 32, 8 },
	};
	const bool inet6 = focus->address.family == AF_INET6;
	const struct reach_prefix all = {
		.address.family = focus->address.family,
	};
	const size_t room = focus->length ? ROOM_OUTSIDE
					  : REACH_FILTER_PREFIXES;
	ssize_t inside = -1, outside;
	uint8_t i;

	outside = reach_engine_destinations(
		engine, &all, lengths[inet6][0], ret,
		focus->length ? ROOM_HOSTS : REACH_FILTER_PREFIXES);
	if (outside >= 0)
		return (size_t)outside;
	if (!focus->length)
		inside = 0;
	for (i = 0; i < 6 && inside < 0; i++)
		inside = reach_engine_destinations(
			engine, focus, lengths[inet6][i], ret, ROOM_INSIDE);
	for (i = 1; i < 6 && outside < 0; i++)
		outside = collect_outside(
			engine, focus, lengths[inet6][i], ret + inside,
			focus->length && lengths[inet6][i] > 32 ? room / 2
								: room);
	return (size_t)(inside + outside);
}

size_t reach_churn_collect(struct reach_engine *engine,
			   struct reach_prefix *ret)
{
	size_t count = 0, i;

	for (i = 0; i < 2; i++) {
		struct reach_churn *churn = &engine->churn[i];

		churn->focus.address.family = i ? AF_INET6 : AF_INET;
		move_focus(engine, churn);
		churn->sampled.length = 0;
		churn->count = 0;
		count += collect(engine, &churn->focus, ret + count);
	}
	return count;
}
