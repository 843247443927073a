/* SPDX-License-Identifier: MIT */
/** The monitor: watches targets over rtnetlink.
 *
 * One file descriptor to poll, no callbacks, no output:
 *
 *	struct reach_monitor *monitor;
 *	struct reach_target target;
 *	struct reach_change change = { .size = sizeof(change) };
 *	uint64_t id;
 *
 *	reach_monitor_open(&monitor, NULL);
 *	reach_target_init(&target, REACH_TARGET_INTERNET);
 *	reach_monitor_add(monitor, &target, &id);
 *	for (;;) {
 *		reach_monitor_dispatch(monitor);
 *		while (reach_monitor_next(monitor, &change) == 1)
 *			printf("%#x\n", change.state.flags);
 *		poll(&(struct pollfd){ .fd = reach_monitor_fd(monitor),
 *				       .events = POLLIN }, 1, -1);
 *	}
 *
 * Threads: any thread may use a monitor, one at a time; the caller provides the
 * lock. Polling the descriptor needs none. Monitors are independent, except for
 * the limit on resolver threads below.
 *
 * Blocking: only reach_check() waits for a name server, and nothing waits for
 * an event. reach_monitor_dispatch() waits for the kernel's answers to lookups:
 * microseconds, and longer while another process holds the RTNL lock.
 *
 * Lost events (ENOBUFS) are not an error: the monitor repeats dumps and
 * lookups, and reports only targets that changed.
 *
 * Names are resolved by worker threads, which end when no name is left: at most
 * 24 per process, including those of closed monitors, and 20 per monitor. While
 * all wait for name servers, further names wait. A monitor resolves a name once
 * for all its targets with that name and family. A target added later gets their
 * addresses at once; if they are older than 60 s, it is also resolved again.
 *
 * fork(): a child can't use the monitors of its parent. Every function returns
 * -ECHILD there, and reach_monitor_refresh() does nothing. reach_monitor_close()
 * closes the child's copies of the descriptors, which would otherwise keep the
 * sockets open, and frees no memory, since another thread of the parent may have
 * been changing it. Don't call it after the child has closed these descriptors
 * itself. A child may open its own monitors. exec() closes all descriptors.
 *
 * No privilege is needed, except CAP_SYS_ADMIN for another network namespace.
 */
#ifndef REACH_MONITOR_H
#define REACH_MONITOR_H

#include <reach/explanation.h>
#include <reach/export.h>
#include <reach/interface.h>
#include <reach/target.h>

REACH_BEGIN_DECLS

struct reach_monitor;

/** Largest number of probes. */
#define REACH_PROBES_MAX 16

/** Options of reach_monitor_open(). Call reach_monitor_options_init(), then set
 * members. Zeroing isn't enough: `netns_fd` 0 is a descriptor. */
struct reach_monitor_options {
	/** sizeof(struct reach_monitor_options). */
	size_t size;
	/** Descriptor of a network namespace, borrowed for the call; -1 for the
	 * namespace of the calling thread. With -1, or a descriptor of that
	 * namespace, worker threads inherit the namespace of the thread that
	 * calls reach_monitor_dispatch(), and resolve names there. A thread
	 * that has left the process's namespace with unshare() or setns() must
	 * therefore open and dispatch the monitor itself. */
	int netns_fd;
	/** SO_RCVBUF of the event socket in bytes; the kernel doubles it, and
	 * an event takes 832 bytes. Without CAP_NET_ADMIN it is limited by
	 * net.core.rmem_max. 0 for 4 MiB. */
	uint32_t receive_buffer;
	/** Path of a sysfs mount of the namespace, copied; NULL for /sys, or
	 * none if `netns_fd` is another namespace; "" for none. Used for
	 * interfaces with the same index and hardware address in rtnetlink. */
	const char *sysfs_root;
	/** Directory whose resolv.conf, hosts and nsswitch.conf are watched for
	 * changes, copied; NULL for /etc, "" for none. */
	const char *etc_root;
	/** Resolver of names; NULL for getaddrinfo(). */
	reach_resolve_function resolve;
	/** First argument of `resolve`. Borrowed until the last call of
	 * `resolve` has returned, which may be after reach_monitor_close(). */
	void *resolve_context;
	/** Probes of REACH_TARGET_INTERNET, copied; NULL for the built-in set.
	 * IPv4 and IPv6 in any order; an IPv4-mapped address is IPv4. A family
	 * without a probe is never reachable. Several probes ensure that a
	 * default route decides, even one that a VPN has split in two, and not
	 * the route to a single network. */
	const struct reach_address *probes;
	/** Number of `probes`, at most REACH_PROBES_MAX. */
	size_t probe_count;
	/** 1 to read only first states and interfaces; else 0. With 1, the
	 * monitor opens even where the kernel or a sandbox refuses multicast
	 * groups, and reports no later change of the network there. */
	uint32_t once;
	/** Always 0, else -EINVAL. */
	uint32_t reserved;
	/** Path that `netns_fd` was opened from, absolute, copied; NULL for
	 * none. If the namespace there is deleted or replaced, or, for a file
	 * of a process such as /proc/PID/ns/net or a link to one, if the process
	 * ends, the monitor lets go of the old namespace, and
	 * reach_monitor_dispatch() returns -ESTALE. That takes an inotify
	 * instance, unless the file itself is one of a process. The namespace
	 * that the calling thread is in isn't watched. */
	const char *netns_path;
};

#ifndef REACH_CDEF
/** Sets @p options to the defaults. */
static inline void
reach_monitor_options_init(struct reach_monitor_options *options)
{
	memset(options, 0, sizeof(*options));
	options->size = sizeof(*options);
	options->netns_fd = -1;
}
#endif

/** Opens a monitor.
 *
 * @param[out] ret   the monitor, owned by the caller; close it with
 *                   reach_monitor_close().
 * @param options    borrowed for the call; NULL for the defaults.
 * @return 0;
 *         -EINVAL for bad options, or if `netns_fd` is not a network namespace;
 *         -EBADF if it is not an open descriptor;
 *         -EPERM if the namespace may not be entered;
 *         -EAFNOSUPPORT for a probe of a family other than AF_INET and
 *         AF_INET6; -EPROTONOSUPPORT or -EAFNOSUPPORT if the kernel or a
 *         sandbox has no rtnetlink; -EOPNOTSUPP if it refuses multicast groups
 *         with any error, so that nothing can be watched (see `once`;
 *         reach_check() needs no groups); -EAGAIN if the thread that enters the
 *         namespace could not start; -ENOMEM, -ENOBUFS, -EMFILE, -ENFILE. */
REACH_API int reach_monitor_open(struct reach_monitor **ret,
				 const struct reach_monitor_options *options);

/** Closes @p monitor and frees it; NULL is allowed. It doesn't wait for the
 * resolver: a running call finishes on its thread, and the result is
 * dropped. */
REACH_API void reach_monitor_close(struct reach_monitor *monitor);

/** The descriptor to poll for POLLIN, level-triggered; owned by the monitor. It
 * is readable while reach_monitor_dispatch() has work, not because of changes
 * that you haven't taken. @return the descriptor or -ECHILD. */
REACH_API int reach_monitor_fd(const struct reach_monitor *monitor);

/** Receives queued events, sends lookups for the targets they affect, passes
 * names to the resolver, and queues changes. Doesn't wait for events. One call
 * handles about 8,192 events and as many lookups; if more are left, the
 * descriptor stays readable.
 *
 * @return 1 if changes are queued, 0 if not, or a negative errno: -ENOMEM (you
 *         may call it again), -ECHILD, -ESTALE (see `netns_path`), or an error
 *         of a socket, after which you can only close the monitor. */
REACH_API int reach_monitor_dispatch(struct reach_monitor *monitor);

/** Takes the next change. After each dispatch, call it until it returns 0:
 * remaining changes don't make the descriptor readable. A target that changed
 * several times is reported once, with its latest state. A target that changed
 * back isn't reported.
 *
 * @param[out] change  set `size` first.
 * @return 1 for a change, 0 when there is none, -EINVAL for a bad size. */
REACH_API int reach_monitor_next(struct reach_monitor *monitor,
				 struct reach_change *change);

/** Adds a target and makes the descriptor readable; dispatch then reports its
 * first state as a change.
 *
 * @param target    borrowed for the call.
 * @param[out] ret  its id: never 0, never reused by this monitor.
 * @return 0, -ENOMEM, or an error of reach_target_validate(). The first name
 *         also needs descriptors: -EMFILE, -ENFILE. */
REACH_API int reach_monitor_add(struct reach_monitor *monitor,
				const struct reach_target *target,
				uint64_t *ret);

/** Removes a target and its queued changes. @return 0, or -ENOENT. */
REACH_API int reach_monitor_remove(struct reach_monitor *monitor, uint64_t id);

/** Copies the latest state of a target, reported or not.
 *
 * @param[out] state  set `size` first.
 * @return 0, -ENOENT for an unknown id, -EAGAIN if it has no state yet because
 *         an answer is missing, -EINVAL for a bad size. */
REACH_API int reach_monitor_state(const struct reach_monitor *monitor,
				  uint64_t id, struct reach_state *state);

/** Explains the state that reach_monitor_state() returns, and looks up the
 * prefix, table, and policy rule behind the route. They stay unknown if the
 * kernel doesn't report them (RTM_F_FIB_MATCH, since Linux 4.13); for an error
 * the kernel names no route. Policy rules are matched as in a kernel lookup,
 * which has no ports or DSCP: see `policy_ignored`.
 *
 * Call it after reach_monitor_dispatch(). Like dispatch, it waits for the
 * kernel.
 *
 * @param position  which address of the target to explain, from 0, or
 *                  REACH_EXPLAIN_DECIDING.
 * @param[out] ret  set `size` first.
 * @return 0; -ENOENT for an unknown id or position; -EAGAIN and -EINVAL as for
 *         reach_monitor_state(); an error of the socket. */
REACH_API int reach_monitor_explain(struct reach_monitor *monitor, uint64_t id,
				    uint32_t position,
				    struct reach_explanation *ret);

/** Copies the interface with the smallest index above @p after. Start with 0.
 * There is none before the first dispatch. A change makes the descriptor
 * readable; compare `interface_changes` of reach_monitor_stats() after a
 * dispatch.
 *
 * @param[out] ret  set `size` first.
 * @return 1 for an interface, 0 when there is none, -EINVAL for a bad size. */
REACH_API int reach_monitor_interface(const struct reach_monitor *monitor,
				      uint32_t after,
				      struct reach_interface *ret);

/** Copies address number @p position of interface @p index. IPv4 precedes IPv6,
 * and each family is in byte order.
 *
 * @param[out] ret  set `size` first.
 * @return 1 for an address, 0 when there is none, -EINVAL for a bad size. */
REACH_API int
reach_monitor_interface_address(const struct reach_monitor *monitor,
				uint32_t index, size_t position,
				struct reach_interface_address *ret);

/** Makes the next dispatch look up every target again, and resolve names again.
 * Call it after a resume from suspend, and for changes that the kernel doesn't
 * announce: an IPv6 address label, or a neighbor state that shifts the
 * kernel's choice among equal routes (IPv6, and IPv4 with
 * fib_multipath_use_neigh). */
REACH_API void reach_monitor_refresh(struct reach_monitor *monitor);

/** Replaces the list of facts about interfaces, empty at first, and makes the
 * descriptor readable. See struct reach_interface_facts. Names belong to the
 * monitored namespace.
 *
 * @param facts  @p count entries of equal `size`, copied; may be NULL when
 *               @p count is 0.
 * @param count  any.
 * @return 0, -EINVAL for a bad size, a name without an end, or an unknown
 *         value, -E2BIG, or -ENOMEM; after an error the old list stays. */
REACH_API int reach_monitor_set_facts(struct reach_monitor *monitor,
				      const struct reach_interface_facts *facts,
				      size_t count);

/** Counters since the monitor was opened. */
struct reach_stats {
	/** In: sizeof(struct reach_stats) of the caller. */
	size_t size;
	/** Event messages applied. */
	uint64_t events;
	/** Route lookups sent (RTM_GETROUTE). */
	uint64_t lookups;
	/** Barriers sent ahead of lookups. The kernel answers a barrier once it
	 * has carried out the changes that it announced. */
	uint64_t barriers;
	/** Losses of events that were repaired, including malformed messages. */
	uint64_t overruns;
	/** Dumps of links and addresses, including the first. */
	uint64_t dumps;
	/** Malformed messages, which count as losses. */
	uint64_t malformed;
	/** Datagrams from other processes, ignored. */
	uint64_t spoofed;
	/** Changes that were queued. */
	uint64_t changes;
	/** Calls of the resolver. */
	uint64_t resolutions;
	/** Calls of reach_monitor_dispatch() that found something to do. */
	uint64_t wakeups;
	/** States corrected by a confirming lookup some time after an event. On
	 * kernels up to Linux 7.3, the newest tested, these are only changes
	 * that the kernel never announces: it chooses among routers, and among
	 * the next hops of an IPv6 route, by their neighbors. Where IPv6 rules
	 * select by protocol, a change of rules may count too, since UDP's
	 * source is used until all rules are known. If barriers don't work on a
	 * later kernel, lookups that overtook an announced change also count. */
	uint64_t corrections;
	/** Possible changes in the results of reach_monitor_interface() and
	 * reach_monitor_interface_address(). */
	uint64_t interface_changes;
};

/** Copies the counters; set `size` of @p ret first. @return 0, or -EINVAL for a
 * bad size. */
REACH_API int reach_monitor_stats(const struct reach_monitor *monitor,
				  struct reach_stats *ret);

/** Evaluates one target once: the first state that a monitor would report; for
 * a name, the first that isn't REACH_RESOLUTION_PENDING. Any thread may call it.
 * The cost for an address or the internet doesn't depend on the number of
 * links, addresses, or routes of the host.
 *
 * @param target      borrowed for the call.
 * @param options     borrowed for the call; NULL for the defaults.
 * @param timeout_ms  longest wait for the resolver in milliseconds; -1 for no
 *                    limit. Only names wait.
 * @param[out] ret    set `size` first.
 * @return 0, -EINVAL for a bad size, or an error of reach_monitor_open() or
 *         reach_monitor_add(). A name that is still pending at the timeout is
 *         not an error: see `resolution`. */
REACH_API int reach_check(const struct reach_target *target,
			  const struct reach_monitor_options *options,
			  int timeout_ms, struct reach_state *ret);

REACH_END_DECLS

#endif
