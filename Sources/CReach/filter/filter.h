/* SPDX-License-Identifier: MIT */
/* Door of filter/: the classic BPF program of the event socket. */
#ifndef REACH_FILTER_FILTER_H
#define REACH_FILTER_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#pragma GCC visibility push(hidden)

/*
 * The program of the event socket's filter: classic BPF, run by the kernel for
 * each datagram before it is queued (SO_ATTACH_FILTER, socket(7)). A dropped
 * event costs neither memory of the receive buffer nor a wake-up.
 */

/* IPv4 and IPv6 are under the stock policy: lookups consult tables local, main
 * and, for IPv4, default, and no others. */
#define REACH_FILTER_STOCK  (1 << 0)
#define REACH_FILTER_STOCK6 (1 << 1)

/*
 * Writes a program that drops the events which cannot change a lookup of an
 * address in @prefixes:
 *
 *	- RTM_NEWROUTE and RTM_DELROUTE for a prefix that neither contains one
 *	  of @prefixes nor is inside one. Prefixes up to
 *	  REACH_DEFAULT_LENGTH_MAX bits always pass, and so does IPv4's table
 *	  default: the engine derives from its first route that the table is in
 *	  use (engine/state/policy.c);
 *	- routes of other tables than the stock ones, for families in @stock
 *	  (REACH_FILTER_STOCK, REACH_FILTER_STOCK6);
 *	- cloned routes (RTM_F_CLONED): exceptions for single destinations
 *	  (path MTU, redirects), which no verdict depends on;
 *	- AF_BRIDGE link messages, which describe ports of a bridge, not
 *	  links;
 *	- events of the wireless extensions, such as the end of each scan: they
 *	  carry IFLA_WIRELESS, the name, and the flags, which the kernel
 *	  announces in a whole message when they change
 *	  (rtnetlink_ifinfo_prep(), net/wireless/wext-core.c);
 *	- neighbors that age (stale, delay, probe), and entries of bridges.
 *
 * Whole link messages pass, even if only an MTU, queue length, or alias has
 * changed. Nothing in a message shows that: ifi_change is 0 for many real
 * changes too.
 *
 * All other messages pass, and so do those that the program cannot read:
 * several messages in a datagram, other families, attributes of unexpected
 * size.
 *
 * @prefixes are sorted, IPv4 first, disjoint, and without host bits. The kernel
 * runs up to BPF_MAXINSNS instructions: 780 IPv4 hosts or 300 IPv6 hosts spread
 * evenly.
 *
 * @program has room for @capacity instructions; @length is set to their number.
 * @return 0, -ENOMEM, or -ENOSPC if @capacity is too small.
 */
int reach_filter_build(const struct reach_prefix *prefixes, size_t count,
		       uint8_t stock, struct sock_filter *program,
		       size_t capacity, size_t *length);

/* A classic BPF program under construction, and its use of the scratch
 * memory. */

/* Operands of BPF_RET: bytes of the datagram to queue. */
#define REACH_PROGRAM_PASS UINT32_MAX
#define REACH_PROGRAM_DROP 0

/* Slots of the scratch memory M[] (BPF_MEMWORDS, 16). The route's prefix is
 * kept as a range of addresses: the lowest and highest value per 32-bit
 * word. */
#define REACH_PROGRAM_LOW(word)	 (2 * (word))
#define REACH_PROGRAM_HIGH(word) (2 * (word) + 1)
/* Length of the route's prefix in bits. */
#define REACH_PROGRAM_LENGTH 8
/* Offset of RTA_DST in the datagram. */
#define REACH_PROGRAM_ATTRIBUTE 9
/* Mask of the host bits in the current word. */
#define REACH_PROGRAM_FREE 10

struct reach_program {
	/* Room for `capacity` instructions, `length` of them written. Borrowed.
	 */
	struct sock_filter *code;
	size_t capacity;
	size_t length;
	/* REACH_FILTER_STOCK bits of reach_filter_build(). */
	uint8_t stock;
	/* More instructions than `capacity` were emitted: `code` is unusable.
	 */
	bool overflow;
};

/* Appends the instruction { @code, @jt, @jf, @k }. @return its index, or 0
 * after setting `overflow`. */
static inline size_t reach_program_emit(struct reach_program *program,
					uint16_t code, uint32_t k, uint8_t jt,
					uint8_t jf)
{
	if (program->length == program->capacity) {
		program->overflow = true;
		return 0;
	}
	program->code[program->length] =
		(struct sock_filter){ code, jt, jf, k };
	return program->length++;
}

/* The decision tree over the watched prefixes. */

/* Appends code that passes a route whose prefix overlaps one of @prefixes and
 * drops all others. @prefixes are of one family, sorted and disjoint; @count is
 * 1 or more.
 * @return 0 or -ENOMEM. */
int reach_program_tree(struct reach_program *program,
		       const struct reach_prefix *prefixes, size_t count);

#pragma GCC visibility pop

#endif
