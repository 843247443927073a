/* SPDX-License-Identifier: MIT */
/* Layouts for registers of 32 bytes, of which each half can be permuted byte by
 * byte, and for those of 64 bytes that can as a whole. */
#if defined(__x86_64__)
#include "layout.h"
#include "message/decode.h"

#include <linux/if_link.h>

/* Longer messages are left to the lists. */
#define MESSAGE_MAX 4096
#define WORDS	    (MESSAGE_MAX / 64)

/* What is written, from the kind of a message on. */
#define START offsetof(struct reach_message, kind)
#define BODY  (offsetof(struct reach_message, u) - START)
#define TEXTS offsetof(struct reach_link_message, name)

/* What is written of a class: its kind, and bytes from that on. */
static const struct {
	uint16_t kind;
	uint16_t size;
} outputs[] = {
	[REACH_LAYOUT_ROUTE] = { REACH_MESSAGE_ROUTE,
				 BODY + offsetof(struct reach_route_message,
						 legs) },
	[REACH_LAYOUT_ADDRESS] = { REACH_MESSAGE_ADDRESS,
				   BODY + sizeof(struct
						 reach_address_message) },
	[REACH_LAYOUT_LINK] = { REACH_MESSAGE_LINK,
				BODY + sizeof(struct reach_link_message) },
};

struct plan {
	const struct reach_layout *layout;
	/* Bits of the bytes of the message that are copied or compared and in
	 * no window yet. */
	uint64_t copied[WORDS + 1];
	uint64_t compared[WORDS + 1];
	/* What is compared, and which of the 128 bytes that are kept becomes
	 * what is copied. */
	uint8_t want[MESSAGE_MAX];
	uint8_t places[MESSAGE_MAX];
	/* Windows on each side of the pairs, and bits of what these keep. */
	size_t counts[2];
	uint64_t kept[2];
	/* What is written: bytes, and where each is copied from. Nothing is
	 * copied from the start of a message, which is its length. */
	uint8_t bytes[BODY + REACH_LAYOUT_BODY];
	uint16_t from[BODY + REACH_LAYOUT_BODY];
};

static void set(uint64_t *words, size_t at)
{
	words[at / 64] |= (uint64_t)1 << at % 64;
}

static void plan_copy(struct plan *plan, size_t from, size_t to, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		plan->from[to + i] = (uint16_t)(from + i);
		set(plan->copied, from + i);
	}
}

static void plan_list(struct plan *plan, const struct reach_copy *copies,
		      size_t count, size_t size)
{
	size_t i;

	for (i = 0; i < count; i++)
		plan_copy(plan, copies[i].from, BODY + copies[i].to, size);
}

/* What the headers say. */
static void plan_headers(struct plan *plan)
{
	const uint8_t *from = plan->layout->header_from;
	size_t i;

	for (i = 0; i < sizeof(plan->layout->header_from); i++)
		if (from[i] < 16)
			plan_copy(plan,
				  i < 16 ? from[i]
					 : REACH_LAYOUT_SECOND_HEADER + from[i],
				  i, 1);
}

static void plan_copies(struct plan *plan, const struct reach_layout *layout)
{
	size_t i;

	memcpy(plan->bytes, &outputs[layout->class].kind,
	       sizeof(outputs->kind));
	memcpy(plan->bytes + BODY, layout->body, sizeof(layout->body));
	plan_headers(plan);
	plan_list(plan, layout->copies, layout->copy_count, 4);
	plan_list(plan, layout->quads, layout->quad_count, 16);
	plan_list(plan, layout->octets, layout->octet_count, 1);
	for (i = 0; i < REACH_LAYOUT_TEXTS; i++)
		plan_copy(plan, layout->text_from[i], BODY + TEXTS + 16 * i,
			  layout->text_length[i]);
}

static void plan_checks(struct plan *plan, const struct reach_layout *layout)
{
	size_t i, j;

	for (i = 0; i < layout->check_count; i++) {
		const struct reach_check *check = &layout->checks[i];
		const uint8_t *mask = (const uint8_t *)&check->mask;

		for (j = 0; j < sizeof(reach_chunk); j++) {
			const size_t at = layout->check_at[i] + j;

			if (!mask[j])
				continue;
			set(plan->compared, at);
			plan->want[at] = ((const uint8_t *)&check->want)[j];
		}
	}
}

/* Bits of the 64 bytes at @at. */
static uint64_t bits_at(const uint64_t *words, size_t at)
{
	words += at / 64;
	return at % 64 ? words[0] >> at % 64 | words[1] << (64 - at % 64)
		       : words[0];
}

static void clear_at(uint64_t *words, size_t at)
{
	words += at / 64;
	words[0] &= ~(UINT64_MAX << at % 64);
	if (at % 64)
		words[1] &= UINT64_MAX << at % 64;
}

/* The last offset of a window with the byte at @first at which what it keeps
 * finds its places on @side free, or -1. */
static int find_room(const struct plan *plan, size_t first, size_t side)
{
	const size_t length = plan->layout->length;
	const size_t last = length < 64 ? 0 : length - 64;
	size_t at = first < last ? first : last;

	if (plan->counts[side] == REACH_WIDE_PAIRS)
		return -1;
	while (bits_at(plan->copied, at) & plan->kept[side]) {
		if (!at || first - at == 63)
			return -1;
		at--;
	}
	return (int)at;
}

static void place_window(struct plan *plan, struct reach_wide *wide, size_t at,
			 size_t side)
{
	struct reach_wide_pair *pair = &wide->pairs[plan->counts[side]++];
	const uint64_t kept = bits_at(plan->copied, at);
	size_t i;

	pair->at[side] = (uint16_t)at;
	pair->demanded[side] = bits_at(plan->compared, at);
	pair->kept[side] = kept;
	memcpy(pair->want[side], plan->want + at, 64);
	for (i = 0; i < 64; i++)
		if (kept >> i & 1)
			plan->places[at + i] = (uint8_t)(64 * side + i);
	plan->kept[side] |= kept;
	clear_at(plan->copied, at);
	clear_at(plan->compared, at);
}

/* Covers what is needed with windows that are inside the message, or with one
 * that is longer than it; how many pairs, or 0 if they do not suffice. */
static size_t place_windows(struct plan *plan, struct reach_wide *wide)
{
	const size_t *counts = plan->counts;
	const size_t length = plan->layout->length;
	size_t at = 0;

	wide->inside = length < 64 ? ((uint64_t)1 << length) - 1 : UINT64_MAX;
	while (at < MESSAGE_MAX) {
		const uint64_t needed = bits_at(plan->copied, at) |
					bits_at(plan->compared, at);
		int rooms[2];
		size_t side;

		if (!needed) {
			at += 64;
			continue;
		}
		at += (size_t)__builtin_ctzll(needed);
		rooms[0] = find_room(plan, at, 0);
		rooms[1] = find_room(plan, at, 1);
		side = rooms[0] == rooms[1] ? counts[1] < counts[0]
					    : rooms[1] > rooms[0];
		if (rooms[side] < 0)
			return 0;
		place_window(plan, wide, (size_t)rooms[side], side);
	}
	return counts[0] > counts[1] ? counts[0] : counts[1];
}

/* The bytes from @start on that are written as one. */
static void place_chunk(const struct plan *plan, struct reach_wide *wide,
			size_t chunk, size_t start)
{
	size_t i;

	for (i = 0; i < 64; i++) {
		const size_t at = plan->from[start + i];

		wide->from[chunk][i] = at ? plan->places[at]
					  : plan->bytes[start + i];
		wide->taken[chunk] |= (uint64_t)(at != 0) << i;
	}
}

void reach_layout_headers(struct reach_layout *layout, const uint8_t *body)
{
#define NONE UINT8_MAX
	/* Of the second header; not the table of a route, not the flags of an
	 * address and not the padding of a link. */
	static const uint8_t seconds[][16] = {
		[REACH_LAYOUT_ROUTE] = { NONE, NONE, NONE, NONE, 4, 5, 6, 7,
					 NONE, 9, 10, 11, 12, 13, 14, 15 },
		[REACH_LAYOUT_ADDRESS] = { NONE, NONE, NONE, NONE, 4, 5, NONE,
					   7, NONE, NONE, NONE, NONE, 8, 9, 10,
					   11 },
		[REACH_LAYOUT_LINK] = { NONE, NONE, NONE, NONE, 4, NONE, 6, 7,
					8, 9, 10, 11, 12, 13, 14, 15 },
	};
	const size_t type = offsetof(struct nlmsghdr, nlmsg_type);
	uint8_t i;

	memset(layout->header, 0, sizeof(layout->header));
	memcpy(layout->header, &outputs[layout->class].kind,
	       sizeof(outputs->kind));
	for (i = 0; i < 16; i++) {
		layout->header_from[i] = i < type ? NONE : i;
		layout->header_from[16 + i] = seconds[layout->class][i];
		if (seconds[layout->class][i] == NONE)
			layout->header[16 + i] = body[i];
	}
#undef NONE
}

void reach_layout_widen(struct reach_layout *layout)
{
	const size_t size = outputs[layout->class].size;
	struct reach_wide *wide = &layout->wide;
	struct plan plan = { .layout = layout };
	size_t i;

	layout->is_widened = true;
	if (layout->length > MESSAGE_MAX)
		return;
	memset(wide, 0, sizeof(*wide));
	plan_copies(&plan, layout);
	plan_checks(&plan, layout);
	layout->pair_count = (uint8_t)place_windows(&plan, wide);
	for (i = 0; i < REACH_WIDE_CHUNKS(size); i++)
		place_chunk(&plan, wide, i, REACH_WIDE_AT(size, i));
}
#endif
