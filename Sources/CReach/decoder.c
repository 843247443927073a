/* SPDX-License-Identifier: MIT */
/* Decoding by remembered layouts. */
#include "decode.h"
#include "layout.h"

#include <stdlib.h>

/* Layouts by length, and of each length the last four. */
#define SETS 8
#define WAYS 4

typedef int next_function(struct reach_decoder *decoder, const void *bytes,
			  size_t size, size_t *offset,
			  struct reach_message *message);

struct reach_decoder {
	next_function *next;
	/* What free() takes; this is where it is aligned. */
	void *memory;
	/* Never NULL. Most messages are like the one before. */
	const struct reach_layout *last;
	/* The way of each set that was of use last. */
	const struct reach_layout *recent[SETS];
	/* The way that is learned anew next. */
	uint8_t oldest[SETS];
	struct reach_layout layouts[SETS][WAYS];
};

/* Before anything is learnt. */
static const struct reach_layout empty = { .key = REACH_LAYOUT_EMPTY };

static inline size_t set_of(uint64_t key)
{
	return (size_t)(key >> 32 ^ key >> 2) % SETS;
}

/* A macro, since vectors as results would change the calling convention. */
#define DIFFERENCE(layout, i, message)                                         \
	((*(const reach_bytes *)(const void *)((message) +                     \
					       (layout)->check_at[i]) &        \
	  (layout)->checks[i].mask) ^                                          \
	 (layout)->checks[i].want)

/* Whether all that was demanded is there. */
static inline __attribute__((always_inline)) bool
matches(const struct reach_layout *layout, const uint8_t *message)
{
	const size_t count = layout->check_count;
	reach_chunk all = DIFFERENCE(layout, 0, message) |
			  DIFFERENCE(layout, 1, message);
	size_t i;

	for (i = REACH_LAYOUT_CHECKS_MIN; __builtin_expect(i < count, 0);
	     i += 2)
		all |= DIFFERENCE(layout, i, message) |
		       DIFFERENCE(layout, i + 1, message);
	return !(all[0] | all[1] | all[2] | all[3]);
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
copy_values(const struct reach_layout *restrict layout,
	    const uint8_t *restrict message, uint8_t *restrict ret)
{
	const size_t copies = layout->copy_count;
	const size_t quads = layout->quad_count;
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i < REACH_LAYOUT_COPIES_MIN; i++)
		copy_number(&layout->copies[i], message, ret);
	for (; __builtin_expect(i < copies, 0); i += 2) {
		copy_number(&layout->copies[i], message, ret);
		copy_number(&layout->copies[i + 1], message, ret);
	}
	for (i = 0; i < quads; i++)
		memcpy(ret + layout->quads[i].to,
		       message + layout->quads[i].from, 16);
}

/* The lowest zero byte of @word and all above it cleared; @found tells
 * whether there is one. The first byte of a text is the lowest. */
static inline uint64_t cut(uint64_t word, bool *found)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t zeros = (word - ones) & ~word & ones << 7;

	*found = zeros;
	return zeros ? word & (((zeros & -zeros) >> 7) - 1) : word;
}

static inline uint64_t load_text(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The bytes of a text up to its NUL, and zeros behind. */
static inline void copy_text(const struct reach_text *text,
			     const uint8_t *message, uint8_t *ret)
{
	uint64_t low = load_text(message + text->copy.from) & text->low;
	uint64_t high = load_text(message + text->copy.from + 8) & text->high;
	bool ends;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low = __builtin_bswap64(cut(__builtin_bswap64(low), &ends));
	high = ends ? 0
		    : __builtin_bswap64(cut(__builtin_bswap64(high), &ends));
#else
	low = cut(low, &ends);
	high = ends ? 0 : cut(high, &ends);
#endif
	memcpy(ret + text->copy.to, &low, sizeof(low));
	memcpy(ret + text->copy.to + 8, &high, sizeof(high));
}

static inline __attribute__((always_inline)) void
copy_odd_values(const struct reach_layout *restrict layout,
		const uint8_t *restrict message, uint8_t *restrict ret)
{
	const size_t octets = layout->octet_count;
	const size_t texts = layout->text_count;
	size_t i;

	for (i = 0; i < octets; i++)
		ret[layout->octets[i].to] = message[layout->octets[i].from];
	for (i = 0; i < texts; i++)
		copy_text(&layout->texts[i], message, ret);
}

static inline __attribute__((always_inline)) bool
apply_route(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	    struct reach_message *ret)
{
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	struct reach_route_message *route = &ret->u.route;

	if (rtm->rtm_dst_len > layout->length_max)
		return false;
	copy_body(route, layout, offsetof(struct reach_route_message, legs));
	reach_route_header(rtm, route);
	copy_values(layout, (const void *)nlh, (void *)route);
	reach_decode_header(nlh, REACH_MESSAGE_ROUTE, ret);
	return true;
}

/* Whether IFA_LOCAL and IFA_ADDRESS are equal or not as they were: one of
 * them or both are kept. */
static inline __attribute__((always_inline)) bool
has_same_pair(const struct reach_layout *layout, const uint8_t *message)
{
	const uint8_t *local = message + layout->local;
	const uint8_t *peer = message + layout->peer;

	if (!layout->pair_size)
		return true;
	if (layout->pair_size == 4)
		return !memcmp(local, peer, 4) == layout->pair_equal;
	return !memcmp(local, peer, 16) == layout->pair_equal;
}

static inline __attribute__((always_inline)) bool
apply_address(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	      struct reach_message *ret)
{
	struct reach_address_message *address = &ret->u.address;

	if (!has_same_pair(layout, (const void *)nlh))
		return false;
	copy_body(address, layout, sizeof(*address));
	reach_address_header(NLMSG_DATA(nlh), address);
	copy_values(layout, (const void *)nlh, (void *)address);
	reach_decode_header(nlh, REACH_MESSAGE_ADDRESS, ret);
	return true;
}

static inline __attribute__((always_inline)) bool
apply_link(const struct reach_layout *layout, const struct nlmsghdr *nlh,
	   struct reach_message *ret)
{
	struct reach_link_message *link = &ret->u.link;

	copy_body(link, layout, sizeof(*link));
	reach_link_header(NLMSG_DATA(nlh), link);
	copy_values(layout, (const void *)nlh, (void *)link);
	copy_odd_values(layout, (const void *)nlh, (void *)link);
	reach_decode_header(nlh, REACH_MESSAGE_LINK, ret);
	return true;
}

/* @layout is of the class and length of @nlh. */
static inline __attribute__((always_inline)) bool
apply(const struct reach_layout *layout, const struct nlmsghdr *nlh,
      struct reach_message *ret)
{
	if (!matches(layout, (const void *)nlh))
		return false;
	if (__builtin_expect(layout->class == REACH_LAYOUT_ROUTE, 1))
		return apply_route(layout, nlh, ret);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return apply_address(layout, nlh, ret);
	return apply_link(layout, nlh, ret);
}

static enum reach_layout_class class_of(uint16_t kind)
{
	switch (kind) {
	case REACH_MESSAGE_ROUTE:
		return REACH_LAYOUT_ROUTE;
	case REACH_MESSAGE_ADDRESS:
		return REACH_LAYOUT_ADDRESS;
	case REACH_MESSAGE_LINK:
		return REACH_LAYOUT_LINK;
	default:
		return REACH_LAYOUT_NONE;
	}
}

static bool apply_some(struct reach_decoder *decoder,
		       const struct nlmsghdr *nlh,
		       struct reach_message *message)
{
	const uint64_t key = reach_layout_key(nlh);
	const size_t set = set_of(key);
	size_t i;

	for (i = 0; i < WAYS; i++) {
		const struct reach_layout *layout = &decoder->layouts[set][i];

		if (layout->key != key || !apply(layout, nlh, message))
			continue;
		decoder->recent[set] = layout;
		decoder->last = layout;
		return true;
	}
	return false;
}

/* What the walk found is remembered in place of the oldest. */
static void learn(struct reach_decoder *decoder, const struct nlmsghdr *nlh,
		  const struct reach_message *message)
{
	const enum reach_layout_class class = class_of(message->kind);
	const size_t set = set_of(reach_layout_key(nlh));
	const size_t way = decoder->oldest[set];
	struct reach_layout *layout = &decoder->layouts[set][way];

	if (class == REACH_LAYOUT_NONE)
		return;
	if (!reach_layout_learn(layout, class, nlh, &message->u))
		return;
	decoder->oldest[set] = (uint8_t)((way + 1) % WAYS);
	decoder->recent[set] = layout;
	decoder->last = layout;
}

/* Every layout of its length, or else the checked walk. */
static __attribute__((noinline)) int next_slowly(struct reach_decoder *decoder,
						 const void *bytes, size_t size,
						 size_t *offset,
						 struct reach_message *message)
{
	const struct nlmsghdr *nlh;
	int err = reach_decode_step(bytes, size, offset, message, &nlh);

	if (err <= 0)
		return err;
	if (apply_some(decoder, nlh, message))
		return 1;
	err = reach_decode_message(nlh, message);
	if (err)
		return err;
	learn(decoder, nlh, message);
	return 1;
}

/* The way of most messages; whatever is unusual is left to next_slowly(). */
static inline __attribute__((always_inline)) int
next_fast(struct reach_decoder *decoder, const void *bytes, size_t size,
	  size_t *offset, struct reach_message *message)
{
	const size_t at = *offset, left = size - at;
	const struct reach_layout *layout;
	const struct nlmsghdr *nlh;
	uint64_t key;

	/* The subtraction sees less than a header and @at beyond the end. */
	if (__builtin_expect(message->size < sizeof(*message) ||
				     size > INT_MAX ||
				     left - sizeof(*nlh) > INT_MAX ||
				     ((uintptr_t)bytes | at) % NLMSG_ALIGNTO,
			     0))
		return next_slowly(decoder, bytes, size, offset, message);
	nlh = (const void *)((const uint8_t *)bytes + at);
	key = reach_layout_key(nlh);
	layout = decoder->last;
	if (layout->key != key) {
		layout = decoder->recent[set_of(key)];
		decoder->last = layout;
	}
	/* The layout's length, equal by then, does not wait for the message's:
	 * the next message can begin before this one has been loaded. */
	if (__builtin_expect(layout->key != key || layout->length > left ||
				     !apply(layout, nlh, message),
			     0))
		return next_slowly(decoder, bytes, size, offset, message);
	*offset = at + (layout->step < left ? layout->step : left);
	return 1;
}

static int next_portable(struct reach_decoder *decoder, const void *bytes,
			 size_t size, size_t *offset,
			 struct reach_message *message)
{
	return next_fast(decoder, bytes, size, offset, message);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static int
next_avx2(struct reach_decoder *decoder, const void *bytes, size_t size,
	  size_t *offset, struct reach_message *message)
{
	return next_fast(decoder, bytes, size, offset, message);
}
#endif

static next_function *choose_next(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		return next_avx2;
#endif
	return next_portable;
}

int reach_decoder_create(struct reach_decoder **ret)
{
	/* Zeros, and the memory of most layouts is never touched. */
	const size_t alignment = _Alignof(struct reach_decoder);
	void *memory = calloc(1, sizeof(struct reach_decoder) + alignment);
	struct reach_decoder *decoder;
	size_t i;

	if (!memory)
		return -ENOMEM;
	i = alignment - (uintptr_t)memory % alignment;
	decoder = (void *)((uint8_t *)memory + i);
	decoder->memory = memory;
	decoder->next = choose_next();
	decoder->last = &empty;
	for (i = 0; i < SETS; i++)
		decoder->recent[i] = &empty;
	*ret = decoder;
	return 0;
}

void reach_decoder_destroy(struct reach_decoder *decoder)
{
	if (decoder)
		free(decoder->memory);
}

int reach_decoder_next(struct reach_decoder *decoder, const void *bytes,
		       size_t size, size_t *offset,
		       struct reach_message *message)
{
	const struct nlmsghdr *nlh;

	/* Once a datagram, and most events are alone in theirs. */
	if (*offset == size)
		return reach_decode_step(bytes, size, offset, message, &nlh);
	return decoder->next(decoder, bytes, size, offset, message);
}
