/* SPDX-License-Identifier: MIT */
/* Compares every variant of the bulk conversion with the scalar function, and that
 * with a table. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "flags/flags.h"

#define MARK 77
/* A little more than three blocks of the widest variant. */
#define SHORT_MAX 200

/* Writable memory between two inaccessible pages; `end` is the start of the
 * second of these. `size` includes both. */
struct fenced {
	uint8_t *pages;
	uint8_t *end;
	size_t size;
};

static bool fence(struct fenced *ret, size_t size)
{
	const size_t page = 4096;
	const size_t inner = (size + page - 1) / page * page;
	uint8_t *pages = mmap(NULL, inner + 2 * page, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED ||
	    mprotect(pages + page, inner, PROT_READ | PROT_WRITE))
		return false;
	*ret = (struct fenced){ pages, pages + page + inner, inner + 2 * page };
	return true;
}

static bool agrees(const uint32_t *flags, const int8_t *statuses, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (statuses[i] != (int8_t)reach_status_from_flags(flags[i]))
			return false;
	return true;
}

/* Every length, at the very end of accessible memory and with @skipped bytes
 * free there, so that every alignment occurs. */
static bool short_runs_agree(const struct reach_flags_variant *variant,
			     const struct fenced *in, const struct fenced *out)
{
	uint64_t random = 1;
	size_t count, skipped, i;

	for (count = 0; count <= SHORT_MAX; count++) {
		for (skipped = 0; skipped < 64; skipped += 4) {
			uint32_t *flags = (uint32_t *)(void *)(in->end) -
					  count - skipped / 4;
			int8_t *statuses = (int8_t *)out->end - count - skipped;

			memset(out->end - SHORT_MAX - 128, MARK,
			       SHORT_MAX + 128);
			for (i = 0; i < count; i++)
				flags[i] = check_random(&random, UINT32_MAX);
			variant->convert(flags, statuses, count);
			if (!agrees(flags, statuses, count) ||
			    statuses[-1] != MARK)
				return false;
			for (i = 0; i < skipped; i++)
				if (statuses[count + i] != MARK)
					return false;
		}
	}
	return true;
}

/* Every value of the bits that count, with the other bits set or clear. */
static bool combinations_agree(const struct reach_flags_variant *variant)
{
	uint32_t flags[8192];
	int8_t statuses[8192];
	size_t i;

	for (i = 0; i < 8192; i++)
		flags[i] = (uint32_t)(i & 0x7f) | (uint32_t)(i >> 7) << 15 |
			   (i & 1 ? 0xffe00080u : 0x00007f00u);
	variant->convert(flags, statuses, 8192);
	return agrees(flags, statuses, 8192);
}

/* Results larger than the caches are stored with other instructions, which must
 * work at any alignment. */
static void check_long_run(void)
{
	const size_t count = ((size_t)8 << 20) + 127;
	uint32_t *flags = malloc(count * sizeof(*flags));
	int8_t *statuses = malloc(count + 66);
	uint64_t random = 1;
	size_t i, skipped;

	if (CHECK(flags && statuses)) {
		for (i = 0; i < count; i++)
			flags[i] = check_random(&random, UINT32_MAX);
		for (skipped = 1; skipped < 66; skipped += 21) {
			memset(statuses, MARK, count + 66);
			reach_statuses_from_flags(flags, statuses + skipped,
						  count);
			CHECK(agrees(flags, statuses + skipped, count));
			CHECK(statuses[skipped - 1] == MARK);
			CHECK(statuses[skipped + count] == MARK);
		}
	}
	free(flags);
	free(statuses);
}

#define TABLE "Tests/Vectors/flags.csv"

/* The status and the words of a line of the table. */
static bool line_agrees(const char *line, uint32_t *flags)
{
	static const char *const statuses[] = { "notReachable",
						"reachableViaWWAN",
						"reachableViaWiFi" };
	static const uint32_t unknown[] = { 0, 1 << 6, 1 << 15, 1u << 31,
					    ~(uint32_t)REACH_FLAGS_ALL };
	char status[32], words[256], found[REACH_FLAGS_WORDS_SIZE];
	const char *plain = words;
	size_t i, length;

	/* Words with a comma are in quotes. */
	if (sscanf(line, "%x,%31[^,],%*[^,],%*[^,],%*[^,],%*[^,],%255[^\n]",
		   flags, status, words) != 3)
		return false;
	if (words[0] == '"') {
		words[strlen(words) - 1] = '\0';
		plain++;
	}
	length = reach_flags_words(*flags, found, sizeof(found));
	for (i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (strcmp(statuses[reach_status_from_flags(*flags |
							    unknown[i])],
			   status))
			return false;
	return !strcmp(found, plain) && length == strlen(plain);
}

static void check_table(void)
{
	FILE *file = fopen(TABLE, "re");
	static bool seen[REACH_FLAGS_ALL + 1];
	int count = 0;
	uint32_t flags;
	char line[512];

	if (!file) {
		check_skip(TABLE, -errno);
		return;
	}
	CHECK(fgets(line, sizeof(line), file));
	for (; fgets(line, sizeof(line), file); count++) {
		flags = UINT32_MAX;
		CHECK(line_agrees(line, &flags));
		CHECK(flags <= REACH_FLAGS_ALL &&
		      !seen[flags & REACH_FLAGS_ALL]);
		seen[flags & REACH_FLAGS_ALL] = true;
	}
	CHECK(count == 512);
	fclose(file);
}

/* Unknown bits follow the words as one number. A text is cut to fit its buffer;
 * its whole length is returned. */
static void check_words(void)
{
	static const char all[] =
		"Reachable,Transient Connection,Connection Required,"
		"Automatic Connection On Traffic,"
		"Automatic Connection On Demand,Intervention Required,"
		"Local Address,Directly Reachable Address,WWAN,0xfff8ffc0";
	char text[sizeof(all) + 1];
	size_t size;

	CHECK(reach_flags_words(0x80000000, text, sizeof(text)) == 10);
	CHECK(!strcmp(text, "0x80000000"));
	reach_flags_words(0x42, text, sizeof(text));
	CHECK(!strcmp(text, "Reachable,0x00000040"));
	CHECK(reach_flags_words(2, NULL, 0) == 9);
	for (size = 0; size <= sizeof(all); size++) {
		memset(text, MARK, sizeof(text));
		CHECK(reach_flags_words(UINT32_MAX, text, size) ==
		      sizeof(all) - 1);
		CHECK(!size ||
		      (strlen(text) == size - 1 &&
		       !memcmp(text, all, size - 1)) ||
		      size == sizeof(all));
		CHECK(text[size] == MARK);
	}
}

void test_flags(void)
{
	struct fenced in, out;
	size_t i;

	check_table();
	check_words();

	if (!CHECK(fence(&in, 4096) && fence(&out, 4096)))
		return;
	CHECK(reach_flags_variant_count > 0);
	for (i = 0; i < reach_flags_variant_count; i++) {
		const struct reach_flags_variant *variant =
			&reach_flags_variants[i];

		if (!variant->is_supported()) {
			check_skip(variant->name, -ENOTSUP);
			continue;
		}
		CHECK(short_runs_agree(variant, &in, &out));
		CHECK(combinations_agree(variant));
	}
	CHECK(reach_flags_variants[reach_flags_variant_count - 1]
		      .is_supported());
	check_long_run();
	munmap(in.pages, in.size);
	munmap(out.pages, out.size);
}
