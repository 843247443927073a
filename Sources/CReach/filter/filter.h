/* SPDX-License-Identifier: MIT */
/*
 * The program of the event socket's filter: classic BPF, run by the kernel for
 * each datagram before it is queued (SO_ATTACH_FILTER, socket(7)). A dropped
 * event costs neither memory of the receive buffer nor a wake-up.
 */
#ifndef REACH_FILTER_H
#define REACH_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

#include "base/prefix.h"

#pragma GCC visibility push(hidden)

/* IPv4 and IPv6 are under the stock rules: lookups consult tables local, main
 * and, for IPv4, default, and no others. */
#define REACH_FILTER_STOCK  (1 << 0)
#define REACH_FILTER_STOCK6 (1 << 1)

/* The most prefixes per family that the engine supplies. They may still need
 * more instructions than a program can have. */
#define REACH_FILTER_PREFIXES 1024

/*
 * Writes a program that drops the events which cannot change a lookup of an
 * address in @prefixes:
 *
 *	- RTM_NEWROUTE and RTM_DELROUTE for a prefix that neither contains one
 *	  of @prefixes nor is inside one. Prefixes up to
 *	  REACH_DEFAULT_LENGTH_MAX bits always pass, and so does IPv4's table
 *	  default: the engine derives from its first route that the table is in
 *	  use (engine/state/rules.c);
 *	- routes of other tables than the stock ones, for families in @stock
 *	  (REACH_FILTER_STOCK, REACH_FILTER_STOCK6);
 *	- cloned routes (RTM_F_CLONED): exceptions for single destinations
 *	  (path MTU, redirects), which no verdict depends on;
 *	- AF_BRIDGE link messages, which describe ports of a bridge, not
 *	  links;
 *	- events of the wireless extensions, such as the end of each scan: they
 *	  carry IFLA_WIRELESS, the name, and the flags, which the kernel
 *	  announces in a whole message when they change
 *	  (rtnetlink_ifinfo_prep(), net/wireless/wext-core.c).
 *
 * Whole link messages pass, even if only an MTU, queue length, or alias has
 * changed. Nothing in a message shows that: ifi_change is 0 for many real
 * changes too.
 *
 * All other messages pass, and so do those that the program cannot read:
 * several messages in a datagram, other families, attributes of unexpected
 * size.
 *
 * @prefixes may be in any order, contain duplicates, and have host bits. Sorted
 * input, IPv4 first, takes less time. If they need more than @capacity
 * instructions (BPF_MAXINSNS at most: 780 IPv4 hosts or 300 IPv6 hosts spread
 * evenly), they are shortened until they fit. The program then passes more,
 * never less.
 *
 * @program has room for @capacity instructions; @length is set to their number.
 * @return 0 if the program is exact, 1 if it passes more than necessary,
 * -EINVAL for a family or length that does not exist, -ENOMEM, or -ENOSPC if
 * @capacity is too small for any correct program.
 */
int reach_filter_build(const struct reach_prefix *prefixes, size_t count,
		       uint8_t stock, struct sock_filter *program,
		       size_t capacity, size_t *length);

#pragma GCC visibility pop

#endif
