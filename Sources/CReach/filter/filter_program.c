/* SPDX-License-Identifier: MIT */
/*
 * The filter program up to the decision tree (filter_tree.c). It checks that
 * the datagram is one message, handles types other than routes, reads the
 * route's table and prefix, and converts the prefix to a range of addresses.
 *
 * Classic BPF has constraints. Jumps go forward, conditional ones at most 255
 * instructions. Loads of 2 and 4 bytes convert from network order, but netlink
 * uses host order. A load outside the datagram ends the program with 0, which
 * drops it.
 */
#include "filter/filter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

/* Offsets in bytes: struct nlmsghdr, then struct rtmsg, or another struct that
 * starts with a family. */
#define AT_TYPE	  4
#define AT_FAMILY 16
#define AT_LENGTH 17
#define AT_SOURCE 18
/* ndm_state. */
#define AT_STATE      AT_BYTE(24, 2, 0)
#define AT_TABLE      20
#define AT_ATTRIBUTES 28
/* The same after struct ifinfomsg. */
#define AT_LINK_ATTRIBUTES 32

/* Offset of byte @i (0 is the least significant) of a number in host order:
 * @size bytes at offset @at. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AT_BYTE(at, size, i) ((at) + (i))
#else
#define AT_BYTE(at, size, i) ((at) + (size) - 1 - (i))
#endif
/* RTM_F_CLONED in rtm_flags. */
#define AT_CLONED   AT_BYTE(24, 4, 1)
#define CLONED_BYTE (RTM_F_CLONED >> 8)

static void emit(struct reach_program *program, uint16_t code, uint32_t k)
{
	reach_program_emit(program, code, k, 0, 0);
}

/* Compares the accumulator with @k, and ends the program with @result if that
 * @holds, or else continues it. */
static void end_if(struct reach_program *program, uint16_t comparison,
		   uint32_t k, bool holds, uint32_t result)
{
	reach_program_emit(program, BPF_JMP | comparison | BPF_K, k, !holds,
			   holds);
	emit(program, BPF_RET | BPF_K, result);
}

#define pass_unless(program, comparison, k)                                    \
	end_if(program, comparison, k, false, REACH_PROGRAM_PASS)
#define pass_if(program, comparison, k)                                        \
	end_if(program, comparison, k, true, REACH_PROGRAM_PASS)
#define drop_if(program, comparison, k)                                        \
	end_if(program, comparison, k, true, REACH_PROGRAM_DROP)

/* Passes a datagram that is too short to be read, and one whose nlmsg_len is
 * not its length. The kernel sends one event per datagram (nlmsg_notify()).
 * Datagrams with several are not expected, and pass unread. nlmsg_len is read
 * byte by byte, since loads convert from network order. A length of 64 KiB or
 * more passes. */
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

/* Loads the offset of the first attribute of @type, searched from offset @at.
 * Loads 0 if there is none or the skb is fragmented. Uses the extension
 * SKF_AD_NLATTR (net/core/filter.c, bpf_skb_get_nlattr()). */
static void find_attribute(struct reach_program *program, uint32_t at,
			   uint32_t type)
{
	emit(program, BPF_LD | BPF_IMM, at);
	emit(program, BPF_LDX | BPF_IMM, type);
	emit(program, BPF_LD | BPF_W | BPF_ABS,
	     (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR));
}

/* Handles all types but routes. htons() of the constants matches the conversion
 * by the loads. The jumps skip to the end of this block. */
static void check_type(struct reach_program *program)
{
	emit(program, BPF_LD | BPF_H | BPF_ABS, AT_TYPE);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_NEWROUTE), 27, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_DELROUTE), 26, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_NEWNEIGH), 18, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_DELNEIGH), 17, 0);
	reach_program_emit(program, BPF_JMP | BPF_JEQ | BPF_K,
			   htons(RTM_NEWLINK), 2, 0);
	pass_unless(program, BPF_JEQ, htons(RTM_DELLINK));
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_FAMILY);
	drop_if(program, BPF_JEQ, AF_BRIDGE);
	/* An event of the wireless extensions (see filter.h). Every other
	 * message about a link has its operational state. */
	find_attribute(program, AT_LINK_ATTRIBUTES, IFLA_WIRELESS);
	pass_if(program, BPF_JEQ, 0);
	find_attribute(program, AT_LINK_ATTRIBUTES, IFLA_OPERSTATE);
	pass_unless(program, BPF_JEQ, 0);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
	/* A neighbor that ages keeps its gateway; those of AF_BRIDGE are entries
	 * of a bridge. */
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_STATE);
	drop_if(program, BPF_JSET, NUD_STALE | NUD_DELAY | NUD_PROBE);
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_FAMILY);
	pass_unless(program, BPF_JEQ, AF_BRIDGE);
	emit(program, BPF_RET | BPF_K, REACH_PROGRAM_DROP);
}

/* Finds RTA_DST, and stores its offset and the prefix length. Passes default
 * routes, which can affect every address, and unreadable messages. */
static void find_destination(struct reach_program *program, uint8_t length_max,
			     uint16_t attribute_size)
{
	emit(program, BPF_LD | BPF_B | BPF_ABS, AT_LENGTH);
	pass_unless(program, BPF_JGT, REACH_DEFAULT_LENGTH_MAX);
	pass_if(program, BPF_JGT, length_max);
	emit(program, BPF_ST, REACH_PROGRAM_LENGTH);
	find_attribute(program, AT_ATTRIBUTES, RTA_DST);
	pass_if(program, BPF_JEQ, 0);
	emit(program, BPF_MISC | BPF_TAX, 0);
	emit(program, BPF_STX, REACH_PROGRAM_ATTRIBUTE);
	emit(program, BPF_LD | BPF_H | BPF_IND, 0);
	pass_unless(program, BPF_JEQ, htons(attribute_size));
}

/* Stores the lowest and highest value of word @word among the addresses in the
 * route's prefix: equal inside the prefix, 0 and UINT32_MAX beyond it. */
static void read_word(struct reach_program *program, uint32_t word)
{
	emit(program, BPF_LD | BPF_MEM, REACH_PROGRAM_LENGTH);
	/* The mask of host bits, by a shift of 0 to 31. A shift by 32 is
	 * undefined, so words wholly inside or beyond the prefix have their own
	 * branches. */
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

/* Drops routes of tables other than the stock ones with @stock policy. Table
 * default passes (see filter.h). rtm_table is one byte; tables above 255 have
 * RT_TABLE_COMPAT there, and RTA_TABLE, which need not be read. */
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

	/* A route by source may be for any destination. It passes, since the
	 * engine must learn whether there is one
	 * (state/state.h). */
	if (!inet) {
		emit(program, BPF_LD | BPF_B | BPF_ABS, AT_SOURCE);
		pass_unless(program, BPF_JEQ, 0);
	}
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

/* The first @inet of the prefixes are IPv4. A program that does not fit sets
 * `overflow`. @return 0 or -ENOMEM. */
static int write_program(struct reach_program *program,
			 const struct reach_prefix *prefixes, size_t count,
			 size_t inet)
{
	size_t jump;
	int err;

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

int reach_filter_build(const struct reach_prefix *prefixes, size_t count,
		       uint8_t stock, struct sock_filter *program,
		       size_t capacity, size_t *length)
{
	struct reach_program written = { .code = program,
					 .stock = stock,
					 .capacity = capacity };
	size_t inet = 0;
	int err;

	while (inet < count && prefixes[inet].address.family == AF_INET)
		inet++;
	err = write_program(&written, prefixes, count, inet);
	if (!err && written.overflow)
		err = -ENOSPC;
	if (!err)
		*length = written.length;
	return err;
}
