/* SPDX-License-Identifier: MIT */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdio.h>

#include "check.h"
#include "monitor/monitor.h"

#define CABLE                                                                  \
	"link add e0 type veth peer name p0", "link set p0 up",                \
		"link set e0 up", "addr add 10.9.0.1/24 dev e0",               \
		"-6 addr add 2001:db8:9::1/64 dev e0 nodad"

/* A cable without addresses: link-local ones come late, with events of their
 * own. */
#define PLAIN_CABLE                                                            \
	"link set lo up", "link add e0 type veth peer name p0",                \
		"link set e0 addrgenmode none",                                \
		"link set p0 addrgenmode none", "link set p0 up",              \
		"link set e0 up"

#define DEFAULTS                                                               \
	"route add default via 10.9.0.2",                                      \
		"-6 route add default via 2001:db8:9::2"

struct topology {
	const char *name;
	/* As answer_ip() takes them. */
	const char *commands[24];
};

/* Gets each command that this thread runs, unless it is refused; may be NULL. */
extern _Thread_local FILE *answer_log;

/* Runs `ip` in the namespace of the calling thread, or, for "=ipv4/ip_forward 1",
 * writes a file in /proc/sys/net. */
bool answer_ip(const char *command);

/* Runs all of them with one process. Stops at the first that is refused, prints
 * why, and returns false. iproute2 refuses options such as -6 here. */
bool answer_batch(const char *const *commands, size_t count);

/* Runs all of a topology's commands. Returns false if the kernel lacks a kind of
 * link, and ends the process if it refuses something else: a mistake in the
 * commands would hide behind a skipped test. */
bool answer_build(const struct topology *topology);

/* Runs all of them, which may have any options. Returns whether none was refused. */
bool answer_all(const char *const *commands, size_t count);

/* Runs @work(@context) on a thread in a network namespace of its own that has
 * @topology. Skips it if there can be none, or if the kernel lacks a kind of
 * link. */
void answer_in(const struct topology *topology, void (*work)(void *context),
	       void *context);

/* Opens a monitor whose names @resolve(@context) resolves. */
struct reach_monitor *answer_open(reach_resolve_function resolve,
				  void *context);
void answer_close(struct reach_monitor **monitor);
/* Of a monitor that closes itself at the end of its block. */
#define SCOPED_MONITOR                                                         \
	__attribute__((cleanup(answer_close))) struct reach_monitor

/* Of a monitor: adds a target that check_target() makes, and returns its id; the
 * state of a target, which is 0 before the first; the statistics. */
uint64_t answer_watch(struct reach_monitor *monitor,
		      enum reach_target_kind kind, const char *remote);
/* The same for a name that isn't reachable before it is resolved. */
uint64_t answer_watch_name(struct reach_monitor *monitor, const char *name);
struct reach_state answer_state(const struct reach_monitor *monitor,
				uint64_t id);
struct reach_stats answer_stats(const struct reach_monitor *monitor);

/* Takes all changes. Returns their number. */
size_t answer_changes(struct reach_monitor *monitor);

/* Waits until there is something to do, and dispatches. Returns whether there
 * was. */
bool answer_step(struct reach_monitor *monitor);

/* Dispatches until the state has this reason. Returns whether it came. */
bool answer_await_reason(struct reach_monitor *monitor, uint64_t id,
			 enum reach_reason reason, struct reach_state *state);

/* Dispatches until a name's resolution has ended. Returns whether it did. */
bool answer_await_resolved(struct reach_monitor *monitor, uint64_t id);

/* Dispatches until there is nothing to do now, and until nothing is due, such as
 * the confirming lookup. */
bool answer_rest(struct reach_monitor *monitor);
bool answer_idle(struct reach_monitor *monitor);

/* Dispatches, and has answers confirmed now. Half a second later, that would hide
 * that an event isn't understood. Returns whether there is no more to confirm. */
bool answer_confirm(struct reach_monitor *monitor);

/* Whether this is Linux @version or later, as 518 for 5.18. */
bool answer_is_since(int version);

/* Gets @target's state from a new monitor. Returns whether that succeeded. */
bool answer_monitored(const struct reach_target *target,
		      struct reach_state *ret);

bool answer_is_same(const struct reach_state *a, const struct reach_state *b);

/* Whether a check without a monitor and a new monitor get the same state. Tries
 * up to 100 times, because links and addresses may change meanwhile. */
bool answer_agrees(const struct reach_target *target);

/* Dispatches until link @name has its carrier, which comes late, or is down.
 * Returns whether that happened. */
bool answer_await_link(struct reach_monitor *monitor, const char *name);

/* Makes the link e0, with the address 10.9.0.1/24 and none of IPv6, which would
 * cause events later, and waits for its carrier. */
bool answer_plug_in(void);

/* Gets one of the targets of all kinds. */
#define ANSWER_TARGETS 57
void answer_target(size_t i, struct reach_target *ret);

/* If set, decides whether a send() of this thread fails with EOPNOTSUPP. */
extern _Thread_local bool (*answer_refuses)(const void *bytes, size_t size);

/* answer_agrees() for all kinds of targets. Prints those that don't agree. */
bool answer_all_agree(void);

#endif
