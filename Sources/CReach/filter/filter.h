/* SPDX-License-Identifier: MIT */
/*
 * Which messages the event socket takes, as a program of the classic BPF
 * that SO_ATTACH_FILTER runs in the kernel.
 */
#ifndef REACH_FILTER_H
#define REACH_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

#include "base/prefix.h"

#pragma GCC visibility push(hidden)

/* Families whose lookups see tables local, main and, of IPv4, default, and no
 * others. */
#define REACH_FILTER_STOCK  (1 << 0)
#define REACH_FILTER_STOCK6 (1 << 1)

/*
 * Makes a program that drops what cannot matter to @prefixes:
 *
 *	- RTM_NEWROUTE and RTM_DELROUTE for a prefix that neither contains
 *	  any of them nor is contained in one, unless it is of IPv4 and in
 *	  table default,
 *	- with @stock rules, those of all other tables,
 *	- cloned routes,
 *	- AF_BRIDGE link messages, which are about ports and not links,
 *	- neighbours.
 *
 * All else passes, also what it does not understand: several messages in a
 * datagram, other families, attributes of unknown size.
 *
 * Where not all prefixes fit @capacity instructions (BPF_MAXINSNS at most)
 * they are widened until they do; more passes then, never less. @prefixes may
 * hold duplicates, in any order (in order, IPv4 first, is quicker); host bits
 * are ignored.
 *
 * Returns 0 if the program is exact, 1 if it passes more than it must,
 * -EINVAL for a family or length that does not exist, -ENOMEM, or -ENOSPC if
 * @capacity is too small for any: then no filter is right.
 */
int reach_filter_build(const struct reach_prefix *prefixes, size_t count,
		       uint8_t stock, struct sock_filter *program,
		       size_t capacity, size_t *length);

#pragma GCC visibility pop

#endif
