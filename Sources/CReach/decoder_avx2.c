/* SPDX-License-Identifier: MIT */
/* Reading by layouts with AVX2. No function here calls another that returns to
 * it, which would cost registers that are saved for every message. */
#if defined(__x86_64__)
#include "apply.h"
#include "decoder_forms.h"

#include <immintrin.h>

#define WIDE   __attribute__((target("avx2")))
#define INLINE WIDE inline __attribute__((always_inline))

/* What is aligned. */
#define LOAD(bytes) (*(const __m256i *)(const void *)(bytes))

#define ROUTE offsetof(struct reach_route_message, legs)

/* What differs from two checks. */
static INLINE __m256i differ(const struct reach_layout *layout, size_t i,
			     const uint8_t *start)
{
	const uint8_t *first = start + layout->check_at[i];
	const uint8_t *second = start + layout->check_at[i + 1];
	const struct reach_check *checks = &layout->checks[i];

	return _mm256_or_si256(
		_mm256_xor_si256(_mm256_and_si256(_mm256_loadu_si256(
							  (const void *)first),
						  (__m256i)checks[0].mask),
				 (__m256i)checks[0].want),
		_mm256_xor_si256(_mm256_and_si256(_mm256_loadu_si256(
							  (const void *)second),
						  (__m256i)checks[1].mask),
				 (__m256i)checks[1].want));
}

/* What differs from all that was demanded, beside @all. If the message is
 * @wide, the same of @later is fetched. Straight on rather than in a loop,
 * which would need more registers. */
static INLINE __m256i compare_all(const struct reach_layout *layout,
				  const uint8_t *start, bool wide,
				  const uint8_t *later, __m256i all)
{
	const size_t count = layout->check_count;
	size_t i;

#pragma GCC unroll 12
	for (i = 0; i < REACH_LAYOUT_CHECKS; i += 2) {
		if (i >= REACH_LAYOUT_CHECKS_MIN && i >= count)
			break;
		if (wide) {
			__builtin_prefetch(later + layout->check_at[i]);
			__builtin_prefetch(later + layout->check_at[i + 1]);
		}
		all = _mm256_or_si256(all, differ(layout, i, start));
	}
	return all;
}

static INLINE bool is_zero_wide(__m256i bytes)
{
	return _mm256_testz_si256(bytes, bytes);
}

/* The kind, what the headers say, and the body. */
static INLINE void write_body(const struct reach_layout *layout,
			      const uint8_t *start, uint8_t *message,
			      size_t size)
{
	uint8_t *body = message + offsetof(struct reach_message, u);
	const __m128i *netlink = (const void *)start;
	const __m128i *fixed =
		(const void *)(start + REACH_LAYOUT_SECOND_HEADER);
	const __m256i headers = _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_loadu_si128(netlink)),
		_mm_loadu_si128(fixed), 1);
	size_t i;

	_mm256_storeu_si256(
		(void *)(message + offsetof(struct reach_message, kind)),
		_mm256_or_si256(
			_mm256_shuffle_epi8(headers, LOAD(layout->header_from)),
			LOAD(layout->header)));
#pragma GCC unroll 8
	for (i = 16; i < size; i += 32) {
		const size_t at = i + 32 < size ? i : size - 32;

		_mm256_storeu_si256(
			(void *)(body + at),
			_mm256_loadu_si256((const void *)(layout->body + at)));
	}
}

/* The message at @start, which is at *@offset. */
#define STEP                                                                   \
	struct reach_decoder *decoder, const uint8_t *start, size_t size,      \
		size_t *offset, struct reach_message *message,                 \
		const struct reach_layout *layout

static INLINE int take_slowly(struct reach_decoder *decoder,
			      const uint8_t *start, size_t size, size_t *offset,
			      struct reach_message *message)
{
	return reach_decoder_next_slowly(decoder, start - *offset, size, offset,
					 message);
}

static WIDE __attribute__((noinline)) int take_route(STEP)
{
	if (!is_zero_wide(compare_all(layout, start, false, NULL,
				      _mm256_setzero_si256())) ||
	    !fits_route(layout, (const void *)start))
		return take_slowly(decoder, start, size, offset, message);
	*offset = reach_decoder_behind(layout, size, *offset);
	write_body(layout, start, (void *)message, ROUTE);
	copy_values(layout, start, (void *)&message->u.route);
	return 1;
}

static WIDE __attribute__((noinline)) int take_address(STEP)
{
	if (!is_zero_wide(compare_all(layout, start, false, NULL,
				      _mm256_setzero_si256())) ||
	    !fits_address(layout, (const void *)start))
		return take_slowly(decoder, start, size, offset, message);
	*offset = reach_decoder_behind(layout, size, *offset);
	write_body(layout, start, (void *)message,
		   sizeof(struct reach_address_message));
	copy_values(layout, start, (void *)&message->u.address);
	return 1;
}

/* The name and the kind, ones where they have ended. */
static INLINE __m256i load_texts(const struct reach_layout *layout,
				 const uint8_t *start)
{
	const __m128i *name = (const void *)(start + layout->text_from[0]);
	const __m128i *kind = (const void *)(start + layout->text_from[1]);

	return _mm256_or_si256(
		_mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_loadu_si128(name)),
			_mm_loadu_si128(kind), 1),
		LOAD(layout->text_rest));
}

static WIDE __attribute__((noinline)) int take_link(STEP)
{
	const uint8_t *later =
		reach_decoder_later(layout, start, size - *offset, 0);
	uint8_t *body = (void *)&message->u.link;
	const __m256i texts = load_texts(layout, start);

	/* A text that ends too early has a zero. */
	if (!is_zero_wide(compare_all(
		    layout, start, true, later,
		    _mm256_cmpeq_epi8(texts, _mm256_setzero_si256()))))
		return take_slowly(decoder, start, size, offset, message);
	*offset = reach_decoder_behind(layout, size, *offset);
	write_body(layout, start, (void *)message,
		   offsetof(struct reach_link_message, name));
	_mm256_storeu_si256(
		(void *)(body + offsetof(struct reach_link_message, name)),
		_mm256_xor_si256(texts, LOAD(layout->text_rest)));
	copy_numbers(layout, start, body);
	copy_octets(layout, start, body);
	return 1;
}

WIDE int reach_decoder_next_avx2(struct reach_decoder *decoder,
				 const void *bytes, size_t size, size_t *offset,
				 struct reach_message *message)
{
	const uint8_t *start = (const uint8_t *)bytes + *offset;
	const struct reach_layout *layout =
		reach_decoder_find(decoder, bytes, size, *offset, message);

	if (!layout)
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	if (layout->class == REACH_LAYOUT_ROUTE)
		return take_route(decoder, start, size, offset, message,
				  layout);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return take_address(decoder, start, size, offset, message,
				    layout);
	return take_link(decoder, start, size, offset, message, layout);
}
#endif
