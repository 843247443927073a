/* SPDX-License-Identifier: MIT */
/* The portable reading, compiled for wider registers, and in steps that take
 * the same arguments: none has to save registers for another. */
#if defined(__x86_64__)
#include "apply.h"
#include "decoder_forms.h"

#include <immintrin.h>

#define WIDE __attribute__((target("avx2"), noinline))

typedef bool fits_function(const struct reach_layout *layout,
			   const struct nlmsghdr *nlh);
typedef void read_function(const struct reach_layout *layout,
			   const struct nlmsghdr *nlh,
			   struct reach_message *ret);

/* Moves @offset behind that message, and reads it: in this order, which keeps
 * fewer things in registers. */
static inline __attribute__((always_inline)) int
take(REACH_DECODER_STEP, fits_function *fits_one, read_function *read_one)
{
	const size_t at = *offset;
	const struct nlmsghdr *nlh =
		(const void *)((const uint8_t *)bytes + at);

	if (!fits_one(layout, nlh))
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	*offset = reach_decoder_behind(layout, size, at);
	read_one(layout, nlh, message);
	return 1;
}

WIDE static int take_route(REACH_DECODER_STEP)
{
	return take(decoder, bytes, size, offset, message, layout, fits_route,
		    read_route);
}

WIDE static int take_address(REACH_DECODER_STEP)
{
	return take(decoder, bytes, size, offset, message, layout, fits_address,
		    read_address);
}

WIDE static int take_link(REACH_DECODER_STEP)
{
	reach_decoder_prefetch(layout, bytes, size, *offset);
	return take(decoder, bytes, size, offset, message, layout, fits_link,
		    read_link);
}

WIDE int reach_decoder_next_avx2(struct reach_decoder *decoder,
				 const void *bytes, size_t size, size_t *offset,
				 struct reach_message *message)
{
	const struct reach_layout *layout =
		reach_decoder_find(decoder, bytes, size, *offset, message);
	reach_chunk difference;

	if (!layout)
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	compare(layout, (const uint8_t *)bytes + *offset, &difference);
	if (!_mm256_testz_si256((__m256i)difference, (__m256i)difference))
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	if (__builtin_expect(layout->class == REACH_LAYOUT_ROUTE, 1))
		return take_route(decoder, bytes, size, offset, message,
				  layout);
	if (layout->class == REACH_LAYOUT_ADDRESS)
		return take_address(decoder, bytes, size, offset, message,
				    layout);
	return take_link(decoder, bytes, size, offset, message, layout);
}
#endif
