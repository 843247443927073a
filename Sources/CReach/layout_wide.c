/* SPDX-License-Identifier: MIT */
/* A layout for registers of 64 bytes that can be permuted byte by byte. */
#if defined(__x86_64__)
#include "decode.h"
#include "layout.h"

#include <linux/if_link.h>

/* Longer messages are left to the lists. */
#define MESSAGE_MAX 4096
#define WORDS	    (MESSAGE_MAX / 64)

/* What is written, from the kind of a message on. */
#define START offsetof(struct reach_message, kind)
#define BODY  (offsetof(struct reach_message, u) - START)

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
	/* Bits of the bytes of the message that are copied or compared. */
	uint64_t needed[WORDS + 1];
	/* What is written: bytes, and where each is copied from. Nothing is
	 * copied from the start of a message, which is its length. */
	uint8_t bytes[BODY + REACH_LAYOUT_BODY];
	uint16_t from[BODY + REACH_LAYOUT_BODY];
};

static void need(struct plan *plan, size_t at)
{
	plan->needed[at / 64] |= (uint64_t)1 << at % 64;
}

static void plan_copy(struct plan *plan, size_t from, size_t to, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		plan->from[to + i] = (uint16_t)(from + i);
		need(plan, from + i);
	}
}

static void plan_list(struct plan *plan, const struct reach_copy *copies,
		      size_t count, size_t size)
{
	size_t i;

	for (i = 0; i < count; i++)
		plan_copy(plan, copies[i].from, BODY + copies[i].to, size);
}

/* The fixed headers, as read_route() and its like copy them. */
static void plan_header(struct plan *plan)
{
	static const struct {
		uint8_t class;
		uint8_t from;
		uint8_t to;
		uint8_t size;
	} parts[] = {
#define PART(class, type, member, body, to, size)                              \
	{ class, NLMSG_HDRLEN + offsetof(struct type, member),                 \
	  BODY + offsetof(struct body, to), size }
#define ROUTE(member, to, size)                                                \
	PART(REACH_LAYOUT_ROUTE, rtmsg, member, reach_route_message, to, size)
#define ADDRESS(member, to, size)                                              \
	PART(REACH_LAYOUT_ADDRESS, ifaddrmsg, member, reach_address_message,   \
	     to, size)
#define LINK(member, to, size)                                                 \
	PART(REACH_LAYOUT_LINK, ifinfomsg, member, reach_link_message, to, size)
		ROUTE(rtm_dst_len, destination_length, 3),
		ROUTE(rtm_protocol, protocol, 3),
		ROUTE(rtm_flags, flags, 4),
		ADDRESS(ifa_prefixlen, prefix_length, 1),
		ADDRESS(ifa_scope, scope, 1),
		ADDRESS(ifa_index, interface_index, 4),
		LINK(ifi_type, hardware_type, 2),
		LINK(ifi_index, index, 4),
		LINK(ifi_flags, flags, 4),
	};
	const size_t type = offsetof(struct nlmsghdr, nlmsg_type);
	size_t i;

	plan_copy(plan, type, type, NLMSG_HDRLEN - type);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].class == plan->layout->class)
			plan_copy(plan, parts[i].from, parts[i].to,
				  parts[i].size);
}

static void plan_copies(struct plan *plan, const struct reach_layout *layout)
{
	size_t i;

	memcpy(plan->bytes, &outputs[layout->class].kind,
	       sizeof(outputs->kind));
	memcpy(plan->bytes + BODY, layout->body, sizeof(layout->body));
	plan_header(plan);
	plan_list(plan, layout->copies, layout->copy_count, 4);
	plan_list(plan, layout->quads, layout->quad_count, 16);
	plan_list(plan, layout->octets, layout->octet_count, 1);
	for (i = 0; i < layout->text_count; i++)
		plan_list(plan, &layout->texts[i].copy, 1,
			  layout->texts[i].length);
}

static void plan_checks(struct plan *plan, const struct reach_layout *layout)
{
	size_t i, j;

	for (i = 0; i < layout->check_count; i++) {
		const uint8_t *mask = (const uint8_t *)&layout->checks[i].mask;

		for (j = 0; j < sizeof(reach_chunk); j++)
			if (mask[j])
				need(plan, layout->check_at[i] + j);
	}
}

/* Bits of the 64 bytes at @at. */
static uint64_t needed_at(const struct plan *plan, size_t at)
{
	const uint64_t *words = &plan->needed[at / 64];

	return at % 64 ? words[0] >> at % 64 | words[1] << (64 - at % 64)
		       : words[0];
}

/* Covers what is needed with windows that are inside the message, or with one
 * that is longer than it; how many, or too many. */
static size_t place_windows(const struct plan *plan, struct reach_wide *wide)
{
	const size_t length = plan->layout->length;
	const size_t last = length < 64 ? 0 : length - 64;
	size_t at = 0, count = 0;

	wide->inside = length < 64 ? ((uint64_t)1 << length) - 1 : UINT64_MAX;
	for (; at < MESSAGE_MAX; at += 64) {
		const uint64_t needed = needed_at(plan, at);

		if (!needed)
			continue;
		if (count == (size_t)2 * REACH_WIDE_PAIRS)
			return count + 1;
		at += (size_t)__builtin_ctzll(needed);
		at = at < last ? at : last;
		wide->pairs[count / 2].at[count % 2] = (uint16_t)at;
		count++;
	}
	return count;
}

/* The window that has the byte at @at, which one has. */
static size_t find_window(const struct reach_wide *wide, size_t at)
{
	size_t i = 0;

	while (at - wide->pairs[i / 2].at[i % 2] >= 64)
		i++;
	return i;
}

static void place_checks(const struct reach_layout *layout,
			 struct reach_wide *wide)
{
	size_t i, j;

	for (i = 0; i < layout->check_count; i++) {
		const struct reach_check *check = &layout->checks[i];
		const uint8_t *mask = (const uint8_t *)&check->mask;

		for (j = 0; j < sizeof(reach_chunk); j++) {
			const size_t at = layout->check_at[i] + j;
			size_t window, lane;

			if (!mask[j])
				continue;
			window = find_window(wide, at);
			lane = at - wide->pairs[window / 2].at[window % 2];
			wide->pairs[window / 2].demanded[window % 2] |=
				(uint64_t)1 << lane;
			wide->pairs[window / 2].want[window % 2][lane] =
				((const uint8_t *)&check->want)[j];
		}
	}
}

/* The bytes from @start on that are written as one. */
static void place_chunk(const struct plan *plan, struct reach_wide *wide,
			size_t chunk, size_t start)
{
	size_t i;

	for (i = 0; i < 64; i++) {
		const size_t at = plan->from[start + i];
		struct reach_wide_pair *pair;
		size_t window;

		if (!at) {
			wide->pairs[0].from[chunk][i] = plan->bytes[start + i];
			continue;
		}
		window = find_window(wide, at);
		pair = &wide->pairs[window / 2];
		pair->taken[chunk] |= (uint64_t)1 << i;
		pair->from[chunk][i] =
			(uint8_t)(window % 2 * 64 + at - pair->at[window % 2]);
	}
}

void reach_layout_widen(struct reach_layout *layout)
{
	const size_t size = outputs[layout->class].size;
	struct reach_wide *wide = &layout->wide;
	struct plan plan = { .layout = layout };
	size_t count, i;

	layout->is_widened = true;
	if (layout->length > MESSAGE_MAX)
		return;
	memset(wide, 0, sizeof(*wide));
	plan_copies(&plan, layout);
	plan_checks(&plan, layout);
	count = place_windows(&plan, wide);
	if (count > (size_t)2 * REACH_WIDE_PAIRS)
		return;
	place_checks(layout, wide);
	for (i = 0; i < REACH_WIDE_CHUNKS(size); i++)
		place_chunk(&plan, wide, i, REACH_WIDE_AT(size, i));
	layout->pair_count = (uint8_t)((count + 1) / 2);
}
#endif
