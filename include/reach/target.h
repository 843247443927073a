/* SPDX-License-Identifier: MIT */
/** Targets, their states, and their changes.
 *
 * All structs are plain values that own no memory. The library copies a target
 * with its name; `user` is the only pointer it keeps.
 *
 *	struct reach_target target;
 *
 *	reach_target_init(&target, REACH_TARGET_NAME);
 *	target.name = "www.example.com";
 *	target.mark = 7;
 *	if (reach_monitor_add(monitor, &target, &id) < 0)
 *		puts("the name or a member is not valid");
 */
#ifndef REACH_TARGET_H
#define REACH_TARGET_H

#include <reach/address.h>
#include <reach/interface.h>

REACH_BEGIN_DECLS

/** Kinds of target. */
enum reach_target_kind {
	/** The address `remote`. As in SCNetworkReachability, 0.0.0.0 and ::
	 * become REACH_TARGET_INTERNET for both families, and 169.254.0.0
	 * becomes REACH_TARGET_LOCAL_WIFI. ::ffff:a.b.c.d becomes a.b.c.d. */
	REACH_TARGET_ADDRESS = 0,
	/** The address `remote` with the source `local`, as for a bound socket.
	 * One may have family 0; without `remote` it is `local` itself. */
	REACH_TARGET_ADDRESS_PAIR = 1,
	/** Access to the internet: more than half of a family's probes, fixed
	 * public addresses or your own, have a route. No packet is sent. With
	 * `remote` 0.0.0.0 or :: only probes of that family count. */
	REACH_TARGET_INTERNET = 2,
	/** A usable Wi-Fi or wired interface has an address. If none is wired,
	 * Wi-Fi or cellular (a container), Ethernet whose other end is in
	 * another network namespace (veth, macvlan) counts as wired. */
	REACH_TARGET_LOCAL_WIFI = 3,
	/** The host `name`, resolved by worker threads of the library. It is
	 * reachable if one of its addresses is. */
	REACH_TARGET_NAME = 4
};

/** Flags of a name while `resolution` is REACH_RESOLUTION_PENDING. */
enum reach_name_policy {
	/** No flags, so that a name that does not exist is never reported as
	 * reachable. The default (SCNetworkReachability before macOS 10.11). */
	REACH_NAME_STRICT = 0,
	/** Those of REACH_TARGET_INTERNET, as since macOS 10.11. */
	REACH_NAME_OPTIMISTIC = 1
};

/** Which differences from the last reported state count as a change.
 *
 * The first state of a target is always a change; for a name it usually has
 * REACH_RESOLUTION_PENDING. Later, a target is reported if the members below
 * differ from those last taken with reach_monitor_next(). A difference that is
 * undone in between isn't reported. Every change carries the whole state. */
enum reach_report {
	/** `flags`; `interface_index` unless `flags` is 0; for a name also
	 * `resolution` and the set of `addresses`, in any order. Not the
	 * source, gateway, reason, or interface name. */
	REACH_REPORT_VERDICT = 0,
	/** Every member of struct reach_state, and the order of `addresses`. */
	REACH_REPORT_PATH = 1
};

/** `uid` of struct reach_target: the uid of the calling process. */
#define REACH_UID_CALLER UINT32_MAX

/** Size of a buffer for every name: 253 characters, a dot, and NUL. */
#define REACH_NAME_SIZE 255

/** A target. Call reach_target_init(), or zero it and set `size` and `uid`;
 * then set the members for its kind. Borrowed for the call. */
struct reach_target {
	/** sizeof(struct reach_target). */
	size_t size;
	/** enum reach_target_kind. */
	uint32_t kind;
	/** enum reach_name_policy; for names only. */
	uint32_t policy;
	/** Destination of REACH_TARGET_ADDRESS and REACH_TARGET_ADDRESS_PAIR.
	 * For REACH_TARGET_NAME and REACH_TARGET_INTERNET: 0.0.0.0 or :: limits
	 * them to one family, family 0 allows both. */
	struct reach_address remote;
	/** Source of REACH_TARGET_ADDRESS_PAIR. */
	struct reach_address local;
	/** Name of REACH_TARGET_NAME: letters, digits, '-', '_', and single dots
	 * between them, 1 to 253 characters (and a trailing dot). A numeric
	 * address makes an address target. Borrowed. */
	const char *name;
	/** Index of the interface to leave by (SO_BINDTODEVICE), or 0. */
	uint32_t interface_index;
	/** fwmark of the packets (SO_MARK), or 0. */
	uint32_t mark;
	/** uid of the sender, or REACH_UID_CALLER. Zeroed, it means root. */
	uint32_t uid;
	/** enum reach_report. */
	uint32_t report;
	/** The same by name, NUL-terminated; "" for none. The interface need
	 * not exist yet, and may come and go. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** Your pointer, returned with each change, never dereferenced. */
	void *user;
	/** Classes of interface that packets may leave by, as bits 1 << enum
	 * reach_interface_class; 0 for any. It restricts the verdict, not the
	 * lookup: the kernel chooses the route as usual, and an address whose
	 * route leaves by another class isn't reachable
	 * (REACH_REASON_OTHER_INTERFACE). Each address of a name, and each
	 * probe, is judged alone. */
	uint32_t interface_classes;
	/** Always 0, else -EINVAL. */
	uint32_t reserved;
};

#ifndef REACH_CDEF
/** Zeroes @p target, sets `size` and `kind`, and `uid` to REACH_UID_CALLER;
 * `policy` is REACH_NAME_STRICT, `report` REACH_REPORT_VERDICT. */
static inline void reach_target_init(struct reach_target *target,
				     enum reach_target_kind kind)
{
	memset(target, 0, sizeof(*target));
	target->size = sizeof(*target);
	target->kind = kind;
	target->uid = REACH_UID_CALLER;
}
#endif

/** Checks @p target as reach_monitor_add() does. Pure, except that it looks up
 * the scope of a numeric name in the caller's network namespace.
 *
 * @return 0;
 *         -EINVAL for a bad `size`, `kind`, `policy` or `report`, a missing
 *         address, an address of REACH_TARGET_NAME or REACH_TARGET_INTERNET
 *         other than 0.0.0.0 and ::, a pair of two families, an interface by
 *         both index and name, an `interface_name` that no interface can have
 *         (with white space, a slash, or a colon), an unknown bit of
 *         `interface_classes`, a missing name, a name that has a character that
 *         no host name has or nothing between two dots, or is a numeric address
 *         of another family than `remote`, or a `reserved` that is not 0;
 *         -EDESTADDRREQ for the name ""; -EILSEQ for a name with
 *         a byte beyond ASCII (use its xn-- form); -E2BIG for a member that the
 *         library doesn't know and that is not 0; -ENAMETOOLONG for a name above
 *         253 or a label above 63 characters; -ENODEV for a name that is a
 *         numeric address on an interface that does not exist ("fe80::1%none");
 *         -EAFNOSUPPORT for an address family other than AF_INET and
 *         AF_INET6. */
REACH_API int reach_target_validate(const struct reach_target *target);

/** Why a target is not reachable, or requires a connection. */
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
	/** The route's interface is down, has no carrier, or drops all packets
	 * (dummy, ifb, monitor mode). */
	REACH_REASON_LINK_DOWN = 5,
	/** The interface waits for an outside event: connection required. */
	REACH_REASON_DORMANT = 6,
	/** The host has no source address for the target. */
	REACH_REASON_NO_SOURCE = 7,
	/** The pair's local address is not a usable address of this host. */
	REACH_REASON_NOT_LOCAL = 8,
	/** The target's interface (`interface_index`, `interface_name`) doesn't
	 * exist, or a link-local IPv6 address has no `scope_id`. */
	REACH_REASON_NO_INTERFACE = 9,
	/** The name is not resolved yet. */
	REACH_REASON_RESOLVING = 10,
	/** The name exists, but has no address. */
	REACH_REASON_NO_ADDRESS = 11,
	/** The kernel refused the lookup with another error; see `error`. */
	REACH_REASON_REFUSED = 12,
	/** The name does not exist (NXDOMAIN). */
	REACH_REASON_NO_SUCH_NAME = 13,
	/** No name server answered, all failed, or the process lacks resources
	 * to resolve; see `error`. */
	REACH_REASON_RESOLVER_FAILED = 14,
	/** There is no network to resolve the name over. */
	REACH_REASON_NO_NETWORK = 15,
	/** No usable route, but a registered modem could connect: connection
	 * required. See struct reach_interface_facts for this and the next. */
	REACH_REASON_NOT_CONNECTED = 16,
	/** No usable route. A modem exists, but its SIM is locked: connection
	 * and intervention required. */
	REACH_REASON_LOCKED_SIM = 17,
	/** The route leaves by an interface whose class the target doesn't
	 * allow (`interface_classes`). */
	REACH_REASON_OTHER_INTERFACE = 18
};

/** The name of an enum reach_reason, as reachctl prints it ("noRoute"). Static
 * text, never freed; "" for REACH_REASON_NONE and unknown values. */
REACH_API const char *reach_reason_name(uint32_t reason);

/** The result of a name's latest resolution. Later ones keep the present
 * addresses until they finish. */
enum reach_resolution {
	/** The target is not a name. */
	REACH_RESOLUTION_NONE = 0,
	/** No answer yet. */
	REACH_RESOLUTION_PENDING = 1,
	/** Resolved: `addresses`, or the `reason` if there are none. */
	REACH_RESOLUTION_DONE = 2,
	/** The latest resolution failed; `addresses` are those of the last one
	 * that succeeded. If the host has a network, the name is not reachable
	 * (REACH_REASON_RESOLVER_FAILED), as for a client that resolves it now.
	 * Without a network, or if only this process lacked resources to
	 * resolve, the routes to the addresses decide. */
	REACH_RESOLUTION_OUTDATED = 3
};

/** Largest number of addresses per name; further ones are dropped. */
#define REACH_ADDRESSES_MAX 16

/** The state of a target at one moment. With several addresses, interface,
 * source, and gateway belong to the address that decided. */
struct reach_state {
	/** In: sizeof(struct reach_state) of the caller. */
	size_t size;
	/** Bits of enum reach_flag; 0 for not reachable. */
	uint32_t flags;
	/** enum reach_status: reach_status_from_flags(flags). */
	int32_t status;
	/** enum reach_reason. */
	uint32_t reason;
	/** Positive errno of the kernel's answer or, with
	 * REACH_REASON_RESOLVER_FAILED, of a resolver that lacked resources
	 * (EMFILE, ENFILE; ENOMEM also if no thread could start); else 0. */
	int32_t error;
	/** Index of the interface that packets leave by, or 0. For an address
	 * of this host, the interface that has it. */
	uint32_t interface_index;
	/** enum reach_interface_class of that interface. */
	uint32_t interface_class;
	/** enum reach_metered of that interface. */
	uint32_t metered;
	/** Name of that interface, NUL-terminated, or "". */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** Source address that the kernel chooses, or family 0. */
	struct reach_address source;
	/** Next hop, for IPv4 perhaps of IPv6 (RFC 8950); family 0 for none. */
	struct reach_address gateway;
	/** enum reach_resolution. */
	uint32_t resolution;
	/** Number of `addresses`. */
	uint32_t address_count;
	/** Addresses of a name, in the resolver's order. */
	struct reach_address addresses[REACH_ADDRESSES_MAX];
	/** Number of next hops of the route (RTA_MULTIPATH), and how many of
	 * them leave by a usable interface. 1 for a route with one, 0 for none,
	 * 255 for more than 254. Where the kernel hashes ports
	 * (fib_multipath_hash_policy), no lookup shows the next hop of a
	 * connection: one usable next hop makes the target reachable, and
	 * interface, source, and gateway are those of one of them. */
	uint32_t next_hops;
	uint32_t usable_next_hops;
	/** Always 0. */
	uint32_t reserved;
};

/** A change: the latest state of one target. Filled by reach_monitor_next(). */
struct reach_change {
	/** In: sizeof(struct reach_change) of the caller. */
	size_t size;
	/** The target's id from reach_monitor_add(). */
	uint64_t id;
	/** The target's `user`. */
	void *user;
	/** The target's state, with the `size` of the caller's headers. The
	 * last member, since it can grow. */
	struct reach_state state;
};

/** A resolver that replaces getaddrinfo(). Worker threads call it, with a stack
 * of 512 KiB and all signals blocked; it may block. Calls are concurrent, even
 * for one name: after a network change, a second call doesn't wait for the
 * first.
 *
 * @param context         `resolve_context` of struct reach_monitor_options.
 * @param name            the name, borrowed for the call.
 * @param[out] addresses  zeroed room for @p capacity addresses, best first;
 *                        those of another family than the target's are dropped.
 * @return number of addresses, 0 if the name has none, or a negative errno:
 *         -ENOENT if the name does not exist, -ENODATA if it has no address,
 *         -ENETUNREACH if no name server can be reached, any other if the
 *         resolver failed (-EAGAIN). Addresses whose `reserved` is not 0 count
 *         as a failure. Failures keep the addresses of an earlier call. Without
 *         addresses, the name is resolved again after 1 s, doubled up to 5
 *         minutes. */
typedef int (*reach_resolve_function)(void *context, const char *name,
				      struct reach_address *addresses,
				      size_t capacity);

REACH_END_DECLS

#endif
