/* SPDX-License-Identifier: MIT */
/*
 * The filter's program: reading a route's prefix, and its rejection or not.
 * filter_tree.c has the tree over what is watched.
 */
#include "filter_program.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* Offsets in a datagram: struct nlmsghdr, then struct rtmsg or another that
 * starts with a family. */
#define AT_TYPE	      4
#define AT_FAMILY     16
#define AT_LENGTH     17
#define AT_TABLE      20
#define AT_KIND	      23
#define AT_ATTRIBUTES 28

/* A byte of a number in host order, 0 the least significant. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AT_BYTE(at, size, i) ((at) + (i))
#else
#define AT_BYTE(at, size, i) ((at) + (size) - 1 - (i))
#endif
#define AT_CLONED   AT_BYTE(24, 4, 1)
#define CLONED_BYTE (RTM_F_CLONED >> 8)

size_t reach_program_emit(struct reach_program *program, uint16_t code,
			  uint32_t k, uint8_t jt, uint8_t jf)
{
	if (program->length == program->capacity) {
		program->overflow = true;
		return 0;
	}
	program->code[program->length] =
		(struct sock_filter){ code, jt, jf, k };
	return program->length++;
}

static void emit(struct reach_program *program, uint16_t code, uint32_t k)
{
	reach_program_emit(program, code, k, 0, 0);
}

/* Passes unless the comparison holds, or if it does. */
static void pass_unless(struct reach_program *program, uint16_t comparison,
			uint32_t k)
{
	reach_program_emit(program, BPF_JMP | comparison | BPF_K, k, 1, 0);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
}

static void pass_if(struct reach_program *program, uint16_t comparison,
		    uint32_t k)
{
	reach_program_emit(program, BPF_JMP | comparison | BPF_K, k, 0, 1);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
}

static void drop_if(struct reach_program *program, uint16_t comparison,
		    uint32_t k)
{
	reach_program_emit(program, BPF_JMP | comparison | BPF_K, k, 0, 1);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
}

/* A load outside of the datagram would drop it. And the kernel reports one
 * message a datagram; where nlmsg_len is not all of it, there are more. */
static void check_size(struct reach_program *program)
{
	emit(program, BPF_LD | BPF_W | BPF_LEN, 0);
	pass_unless(program, BPF_JGE, AT_ATTRIBUTES);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_BYTE(0, 4, 3));
	pass_unless(program, BPF_JEQ, 0);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_BYTE(0, 4, 2));
	pass_unless(program, BPF_JEQ, 0);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_BYTE(0, 4, 1));
	emit(program, BPF_ALU | BPF_LSH | BPF_K, 8);
	emit(program, BPF_MISC | BPF_TAX, 0);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_BYTE(0, 4, 0));
	emit(program, BPF_ALU | BPF_OR | BPF_X, 0);
	emit(program, BPF_MISC | BPF_TAX, 0);
	emit(program, BPF_LD | BPF_W | BPF_LEN, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
}

/* Decides on everything but routes. Loads take numbers for big-endian. */
static void check_type(struct reach_program *program)
{
	emit(program, BPF_LD | BPF_H | BPF_ABS, AT_TYPE);
	drop_if(program, BPF_JEQ, htons(RTM_NEWNEIGH));
	drop_if(program, BPF_JEQ, htons(RTM_DELNEIGH));
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_NEWROUTE), 8, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_DELROUTE), 7, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_NEWLINK), 2, 0);
	pass_unless(program, BPF_JEQ, htons(RTM_DELLINK));
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_FAMILY);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K, AF_BRIDGE, 1, 0);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_PASS);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
}

/* X becomes the offset of RTA_DST, SLOT_LENGTH the length of its prefix. */
static void find_destination(struct reach_program *program, uint8_t length_max,
			     uint16_t attribute_size)
{
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_LENGTH);
	pass_unless(program, BPF_JGT, REACH_FILTER_DEFAULT_MAX);
	pass_if(program, BPF_JGT, length_max);
	emit(program, BPF_ST, REACH_PROGRAM_LENGTH);
	emit(program, BPF_LD | BPF_IMM, AT_ATTRIBUTES);
	emit(program, BPF_LDX | BPF_IMM, RTA_DST);
	emit(program, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR));
	/* Not there, or the datagram is not in one piece. */
	pass_if(program, BPF_JEQ, 0);
	emit(program, BPF_MISC | BPF_TAX, 0);
	emit(program, BPF_STX, REACH_PROGRAM_ATTRIBUTE);
	emit(program, BPF_LD | BPF_H | BPF_IND, 0);
	pass_unless(program, BPF_JEQ, htons(attribute_size));
}

/* The lowest and highest value of word @word of an address in the route's
 * prefix; behind the end of the prefix that is all there are. */
static void read_word(struct reach_program *program, uint32_t word)
{
	emit(program, BPF_LD | BPF_MEM, REACH_PROGRAM_LENGTH);
	/* The bits that are free. A shift by 32 is not defined. */
	reach_program_emit(program, BPF_JMP | BPF_JGE | BPF_K, 32 * (word + 1),
			   6, 0);
	reach_program_emit(program, BPF_JMP | BPF_JGT | BPF_K, 32 * word, 0, 7);
	emit(program, BPF_ALU | BPF_SUB | BPF_K, 32 * word + 1);
	emit(program, BPF_MISC | BPF_TAX, 0);
	emit(program, BPF_LD | BPF_IMM, 0x7fffffff);
	emit(program, BPF_ALU | BPF_RSH | BPF_X, 0);
	emit(program, BPF_JMP | BPF_JA, 3);
	emit(program, BPF_LD | BPF_IMM, 0);
	emit(program, BPF_JMP | BPF_JA, 1);
	emit(program, BPF_LD | BPF_IMM, UINT32_MAX);
	emit(program, BPF_ST, REACH_PROGRAM_FREE);
	emit(program, BPF_LDX | BPF_MEM, REACH_PROGRAM_ATTRIBUTE);
	emit(program, BPF_LD | BPF_W | BPF_IND, 4 + 4 * word);
	emit(program, BPF_LDX | BPF_MEM, REACH_PROGRAM_FREE);
	emit(program, BPF_ALU | BPF_OR | BPF_X, 0);
	emit(program, BPF_ST, REACH_PROGRAM_HIGH(word));
	emit(program, BPF_ALU | BPF_XOR | BPF_X, 0);
	emit(program, BPF_ST, REACH_PROGRAM_LOW(word));
}

/* What the engine concludes from routes to anywhere: that table default is in
 * use (assume.c), and that an error may not have been meant for all who got it
 * (routes.c). */
static void pass_hints(struct reach_program *program)
{
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_TABLE);
	pass_if(program, BPF_JEQ, RT_TABLE_DEFAULT);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_KIND);
	pass_if(program, BPF_JGE, RTN_BLACKHOLE);
}

static int check_family(struct reach_program *program, bool inet,
			const struct reach_filter_prefix *prefixes,
			size_t count)
{
	uint32_t word;

	if (inet)
		pass_hints(program);
	find_destination(program, inet ? 32 : 128, inet ? 8 : 20);
	if (!count) {
		emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
		return 0;
	}
	for (word = 0; word < (inet ? 1 : 4); word++)
		read_word(program, word);
	return reach_program_tree(program, prefixes, count);
}

/* @prefixes are sorted; the first @inet of them are IPv4. */
static int write_program(struct reach_program *program,
			 const struct reach_filter_prefix *prefixes,
			 size_t count, size_t inet)
{
	size_t jump;
	int err;

	program->length = 0;
	program->overflow = false;
	check_size(program);
	check_type(program);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_CLONED);
	drop_if(program, BPF_JSET, CLONED_BYTE);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_FAMILY);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0);
	jump = reach_program_emit(program, BPF_JMP | BPF_JA, 0, 0, 0);
	err = check_family(program, true, prefixes, inet);
	if (err)
		return err;
	if (!program->overflow)
		program->code[jump].k = (uint32_t)(program->length - jump - 1);
	pass_unless(program, BPF_JEQ, AF_INET6);
	return check_family(program, false, prefixes + inet, count - inet);
}

/* Clears what is behind the first @length bits. */
static void shorten(struct reach_filter_prefix *prefix, uint8_t length)
{
	uint8_t *bytes = prefix->address.bytes;
	size_t i;

	if (prefix->length > length)
		prefix->length = length;
	for (i = prefix->length / 8; i < sizeof(prefix->address.bytes); i++) {
		const unsigned int kept =
			i == prefix->length / 8 ? prefix->length % 8 : 0;

		bytes[i] = (uint8_t)(bytes[i] & ~(0xffu >> kept));
	}
}

/* IPv4 first, then by address, then the wider of two. */
static int compare(const void *a, const void *b)
{
	const struct reach_filter_prefix *x = a, *y = b;
	int order;

	if (x->address.family != y->address.family)
		return x->address.family == AF_INET ? -1 : 1;
	order = memcmp(x->address.bytes, y->address.bytes,
		       sizeof(x->address.bytes));
	return order ? order : (int)x->length - (int)y->length;
}

static bool contains(const struct reach_filter_prefix *outer,
		     const struct reach_filter_prefix *inner)
{
	struct reach_filter_prefix cut = *inner;

	if (outer->address.family != inner->address.family ||
	    outer->length > inner->length)
		return false;
	shorten(&cut, outer->length);
	return memcmp(cut.address.bytes, outer->address.bytes,
		      sizeof(cut.address.bytes)) == 0;
}

/* Widens sorted prefixes, which stay sorted, to at most the two lengths, and
 * leaves out those that are inside another; how many are left. */
static size_t widen(struct reach_filter_prefix *prefixes, size_t count,
		    const uint8_t lengths[2])
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++) {
		struct reach_filter_prefix next = prefixes[i];

		shorten(&next, lengths[next.address.family == AF_INET6]);
		if (!kept || !contains(&prefixes[kept - 1], &next))
			prefixes[kept++] = next;
	}
	return kept;
}

static size_t count_inet(const struct reach_filter_prefix *prefixes,
			 size_t count)
{
	size_t i = 0;

	while (i < count && prefixes[i].address.family == AF_INET)
		i++;
	return i;
}

static bool is_sound(const struct reach_filter_prefix *prefix)
{
	if (prefix->address.family == AF_INET)
		return prefix->length <= 32;
	return prefix->address.family == AF_INET6 && prefix->length <= 128;
}

/* A sorted copy without host bits. */
static int copy_sorted(const struct reach_filter_prefix *prefixes, size_t count,
		       struct reach_filter_prefix **ret)
{
	struct reach_filter_prefix *copy;
	bool sorted = true;
	size_t i;

	for (i = 0; i < count; i++)
		if (!is_sound(&prefixes[i]))
			return -EINVAL;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		copy[i] = prefixes[i];
		shorten(&copy[i], copy[i].length);
		sorted = sorted && (!i || compare(&copy[i - 1], &copy[i]) <= 0);
	}
	if (!sorted)
		qsort(copy, count, sizeof(*copy), compare);
	*ret = copy;
	return 0;
}

/* Lengths to which prefixes are widened, one after the other. Hosts of one
 * IPv6 network share a route as a rule, so that costs the least. 256 prefixes
 * of 8 bits of either family always fit the kernel's limit; 0 bits are for
 * less room, and pass all routes. */
static const uint8_t inet_steps[] = { 32, 28, 24, 22, 20, 18, 16, 15, 14,
				      13, 12, 11, 10, 9,  8,  4,  0 };
static const uint8_t inet6_steps[] = { 128, 64, 56, 48, 44, 40, 36, 32, 30, 28,
				       26,  24, 22, 20, 18, 16, 12, 8,	4,  0 };

/* Instructions for each, about: a jump of the tree, and four to decide on
 * each word. */
static size_t cost_of(size_t count, uint8_t length)
{
	return count * (1 + 4 * ((length + (size_t)31) / 32));
}

/* Takes the next step for the family that costs more; false at the end. */
static bool widen_more(size_t inet, size_t inet6, size_t steps[2])
{
	const size_t ends[2] = { sizeof(inet_steps) - 1,
				 sizeof(inet6_steps) - 1 };
	const size_t costs[2] = { cost_of(inet, inet_steps[steps[0]]),
				  cost_of(inet6, inet6_steps[steps[1]]) };
	const size_t first = costs[1] > costs[0];

	if (steps[first] < ends[first])
		steps[first]++;
	else if (steps[!first] < ends[!first])
		steps[!first]++;
	else
		return false;
	return true;
}

/* Widens @sorted until they fit. 0 or 1 as reach_filter_build(). */
static int fit(struct reach_program *program,
	       struct reach_filter_prefix *sorted, size_t count)
{
	size_t steps[2] = { 0, 0 }, inet;
	int err;

	do {
		const uint8_t lengths[2] = { inet_steps[steps[0]],
					     inet6_steps[steps[1]] };

		count = widen(sorted, count, lengths);
		inet = count_inet(sorted, count);
		/* Not worth trying. */
		if (cost_of(count, 32) > program->capacity)
			continue;
		err = write_program(program, sorted, count, inet);
		if (err)
			return err;
		if (!program->overflow)
			return steps[0] > 0 || steps[1] > 0;
	} while (widen_more(inet, count - inet, steps));
	return -ENOSPC;
}

int reach_filter_build(const struct reach_filter_prefix *prefixes, size_t count,
		       struct sock_filter *program, size_t capacity,
		       size_t *length)
{
	struct reach_program written = { .code = program,
					 .capacity = capacity < BPF_MAXINSNS
							     ? capacity
							     : BPF_MAXINSNS };
	struct reach_filter_prefix *sorted;
	int ret = copy_sorted(prefixes, count, &sorted);

	if (ret)
		return ret;
	ret = fit(&written, sorted, count);
	free(sorted);
	if (ret >= 0)
		*length = written.length;
	return ret;
}
