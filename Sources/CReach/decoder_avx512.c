/* SPDX-License-Identifier: MIT */
/*
 * Reading by layouts with AVX-512 VBMI: any byte of 128 can go anywhere, so
 * what is written is made 64 bytes at a time, in place of a copy for each
 * value.
 */
#if defined(__x86_64__)
#include "apply.h"
#include "decoder_forms.h"

#include <immintrin.h>

#define WIDE   __attribute__((target("avx512bw,avx512vbmi")))
#define INLINE WIDE inline __attribute__((always_inline))

typedef bool fits_function(const struct reach_layout *layout,
			   const struct nlmsghdr *nlh);

/* Bytes that are written from the kind of a message on. */
#define START offsetof(struct reach_message, kind)
#define ROUTE                                                                  \
	(offsetof(struct reach_message, u) - START +                           \
	 offsetof(struct reach_route_message, legs))
#define ADDRESS                                                                \
	(offsetof(struct reach_message, u) - START +                           \
	 sizeof(struct reach_address_message))
#define LINK                                                                   \
	(offsetof(struct reach_message, u) - START +                           \
	 sizeof(struct reach_link_message))

/* Loads two windows, at most @inside of each; what differs in them from what
 * was demanded. A load without a mask costs less. */
static INLINE void load(const struct reach_wide_pair *pair,
			const uint8_t *bytes, __mmask64 inside,
			__m512i windows[2], __mmask64 differ[2])
{
	size_t i;

#pragma GCC unroll 2
	for (i = 0; i < 2; i++) {
		const uint8_t *at = bytes + pair->at[i];

		windows[i] = inside == UINT64_MAX
				     ? _mm512_loadu_si512(at)
				     : _mm512_maskz_loadu_epi8(inside, at);
		differ[i] = _mm512_mask_cmpneq_epi8_mask(
			pair->demanded[i], windows[i],
			_mm512_load_si512(pair->want[i]));
	}
}

/* What is written, out of the two windows that were kept. */
static INLINE void write(const struct reach_wide *wide, const __m512i kept[2],
			 struct reach_message *message, size_t size)
{
	uint8_t *to = (uint8_t *)message + START;
	__m512i chunks[3];
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < REACH_WIDE_CHUNKS(size); i++)
		chunks[i] = _mm512_mask2_permutex2var_epi8(
			kept[0], _mm512_load_si512(wide->from[i]),
			wide->taken[i], kept[1]);
#pragma GCC unroll 4
	for (i = 0; i < REACH_WIDE_CHUNKS(size); i++)
		_mm512_storeu_si512(to + REACH_WIDE_AT(size, i), chunks[i]);
}

/* Whether nothing would keep @layout from being read by. */
static INLINE bool matches_wide(const struct reach_layout *layout,
				const uint8_t *start)
{
	const struct reach_wide_pair *pair = layout->wide.pairs;
	const struct reach_wide_pair *end = pair + layout->pair_count;
	__m512i windows[2];
	__mmask64 differ[2], all = 0;

	for (; pair < end; pair++) {
		load(pair, start, layout->wide.inside, windows, differ);
		all = _kor_mask64(all, _kor_mask64(differ[0], differ[1]));
	}
	return _kortestz_mask64_u8(all, all) &&
	       fits(layout, (const void *)start);
}

/* A message that is not arranged as the last one of its length. Names of
 * interfaces differ in their lengths more than the messages do, and which
 * comes next cannot be foreseen. */
static WIDE __attribute__((noinline)) int take_other(REACH_DECODER_STEP)
{
	const uint8_t *start = (const uint8_t *)bytes + *offset;
	const size_t set = reach_decoder_set((const void *)start);
	size_t i;

	for (i = 0; i < REACH_DECODER_WAYS; i++) {
		const struct reach_layout *other = &decoder->layouts[set][i];

		if (other == layout || other->key != layout->key ||
		    !other->pair_count || !matches_wide(other, start))
			continue;
		decoder->recent[set] = other;
		decoder->last = other;
		return reach_decoder_next_avx512(decoder, bytes, size, offset,
						 message);
	}
	return reach_decoder_next_slowly(decoder, bytes, size, offset, message);
}

/* A message with one pair of windows. */
static INLINE int take_pair(REACH_DECODER_STEP, fits_function *fits_one,
			    size_t written)
{
	const uint8_t *start = (const uint8_t *)bytes + *offset;
	__m512i windows[2];
	__mmask64 differ[2];

	load(layout->wide.pairs, start, layout->wide.inside, windows, differ);
	if (!_kortestz_mask64_u8(differ[0], differ[1]) ||
	    !fits_one(layout, (const void *)start))
		return take_other(decoder, bytes, size, offset, message,
				  layout);
	*offset = reach_decoder_behind(layout, size, *offset);
	write(&layout->wide, windows, message, written);
	return 1;
}

/* More pairs are only in messages longer than a window. */
static INLINE int take_pairs(REACH_DECODER_STEP, fits_function *fits_one,
			     size_t written)
{
	const uint8_t *start = (const uint8_t *)bytes + *offset;
	const uint8_t *later =
		reach_decoder_later(layout, bytes, size, *offset);
	const struct reach_wide_pair *pair = layout->wide.pairs;
	const struct reach_wide_pair *end = pair + layout->pair_count;
	__m512i kept[2], windows[2];
	__mmask64 differ[2], all;

	__builtin_prefetch(later + pair->at[0]);
	__builtin_prefetch(later + pair->at[1]);
	load(pair, start, layout->wide.inside, kept, differ);
	all = _kor_mask64(differ[0], differ[1]);
	for (pair++; pair < end; pair++) {
		__builtin_prefetch(later + pair->at[0]);
		__builtin_prefetch(later + pair->at[1]);
		load(pair, start, UINT64_MAX, windows, differ);
		all = _kor_mask64(all, _kor_mask64(differ[0], differ[1]));
		kept[0] = _mm512_mask_mov_epi8(kept[0], pair->kept[0],
					       windows[0]);
		kept[1] = _mm512_mask_mov_epi8(kept[1], pair->kept[1],
					       windows[1]);
	}
	if (!_kortestz_mask64_u8(all, all) ||
	    !fits_one(layout, (const void *)start))
		return take_other(decoder, bytes, size, offset, message,
				  layout);
	*offset = reach_decoder_behind(layout, size, *offset);
	write(&layout->wide, kept, message, written);
	return 1;
}

/* The second message of a layout makes it ready. Apart, since a call that
 * returns to take_long() would cost it registers for every message. */
static __attribute__((noinline)) int get_ready(REACH_DECODER_STEP)
{
	struct reach_layout *first = *decoder->layouts;

	if (!layout->is_widened)
		reach_layout_widen(first + (layout - first));
	return reach_decoder_next_slowly(decoder, bytes, size, offset, message);
}

/* Any message, and most often that of a link. */
static WIDE __attribute__((noinline)) int take_long(REACH_DECODER_STEP)
{
	if (!layout->pair_count)
		return get_ready(decoder, bytes, size, offset, message, layout);
	if (layout->class == REACH_LAYOUT_LINK)
		return take_pairs(decoder, bytes, size, offset, message, layout,
				  fits_link, LINK);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return take_pairs(decoder, bytes, size, offset, message, layout,
				  fits_address, ADDRESS);
	return take_pairs(decoder, bytes, size, offset, message, layout,
			  fits_route, ROUTE);
}

WIDE int reach_decoder_next_avx512(struct reach_decoder *decoder,
				   const void *bytes, size_t size,
				   size_t *offset,
				   struct reach_message *message)
{
	const struct reach_layout *layout =
		reach_decoder_find(decoder, bytes, size, *offset, message);

	if (!layout)
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	if (layout->pair_count == 1) {
		if (layout->class == REACH_LAYOUT_ROUTE)
			return take_pair(decoder, bytes, size, offset, message,
					 layout, fits_route, ROUTE);
		if (layout->class == REACH_LAYOUT_ADDRESS)
			return take_pair(decoder, bytes, size, offset, message,
					 layout, fits_address, ADDRESS);
	}
	return take_long(decoder, bytes, size, offset, message, layout);
}
#endif
