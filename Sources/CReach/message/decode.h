/* SPDX-License-Identifier: MIT */
/* The decoders of message bodies, one per kind. */
#ifndef REACH_DECODE_H
#define REACH_DECODE_H

#include <linux/netlink.h>
#include <stdbool.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* Decodes the body of @nlh into @ret, whose header reach_message_decode() has
 * filled with the kind REACH_MESSAGE_OTHER. The caller has checked that
 * nlmsg_len is at least a header and ends inside the datagram.
 *
 * @return 1, or -EBADMSG for a malformed body. A body of an address family that
 *         the library does not use leaves the kind as it is. */
int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_rule(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_nexthop(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_netconf(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_error(const struct nlmsghdr *nlh, struct reach_message *ret);

/* The segment of RTA_ENCAP that packets go to first: segments[first_segment]
 * (seg6_do_srh_encap(), net/ipv6/seg6_iptunnel.c). An attribute of another type
 * than seg6 may happen to have that form, too. @return false if it has none. */
bool reach_decode_segment(const struct nlattr *encap,
			  struct reach_address *ret);
/* Whether RTA_ENCAP_TYPE is seg6. */
bool reach_decode_is_seg6(const struct nlattr *attr);

#pragma GCC visibility pop

#endif
