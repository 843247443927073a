/* SPDX-License-Identifier: MIT */
/* The decoders of single message bodies, one a kind. */
#ifndef REACH_DECODE_H
#define REACH_DECODE_H

#include <linux/netlink.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* @nlh is whole inside the datagram: nlmsg_len bytes, at least its header.
 * Each returns 1 or -EBADMSG; a family the library has no use for makes a
 * REACH_MESSAGE_OTHER. */
int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_rule(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_nexthop(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_netconf(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_error(const struct nlmsghdr *nlh, struct reach_message *ret);

#pragma GCC visibility pop

#endif
