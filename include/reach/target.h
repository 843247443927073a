/* SPDX-License-Identifier: MIT */
/** What can be watched, and what is known of it. */
#ifndef REACH_TARGET_H
#define REACH_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>
#include <reach/flags.h>
#include <reach/interface.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of target. */
enum reach_target_kind {
	/** `remote`. 0.0.0.0 and :: become REACH_TARGET_INTERNET, 169.254.0.0
	 *  becomes REACH_TARGET_LOCAL_WIFI, as SCNetworkReachability has it. */
	REACH_TARGET_ADDRESS = 0,
	/** `remote` asked with the source `local`; either may be missing. */
	REACH_TARGET_ADDRESS_PAIR = 1,
	/** "Is there a way out at all": most of a set of fixed public
	 *  addresses has a route. No packet is sent. */
	REACH_TARGET_INTERNET = 2,
	/** A usable Wi-Fi or wired interface has an address. Where no interface
	 *  is wired, Wi-Fi or cellular (a container), an Ethernet interface
	 *  whose other end is in another network namespace (veth, macvlan)
	 *  counts as wired. */
	REACH_TARGET_LOCAL_WIFI = 3,
	/** `name`, resolved off the caller's thread. */
	REACH_TARGET_NAME = 4
};

/** What a name's flags are until its resolution is final. */
enum reach_name_policy {
	/** 0: nobody is told that a name is reachable that does not exist. The
	 *  default (SCNetworkReachability before 10.11). */
	REACH_NAME_STRICT = 0,
	/** Those of the internet target (SCNetworkReachability since 10.11). */
	REACH_NAME_OPTIMISTIC = 1
};

/** Which differences from the last reported state are a change. */
enum reach_report {
	/** Of the flags, of the interface while there are flags, and of a
	 *  name's resolution and the set of its addresses. */
	REACH_REPORT_VERDICT = 0,
	/** Of anything in struct reach_state, also the order of the
	 *  addresses. */
	REACH_REPORT_PATH = 1
};

/** "The caller's own uid" in struct reach_target. */
#define REACH_UID_CALLER UINT32_MAX

/** Longest name (RFC 1035: 253 characters, a trailing dot, NUL). */
#define REACH_NAME_SIZE 255

/**
 * A target. Zero it, set `size`, then what applies; or call
 * reach_target_init(). The library copies what it needs.
 */
struct reach_target {
	/** sizeof(struct reach_target). */
	size_t size;
	/** enum reach_target_kind. */
	uint32_t kind;
	/** enum reach_name_policy; for names only. */
	uint32_t policy;
	struct reach_address remote;
	struct reach_address local;
	/** Name to resolve: 1 to 253 characters (and a trailing dot), no port,
	 *  no slash, no white space. A numeric address in it makes an address
	 *  target. */
	const char *name;
	/** Ask through this interface only: an index, or 0. */
	uint32_t interface_index;
	/** fwmark of the traffic (SO_MARK), or 0. */
	uint32_t mark;
	/** uid of the traffic for uidrange rules, or REACH_UID_CALLER. */
	uint32_t uid;
	/** enum reach_report. */
	uint32_t report;
	/** Ask through the interface of this name, which need not exist yet
	 *  and may come and go; "" for none. NUL-terminated. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** Comes back with each change of the target; the library does not
	 *  read what it points to. */
	void *user;
};

/** Clears @p target and sets `size`, `kind` and `uid`; a name is
 *  REACH_NAME_STRICT. */
REACH_API void reach_target_init(struct reach_target *target,
				 enum reach_target_kind kind);

/**
 * Checks @p target as reach_monitor_add() does.
 *
 * @return 0; -EINVAL for a bad size, kind, policy, report, combination or name
 *         (empty, or with a character that no name has), without an address, or
 *         if `reserved` of an address is not 0;
 *         -ENAMETOOLONG for a name or a label that is too long (63); -ENODEV
 *         for a name that is an address of an interface there is not
 *         ("fe80::1%none"); -EAFNOSUPPORT for an address family that is
 *         neither AF_INET nor AF_INET6.
 */
REACH_API int reach_target_validate(const struct reach_target *target);

/** Why a target has the flags it has. */
enum reach_reason {
	/** Reachable. */
	REACH_REASON_NONE = 0,
	/** No route (ENETUNREACH). */
	REACH_REASON_NO_ROUTE = 1,
	/** A route of type unreachable (EHOSTUNREACH). */
	REACH_REASON_UNREACHABLE = 2,
	/** A route or rule of type prohibit (EACCES). */
	REACH_REASON_PROHIBITED = 3,
	/** A route or rule of type blackhole (EINVAL). */
	REACH_REASON_BLACKHOLE = 4,
	/** The route's interface is down or has no carrier. */
	REACH_REASON_LINK_DOWN = 5,
	/** The interface waits for an outside event: connection required. */
	REACH_REASON_DORMANT = 6,
	/** The host has no address to send from. */
	REACH_REASON_NO_SOURCE = 7,
	/** The pair's local address is not a usable address of this host. */
	REACH_REASON_NOT_LOCAL = 8,
	/** The interface asked for does not exist. */
	REACH_REASON_NO_INTERFACE = 9,
	/** The name is not resolved yet. */
	REACH_REASON_RESOLVING = 10,
	/** The name exists and has no address. */
	REACH_REASON_NO_ADDRESS = 11,
	/** The kernel refused the question; see `error`. */
	REACH_REASON_REFUSED = 12,
	/** The name does not exist (NXDOMAIN). */
	REACH_REASON_NO_SUCH_NAME = 13,
	/** The name could not be resolved: no server answers, or it fails. */
	REACH_REASON_RESOLVER_FAILED = 14,
	/** There is no network to resolve the name over. */
	REACH_REASON_NO_NETWORK = 15
};

/** The name of an enum reach_reason as the tool prints it ("noRoute"). Static
 *  text; "" for REACH_REASON_NONE and for any other value. */
REACH_API const char *reach_reason_name(uint32_t reason);

/** How far the resolution of a name is. */
enum reach_resolution {
	/** The target is no name. */
	REACH_RESOLUTION_NONE = 0,
	REACH_RESOLUTION_PENDING = 1,
	REACH_RESOLUTION_DONE = 2
};

/** Most addresses kept of one name, in the resolver's order. */
#define REACH_ADDRESSES_MAX 16

/** What is known of a target at one moment. */
struct reach_state {
	/** In: sizeof(struct reach_state) of the caller. */
	size_t size;
	/** enum reach_flag bits. */
	uint32_t flags;
	/** enum reach_status: reach_status_from_flags(flags). */
	int32_t status;
	/** enum reach_reason. */
	uint32_t reason;
	/** Positive errno the kernel answered with, or 0. */
	int32_t error;
	/** Interface a packet leaves by, or 0. For an own address the
	 *  interface that has it. */
	uint32_t interface_index;
	/** enum reach_interface_class of that interface. */
	uint32_t interface_class;
	/** Its name, NUL-terminated, or "". */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** Source address the kernel chooses, if it told. */
	struct reach_address source;
	/** Next hop, if there is one. May be IPv6 for an IPv4 target
	 *  (RFC 5549). */
	struct reach_address gateway;
	/** enum reach_resolution. */
	uint32_t resolution;
	/** Number of `addresses`. */
	uint32_t address_count;
	/** For a name, what it resolved to; else empty. */
	struct reach_address addresses[REACH_ADDRESSES_MAX];
};

/** A new state of one target. */
struct reach_change {
	/** In: sizeof(struct reach_change) of the caller. */
	size_t size;
	/** The target's id from reach_monitor_add(). */
	uint64_t id;
	/** The target's `user`. */
	void *user;
	/** Its state. */
	struct reach_state state;
};

#ifdef __cplusplus
}
#endif

#endif
