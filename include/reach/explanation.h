/* SPDX-License-Identifier: MIT */
/** Explanations: a verdict with the evidence behind it.
 *
 *	struct reach_explanation why = { .size = sizeof(why) };
 *
 *	if (reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
 *				  &why) == 0)
 *		printf("%s, %u of %u addresses reachable\n",
 *		       reach_rule_name(why.rule), why.reachable_count,
 *		       why.address_count);
 */
#ifndef REACH_EXPLANATION_H
#define REACH_EXPLANATION_H

#include <reach/address.h>
#include <reach/export.h>
#include <reach/interface.h>

REACH_BEGIN_DECLS

/** The rule that decided a verdict. Each comment ends with the flags. */
enum reach_rule {
	/** No verdict yet. */
	REACH_RULE_NONE = 0,
	/** The kernel's answer is an error, or a route of an error type: 0. */
	REACH_RULE_ERROR = 1,
	/** The target's own interface does not exist, or a link-local IPv6
	 * address names none; nothing is looked up: 0. */
	REACH_RULE_NO_INTERFACE = 2,
	/** An address of this host, but the interface that delivers its packets
	 * (lo or the VRF) is down: 0. */
	REACH_RULE_LOCAL_DOWN = 3,
	/** Loopback address: Reachable, IsLocalAddress. */
	REACH_RULE_LOOPBACK = 4,
	/** Any other own address: Reachable, IsLocalAddress, IsDirect. */
	REACH_RULE_LOCAL = 5,
	/** Usable interface and source: Reachable; IsDirect without gateway. */
	REACH_RULE_UNICAST = 6,
	/** The same over a cellular interface: Reachable, IsWWAN,
	 * TransientConnection; IsDirect as above unless point-to-point. */
	REACH_RULE_CELLULAR = 7,
	/** The same over PPP, a tunnel, a VPN or another point-to-point
	 * interface: Reachable, TransientConnection. */
	REACH_RULE_POINT_TO_POINT = 8,
	/** Multicast, broadcast; usable interface: Reachable, IsDirect. */
	REACH_RULE_MULTICAST = 9,
	/** The interface is dormant: Reachable, ConnectionRequired; over PPP and
	 * modems also TransientConnection and ConnectionOnTraffic. */
	REACH_RULE_DORMANT = 10,
	/** The interface is down, has no carrier, or drops all packets: 0. */
	REACH_RULE_LINK_DOWN = 11,
	/** The source is missing or not usable: 0. */
	REACH_RULE_NO_SOURCE = 12,
	/** ERROR, LINK_DOWN, NO_SOURCE, or UNRESOLVED, and a modem that isn't
	 * connected: see struct reach_interface_facts. */
	REACH_RULE_MODEM = 13,
	/** The pair's local address is not an address of this host: 0. */
	REACH_RULE_NOT_LOCAL = 14,
	/** Local Wi-Fi: Reachable, IsDirect if a usable Wi-Fi or wired
	 * interface has an address, else 0. */
	REACH_RULE_LOCAL_WIFI = 15,
	/** The name has no address, or isn't resolved yet: 0. */
	REACH_RULE_UNRESOLVED = 16,
	/** `interface_classes` excludes the interface: 0. */
	REACH_RULE_OTHER_INTERFACE = 17
};

/** The name of an enum reach_rule, as reachctl prints it ("linkDown"). Static
 * text, never freed; "" for REACH_RULE_NONE and unknown values. */
REACH_API const char *reach_rule_name(uint32_t rule);

/** The evidence for the class of an interface. */
enum reach_class_basis {
	/** Its rtnetlink kind or hardware type. */
	REACH_CLASS_BASIS_KIND = 0,
	/** sysfs: driver, DEVTYPE, wireless, or none of them. */
	REACH_CLASS_BASIS_DEVICE = 1,
	/** The location of its peer (veth). */
	REACH_CLASS_BASIS_PEER = 2,
	/** The interface below it (VLAN, macvlan), next in the list. */
	REACH_CLASS_BASIS_LOWER = 3,
	/** Its ports (bridge, bond, team); the one that decided is next. */
	REACH_CLASS_BASIS_PORTS = 4
};

/** The name of an enum reach_class_basis ("ports"); as reach_rule_name(). */
REACH_API const char *reach_class_basis_name(uint32_t basis);

/** One interface of the path. */
struct reach_explained_link {
	uint32_t index;
	/** enum reach_interface_class. */
	uint32_t interface_class;
	/** enum reach_class_basis. */
	uint32_t basis;
	/** Bits of enum reach_interface_state. */
	uint32_t state;
	/** Index of its bridge, bond, or VRF, or 0. */
	uint32_t master;
	/** ARPHRD_* (linux/if_arp.h). */
	uint32_t hardware_type;
	/** Name and rtnetlink kind ("" for a device), NUL-terminated. */
	char name[REACH_INTERFACE_NAME_SIZE];
	char kind[REACH_INTERFACE_NAME_SIZE];
	/** DEVTYPE and driver name from sysfs; "" if it wasn't read. */
	char devtype[32];
	char driver[32];
};

/** Longest chain of layered interfaces (MAX_NEST_DEV, linux/netdevice.h). */
#define REACH_EXPLAINED_LINKS_MAX 8

/** Whether packets can use the source address. */
enum reach_source_state {
	/** No source to judge: no route, or none needed. */
	REACH_SOURCE_NOT_NEEDED = 0,
	REACH_SOURCE_USABLE = 1,
	/** Usable, though new connections prefer another (IFA_F_DEPRECATED). */
	REACH_SOURCE_DEPRECATED = 2,
	/** The kernel has no source for the destination. */
	REACH_SOURCE_MISSING = 3,
	/** Not an own address, or not on the interface that must have it. */
	REACH_SOURCE_NOT_OWN = 4,
	/** Duplicate address detection has not ended (IFA_F_TENTATIVE). */
	REACH_SOURCE_TENTATIVE = 5,
	/** Another host has the address too (IFA_F_DADFAILED). */
	REACH_SOURCE_DUPLICATE = 6,
	/** Its scope is too narrow for the destination (link-local). */
	REACH_SOURCE_NARROW = 7
};

/** The name of a reach_source_state ("tentative"); as reach_rule_name(). */
REACH_API const char *reach_source_state_name(uint32_t state);

/** Value of `prefix_length` if the match is unknown. */
#define REACH_PREFIX_UNKNOWN UINT32_MAX

/** A verdict and its evidence, read at one moment. */
struct reach_explanation {
	/** In: sizeof(struct reach_explanation) of the caller. */
	size_t size;
	/** enum reach_rule of the target, and of the address below, which
	 * differ if another address, none, or `interface_classes` decided. */
	uint32_t rule;
	uint32_t address_rule;
	/** Flags of the target, and of the address alone. */
	uint32_t flags;
	uint32_t address_flags;
	/** Number of addresses of the target (probes of the internet target);
	 * how many of the `lookup_count` below are reachable; and the position
	 * of the address that decided, UINT32_MAX for none. */
	uint32_t address_count;
	uint32_t reachable_count;
	uint32_t deciding;
	/** Position of the explained address; UINT32_MAX for none. */
	uint32_t position;
	/** The explained address, or family 0. If it wasn't looked up, rule,
	 * error, and route type are 0. */
	struct reach_address address;
	/** Result of the lookup: a positive errno, or 0 for a route. */
	int32_t error;
	/** RTN_* (linux/rtnetlink.h) of the route, 0 for an error. */
	uint32_t route_type;
	/** RT_TABLE_* of the route, 0 if unknown. Until a policy rule is added,
	 * IPv4 keeps the routes of table local in table main, and reports main
	 * (fib_unmerge(), net/ipv4/fib_frontend.c). */
	uint32_t table;
	/** Length of the FIB prefix that matched, or REACH_PREFIX_UNKNOWN. */
	uint32_t prefix_length;
	/** Next hop, or family 0 for none. */
	struct reach_address gateway;
	/** Index of the output interface, or 0. */
	uint32_t output;
	/** Policy rule that led to the route: its action (FR_ACT_*,
	 * linux/fib_rules.h; 1 looks up `table`; 0 if unknown) and its
	 * priority. For an error: the first rule that could have caused it,
	 * with the action blackhole, unreachable, or prohibit. */
	uint32_t policy_action;
	uint32_t policy_priority;
	/** Number of policy rules of the family beyond the kernel's initial
	 * three; and how many of them select by something that other traffic
	 * than a lookup's may have (ports, protocol, DSCP, interface group).
	 * Lookups are for TCP, without ports. Traffic that matches these
	 * may take another path than the verdict says. Both are 0 if the rules
	 * weren't read: see reach_monitor_explain(). */
	uint32_t policy_count;
	uint32_t policy_ignored;
	/** enum reach_source_state; IFA_F_* flags and interface of the source,
	 * 0 if it is not an own address; and the source itself. */
	uint32_t source_state;
	uint32_t source_flags;
	uint32_t source_interface;
	struct reach_address source;
	/** The modem that decided (REACH_RULE_MODEM): bits of enum
	 * reach_modem_condition and its interface; else 0. */
	uint32_t modem_conditions;
	uint32_t modem_interface;
	/** The output interface and the interfaces below it, top first. */
	uint32_t link_count;
	/** How many addresses were looked up. For the internet target that is a
	 * majority of the IPv4 probes if these are reachable, else all. */
	uint32_t lookup_count;
	struct reach_explained_link links[REACH_EXPLAINED_LINKS_MAX];
	/** Number of lookups behind the result: 2 if a socket, or the device of
	 * a VRF, would look up again with `source`, 0 for none. */
	uint32_t lookups;
	/** Result of connect() on an unbound UDP socket, which sends nothing.
	 * `socket_asked` is 1 if connect() was called (by
	 * reach_monitor_explain(), not for address pairs), `socket_error` is a
	 * positive errno or 0, and `socket_source` is the source. If these two
	 * differ from `error` and `source`, a socket's result contradicts the
	 * verdict. */
	uint32_t socket_asked;
	int32_t socket_error;
	/** The first of two lookups: `first_error` is a positive errno or 0,
	 * `first_source` its source, and `first_output` its interface. Filled
	 * by reach_monitor_explain() if `lookups` is 2; else 0. */
	int32_t first_error;
	struct reach_address socket_source;
	struct reach_address first_source;
	uint32_t first_output;
	/** 1 if `first_output` is the device of a VRF that a route leaks into.
	 * It makes the second lookup, which connect() doesn't know. */
	uint32_t is_leak;
};

/** Explain the address that decided. */
#define REACH_EXPLAIN_DECIDING UINT32_MAX

REACH_END_DECLS

#endif
