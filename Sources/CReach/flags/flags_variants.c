/* SPDX-License-Identifier: MIT */
/*
 * Bulk conversion of flags, per instruction set. Nanoseconds per word with 4 Ki,
 * 64 Ki, and 32 Mi words (benchmarks/harness.sh flags, on a Xeon): AVX-512 0.037,
 * 0.043, 0.35; AVX2 0.062, 0.073, 0.40; SSE2 0.18, 0.20, 0.55; scalar 1.5, 1.6,
 * 1.6. Stores past the caches gain nothing: 0.33 on one machine, 3 to 8 % more
 * than these on another.
 *
 * The status depends on six of the 32 bits, in bytes 0 and 2 of a word. Each
 * variant first narrows words to bytes, then evaluates 16, 32 or 64 at a time.
 * Compilers don't find that: plain C or vector extensions for the same
 * instruction sets take 1.6 to 16 times as long from L1.
 *
 * The library is built for the oldest processor of its architecture. So
 * functions have target attributes, and the variant is selected at run time.
 * ifunc can't select it, since musl lacks ifunc.
 */
#include <string.h>

#include "flags/flags.h"

#define INLINE static inline __attribute__((always_inline))

/* Widest vector, in statuses. */
#define WIDTH_MAX 64

/* Converts one vector of statuses. */
typedef void convert_vector(const uint32_t *flags, int8_t *statuses);

/* Calls @convert, which is inlined, for whole vectors, then once for the
 * remainder, padded in local buffers: nothing outside the arrays is read or
 * written. */
INLINE void convert_all(convert_vector *convert, size_t width,
			const uint32_t *flags, int8_t *statuses, size_t count)
{
	uint32_t words[WIDTH_MAX];
	int8_t bytes[WIDTH_MAX];

	for (; count >= width; count -= width) {
		convert(flags, statuses);
		flags += width;
		statuses += width;
	}
	if (!count)
		return;
	memset(words, 0, width * sizeof(*words));
	memcpy(words, flags, count * sizeof(*flags));
	convert(words, bytes);
	memcpy(statuses, bytes, count);
}

/* Lookup table of statuses, indexed by flags 1 to 5 in their bit positions and
 * IS_WWAN as bit 0. Each row has the eight combinations of IS_WWAN, REACHABLE
 * and CONNECTION_REQUIRED: UNATTENDED where a required connection is
 * established automatically (ON_TRAFFIC or ON_DEMAND without
 * INTERVENTION_REQUIRED), else ATTENDED. */
#define ATTENDED   0, 0, 2, 1, 0, 0, 0, 0
#define UNATTENDED 0, 0, 2, 1, 0, 0, 2, 1
#define STATUS_TABLE                                                           \
	{ ATTENDED,   UNATTENDED, ATTENDED, ATTENDED,                          \
	  UNATTENDED, UNATTENDED, ATTENDED, ATTENDED }

#if defined(__x86_64__)
#include <immintrin.h>

/* ---- SSE2 -------------------------------------------------------------- */

/* Four words with flags 1 to 5 in place and IS_WWAN as bit 6: pmaddwd adds the
 * low half and 16 times the high half of each word. */
INLINE __m128i gather_sse2(const uint32_t *flags)
{
	const __m128i six = _mm_set1_epi32(0x0004003e);
	const __m128i weights = _mm_set1_epi32(0x00100001);
	const __m128i words = _mm_loadu_si128((const void *)flags);

	return _mm_madd_epi16(_mm_and_si128(words, six), weights);
}

INLINE void convert_sse2(const uint32_t *flags, int8_t *statuses)
{
	const __m128i one = _mm_set1_epi8(1);
	const __m128i low =
		_mm_packs_epi32(gather_sse2(flags), gather_sse2(flags + 4));
	const __m128i high = _mm_packs_epi32(gather_sse2(flags + 8),
					     gather_sse2(flags + 12));
	const __m128i x = _mm_packus_epi16(low, high);
	/* status_of() of flags.c, in bit 0 of each byte. SSE2 has no byte
	 * shuffle for a table. */
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

static void sse2(const uint32_t *flags, int8_t *statuses, size_t count)
{
	convert_all(convert_sse2, 16, flags, statuses, count);
}

/* ---- AVX2 -------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2")))

/* 16 words, narrowed: each 128-bit lane has byte 0 of its 8 words, then byte 2
 * of them. */
AVX2 INLINE __m256i gather_avx2(const uint32_t *flags)
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

AVX2 INLINE void convert_avx2(const uint32_t *flags, int8_t *statuses)
{
	/* Indexed by flags 2 to 5: 2 if REACHABLE suffices, for an AND with
	 * that flag, which is bit 1. */
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
	const __m256i ret = _mm256_permutevar8x32_epi32(
		_mm256_sub_epi8(twice, wwan), order);

	_mm256_storeu_si256((void *)statuses, ret);
}

AVX2 static void avx2(const uint32_t *flags, int8_t *statuses, size_t count)
{
	convert_all(convert_avx2, 32, flags, statuses, count);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

/* ---- AVX-512 ----------------------------------------------------------- */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

static const uint8_t status_table[64] = STATUS_TABLE;
static const uint8_t bytes_0_and_2[64] = {
	0,  4,	8,  12, 16, 20, 24, 28, 32, 36,	 40,  44,  48,	52,  56,  60,
	64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124,
	2,  6,	10, 14, 18, 22, 26, 30, 34, 38,	 42,  46,  50,	54,  58,  62,
	66, 70, 74, 78, 82, 86, 90, 94, 98, 102, 106, 110, 114, 118, 122, 126,
};

/* 32 words, narrowed: byte 0 of all, then byte 2 of all. */
AVX512 INLINE __m512i gather_avx512(const uint32_t *flags)
{
	return _mm512_permutex2var_epi8(_mm512_loadu_si512(flags),
					_mm512_loadu_si512(bytes_0_and_2),
					_mm512_loadu_si512(flags + 16));
}

AVX512 INLINE void convert_avx512(const uint32_t *flags, int8_t *statuses)
{
	const __m512i ab = gather_avx512(flags);
	const __m512i cd = gather_avx512(flags + 32);
	const __m512i low =
		_mm512_inserti64x4(ab, _mm512_castsi512_si256(cd), 1);
	const __m512i high = _mm512_shuffle_i64x2(ab, cd, 0xee);
	/* Bit select: bit 0 of each byte from the third operand (IS_WWAN), the
	 * others from the second. The lookup ignores the two upper bits. */
	const __m512i index = _mm512_ternarylogic_epi32(
		_mm512_set1_epi8(1), low, _mm512_srli_epi16(high, 2), 0xac);
	const __m512i ret = _mm512_permutexvar_epi8(
		index, _mm512_loadu_si512(status_table));

	_mm512_storeu_si512(statuses, ret);
}

AVX512 static void avx512(const uint32_t *flags, int8_t *statuses, size_t count)
{
	convert_all(convert_avx512, 64, flags, statuses, count);
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi");
}

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NEON
#include <arm_neon.h>

/* ---- NEON -------------------------------------------------------------- */

static const uint8_t status_table[64] = STATUS_TABLE;

INLINE void convert_neon(const uint32_t *flags, int8_t *statuses)
{
	const uint8x16x4_t table = {
		{ vld1q_u8(status_table), vld1q_u8(status_table + 16),
		  vld1q_u8(status_table + 32), vld1q_u8(status_table + 48) }
	};
	/* De-interleaves the bytes of 16 words into four vectors. */
	const uint8x16x4_t bytes = vld4q_u8((const void *)flags);
	const uint8x16_t index =
		vbslq_u8(vdupq_n_u8(1), vshrq_n_u8(bytes.val[2], 2),
			 vandq_u8(bytes.val[0], vdupq_n_u8(63)));

	vst1q_s8(statuses, vreinterpretq_s8_u8(vqtbl4q_u8(table, index)));
}

static void neon(const uint32_t *flags, int8_t *statuses, size_t count)
{
	convert_all(convert_neon, 16, flags, statuses, count);
}
#endif

/* ---- Reference and selection -------------------------------------------- */

static void scalar(const uint32_t *flags, int8_t *statuses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		statuses[i] = (int8_t)reach_status_from_flags(flags[i]);
}

static bool always(void)
{
	return true;
}

const struct reach_flags_variant reach_flags_variants[] = {
#if defined(__x86_64__)
	{ "avx512", avx512, has_avx512 },
	{ "avx2", avx2, has_avx2 },
	/* Part of x86-64. */
	{ "sse2", sse2, always },
#elif defined(NEON)
	/* Part of AArch64 as Linux requires it. */
	{ "neon", neon, always },
#endif
	{ "scalar", scalar, always },
};
const size_t reach_flags_variant_count =
	sizeof(reach_flags_variants) / sizeof(*reach_flags_variants);

void reach_statuses_from_flags(const uint32_t *flags, int8_t *statuses,
			       size_t count)
{
	const struct reach_flags_variant *variant = reach_flags_variants;

	while (!variant->is_supported())
		variant++;
	variant->convert(flags, statuses, count);
}
