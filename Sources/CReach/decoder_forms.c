/* SPDX-License-Identifier: MIT */
/* Reading by layouts as any processor can, and the choice of a form. */
#include "decoder_forms.h"
#include "apply.h"
#include "base/processor.h"

int reach_decoder_next_portable(struct reach_decoder *decoder,
				const void *bytes, size_t size, size_t *offset,
				struct reach_message *message)
{
	const size_t at = *offset;
	const struct reach_layout *layout =
		reach_decoder_find(decoder, bytes, size, at, message);
	const struct nlmsghdr *nlh =
		(const void *)((const uint8_t *)bytes + at);

	if (!layout || !matches(layout, nlh))
		return reach_decoder_next_slowly(decoder, bytes, size, offset,
						 message);
	reach_decoder_prefetch(layout, bytes, size, at);
	*offset = reach_decoder_behind(layout, size, at);
	read_message(layout, nlh, message);
	return 1;
}

const struct reach_decoder_form reach_decoder_forms[] = {
#if defined(__x86_64__)
	{ "avx512", reach_decoder_next_avx512, reach_has_avx512 },
	{ "avx2", reach_decoder_next_avx2, reach_has_avx2 },
#endif
	{ "portable", reach_decoder_next_portable, reach_has_any },
};
const size_t reach_decoder_form_count =
	sizeof(reach_decoder_forms) / sizeof(*reach_decoder_forms);
