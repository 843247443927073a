/* SPDX-License-Identifier: MIT */
/**
 * Explanations: a verdict with all that it was drawn from.
 *
 *	struct reach_explanation why = { .size = sizeof(why) };
 *
 *	if (reach_monitor_explain(monitor, id, UINT32_MAX, &why) == 0)
 *		printf("%s, %u of %u addresses reachable\n",
 *		       reach_rule_name(why.rule), why.reachable_count,
 *		       why.address_count);
 */
#ifndef REACH_EXPLANATION_H
#define REACH_EXPLANATION_H

#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>
#include <reach/export.h>
#include <reach/interface.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The rule that decided a verdict; each gives the flags of its comment. */
enum reach_rule {
	/** No verdict yet. */
	REACH_RULE_NONE = 0,
	/** The kernel's answer is an error, or a route of an error type: 0. */
	REACH_RULE_ERROR = 1,
	/** The target's own interface does not exist, or a link-local IPv6
	 *  address names none; nothing is looked up: 0. */
	REACH_RULE_NO_INTERFACE = 2,
	/** An address of this host, and the interface that its packets pass (lo
	 *  or the VRF) is down: 0. */
	REACH_RULE_LOCAL_DOWN = 3,
	/** Loopback address: Reachable, IsLocalAddress. */
	REACH_RULE_LOOPBACK = 4,
	/** Any other address of this host: Reachable, IsLocalAddress, IsDirect.
	 */
	REACH_RULE_LOCAL = 5,
	/** Interface and source are usable: Reachable; IsDirect without a
	 *  gateway. */
	REACH_RULE_UNICAST = 6,
	/** The same over a cellular interface: Reachable, IsWWAN,
	 *  TransientConnection; IsDirect as above. */
	REACH_RULE_CELLULAR = 7,
	/** The same over PPP, a tunnel, a VPN or another point-to-point
	 *  interface: Reachable, TransientConnection. */
	REACH_RULE_POINT_TO_POINT = 8,
	/** Multicast or broadcast over a usable interface: Reachable, IsDirect.
	 */
	REACH_RULE_MULTICAST = 9,
	/** The interface waits for an outside event: Reachable,
	 *  ConnectionRequired; over PPP and modems TransientConnection and
	 *  ConnectionOnTraffic too. */
	REACH_RULE_DORMANT = 10,
	/** The interface is down, has no carrier, or is for capture alone: 0.
	 */
	REACH_RULE_LINK_DOWN = 11,
	/** The source is missing or not usable: 0. */
	REACH_RULE_NO_SOURCE = 12,
	/** One of ERROR, LINK_DOWN, NO_SOURCE or UNRESOLVED, and a modem that
	 *  is not connected: see struct reach_modem. */
	REACH_RULE_MODEM = 13,
	/** The pair's local address is none of this host's: 0. */
	REACH_RULE_NOT_LOCAL = 14,
	/** Local Wi-Fi: Reachable, IsDirect if a usable Wi-Fi or wired
	 *  interface has an address, else 0. */
	REACH_RULE_LOCAL_WIFI = 15,
	/** The name has no address, not yet or not at all: 0. */
	REACH_RULE_UNRESOLVED = 16,
	/** The target does not allow the class of the interface
	 *  (`interface_classes`): 0. */
	REACH_RULE_OTHER_INTERFACE = 17
};

/** The name of an enum reach_rule as the tool prints it ("linkDown"). Static
 * text, never freed; "" for REACH_RULE_NONE and unknown values. */
REACH_API const char *reach_rule_name(uint32_t rule);

/** What the class of an interface was derived from. */
enum reach_class_basis {
	/** Its rtnetlink kind or hardware type. */
	REACH_CLASS_BASIS_KIND = 0,
	/** sysfs: driver, DEVTYPE, wireless; or that it has none of them. */
	REACH_CLASS_BASIS_DEVICE = 1,
	/** Where its peer is (veth). */
	REACH_CLASS_BASIS_PEER = 2,
	/** The interface that it is on (VLAN, macvlan): the next one. */
	REACH_CLASS_BASIS_LOWER = 3,
	/** Its ports (bridge, bond, team): the next one is the port that
	 *  decided. */
	REACH_CLASS_BASIS_PORTS = 4
};

/** The name of an enum reach_class_basis ("ports"); as reach_rule_name(). */
REACH_API const char *reach_class_basis_name(uint32_t basis);

/** One interface of the way. */
struct reach_explained_link {
	uint32_t index;
	/** enum reach_interface_class. */
	uint32_t interface_class;
	/** enum reach_class_basis. */
	uint32_t basis;
	/** Bits of enum reach_interface_state. */
	uint32_t state;
	/** Index of the bridge, bond or VRF it belongs to, or 0. */
	uint32_t master;
	/** ARPHRD_* (linux/if_arp.h). */
	uint32_t hardware_type;
	/** Name and rtnetlink kind, NUL-terminated; kind "" for a device. */
	char name[REACH_INTERFACE_NAME_SIZE];
	char kind[REACH_INTERFACE_NAME_SIZE];
	/** sysfs, "" if not read: DEVTYPE and the driver's name. */
	char devtype[32];
	char driver[32];
};

/** Interfaces of a chain of layers at most (MAX_NEST_DEV, linux/netdevice.h).
 */
#define REACH_EXPLAINED_LINKS_MAX 8

/** Whether packets can have the source. */
enum reach_source_state {
	/** There is none to judge: no route, or none needed. */
	REACH_SOURCE_NOT_NEEDED = 0,
	REACH_SOURCE_USABLE = 1,
	/** Usable, though new connections prefer another (IFA_F_DEPRECATED). */
	REACH_SOURCE_DEPRECATED = 2,
	/** The kernel has none for the destination. */
	REACH_SOURCE_MISSING = 3,
	/** It is no address of this host, or of another interface where it must
	 *  be of this one. */
	REACH_SOURCE_NOT_OWN = 4,
	/** Duplicate address detection has not ended (IFA_F_TENTATIVE). */
	REACH_SOURCE_TENTATIVE = 5,
	/** Another host has the address too (IFA_F_DADFAILED). */
	REACH_SOURCE_DUPLICATE = 6,
	/** Its scope is too narrow for the destination (link-local). */
	REACH_SOURCE_NARROW = 7
};

/** The name of an enum reach_source_state ("tentative"); as reach_rule_name().
 */
REACH_API const char *reach_source_state_name(uint32_t state);

/** Value of `prefix_length` for a match that is not known. */
#define REACH_PREFIX_UNKNOWN UINT32_MAX

/** A verdict's evidence, of one moment. */
struct reach_explanation {
	/** In: sizeof(struct reach_explanation) of the caller. */
	size_t size;
	/** enum reach_rule of the target, and of the address below; they differ
	 *  where the target is decided by another address, by none, or by its
	 *  `interface_classes`. */
	uint32_t rule;
	uint32_t address_rule;
	/** Flags of the target, and of the address alone. */
	uint32_t flags;
	uint32_t address_flags;
	/** Addresses of the target (probes of the internet target), how many of
	 *  the `asked_count` below are reachable, and the position of the
	 *  address that decided; UINT32_MAX for none. */
	uint32_t address_count;
	uint32_t reachable_count;
	uint32_t deciding;
	/** Position of the explained address; UINT32_MAX for none. */
	uint32_t position;
	/** The explained address, or family 0. Of one that was not asked
	 * nothing else is known: rule, error, and route type are 0. */
	struct reach_address address;

	/** The kernel's answer: positive errno, or 0 for a route. */
	int32_t error;
	/** RTN_* (linux/rtnetlink.h) of the route, 0 for an error. */
	uint32_t route_type;
	/** RT_TABLE_* of the route, 0 if it is not known. Until a policy rule
	 *  is added IPv4 keeps the routes of the table local in the table main
	 *  (fib_unmerge(), net/ipv4/fib_frontend.c), and reports that one. */
	uint32_t table;
	/** Length of the prefix of the FIB that matched, or
	 *  REACH_PREFIX_UNKNOWN. */
	uint32_t prefix_length;
	/** Next hop, or family 0 for none. */
	struct reach_address gateway;
	/** Index of the interface of the answer, or 0. */
	uint32_t output;

	/** Policy rule that led to the route: its action, FR_ACT_* of
	 *  linux/fib_rules.h (1: lookup in `table`), 0 if it is not known; and
	 *  its priority. Of an error it is the first rule that could be the
	 *  cause, and is one of the actions blackhole, unreachable, prohibit.
	 */
	uint32_t policy_action;
	uint32_t policy_priority;
	/** Policy rules of the family beside the three that a kernel starts
	 *  with; and how many of them select by what a lookup does not have
	 *  (ports, protocol, DSCP, incoming interface, group of interfaces), so
	 *  that traffic may go another way than the verdict says. Both 0 if
	 *  they were not read: see reach_monitor_explain(). */
	uint32_t policy_count;
	uint32_t policy_ignored;

	/** enum reach_source_state, the source, IFA_F_* (linux/if_addr.h) and
	 *  interface of it, 0 if it is not our own. */
	uint32_t source_state;
	uint32_t source_flags;
	uint32_t source_interface;
	struct reach_address source;

	/** Modem that decided (REACH_RULE_MODEM): its bits of enum
	 *  reach_modem_condition and its interface; else 0. */
	uint32_t modem_conditions;
	uint32_t modem_interface;

	/** The interface of the answer, and what it is on, top first. */
	uint32_t link_count;
	/** How many of the addresses were looked up: of the internet's probes a
	 *  majority, unless these disagree. */
	uint32_t asked_count;
	struct reach_explained_link links[REACH_EXPLAINED_LINKS_MAX];

	/** Lookups that made the answer: 2 where the kernel has a socket look
	 * up again, with `source`; 0 for none. */
	uint32_t lookups;
	/** What connect() of an unbound UDP socket finds, which sends nothing:
	 *  1 if it was asked (by reach_monitor_explain(), not for address
	 *  pairs), its positive errno or 0, and the source. Where it differs
	 *  from `error` and `source` the verdict is not that of a socket. */
	uint32_t socket_asked;
	int32_t socket_error;
	/** The answer to the first of two lookups: its positive errno or 0, its
	 *  source and interface. 0 where `lookups` is not 2 and where they were
	 *  not asked for again (by reach_monitor_explain()). */
	int32_t first_error;
	struct reach_address socket_source;
	struct reach_address first_source;
	/** The first segment of a route with segment routing over IPv6 (RFC
	 *  8754), by whose route the packets leave; family 0 for none, and
	 * where it was not asked for again (by reach_monitor_explain()). No
	 * socket notices that a segment has no route. */
	struct reach_address segment;
	uint32_t first_output;
	uint32_t reserved;
};

/** The address to explain: the one that decided. */
#define REACH_EXPLAIN_DECIDING UINT32_MAX

#ifdef __cplusplus
}
#endif

#endif
