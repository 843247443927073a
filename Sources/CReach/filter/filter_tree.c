/* SPDX-License-Identifier: MIT */
/*
 * The decision tree of the filter: does the route's prefix overlap a watched
 * one?
 *
 * Both are ranges of addresses, compared one 32-bit word after the other. In a
 * word the watched prefixes are disjoint ranges in ascending order: a range is
 * a prefix that ends in this word, or the single value of prefixes that
 * continue in the next word. A binary search finds the first range whose high
 * end is not below the route's low end. The two overlap if the range's low end
 * is not above the route's high end, and no other range has to be tried:
 * prefixes contain each other or are disjoint. Beyond the end of the route's
 * prefix, a word ranges from 0 to UINT32_MAX, so that every watched prefix
 * inside it overlaps.
 */
#include "filter/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A range of values of one word. */
struct range {
	/* First and last value. */
	uint32_t low;
	uint32_t high;
	/* The prefixes with this range, adjacent in the sorted input. */
	const struct reach_prefix *prefixes;
	size_t count;
	/* A prefix that ends in this word; else one value of `count` prefixes
	 * that continue in the next. */
	bool ends;
};

struct tree {
	struct reach_program *program;
	/* Indexes of jumps whose target, the next BPF_RET of a drop, is not
	 * written yet: at most two per word, of four words. */
	size_t drops[16];
	size_t drop_count;
};

static void emit_search(struct tree *tree, uint32_t word, struct range *ranges,
			size_t count, struct range *room);

static size_t emit(struct tree *tree, uint16_t code, uint32_t k)
{
	return reach_program_emit(tree->program, code, k, 0, 0);
}

/* Emits a comparison of the accumulator with @k that continues if its result is
 * @holding, and jumps to the next drop if not. */
static void emit_condition(struct tree *tree, uint16_t comparison, uint32_t k,
			   bool holding)
{
	const size_t at = emit(tree, BPF_JMP | comparison | BPF_K, k);

	if (tree->program->overflow)
		return;
	/* For emit_drop(): 1 to patch the false branch, 0 for the true one. */
	tree->program->code[at].jf = holding;
	tree->drops[tree->drop_count++] = at;
}

/* Emits a drop and patches the jumps that wait for it. */
static void emit_drop(struct tree *tree)
{
	const size_t to = emit(tree, BPF_RET | BPF_K, REACH_PROGRAM_DROP);

	while (tree->drop_count > 0) {
		const size_t from = tree->drops[--tree->drop_count];
		struct sock_filter *jump = &tree->program->code[from];
		const uint8_t distance = (uint8_t)(to - from - 1);

		if (tree->program->overflow)
			continue;
		if (jump->jf)
			jump->jf = distance;
		else
			jump->jt = distance;
	}
}

static uint32_t word_of(const struct reach_prefix *prefix, uint32_t word)
{
	const uint8_t *bytes = prefix->address.bytes + (size_t)word * 4;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Sets @ret to the ranges of word @word of sorted prefixes that are equal in
 * all words before. @return their number, @count at most. */
static size_t split(const struct reach_prefix *prefixes, size_t count,
		    uint32_t word, struct range *ret)
{
	size_t i, ranges = 0;

	for (i = 0; i < count; i++) {
		const uint32_t value = word_of(&prefixes[i], word);
		const uint32_t bits = prefixes[i].length - 32 * word;
		const bool ends = prefixes[i].length <= 32 * (word + 1);

		if (!ends && ranges && !ret[ranges - 1].ends &&
		    ret[ranges - 1].low == value) {
			ret[ranges - 1].count++;
			continue;
		}
		ret[ranges++] = (struct range){
			.low = value,
			.high = !ends ? value
				: bits == 0
					? UINT32_MAX
					: value | (uint32_t)(UINT64_C(
								     0xffffffff) >>
							     bits),
			.prefixes = &prefixes[i],
			.count = 1,
			.ends = ends,
		};
	}
	return ranges;
}

/* Emits the decision for @range, whose high end is known not to be below the
 * route's low end: on overlap pass, or search the next word. @room is free
 * memory for the ranges of the words below. */
static void emit_range(struct tree *tree, uint32_t word,
		       const struct range *range, struct range *room)
{
	size_t count;

	emit(tree, BPF_LD | BPF_MEM, REACH_PROGRAM_HIGH(word));
	emit_condition(tree, BPF_JGE, range->low, true);
	if (range->ends) {
		emit(tree, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
		emit_drop(tree);
		return;
	}
	word++;
	count = split(range->prefixes, range->count, word, room);
	emit(tree, BPF_LD | BPF_MEM, REACH_PROGRAM_LOW(word));
	emit_condition(tree, BPF_JGT, room[count - 1].high, false);
	if (count == 1) {
		emit_range(tree, word, room, room + 1);
		return;
	}
	emit(tree, BPF_JMP | BPF_JA, 1);
	emit_drop(tree);
	emit_search(tree, word, room, count, room + count);
}

/* Makes the jump at index @jump skip its branch, which was just written after
 * it. A conditional jump has 8 bits for the distance. Beyond that an
 * unconditional one, with 32, is inserted. Jumps inside the branch are relative
 * and move along. */
static void patch_jump(struct tree *tree, size_t jump)
{
	struct reach_program *program = tree->program;
	const size_t size = program->length - jump - 1;
	struct sock_filter *code = program->code + jump;

	if (program->overflow)
		return;
	if (size <= UINT8_MAX) {
		code->jt = (uint8_t)size;
		return;
	}
	emit(tree, BPF_JMP | BPF_JA, 0);
	if (program->overflow)
		return;
	memmove(code + 2, code + 1, size * sizeof(*code));
	code[1] =
		(struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, (uint32_t)size };
	code->jt = 0;
	code->jf = 1;
}

/* Emits a binary search among @ranges. The accumulator has the route's low end,
 * which is known not to be above the high end of the last range. */
static void emit_search(struct tree *tree, uint32_t word, struct range *ranges,
			size_t count, struct range *room)
{
	const size_t half = count / 2;
	size_t jump;

	if (tree->program->overflow)
		return;
	if (count == 1) {
		emit_range(tree, word, ranges, room);
		return;
	}
	jump = emit(tree, BPF_JMP | BPF_JGT | BPF_K, ranges[half - 1].high);
	emit_search(tree, word, ranges, half, room);
	patch_jump(tree, jump);
	emit_search(tree, word, ranges + half, count - half, room);
}

int reach_program_tree(struct reach_program *program,
		       const struct reach_prefix *prefixes, size_t count)
{
	struct tree tree = { .program = program };
	struct range *ranges = calloc(count, 4 * sizeof(*ranges));
	size_t ranges_count;

	if (!ranges)
		return -ENOMEM;
	ranges_count = split(prefixes, count, 0, ranges);
	emit(&tree, BPF_LD | BPF_MEM, REACH_PROGRAM_LOW(0));
	emit_condition(&tree, BPF_JGT, ranges[ranges_count - 1].high, false);
	emit(&tree, BPF_JMP | BPF_JA, 1);
	emit_drop(&tree);
	emit_search(&tree, 0, ranges, ranges_count, ranges + ranges_count);
	free(ranges);
	return 0;
}
