/* SPDX-License-Identifier: MIT */
/*
 * Where the values of a message are, remembered.
 *
 * A dump or a storm repeats a few arrangements of attributes: the same types
 * with the same lengths in the same order. Once the checked walk has read one
 * message, the next of the same length needs no walk: if every attribute
 * header, and every value that decides how others are read, is where it was
 * and the same, then the walk would find what it found. By induction: the
 * first attribute starts at a fixed place, and each next one behind the
 * length that was compared. So the values can be taken from known places.
 */
#ifndef REACH_LAYOUT_H
#define REACH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/netlink.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* Up to four headers of attributes with four bytes each fit a check. */
typedef uint64_t reach_chunk __attribute__((vector_size(32)));
/* The same anywhere in memory. */
typedef uint64_t reach_bytes
	__attribute__((vector_size(32), aligned(1), may_alias));

/* A text member. */
typedef uint8_t reach_letters __attribute__((vector_size(16)));
typedef uint8_t reach_letters_anywhere
	__attribute__((vector_size(16), aligned(1), may_alias));

struct reach_check {
	reach_chunk want;
	reach_chunk mask;
};

struct reach_copy {
	/* Offset in the message. */
	uint16_t from;
	/* Offset in the member of `u`. */
	uint16_t to;
};

/* A message with more is left to the walk. */
#define REACH_LAYOUT_CHECKS 24
#define REACH_LAYOUT_COPIES 20
#define REACH_LAYOUT_QUADS  6
#define REACH_LAYOUT_OCTETS 8
#define REACH_LAYOUT_BODY   160

_Static_assert(offsetof(struct reach_route_message, legs) <=
			       REACH_LAYOUT_BODY &&
		       sizeof(struct reach_address_message) <=
			       REACH_LAYOUT_BODY &&
		       sizeof(struct reach_link_message) <= REACH_LAYOUT_BODY,
	       "every body fits");

/* Done in any case, checks then two at a time: lists are filled up with checks
 * of nothing and repeated copies, which cost less than to count them. */
#define REACH_LAYOUT_CHECKS_MIN 2
#define REACH_LAYOUT_COPIES_MIN 4
#define REACH_LAYOUT_OCTETS_MIN 2

/* The texts of a link, of 16 bytes each: the name, and behind it the kind. */
#define REACH_LAYOUT_TEXTS 2

_Static_assert(offsetof(struct reach_link_message, kind) ==
			       offsetof(struct reach_link_message, name) +
				       sizeof(reach_letters) &&
		       sizeof(struct reach_link_message) ==
			       offsetof(struct reach_link_message, kind) +
				       sizeof(reach_letters),
	       "the texts are written as one, and last");

/* A message starts with two headers of 16 bytes, its own and the first 16 of
 * its body. The former says what nlmsghdr does, and the latter, behind four
 * bytes of `present`, what is in the fixed header behind that. */
#define REACH_LAYOUT_SECOND_HEADER (NLMSG_HDRLEN - sizeof(uint32_t))

/* A processor fetches what follows by itself, but not the few lines that are
 * of use in a message of this many bytes. */
#define REACH_LAYOUT_LONG 512

/* The messages that are remembered. */
enum reach_layout_class {
	REACH_LAYOUT_NONE = 0,
	REACH_LAYOUT_ROUTE = 1,
	REACH_LAYOUT_ADDRESS = 2,
	REACH_LAYOUT_LINK = 3
};

/* What a message is compared with and made of, 64 bytes at a time: windows of
 * it, of which a link has eight. */
#define REACH_WIDE_PAIRS 6
/* How many parts of 64 bytes are written for @size, and where; the last one
 * overlaps the one before. */
#define REACH_WIDE_CHUNKS(size) (((size) + 63) / 64)
#define REACH_WIDE_AT(size, i)                                                 \
	((i) + 1 < REACH_WIDE_CHUNKS(size) ? 64 * (i) : (size) - 64)

struct reach_wide_pair {
	/* Offsets in the message, bits of what has to be as wanted, and of what
	 * is copied from here. The windows of the first pair are kept; into
	 * them go these bits of the later ones, no two to one place. So bytes
	 * are moved about once a message, not once a pair. */
	uint16_t at[2];
	uint64_t demanded[2];
	uint64_t kept[2];
	_Alignas(64) uint8_t want[2][64];
};

struct reach_wide {
	/* Bits of a window at the start that are inside the message. */
	uint64_t inside;
	/* Of what is written, from the kind on: bits of what is taken from the
	 * two windows that are kept. `from` then has which byte of the 128,
	 * else the byte itself. */
	uint64_t taken[3];
	_Alignas(64) uint8_t from[3][64];
	struct reach_wide_pair pairs[REACH_WIDE_PAIRS];
};

struct reach_layout {
	/* reach_layout_key(); REACH_LAYOUT_EMPTY, or 0 before its first use. */
	uint64_t key;
	/* nlmsg_len, and to the next message. */
	uint32_t length;
	uint32_t step;
	/* Where IFA_LOCAL and IFA_ADDRESS of four bytes are, if both are
	 * there, else the same place twice; and whether they differ. */
	uint16_t local;
	uint16_t peer;
	bool pair_differs;
	/* enum reach_layout_class. */
	uint8_t class;
	/* Longest prefix of the family, for a route. */
	uint8_t length_max;
	uint8_t check_count;
	uint8_t copy_count;
	uint8_t quad_count;
	uint8_t octet_count;
	/* Of `wide`; 0 before it is made, and if the message does not fit. */
	uint8_t pair_count;
	bool is_widened;
	/* Of a text that is absent, 0 and 0. */
	uint8_t text_length[REACH_LAYOUT_TEXTS];
	uint16_t text_from[REACH_LAYOUT_TEXTS];
	/* Of 4, 16 and 1 bytes. */
	struct reach_copy copies[REACH_LAYOUT_COPIES];
	struct reach_copy quads[REACH_LAYOUT_QUADS];
	struct reach_copy octets[REACH_LAYOUT_OCTETS];
	uint16_t check_at[REACH_LAYOUT_CHECKS];
	/* Ones where the text has ended, from its start if it is absent. */
	_Alignas(32) reach_letters text_rest[REACH_LAYOUT_TEXTS];
#if defined(__x86_64__)
	/* The first 32 bytes from the kind of a message on: which byte of the
	 * two headers each is, or more than 127 and what it is else. */
	_Alignas(64) uint8_t header_from[32];
	uint8_t header[32];
#endif
	/* The member of `u` as it was read; copies go on top. */
	_Alignas(32) uint8_t body[REACH_LAYOUT_BODY];
	/* Each in a line of the cache. */
	_Alignas(64) struct reach_check checks[REACH_LAYOUT_CHECKS];
#if defined(__x86_64__)
	struct reach_wide wide;
#endif
};

/* No message has it. 0 is that of a header of zeros, which is no message but
 * may be compared before it is checked. */
#define REACH_LAYOUT_EMPTY UINT64_MAX

/* Length and type, as they are in memory. RTM_NEW* and RTM_DEL* of one family
 * differ in the lowest bit. */
static inline uint64_t reach_layout_key(const struct nlmsghdr *nlh)
{
	static const struct nlmsghdr what = { .nlmsg_len = UINT32_MAX,
					      .nlmsg_type = UINT16_MAX ^ 1 };
	uint64_t key, mask;

	memcpy(&key, nlh, sizeof(key));
	memcpy(&mask, &what, sizeof(mask));
	return key & mask;
}

/* Remembers the arrangement of @nlh, which the walk has found sound and read
 * into @body; false, and an empty layout, where it cannot be. */
bool reach_layout_learn(struct reach_layout *layout,
			enum reach_layout_class class,
			const struct nlmsghdr *nlh, const void *body);

#if defined(__x86_64__)
/* Makes `header_from` and `header`, of the member of `u` that was read. */
void reach_layout_headers(struct reach_layout *layout, const uint8_t *body);

/* Makes `wide`, which costs as much as to learn: not for a layout that is of
 * use only once. */
void reach_layout_widen(struct reach_layout *layout);
#endif

#pragma GCC visibility pop

#endif
