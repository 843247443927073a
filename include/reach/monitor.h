/* SPDX-License-Identifier: MIT */
/**
 * The monitor: an engine on the kernel's own rtnetlink.
 *
 * One file descriptor to poll, no callbacks, no output, no globals:
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
 * One thread at a time may use a monitor; two monitors share nothing but the
 * number of threads that resolve names. No function waits for anything but the
 * kernel's answer to a question. Names are resolved by worker threads that end
 * when there is no more to resolve: 24 at most in the process, those that
 * closed monitors left behind included. While all of them wait for name servers
 * other names wait too, and get the next that is free. Errors are negative
 * errno values; out-parameters are untouched on failure. A lost event (ENOBUFS)
 * is never an error: the monitor asks anew and reports what is really
 * different.
 *
 * A child of fork() can do nothing with its parent's monitor: functions return
 * -ECHILD, reach_monitor_fd() too, and touch nothing that is shared with the
 * parent; reach_monitor_refresh() does nothing. reach_monitor_close() closes
 * the child's copies of the descriptors, which keep the sockets in the kernel
 * otherwise, and leaves the child's copy of the memory as it is: a thread that
 * the child does not have may have been changing it. It is not to be called by
 * who has closed all descriptors already, as their numbers may be others' now.
 * Calls are recognised by a page that the kernel clears in a child (Linux 4.14,
 * MADV_WIPEONFORK), elsewhere by the process id. A child may open a monitor of
 * its own; descriptors are closed by exec.
 *
 * No privilege is needed, except CAP_SYS_ADMIN for another network namespace.
 */
#ifndef REACH_MONITOR_H
#define REACH_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>
#include <reach/export.h>
#include <reach/target.h>

#ifdef __cplusplus
extern "C" {
#endif

struct reach_monitor;

/**
 * A resolver to use in place of getaddrinfo(). It is called on a worker
 * thread with a stack of 512 KiB, for several names at a time (again for a name
 * whose call has not returned, when the network has changed), and may block.
 *
 * @param context         `resolve_context` of the options.
 * @param name            the name.
 * @param[out] addresses  room for @p capacity addresses, best first.
 * @return number of addresses, 0 if the name has none, or a negative errno as
 *         reach_engine_resolution_failed() takes it: -ENOENT if the name does
 *         not exist, -ENODATA if it has no address, -ENETUNREACH if there is no
 *         network to ask over, another if the resolver failed (-EAGAIN), as it
 *         does by addresses whose `reserved` is not 0. All but addresses are
 *         tried again.
 */
typedef int (*reach_resolve_function)(void *context, const char *name,
				      struct reach_address *addresses,
				      size_t capacity);

/** Options of reach_monitor_open(). Zero it, set `size`, then what differs
 *  from the default; or call reach_monitor_options_init(). */
struct reach_monitor_options {
	/** sizeof(struct reach_monitor_options). */
	size_t size;
	/** Descriptor of a network namespace, only used during the call; -1
	 *  for the caller's. With -1, and for the caller's own by descriptor,
	 *  names are resolved in the namespace that the thread is in which
	 *  calls reach_monitor_dispatch(), since worker threads inherit it: a
	 *  thread that leaves the process's namespace with unshare() or
	 *  setns() opens and dispatches the monitor itself. */
	int netns_fd;
	/** Receive buffer of the event socket in bytes (SO_RCVBUF counts);
	 *  0 for 4 MiB or what is allowed of it. */
	uint32_t receive_buffer;
	/** Where sysfs is mounted; NULL for /sys. It is believed only where
	 *  it agrees with netlink on index and hardware address. "" turns
	 *  it off. */
	const char *sysfs_root;
	/** Directory of resolv.conf, hosts and nsswitch.conf; NULL for /etc.
	 *  "" turns watching off. */
	const char *etc_root;
	/** NULL for getaddrinfo(). */
	reach_resolve_function resolve;
	/** First argument of `resolve`. It must stay valid until the last call
	 *  of `resolve` returned, which may be after reach_monitor_close(). */
	void *resolve_context;
	/** Probe set of the internet target, copied; NULL for the built-in
	 *  set. See reach_engine_set_probes(). */
	const struct reach_address *probes;
	/** Number of `probes`. */
	size_t probe_count;
	/** 1 if only first states and interfaces are wanted: where the kernel
	 *  or a sandbox has no multicast groups, the monitor opens all the same
	 *  and reports no later change of the network. 0 where changes are. */
	uint32_t once;
	/** Always 0, or the options are refused. */
	uint32_t reserved;
};

/** Sets @p options to the defaults. */
REACH_API void
reach_monitor_options_init(struct reach_monitor_options *options);

/**
 * Opens a monitor.
 *
 * @param[out] ret   the monitor; close with reach_monitor_close().
 * @param options    NULL for the defaults.
 * @return 0; -EINVAL for bad options, or if netns_fd is no network namespace;
 *         -EBADF if it is no open descriptor; -EPERM if the namespace may not
 *         be entered; -EAFNOSUPPORT for a probe that is neither AF_INET nor
 *         AF_INET6; -EPROTONOSUPPORT or -EAFNOSUPPORT if the kernel (or a
 *         sandbox) has no rtnetlink; -EOPNOTSUPP if it has no multicast
 *         groups, whatever error it refuses them with: nothing can be
 *         watched (see `once`; reach_check() needs none); -EAGAIN if the
 *         thread that enters the namespace could not start; -ENOMEM, -EMFILE,
 *         -ENFILE.
 */
REACH_API int reach_monitor_open(struct reach_monitor **ret,
				 const struct reach_monitor_options *options);

/** Closes @p monitor; NULL is fine. Does not wait for a resolver that hangs:
 *  its thread ends by itself and reports to nobody. */
REACH_API void reach_monitor_close(struct reach_monitor *monitor);

/** The descriptor to poll for POLLIN. It belongs to the monitor and is
 *  readable while reach_monitor_dispatch() has something to do. */
REACH_API int reach_monitor_fd(const struct reach_monitor *monitor);

/**
 * Does what is due: receives events until there are none, asks the kernel,
 * and queues changes. Never waits for events. Bounded: under a storm it
 * returns in time and the descriptor stays readable.
 *
 * @return 1 if changes are queued, 0 if not, or a negative errno after which
 *         the monitor can only be closed (-ENOMEM can be tried again).
 */
REACH_API int reach_monitor_dispatch(struct reach_monitor *monitor);

/** Takes the next change; see reach_engine_next(). */
REACH_API int reach_monitor_next(struct reach_monitor *monitor,
				 struct reach_change *change);

/** Adds a target and makes the descriptor readable; the first state comes
 *  from the next dispatch. See reach_engine_add(); the first name also needs
 *  descriptors (-EMFILE, -ENFILE) and a thread (-EAGAIN). */
REACH_API int reach_monitor_add(struct reach_monitor *monitor,
				const struct reach_target *target,
				uint64_t *ret);

/** Removes a target; see reach_engine_remove(). */
REACH_API int reach_monitor_remove(struct reach_monitor *monitor, uint64_t id);

/** What is known of a target now; see reach_engine_state(). */
REACH_API int reach_monitor_state(const struct reach_monitor *monitor,
				  uint64_t id, struct reach_state *state);

/** The interface after @p after; see reach_engine_interface(). Before the
 *  first dispatch there is none. */
REACH_API int reach_monitor_interface(const struct reach_monitor *monitor,
				      uint32_t after,
				      struct reach_interface *ret);

/** Asks every target again at the next dispatch; see reach_engine_refresh(). */
REACH_API void reach_monitor_refresh(struct reach_monitor *monitor);

/** Copies the counters; see reach_engine_stats(). */
REACH_API int reach_monitor_stats(const struct reach_monitor *monitor,
				  struct reach_stats *ret);

/**
 * Answers for one target, once, with the state that a monitor would begin
 * with. For an address or the internet it asks for no more than that takes, on
 * one socket, however many links, addresses and routes there are. For a name it
 * waits for the resolver, @p timeout_ms at most (-1: as long as it takes).
 *
 * @param options    NULL for the defaults.
 * @param[out] ret   set `size` first.
 * @return 0, or what reach_monitor_open() and reach_monitor_add() say.
 *         A name still pending at the timeout is no error: see
 *         `resolution`.
 */
REACH_API int reach_check(const struct reach_target *target,
			  const struct reach_monitor_options *options,
			  int timeout_ms, struct reach_state *ret);

#ifdef __cplusplus
}
#endif

#endif
