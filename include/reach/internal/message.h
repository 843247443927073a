/* SPDX-License-Identifier: MIT */
/** Decoding rtnetlink: bytes to plain structs. This header isn't installed, and
 * libreach doesn't export this function.
 *
 * Bytes are untrusted: no length, count or string in them makes a function here
 * read outside the buffer. Unknown message types and attributes are skipped. An
 * absent attribute leaves its bit in `present` clear and its member 0, unless
 * the comment of the member says "unspecified". In an event, an absent
 * attribute is unchanged, never removed. Numbers are in host byte order,
 * strings end with NUL, and indexes are those of interfaces. The function is
 * pure; any thread may call it. (linux/rtnetlink.h, linux/if_link.h,
 * rtnetlink(7))
 *
 *	struct reach_message message;
 *	size_t offset = 0;
 *
 *	while (reach_message_decode(datagram, size, &offset, &message) == 1)
 *		if (message.kind == REACH_MESSAGE_LINK)
 *			printf("link %u\n", message.u.link.index);
 */
#ifndef REACH_INTERNAL_MESSAGE_H
#define REACH_INTERNAL_MESSAGE_H

#include <reach/address.h>
#include <reach/export.h>
#include <reach/interface.h>

#pragma GCC visibility push(hidden)

/** Kinds of decoded messages. */
enum reach_message_kind {
	/** A type that is not decoded; only the header members are filled. */
	REACH_MESSAGE_OTHER = 0,
	REACH_MESSAGE_LINK = 1,
	REACH_MESSAGE_ADDRESS = 2,
	REACH_MESSAGE_ROUTE = 3,
	REACH_MESSAGE_RULE = 4,
	/** RTM_*NEXTHOP: only the header members are filled. */
	REACH_MESSAGE_NEXTHOP = 5,
	REACH_MESSAGE_NETCONF = 6,
	REACH_MESSAGE_ERROR = 7,
	REACH_MESSAGE_DONE = 8
};

/** Attributes of a link message, as bits of `present`. */
enum REACH_FLAG_ENUM reach_link_attribute {
	REACH_LINK_NAME = 1 << 0,
	REACH_LINK_KIND = 1 << 1,
	REACH_LINK_OPERSTATE = 1 << 2,
	REACH_LINK_CARRIER = 1 << 3,
	REACH_LINK_MASTER = 1 << 4,
	REACH_LINK_LOWER = 1 << 5,
	REACH_LINK_MTU = 1 << 6,
	/** The message carries IFLA_WIRELESS: a wireless extensions event,
	 * which has no operstate, carrier, or link information. */
	REACH_LINK_WIRELESS = 1 << 7,
	REACH_LINK_LOWER_NETNS = 1 << 8,
	REACH_LINK_HARDWARE_ADDRESS = 1 << 9,
	/** The message carries IFLA_LINKINFO, with or without a kind. */
	REACH_LINK_INFO = 1 << 10,
	REACH_LINK_SLAVE_STATE = 1 << 11,
	REACH_LINK_GROUP = 1 << 12
};

/** Largest number of decoded alternative names of a link; further ones are
 * skipped. */
#define REACH_ALTERNATIVES_MAX 8

/** Where the packets of a tunnel go (IFLA_INFO_DATA); all 0 for other links. */
struct reach_tunnel {
	/** The ends; family 0 for none. */
	struct reach_address local;
	struct reach_address remote;
	/** fwmark, or 0. */
	uint32_t mark;
	/** Index of the interface that they leave by (IFLA_VXLAN_LINK), or 0.
	 * Other kinds of tunnel have `lower`. */
	uint32_t link;
};

/** RTM_NEWLINK, RTM_DELLINK. */
struct reach_link_message {
	uint32_t present;
	/** AF_UNSPEC (0), or AF_BRIDGE (7): a port's bridge attributes. */
	uint16_t family;
	/** ARPHRD_* (linux/if_arp.h). */
	uint16_t hardware_type;
	uint32_t index;
	/** IFF_* (linux/if.h). */
	uint32_t flags;
	uint32_t mtu;
	uint32_t master;
	/** Index of the lower interface or the peer (IFLA_LINK). */
	uint32_t lower;
	/** Namespace id of `lower` (IFLA_LINK_NETNSID). */
	int32_t lower_netns;
	/** Device group (IFLA_GROUP). A policy rule can ignore the routes over a
	 * group's links (suppress_ifgroup, ip-rule(8)). */
	uint32_t group;
	/** IF_OPER_* of RFC 2863 (linux/if.h). */
	uint8_t operstate;
	uint8_t carrier;
	/** Bond port: 0 active, 1 backup (IFLA_BOND_SLAVE_STATE). */
	uint8_t slave_state;
	/** Length of `hardware_address` in bytes. */
	uint8_t hardware_address_length;
	uint8_t hardware_address[32];
	char name[REACH_INTERFACE_NAME_SIZE];
	char kind[REACH_INTERFACE_NAME_SIZE];
	struct reach_tunnel tunnel;
	/** Number of `alternatives`. */
	uint32_t alternative_count;
	/** Alternative names (IFLA_ALT_IFNAME) of up to 15 characters. Longer
	 * ones are skipped, since SO_BINDTODEVICE takes none of them. */
	char alternatives[REACH_ALTERNATIVES_MAX][REACH_INTERFACE_NAME_SIZE];
};

/** Attributes of an address message, as bits of `present`. */
enum REACH_FLAG_ENUM reach_address_attribute {
	REACH_ADDRESS_ADDRESS = 1 << 0,
	REACH_ADDRESS_LOCAL = 1 << 1,
	REACH_ADDRESS_BROADCAST = 1 << 2
};

/** RTM_NEWADDR, RTM_DELADDR. */
struct reach_address_message {
	uint32_t present;
	uint8_t family;
	uint8_t prefix_length;
	uint8_t reserved;
	/** RT_SCOPE_* (linux/rtnetlink.h). */
	uint8_t scope;
	/** IFA_F_* (linux/if_addr.h), all 32 bits. */
	uint32_t flags;
	uint32_t interface_index;
	/** The interface's own address: IFA_LOCAL, else IFA_ADDRESS. */
	struct reach_address address;
	/** The far end of a point-to-point link (IFA_ADDRESS when it differs
	 * from IFA_LOCAL), else none. */
	struct reach_address peer;
	struct reach_address broadcast;
};

/** Attributes of a route message, as bits of `present`. */
enum REACH_FLAG_ENUM reach_route_attribute {
	REACH_ROUTE_DESTINATION = 1 << 0,
	REACH_ROUTE_SOURCE_PREFIX = 1 << 1,
	REACH_ROUTE_INPUT = 1 << 2,
	REACH_ROUTE_OUTPUT = 1 << 3,
	/** RTA_GATEWAY or RTA_VIA. */
	REACH_ROUTE_GATEWAY = 1 << 4,
	REACH_ROUTE_PRIORITY = 1 << 5,
	REACH_ROUTE_PREFERRED_SOURCE = 1 << 6,
	REACH_ROUTE_TABLE = 1 << 7,
	REACH_ROUTE_NEXTHOP_ID = 1 << 8,
	REACH_ROUTE_EXPIRES = 1 << 9,
	REACH_ROUTE_MULTIPATH = 1 << 10,
	REACH_ROUTE_MARK = 1 << 11,
	REACH_ROUTE_UID = 1 << 12,
	/** RTA_ENCAP_TYPE: a lightweight tunnel. */
	REACH_ROUTE_ENCAPSULATION = 1 << 13
};

/** Largest number of decoded legs of a multipath route; further ones are only
 * counted. */
#define REACH_LEGS_MAX 8

/** One leg of a multipath route (struct rtnexthop). */
struct reach_leg {
	uint32_t interface_index;
	/** RTNH_F_* (linux/rtnetlink.h). */
	uint8_t flags;
	/** Weight minus one (rtnh_hops). */
	uint8_t hops;
	uint16_t reserved;
	struct reach_address gateway;
};

/** RTM_NEWROUTE, RTM_DELROUTE, and the answer to RTM_GETROUTE. */
struct reach_route_message {
	uint32_t present;
	uint8_t family;
	uint8_t destination_length;
	uint8_t source_length;
	uint8_t tos;
	uint8_t reserved;
	uint8_t protocol;
	uint8_t scope;
	/** RTN_* (linux/rtnetlink.h). */
	uint8_t type;
	/** RTM_F_* and, in the low bits, RTNH_F_*. */
	uint32_t flags;
	uint32_t table;
	uint32_t output;
	uint32_t input;
	uint32_t priority;
	uint32_t nexthop_id;
	uint32_t mark;
	uint32_t uid;
	/** Remaining lifetime in milliseconds (RTA_EXPIRES, or rta_expires of
	 * struct rta_cacheinfo, converted from clock ticks); negative after the
	 * expiry. */
	int64_t expires;
	/** Number of legs in the message. `legs` has the first REACH_LEGS_MAX
	 * of them at most; its unused entries are unspecified. */
	uint32_t leg_count;
	struct reach_address destination;
	struct reach_address source_prefix;
	struct reach_address gateway;
	struct reach_address preferred_source;
	struct reach_leg legs[REACH_LEGS_MAX];
};

/** RTM_NEWRULE, RTM_DELRULE. */
struct reach_rule_message {
	uint8_t family;
	uint8_t destination_length;
	uint8_t source_length;
	/** FR_ACT_* (linux/fib_rules.h). */
	uint8_t action;
	uint32_t flags;
	uint32_t table;
	uint32_t priority;
	uint32_t mark;
	uint32_t mark_mask;
	/** Number of attributes of selectors that are not decoded: ports, DSCP,
	 * those of newer kernels, and their masks. */
	uint32_t others;
	struct reach_address destination;
	struct reach_address source;
	/** Priority of the rule that FR_ACT_GOTO jumps to. */
	uint32_t target;
	/** The rule ignores routes with at most this prefix length, and routes
	 * through an interface of this group; -1 for none. */
	int32_t suppress_prefix_length;
	int32_t suppress_group;
	/** Range of uids that it matches; 0 and UINT32_MAX match all. */
	uint32_t first_uid;
	uint32_t last_uid;
	/** IPPROTO_*, and the type of service; 0 for all. */
	uint8_t protocol;
	uint8_t tos;
	/** 1 for a rule that searches the tables of VRFs. */
	uint8_t vrf;
	uint8_t reserved;
	/** Names of the incoming and the outgoing interface of packets, or
	 * "". */
	char input[REACH_INTERFACE_NAME_SIZE];
	char output[REACH_INTERFACE_NAME_SIZE];
};

/** RTM_NEWNETCONF, RTM_DELNETCONF (linux/netconf.h). */
struct reach_netconf_message {
	uint8_t family;
	uint8_t reserved[3];
	/** Interface index, or NETCONFA_IFINDEX_ALL (-1), _DEFAULT (-2). */
	int32_t interface_index;
	/** -1 when absent. */
	int32_t ignore_routes_with_linkdown;
};

/** NLMSG_ERROR, NLMSG_DONE. */
struct reach_error_message {
	/** 0, or the positive errno. */
	int32_t error;
};

/** One decoded message. */
struct reach_message {
	/** enum reach_message_kind: which member of `u` is filled. */
	uint16_t kind;
	uint16_t reserved;
	/** RTM_*, NLMSG_* (linux/rtnetlink.h, linux/netlink.h). */
	uint16_t type;
	/** NLM_F_*. */
	uint16_t flags;
	uint32_t sequence;
	uint32_t port;
	union {
		struct reach_link_message link;
		struct reach_address_message address;
		struct reach_route_message route;
		struct reach_rule_message rule;
		struct reach_netconf_message netconf;
		struct reach_error_message error;
	} u;
};

/** Decodes the message at @p offset of a datagram, and moves @p offset to the
 * next.
 *
 * Only the member of `u` that belongs to `kind` is written. A malformed body
 * with a valid header is skipped: a caller may continue after -EBADMSG if
 * @p offset has moved.
 *
 * @param bytes           the datagram, aligned to 4 bytes; borrowed for the
 *                        call. No argument may be NULL.
 * @param size            its length in bytes.
 * @param[in,out] offset  position in bytes; 0 for the first message.
 * @param[out] message    untouched on 0 and -EINVAL, unspecified after
 *                        -EBADMSG.
 * @return 1 for a message, 0 at the end, -EBADMSG for malformed bytes, -EINVAL
 *         for a bad argument. */
int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message);

#pragma GCC visibility pop

#endif
