/* SPDX-License-Identifier: MIT */
/* Decoding by remembered layouts. */
#include "apply.h"
#include "decode.h"
#include "layout.h"

#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

static inline size_t set_of(const struct nlmsghdr *nlh)
{
	return (size_t)(nlh->nlmsg_type >> 1 ^ nlh->nlmsg_len >> 2) % SETS;
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
	const size_t set = set_of(nlh);
	reach_chunk difference;
	size_t i;

	for (i = 0; i < WAYS; i++) {
		const struct reach_layout *layout = &decoder->layouts[set][i];

		if (layout->key != key)
			continue;
		compare(layout, (const void *)nlh, &difference);
		if (!is_zero(&difference) || !fits(layout, nlh))
			continue;
		read_message(layout, nlh, message);
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
	const size_t set = set_of(nlh);
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

/* The layout that the message at *@offset may have, and the message: of its
 * length, and whole inside the datagram; NULL if there is none, or if anything
 * is unusual. */
static inline __attribute__((always_inline)) const struct reach_layout *
find(struct reach_decoder *decoder, const void *bytes, size_t size, size_t at,
     const struct reach_message *message)
{
	const struct nlmsghdr *nlh =
		(const void *)((const uint8_t *)bytes + at);
	const size_t left = size - at;
	const struct reach_layout *layout;
	uint64_t key;

	/* The subtraction sees less than a header and @at beyond the end. */
	if (__builtin_expect(message->size < sizeof(*message) ||
				     (size | (left - NLMSG_HDRLEN)) > INT_MAX ||
				     ((uintptr_t)bytes | at) % NLMSG_ALIGNTO,
			     0))
		return NULL;
	key = reach_layout_key(nlh);
	layout = decoder->last;
	if (layout->key != key) {
		layout = decoder->recent[set_of(nlh)];
		decoder->last = layout;
	}
	/* The layout's length, equal by then, does not wait for the message's:
	 * the next message can begin before this one has been loaded. */
	if (__builtin_expect(layout->key != key || layout->length > left, 0))
		return NULL;
	return layout;
}

/* What a message is read with once its headers are as @layout demands. */
#define STEP                                                                   \
	struct reach_decoder *decoder, const void *bytes, size_t size,         \
		size_t *offset, struct reach_message *message,                 \
		const struct reach_layout *layout

typedef bool fits_function(const struct reach_layout *layout,
			   const struct nlmsghdr *nlh);
typedef void read_function(const struct reach_layout *layout,
			   const struct nlmsghdr *nlh,
			   struct reach_message *ret);

/* Moves @offset behind that message, and reads it: in this order, which keeps
 * fewer things in registers. */
static inline __attribute__((always_inline)) int
take(STEP, fits_function *fits_one, read_function *read_one)
{
	const size_t at = *offset, left = size - at;
	const struct nlmsghdr *nlh =
		(const void *)((const uint8_t *)bytes + at);

	if (!fits_one(layout, nlh))
		return next_slowly(decoder, bytes, size, offset, message);
	*offset = at + (layout->step < left ? layout->step : left);
	read_one(layout, nlh, message);
	return 1;
}

/* Fetches what will be compared of the second message from here, taking it to
 * be arranged alike. Only inside the datagram. */
static inline __attribute__((always_inline)) void
prefetch(const struct reach_layout *layout, const void *bytes, size_t size,
	 size_t at)
{
	const size_t ahead = 2 * (size_t)layout->step;
	const uint8_t *later;
	const size_t lines = layout->line_count;
	size_t i;

	if (size - at < ahead + layout->length)
		return;
	later = (const uint8_t *)bytes + at + ahead;
	for (i = 0; i < lines; i += 4) {
		__builtin_prefetch(later + layout->lines[i]);
		__builtin_prefetch(later + layout->lines[i + 1]);
		__builtin_prefetch(later + layout->lines[i + 2]);
		__builtin_prefetch(later + layout->lines[i + 3]);
	}
}

static int next_portable(struct reach_decoder *decoder, const void *bytes,
			 size_t size, size_t *offset,
			 struct reach_message *message)
{
	const struct reach_layout *layout =
		find(decoder, bytes, size, *offset, message);
	reach_chunk difference;

	if (!layout)
		return next_slowly(decoder, bytes, size, offset, message);
	compare(layout, (const uint8_t *)bytes + *offset, &difference);
	if (!is_zero(&difference))
		return next_slowly(decoder, bytes, size, offset, message);
	prefetch(layout, bytes, size, *offset);
	return take(decoder, bytes, size, offset, message, layout, fits,
		    read_message);
}

#if defined(__x86_64__)
/* The same, compiled for wider registers, and in steps that take the same
 * arguments: none has to save registers for another. */
#define WIDE __attribute__((target("avx2"), noinline)) static int

WIDE take_route(STEP)
{
	return take(decoder, bytes, size, offset, message, layout, fits_route,
		    read_route);
}

WIDE take_address(STEP)
{
	return take(decoder, bytes, size, offset, message, layout, fits_address,
		    read_address);
}

WIDE take_link(STEP)
{
	prefetch(layout, bytes, size, *offset);
	return take(decoder, bytes, size, offset, message, layout, fits_link,
		    read_link);
}

WIDE next_avx2(struct reach_decoder *decoder, const void *bytes, size_t size,
	       size_t *offset, struct reach_message *message)
{
	const struct reach_layout *layout =
		find(decoder, bytes, size, *offset, message);
	reach_chunk difference;

	if (!layout)
		return next_slowly(decoder, bytes, size, offset, message);
	compare(layout, (const uint8_t *)bytes + *offset, &difference);
	if (!_mm256_testz_si256((__m256i)difference, (__m256i)difference))
		return next_slowly(decoder, bytes, size, offset, message);
	if (__builtin_expect(layout->class == REACH_LAYOUT_ROUTE, 1))
		return take_route(decoder, bytes, size, offset, message,
				  layout);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return take_address(decoder, bytes, size, offset, message,
				    layout);
	return take_link(decoder, bytes, size, offset, message, layout);
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
