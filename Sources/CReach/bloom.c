/* SPDX-License-Identifier: MIT */
/*
 * What tells, with one read of memory, that an index has nobody inside of a
 * prefix: a bit for each short prefix that somebody is in, neighbours in one
 * word, found by a hash. A bit too many costs a search of the index, so bits
 * are never taken back, but drawn anew when there may be many of them.
 */
#include "engine/core.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

/* Bits to a word, and how many of its address a word is for. */
#define WORD	  64
#define WORD_BITS 6U

/* Bits for each that was added, at the least. */
#define ROOM 8

#define WORDS_MIN 64

/* The length of the short prefixes: that of most announced ones. */
static unsigned int bits_of(uint8_t family)
{
	return family == AF_INET ? 24 : 48;
}

static uint64_t *word_of(const struct reach_bloom *bloom, uint64_t group)
{
	const uint64_t hash =
		(group >> WORD_BITS) * UINT64_C(0x9e3779b97f4a7c15);

	return &bloom->words[hash >> 32 & (bloom->count - 1)];
}

bool reach_bloom_is_full(const struct reach_bloom *bloom)
{
	return bloom->added >= bloom->count * (WORD / ROOM);
}

int reach_bloom_begin(struct reach_bloom *bloom, size_t count)
{
	size_t size = WORDS_MIN;
	uint64_t *words;

	/* Half full at the most, so that there is room for as many more. */
	while (size * (WORD / ROOM) < 2 * count)
		size *= 2;
	words = calloc(size, sizeof(*words));
	if (!words)
		return -ENOMEM;
	free(bloom->words);
	*bloom = (struct reach_bloom){ .words = words, .count = size };
	return 0;
}

void reach_bloom_add(struct reach_bloom *bloom, uint8_t family, uint64_t high)
{
	const uint64_t group = high >> (64 - bits_of(family));

	*word_of(bloom, group) |= UINT64_C(1) << group % WORD;
	bloom->added++;
}

bool reach_bloom_may_have(const struct reach_bloom *bloom, uint8_t family,
			  uint64_t high, uint8_t length)
{
	const unsigned int bits = bits_of(family);
	const uint64_t group = high >> (64 - bits);
	uint64_t mask = 1;

	if (length + WORD_BITS < bits)
		return true;
	if (length < bits)
		mask = UINT64_MAX >> (WORD - (1U << (bits - length)));
	return *word_of(bloom, group) & mask << group % WORD;
}
