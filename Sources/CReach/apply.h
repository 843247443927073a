/* SPDX-License-Identifier: MIT */
/* Comparing a message with a remembered layout, and reading it by that. All
 * inline: the decoder is compiled for more than one width of registers. */
#ifndef REACH_APPLY_H
#define REACH_APPLY_H

#include "layout.h"
#include "message/decode.h"

/* A macro, since vectors as results would change the calling convention. */
#define DIFFERENCE(layout, i, message)                                         \
	((*(const reach_bytes *)(const void *)((message) +                     \
					       (layout)->check_at[i]) &        \
	  (layout)->checks[i].mask) ^                                          \
	 (layout)->checks[i].want)

#define LETTERS(layout, i, message)                                            \
	(*(const reach_letters_anywhere                                        \
		   *)(const void *)((message) + (layout)->text_from[i]))

/* What differs from all that was demanded, in the place of what was. */
static inline __attribute__((always_inline)) void
compare(const struct reach_layout *layout, const uint8_t *message,
	reach_chunk *ret)
{
	const size_t count = layout->check_count;
	reach_chunk all = DIFFERENCE(layout, 0, message) |
			  DIFFERENCE(layout, 1, message);
	size_t i;

	for (i = REACH_LAYOUT_CHECKS_MIN; __builtin_expect(i < count, 0);
	     i += 2)
		all |= DIFFERENCE(layout, i, message) |
		       DIFFERENCE(layout, i + 1, message);
	*ret = all;
}

static inline bool is_zero(const reach_chunk *chunk)
{
	return !((*chunk)[0] | (*chunk)[1] | (*chunk)[2] | (*chunk)[3]);
}

/* A body, 32 bytes at a time; the last ones overlap. */
static inline __attribute__((always_inline)) void
copy_body(void *ret, const struct reach_layout *layout, size_t size)
{
	uint8_t *to = ret;
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i + sizeof(reach_chunk) <= size; i += sizeof(reach_chunk))
		*(reach_bytes *)(void *)(to + i) =
			*(const reach_bytes *)(const void *)(layout->body + i);
	if (i == size)
		return;
	i = size - sizeof(reach_chunk);
	*(reach_bytes *)(void *)(to + i) =
		*(const reach_bytes *)(const void *)(layout->body + i);
}

static inline __attribute__((always_inline)) void
copy_number(const struct reach_copy *restrict copy,
	    const uint8_t *restrict message, uint8_t *restrict ret)
{
	memcpy(ret + copy->to, message + copy->from, 4);
}

static inline __attribute__((always_inline)) void
copy_numbers(const struct reach_layout *restrict layout,
	     const uint8_t *restrict message, uint8_t *restrict ret)
{
	const size_t copies = layout->copy_count;
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i < REACH_LAYOUT_COPIES_MIN; i++)
		copy_number(&layout->copies[i], message, ret);
	if (copies > i)
		copy_number(&layout->copies[i], message, ret);
#pragma GCC unroll 1
	for (i++; __builtin_expect(i < copies, 0); i++)
		copy_number(&layout->copies[i], message, ret);
}

static inline __attribute__((always_inline)) void
copy_values(const struct reach_layout *restrict layout,
	    const uint8_t *restrict message, uint8_t *restrict ret)
{
	const size_t quads = layout->quad_count;
	size_t i;

	copy_numbers(layout, message, ret);
#pragma GCC unroll 1
	for (i = 0; i < quads; i++)
		memcpy(ret + layout->quads[i].to,
		       message + layout->quads[i].from, 16);
}

static inline __attribute__((always_inline)) void
copy_octets(const struct reach_layout *restrict layout,
	    const uint8_t *restrict message, uint8_t *restrict ret)
{
	const size_t octets = layout->octet_count;
	size_t i;

#pragma GCC unroll 2
	for (i = 0; i < REACH_LAYOUT_OCTETS_MIN; i++)
		ret[layout->octets[i].to] = message[layout->octets[i].from];
#pragma GCC unroll 1
	for (; __builtin_expect(i < octets, 0); i++)
		ret[layout->octets[i].to] = message[layout->octets[i].from];
}

/* Whether no text ends before its last byte, which was compared. */
static inline __attribute__((always_inline)) bool
has_whole_texts(const struct reach_layout *layout, const uint8_t *message)
{
	const reach_letters *rest = layout->text_rest;
	const reach_letters ends =
		(reach_letters)((LETTERS(layout, 0, message) | rest[0]) == 0) |
		(reach_letters)((LETTERS(layout, 1, message) | rest[1]) == 0);
	uint64_t words[2];

	memcpy(words, &ends, sizeof(words));
	return !(words[0] | words[1]);
}

static inline __attribute__((always_inline)) void
copy_texts(const struct reach_layout *restrict layout,
	   const uint8_t *restrict message, uint8_t *restrict ret)
{
	reach_letters_anywhere *to =
		(void *)(ret + offsetof(struct reach_link_message, name));

	to[0] = LETTERS(layout, 0, message) & ~layout->text_rest[0];
	to[1] = LETTERS(layout, 1, message) & ~layout->text_rest[1];
}

/* Whether what was not compared is as it has to be, of a message whose headers
 * are as @layout demands. */
static inline __attribute__((always_inline)) bool
fits_route(const struct reach_layout *layout, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = NLMSG_DATA(nlh);

	return rtm->rtm_dst_len <= layout->length_max;
}

/* Whether IFA_LOCAL equals IFA_ADDRESS or not, as it was: that decides what is
 * kept of them. */
static inline __attribute__((always_inline)) bool
fits_address(const struct reach_layout *layout, const struct nlmsghdr *nlh)
{
	const uint8_t *message = (const void *)nlh;

	return (memcmp(message + layout->local, message + layout->peer, 4) !=
		0) == layout->pair_differs;
}

static inline __attribute__((always_inline)) bool
fits_link(const struct reach_layout *layout, const struct nlmsghdr *nlh)
{
	return has_whole_texts(layout, (const void *)nlh);
}

/* Read a message that fits. */
static inline __attribute__((always_inline)) void
read_route(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	   struct reach_message *ret)
{
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	struct reach_route_message *route = &ret->u.route;

	copy_body(route, layout, offsetof(struct reach_route_message, legs));
	reach_route_header(rtm, route);
	route->flags = rtm->rtm_flags;
	copy_values(layout, (const void *)nlh, (void *)route);
	reach_decode_header(nlh, REACH_MESSAGE_ROUTE, ret);
}

static inline __attribute__((always_inline)) void
read_address(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	     struct reach_message *ret)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(nlh);
	struct reach_address_message *address = &ret->u.address;

	copy_body(address, layout, sizeof(*address));
	reach_address_header(ifa, address);
	address->interface_index = ifa->ifa_index;
	copy_values(layout, (const void *)nlh, (void *)address);
	reach_decode_header(nlh, REACH_MESSAGE_ADDRESS, ret);
}

static inline __attribute__((always_inline)) void
read_link(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	  struct reach_message *ret)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);
	struct reach_link_message *link = &ret->u.link;

	copy_body(link, layout, sizeof(*link));
	reach_link_header(ifi, link);
	link->flags = ifi->ifi_flags;
	copy_numbers(layout, (const void *)nlh, (void *)link);
	copy_octets(layout, (const void *)nlh, (void *)link);
	copy_texts(layout, (const void *)nlh, (void *)link);
	reach_decode_header(nlh, REACH_MESSAGE_LINK, ret);
}

static inline __attribute__((always_inline)) bool
fits(const struct reach_layout *layout, const struct nlmsghdr *nlh)
{
	if (__builtin_expect(layout->class == REACH_LAYOUT_ROUTE, 1))
		return fits_route(layout, nlh);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return fits_address(layout, nlh);
	return fits_link(layout, nlh);
}

/* Whether @nlh, which has the key of @layout, is arranged as that. */
static inline __attribute__((always_inline)) bool
matches(const struct reach_layout *layout, const struct nlmsghdr *nlh)
{
	reach_chunk difference;

	compare(layout, (const void *)nlh, &difference);
	return is_zero(&difference) && fits(layout, nlh);
}

static inline __attribute__((always_inline)) void
read_message(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	     struct reach_message *ret)
{
	if (__builtin_expect(layout->class == REACH_LAYOUT_ROUTE, 1))
		read_route(layout, nlh, ret);
	else if (layout->class == REACH_LAYOUT_ADDRESS)
		read_address(layout, nlh, ret);
	else
		read_link(layout, nlh, ret);
}

#endif
