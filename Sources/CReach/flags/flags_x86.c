/* SPDX-License-Identifier: MIT */
/*
 * Bulk conversion of flags on x86-64.
 *
 * Six of the 32 bits decide, and they lie in bytes 0 and 2 of a word. So each
 * form narrows words to bytes first and decides 16, 32 or 64 at a time.
 * Functions carry their instruction set themselves: the library is built for
 * the oldest x86-64 there is.
 */
#include "flags/flags_forms.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

/* A whole vector more for what is left over, in a buffer of its own. */
#define REMAINDER(convert, width)                                              \
	do {                                                                   \
		uint32_t words[width] = { 0 };                                 \
		int8_t bytes[width];                                           \
                                                                               \
		if (!count)                                                    \
			break;                                                 \
		memcpy(words, flags, count * sizeof(*flags));                  \
		convert(words, bytes);                                         \
		memcpy(statuses, bytes, count);                                \
	} while (0)

/* ---- SSE2 -------------------------------------------------------------- */

/* Four words: flags 1 to 5 where they are, IS_WWAN as bit 6. The multiply
 * adds the low half and 16 times the high half of each word. */
static inline __m128i gather_sse2(const uint32_t *flags)
{
	const __m128i six = _mm_set1_epi32(0x0004003e);
	const __m128i weights = _mm_set1_epi32(0x00100001);
	const __m128i words = _mm_loadu_si128((const void *)flags);

	return _mm_madd_epi16(_mm_and_si128(words, six), weights);
}

static inline void convert_sse2(const uint32_t *flags, int8_t *statuses)
{
	const __m128i one = _mm_set1_epi8(1);
	const __m128i low =
		_mm_packs_epi32(gather_sse2(flags), gather_sse2(flags + 4));
	const __m128i high = _mm_packs_epi32(gather_sse2(flags + 8),
					     gather_sse2(flags + 12));
	const __m128i x = _mm_packus_epi16(low, high);
	/* As the scalar rule, in bit 0 of each byte. */
	const __m128i automatic =
		_mm_or_si128(_mm_srli_epi16(x, 3), _mm_srli_epi16(x, 5));
	const __m128i unattended =
		_mm_andnot_si128(_mm_srli_epi16(x, 4), automatic);
	const __m128i blocked =
		_mm_andnot_si128(unattended, _mm_srli_epi16(x, 2));
	const __m128i reachable = _mm_and_si128(
		_mm_andnot_si128(blocked, _mm_srli_epi16(x, 1)), one);
	const __m128i wwan = _mm_and_si128(reachable, _mm_srli_epi16(x, 6));

	_mm_storeu_si128(
		(void *)statuses,
		_mm_sub_epi8(_mm_add_epi8(reachable, reachable), wwan));
}

void reach_statuses_sse2(const uint32_t *flags, int8_t *statuses, size_t count)
{
	for (; count >= 16; count -= 16, flags += 16, statuses += 16)
		convert_sse2(flags, statuses);
	REMAINDER(convert_sse2, 16);
}

/* ---- AVX2 -------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2")))

/* From this many statuses on they pass by the caches, which would first read
 * what is to be overwritten and could not hold it anyway. */
#define STREAM_MIN ((size_t)8 << 20)

/* Of 8 words in each 128 bits: byte 0 of all, then byte 2 of all. */
AVX2 static inline __m256i gather_avx2(const uint32_t *flags)
{
	const __m256i first = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		0, 4, 8, 12, -1, -1, -1, -1, 2, 6, 10, 14, -1, -1, -1, -1));
	const __m256i second = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		-1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, 2, 6, 10, 14));
	const __m256i a = _mm256_loadu_si256((const void *)flags);
	const __m256i b = _mm256_loadu_si256((const void *)(flags + 8));

	return _mm256_or_si256(_mm256_shuffle_epi8(a, first),
			       _mm256_shuffle_epi8(b, second));
}

AVX2 static inline __m256i status_avx2(const uint32_t *flags)
{
	/* By flags 2 to 5: 2 where REACHABLE means reachable. */
	const __m256i table = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(2, 0, 2, 2, 2, 0, 2, 0, 2, 2, 2, 2, 2, 0, 2, 0));
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	const __m256i ab = gather_avx2(flags);
	const __m256i cd = gather_avx2(flags + 16);
	const __m256i low = _mm256_unpacklo_epi64(ab, cd);
	const __m256i high = _mm256_unpackhi_epi64(ab, cd);
	const __m256i index = _mm256_and_si256(_mm256_srli_epi16(low, 2),
					       _mm256_set1_epi8(15));
	const __m256i twice =
		_mm256_and_si256(low, _mm256_shuffle_epi8(table, index));
	const __m256i wwan = _mm256_and_si256(_mm256_srli_epi16(twice, 1),
					      _mm256_srli_epi16(high, 2));

	return _mm256_permutevar8x32_epi32(_mm256_sub_epi8(twice, wwan), order);
}

AVX2 static inline void convert_avx2(const uint32_t *flags, int8_t *statuses)
{
	_mm256_storeu_si256((void *)statuses, status_avx2(flags));
}

/* Streaming stores are aligned ones; what is before them is done twice. */
AVX2 static size_t stream_avx2(const uint32_t *flags, int8_t *statuses,
			       size_t count)
{
	size_t i = -(uintptr_t)statuses % 32;

	convert_avx2(flags, statuses);
	for (; count - i >= 32; i += 32)
		_mm256_stream_si256((void *)(statuses + i),
				    status_avx2(flags + i));
	_mm_sfence();
	return i;
}

AVX2 void reach_statuses_avx2(const uint32_t *flags, int8_t *statuses,
			      size_t count)
{
	if (count >= STREAM_MIN) {
		const size_t done = stream_avx2(flags, statuses, count);

		flags += done;
		statuses += done;
		count -= done;
	}
	for (; count >= 32; count -= 32, flags += 32, statuses += 32)
		convert_avx2(flags, statuses);
	REMAINDER(convert_avx2, 32);
}

/* ---- AVX-512 ----------------------------------------------------------- */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

static const uint8_t bytes_0_and_2[64] = {
	0,  4,	8,  12, 16, 20, 24, 28, 32, 36,	 40,  44,  48,	52,  56,  60,
	64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124,
	2,  6,	10, 14, 18, 22, 26, 30, 34, 38,	 42,  46,  50,	54,  58,  62,
	66, 70, 74, 78, 82, 86, 90, 94, 98, 102, 106, 110, 114, 118, 122, 126,
};

static const uint8_t table[64] = { REACH_FLAGS_TABLE };

/* Of 32 words: byte 0 of all, then byte 2 of all. */
AVX512 static inline __m512i gather_avx512(const uint32_t *flags)
{
	return _mm512_permutex2var_epi8(_mm512_loadu_si512(flags),
					_mm512_loadu_si512(bytes_0_and_2),
					_mm512_loadu_si512(flags + 16));
}

AVX512 static inline __m512i status_avx512(const uint32_t *flags)
{
	const __m512i ab = gather_avx512(flags);
	const __m512i cd = gather_avx512(flags + 32);
	const __m512i low =
		_mm512_inserti64x4(ab, _mm512_castsi512_si256(cd), 1);
	const __m512i high = _mm512_shuffle_i64x2(ab, cd, 0xee);
	/* Bit 0 of the third operand's bytes, the others of the second's:
	 * an index whose two upper bits the look-up ignores. */
	const __m512i index = _mm512_ternarylogic_epi32(
		_mm512_set1_epi8(1), low, _mm512_srli_epi16(high, 2), 0xac);

	return _mm512_permutexvar_epi8(index, _mm512_loadu_si512(table));
}

AVX512 static inline void convert_avx512(const uint32_t *flags,
					 int8_t *statuses)
{
	_mm512_storeu_si512(statuses, status_avx512(flags));
}

AVX512 static size_t stream_avx512(const uint32_t *flags, int8_t *statuses,
				   size_t count)
{
	size_t i = -(uintptr_t)statuses % 64;

	convert_avx512(flags, statuses);
	for (; count - i >= 64; i += 64)
		_mm512_stream_si512((void *)(statuses + i),
				    status_avx512(flags + i));
	_mm_sfence();
	return i;
}

AVX512 void reach_statuses_avx512(const uint32_t *flags, int8_t *statuses,
				  size_t count)
{
	if (count >= STREAM_MIN) {
		const size_t done = stream_avx512(flags, statuses, count);

		flags += done;
		statuses += done;
		count -= done;
	}
	for (; count >= 64; count -= 64, flags += 64, statuses += 64)
		convert_avx512(flags, statuses);
	REMAINDER(convert_avx512, 64);
}

#endif
