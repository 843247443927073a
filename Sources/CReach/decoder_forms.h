/* SPDX-License-Identifier: MIT */
/* The decoder, and the forms of its reading. They differ in speed only. */
#ifndef REACH_DECODER_FORMS_H
#define REACH_DECODER_FORMS_H

#include "layout.h"
#include "message/decode.h"

#pragma GCC visibility push(hidden)

/* Layouts by length, and of each length the last four. */
#define REACH_DECODER_SETS 8
#define REACH_DECODER_WAYS 4

typedef int reach_decoder_next_form(struct reach_decoder *decoder,
				    const void *bytes, size_t size,
				    size_t *offset,
				    struct reach_message *message);

struct reach_decoder {
	reach_decoder_next_form *next;
	/* What free() takes; this is where it is aligned. */
	void *memory;
	/* Never NULL. Most messages are like the one before. */
	const struct reach_layout *last;
	/* The way of each set that was of use last. */
	const struct reach_layout *recent[REACH_DECODER_SETS];
	/* The way that is learned anew next. */
	uint8_t oldest[REACH_DECODER_SETS];
	/* How many were not among the ways. */
	uint8_t candidates[REACH_DECODER_SETS];
	struct reach_layout layouts[REACH_DECODER_SETS][REACH_DECODER_WAYS];
};

struct reach_decoder_form {
	const char *name;
	reach_decoder_next_form *next;
	/* Whether this processor, and the system for its registers, can. */
	bool (*is_supported)(void);
};

/* Fastest first; the last is always supported. */
extern const struct reach_decoder_form reach_decoder_forms[];
extern const size_t reach_decoder_form_count;

reach_decoder_next_form reach_decoder_next_portable;
#if defined(__x86_64__)
reach_decoder_next_form reach_decoder_next_avx2;
reach_decoder_next_form reach_decoder_next_avx512;
#endif

/* Every layout of its length, or else the checked walk. */
reach_decoder_next_form reach_decoder_next_slowly;

static inline size_t reach_decoder_set(const struct nlmsghdr *nlh)
{
	return (size_t)(nlh->nlmsg_type >> 1 ^ nlh->nlmsg_len >> 2) %
	       REACH_DECODER_SETS;
}

/* The layout that the message at *@offset may have, and the message: of its
 * length, and whole inside the datagram; NULL if there is none, or if anything
 * is unusual. */
static inline __attribute__((always_inline)) const struct reach_layout *
reach_decoder_find(struct reach_decoder *decoder, const void *bytes,
		   size_t size, size_t at, const struct reach_message *message)
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
		layout = decoder->recent[reach_decoder_set(nlh)];
		decoder->last = layout;
	}
	/* The layout's length, equal by then, does not wait for the message's:
	 * the next message can begin before this one has been loaded. */
	if (__builtin_expect(layout->key != key || layout->length > left, 0))
		return NULL;
	return layout;
}

/* What a message is read with once it has a layout that it may have. */
#define REACH_DECODER_STEP                                                     \
	struct reach_decoder *decoder, const void *bytes, size_t size,         \
		size_t *offset, struct reach_message *message,                 \
		const struct reach_layout *layout

/* The offset behind the message at @at. */
static inline __attribute__((always_inline)) size_t
reach_decoder_behind(const struct reach_layout *layout, size_t size, size_t at)
{
	const size_t behind = at + layout->step;

	return behind < size ? behind : size;
}

/* The second message from here, which will probably be arranged alike, for what
 * will be compared of it to be fetched. This one if the datagram ends before.
 */
static inline __attribute__((always_inline)) const uint8_t *
reach_decoder_later(const struct reach_layout *layout, const void *bytes,
		    size_t size, size_t at)
{
	const size_t ahead = 2 * (size_t)layout->step;
	const size_t later = size - at < ahead + layout->length ? 0 : ahead;

	return (const uint8_t *)bytes + at + later;
}

static inline __attribute__((always_inline)) void
reach_decoder_prefetch(const struct reach_layout *layout, const void *bytes,
		       size_t size, size_t at)
{
	const uint8_t *later = reach_decoder_later(layout, bytes, size, at);
	const size_t count =
		layout->length < REACH_LAYOUT_LONG ? 0 : layout->check_count;
	size_t i;

	for (i = 0; i < count; i++)
		__builtin_prefetch(later + layout->check_at[i]);
}

#pragma GCC visibility pop

#endif
