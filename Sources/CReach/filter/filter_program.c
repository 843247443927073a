/* SPDX-License-Identifier: MIT */
/*
 * The filter's program: reading a route's prefix, and its rejection or not.
 * filter_tree.c has the tree over what is watched.
 */
#include "filter/filter_program.h"
#include "filter/filter.h"
#include "filter/filter_emit.h"
#include "filter/filter_tree.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* Offsets in a datagram: struct nlmsghdr, then struct rtmsg or another that
 * starts with a family. */
#define AT_TYPE	      4
#define AT_FAMILY     16
#define AT_LENGTH     17
#define AT_TABLE      20
#define AT_ATTRIBUTES 28

/* A byte of a number in host order, 0 the least significant. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AT_BYTE(at, size, i) ((at) + (i))
#else
#define AT_BYTE(at, size, i) ((at) + (size) - 1 - (i))
#endif
#define AT_CLONED   AT_BYTE(24, 4, 1)
#define CLONED_BYTE (RTM_F_CLONED >> 8)

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
	pass_unless(program, BPF_JGT, REACH_DEFAULT_LENGTH_MAX);
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

/* From any IPv4 route in it the engine learns that table default is in use
 * (rules.c). A table for which the byte has no room is RT_TABLE_COMPAT. */
static void check_table(struct reach_program *program, bool inet, bool stock)
{
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_TABLE);
	if (inet)
		pass_if(program, BPF_JEQ, RT_TABLE_DEFAULT);
	if (!stock)
		return;
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K, RT_TABLE_MAIN, 2,
			   0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K, RT_TABLE_LOCAL,
			   1, 0);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
}

static int check_family(struct reach_program *program, bool inet, bool stock,
			const struct reach_prefix *prefixes, size_t count)
{
	uint32_t word;

	check_table(program, inet, stock);
	find_destination(program, inet ? 32 : 128, inet ? 8 : 20);
	if (!count) {
		emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
		return 0;
	}
	for (word = 0; word < (inet ? 1 : 4); word++)
		read_word(program, word);
	return reach_program_tree(program, prefixes, count);
}

int reach_program_write(struct reach_program *program,
			const struct reach_prefix *prefixes, size_t count,
			size_t inet)
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
	err = check_family(program, true, program->stock & REACH_FILTER_STOCK,
			   prefixes, inet);
	if (err)
		return err;
	if (!program->overflow)
		program->code[jump].k = (uint32_t)(program->length - jump - 1);
	pass_unless(program, BPF_JEQ, AF_INET6);
	return check_family(program, false,
			    program->stock & REACH_FILTER_STOCK6,
			    prefixes + inet, count - inet);
}
