/* SPDX-License-Identifier: MIT */
/*
 * Compares the conversion of flags to statuses with what the memory allows: a
 * pass that reads four bytes and writes one, with the widest registers of this
 * machine.
 *
 * clang -std=gnu11 -O2 -Iinclude -ISources/CReach benchmarks/Harness/flags.c
 *	benchmarks/Sources/CWorkloads/flags.c
 *	Sources/CReach/flags/flags{,_variants}.c -o /tmp/flags && /tmp/flags
 *
 * Prints one line per variant and size: nanoseconds per entry, and its speed in
 * percent of the pass's. Passes and variants take turns. Each figure is the
 * least of its rounds; there are fewer rounds with --short. Exits with 1 if a
 * variant reaches less than its goal minus ROOM percent of the goal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CWorkloads.h"
#include "flags/flags.h"

#define ROUNDS	     41
#define SHORT	     11
#define ROOM	     10
#define VARIANTS_MAX 8

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(reach_flags_convert *variant, const uint32_t *flags,
		      int8_t *statuses, size_t count)
{
	/* About 4 Mi entries per round: reading the clock then costs nothing. */
	const size_t repeats = count < 1 << 22 ? (1 << 22) / count : 1;
	const double start = now();
	size_t i;

	for (i = 0; i < repeats; i++) {
		variant(flags, statuses, count);
		__asm__ volatile("" ::: "memory");
	}
	return (now() - start) / (double)(repeats * count);
}

/* The least, since other load on the machine only adds. */
static double least(const double *times, size_t count)
{
	double ret = times[0];
	size_t i;

	for (i = 1; i < count; i++)
		ret = times[i] < ret ? times[i] : ret;
	return ret;
}

/* Percent of the pass that a variant must reach, or 0. */
static double limit_of(const char *variant, const char *size)
{
	if (strcmp(variant, "avx512") == 0 && strcmp(size, "L1") != 0)
		return 95;
	if (strcmp(variant, "avx2") == 0 && strcmp(size, "DRAM") == 0)
		return 85;
	return 0;
}

static int report(const char *variant, const char *size, double time,
		  double reference)
{
	const double percent = 100 * reference / time;
	const double limit = limit_of(variant, size);

	printf("%-8s %-5s %7.4f ns  %5.1f %%", variant, size, time, percent);
	if (limit > 0)
		printf("  (goal %.0f %%)", limit);
	printf("\n");
	return percent < limit * (100 - ROOM) / 100;
}

static int compare(const char *size, const uint32_t *flags, int8_t *statuses,
		   size_t count, size_t rounds)
{
	static double times[VARIANTS_MAX + 1][ROUNDS];
	int failures = 0;
	double reference;
	size_t round, i;

	for (round = 0; round < rounds; round++) {
		times[VARIANTS_MAX][round] =
			measure(pass_read4_write1, flags, statuses, count);
		for (i = 0; i < reach_flags_variant_count; i++)
			if (reach_flags_variants[i].is_supported())
				times[i][round] =
					measure(reach_flags_variants[i].convert,
						flags, statuses, count);
	}
	reference = least(times[VARIANTS_MAX], rounds);
	report("pass", size, reference, reference);
	for (i = 0; i < reach_flags_variant_count; i++)
		if (reach_flags_variants[i].is_supported())
			failures += report(reach_flags_variants[i].name, size,
					   least(times[i], rounds), reference);
	return failures;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t count;
	} sizes[] = {
		{ "L1", 4 << 10 },
		{ "L2", 64 << 10 },
		{ "DRAM", 32 << 20 },
	};
	const size_t rounds =
		argc > 1 && strcmp(argv[1], "--short") == 0 ? SHORT : ROUNDS;
	const size_t most = sizes[2].count;
	uint32_t *flags = aligned_alloc(4096, most * sizeof(*flags));
	int8_t *statuses = aligned_alloc(4096, most);
	uint64_t random = 1;
	int failures = 0;
	size_t i;

	if (!flags || !statuses)
		return 71;
	for (i = 0; i < most; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		flags[i] = (uint32_t)(random >> 32);
	}
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		failures += compare(sizes[i].name, flags, statuses,
				    sizes[i].count, rounds);
	free(flags);
	free(statuses);
	return failures ? 1 : 0;
}
