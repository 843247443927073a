/* SPDX-License-Identifier: MIT */
/* Bulk conversion of flags on AArch64. */
#include "flags/flags_forms.h"

#if defined(REACH_FLAGS_NEON)
#include <arm_neon.h>
#include <string.h>

static const uint8_t table[64] = { REACH_FLAGS_TABLE };

static inline void convert(uint8x16x4_t lookup, const uint32_t *flags,
			   int8_t *statuses)
{
	/* One load takes the four bytes of 16 words apart. */
	const uint8x16x4_t bytes = vld4q_u8((const void *)flags);
	const uint8x16_t index =
		vbslq_u8(vdupq_n_u8(1), vshrq_n_u8(bytes.val[2], 2),
			 vandq_u8(bytes.val[0], vdupq_n_u8(63)));

	vst1q_s8(statuses, vreinterpretq_s8_u8(vqtbl4q_u8(lookup, index)));
}

void reach_statuses_neon(const uint32_t *flags, int8_t *statuses, size_t count)
{
	const uint8x16x4_t lookup = { { vld1q_u8(table), vld1q_u8(table + 16),
					vld1q_u8(table + 32),
					vld1q_u8(table + 48) } };
	uint32_t words[16] = { 0 };
	int8_t bytes[16];

	for (; count >= 16; count -= 16, flags += 16, statuses += 16)
		convert(lookup, flags, statuses);
	if (!count)
		return;
	memcpy(words, flags, count * sizeof(*flags));
	convert(lookup, words, bytes);
	memcpy(statuses, bytes, count);
}

#endif
