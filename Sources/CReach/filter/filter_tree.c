/* SPDX-License-Identifier: MIT */
/*
 * The decision tree over what is watched.
 *
 * Word by word: among disjoint ranges of values in order, the first whose end
 * is not below the route's lowest value is the only one to look at first, and
 * the two meet if it does not start above the route's highest. A range is a
 * prefix that ends in this word, or one value that goes on in the next word.
 * Words behind the end of the route's prefix allow every value, so that
 * whatever is watched below meets it.
 */
#include "filter/filter_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A range of values, and the prefixes that have it. */
struct range {
	uint32_t low;
	uint32_t high;
	const struct reach_prefix *prefixes;
	size_t count;
	bool ends;
};

struct tree {
	struct reach_program *program;
	/* Room for the ranges of all words of one path. */
	struct range *ranges;
	/* Jumps of the path in hand that lead to a drop. */
	size_t drops[16];
	size_t drop_count;
};

static void choose(struct tree *tree, uint32_t word, struct range *ranges,
		   size_t count, struct range *room);

static size_t emit(struct tree *tree, uint16_t code, uint32_t k)
{
	return reach_program_emit(tree->program, code, k, 0, 0);
}

/* Goes on if the comparison is @holding, else to the next drop. */
static void demand(struct tree *tree, uint16_t comparison, uint32_t k,
		   bool holding)
{
	const size_t at = emit(tree, BPF_JMP | comparison | BPF_K, k);

	if (tree->program->overflow)
		return;
	/* Which side is to be set. */
	tree->program->code[at].jf = holding;
	tree->drops[tree->drop_count++] = at;
}

/* The drop that the path's jumps lead to. */
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

/* The ranges of @word among prefixes that agree in all words before. */
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

/* The route's lowest value is not above the end of @range. */
static void follow(struct tree *tree, uint32_t word, const struct range *range,
		   struct range *room)
{
	size_t count;

	emit(tree, BPF_LD | BPF_MEM, REACH_PROGRAM_HIGH(word));
	demand(tree, BPF_JGE, range->low, true);
	if (range->ends) {
		emit(tree, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
		emit_drop(tree);
		return;
	}
	word++;
	count = split(range->prefixes, range->count, word, room);
	emit(tree, BPF_LD | BPF_MEM, REACH_PROGRAM_LOW(word));
	demand(tree, BPF_JGT, room[count - 1].high, false);
	if (count == 1) {
		follow(tree, word, room, room + 1);
		return;
	}
	emit(tree, BPF_JMP | BPF_JA, 1);
	emit_drop(tree);
	choose(tree, word, room, count, room + count);
}

/* Jumps behind a branch of @size instructions, which follows the jump. One
 * byte is all that a conditional jump has; further goes by another. */
static void jump_behind(struct tree *tree, size_t jump)
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

/* The accumulator holds the route's lowest value, which is not above the end
 * of the last range. */
static void choose(struct tree *tree, uint32_t word, struct range *ranges,
		   size_t count, struct range *room)
{
	const size_t half = count / 2;
	size_t jump;

	if (tree->program->overflow)
		return;
	if (count == 1) {
		follow(tree, word, ranges, room);
		return;
	}
	jump = emit(tree, BPF_JMP | BPF_JGT | BPF_K, ranges[half - 1].high);
	choose(tree, word, ranges, half, room);
	jump_behind(tree, jump);
	choose(tree, word, ranges + half, count - half, room);
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
	demand(&tree, BPF_JGT, ranges[ranges_count - 1].high, false);
	emit(&tree, BPF_JMP | BPF_JA, 1);
	emit_drop(&tree);
	choose(&tree, 0, ranges, ranges_count, ranges + ranges_count);
	free(ranges);
	return 0;
}
