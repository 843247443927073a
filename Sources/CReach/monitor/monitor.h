/* SPDX-License-Identifier: MIT */
/* Door of monitor/: sockets, timers, filter, names, the loop. */
#ifndef REACH_MONITOR_MONITOR_H
#define REACH_MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <reach/internal/engine.h>
#include <reach/monitor.h>

#include "engine/engine.h"
#include "filter/filter.h"
#include "names/names.h"
#include "system/system.h"

#pragma GCC visibility push(hidden)

struct reach_monitor;

/* reach_check() without a monitor. Sets @ret to the state that a monitor would
 * report first. @return 0, or a negative errno if only a monitor can answer:
 * -EAGAIN for a name, or if links or addresses changed while they were read. */
int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret);

/* The classic BPF filter attached to the event socket: the targets it was built
 * for, and the time of its next replacement. */

struct reach_event_filter {
	/* The engine's when the attached filter was built. */
	struct reach_interest interest;
	/* Instructions that the kernel has memory for, at most BPF_MAXINSNS. */
	size_t capacity;
	/* Earliest time of the next build, 0 before the first. */
	int64_t next;
	/* Time of the next build; INT64_MAX if none is needed. */
	int64_t due;
	bool attached;
	/* No more filters are built: the kernel refused one, or the monitor has
	 * no use for it. */
	bool refused;
};

/* Replaces or detaches a filter that drops events which could change an answer.
 * Call it before requests are sent. @return 0 or a negative errno. */
int reach_event_filter_widen(struct reach_monitor *monitor);

/* Replaces a missing filter, or one that passes too many events that change
 * nothing, when it is time. Call it after the answers were received.
 * @return 0 or a negative errno. */
int reach_event_filter_narrow(struct reach_monitor *monitor);

/* Detects a child of fork(), which must not use its parent's monitor. */
struct reach_fork {
	/* A page of its own: true in the process that opened the monitor,
	 * zeroed by the kernel in its children (MADV_WIPEONFORK). NULL where
	 * the kernel refuses that; `process` decides then. Owned. */
	bool *is_parent;
	/* The process that opened the monitor. */
	pid_t process;
};

/* Record the calling process as the owner, and release that record. */
void reach_fork_mark(struct reach_fork *fork);
void reach_fork_unmark(struct reach_fork *fork);

/* Whether the calling process is not the one that called reach_fork_mark(). */
bool reach_fork_is_child(const struct reach_fork *fork);

/* The descriptor that the caller of a monitor polls: an epoll set (epoll(7),
 * level-triggered) of the monitor's descriptors. Three of them belong to it: an
 * eventfd with which the monitor makes itself readable, and two timerfds. */

/* Members of the epoll set, as bits. */
enum reach_wakeup_member {
	/* `events` of the monitor. */
	REACH_WAKEUP_EVENTS = 1 << 0,
	/* Members of struct reach_wakeup. */
	REACH_WAKEUP_KICK = 1 << 1,
	REACH_WAKEUP_TIMER = 1 << 2,
	REACH_WAKEUP_CLOCK = 1 << 3,
	/* Descriptors of names/. */
	REACH_WAKEUP_RESOLVER = 1 << 4,
	REACH_WAKEUP_FILES = 1 << 5,
	/* The watch of the namespace's file. */
	REACH_WAKEUP_NETNS = 1 << 6
};

struct reach_wakeup {
	/* The epoll set, and the descriptor of reach_monitor_fd(). Owned. */
	int epoll;
	/* The eventfd. Owned. */
	int kick;
	/* timerfd of CLOCK_MONOTONIC, armed for `deadline`. Owned. */
	int timer;
	/* timerfd of CLOCK_REALTIME, armed for never; the kernel cancels it
	 * when that clock is set, which a resume from suspend does too
	 * (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)). Owned. */
	int clock;
	/* Time that `timer` is armed for; INT64_MAX if it is disarmed. */
	int64_t deadline;
	/* The eventfd is readable. */
	bool kicked;
	/* Members (enum reach_wakeup_member) that the last reach_wakeup_look() found
	 * readable and reach_wakeup_take() has not taken. */
	uint32_t ready;
};

/* Opens the descriptors, which must be -1 before. @return 0 or a negative
 * errno, after which reach_wakeup_close() closes what was opened. */
int reach_wakeup_open(struct reach_wakeup *wakeup);
void reach_wakeup_close(struct reach_wakeup *wakeup);

/* Adds @fd, which stays the caller's; closing it removes it from the set.
 * @return 0 or a negative errno. */
int reach_wakeup_watch(struct reach_wakeup *wakeup, int fd,
		       enum reach_wakeup_member member);

/* Makes the epoll descriptor readable until the next reach_wakeup_look(). */
void reach_wakeup_kick(struct reach_wakeup *wakeup);

/* Polls the set without waiting and sets `ready`. @return 0 or a negative
 * errno. */
int reach_wakeup_look(struct reach_wakeup *wakeup);

/* Clears @member in `ready`. @return whether it was set. */
bool reach_wakeup_take(struct reach_wakeup *wakeup,
		       enum reach_wakeup_member member);
/* Reads the timers that were readable at the last reach_wakeup_look(). @return
 * whether the machine was suspended or its clock was set. */
bool reach_wakeup_drain_timers(struct reach_wakeup *wakeup);

/* Makes `timer` expire at @deadline at the latest, INT64_MAX for never. If it
 * is armed for an earlier time that is still to come, it stays so and no system
 * call is made. @return 0 or a negative errno. */
int reach_wakeup_arm(struct reach_wakeup *wakeup, int64_t deadline);

/* Name targets of a monitor: connects the engine with the schedule of
 * resolutions, the resolver threads and the watched resolver files. */

struct reach_name_targets {
	/* Borrowed from the monitor. */
	struct reach_engine *engine;
	struct reach_wakeup *wakeup;
	/* Owned; NULL until the first name is added. `files` stays NULL where
	 * inotify is refused, or `etc_root` is "". */
	struct reach_resolver *resolver;
	struct reach_name_schedule *schedule;
	struct reach_resolver_files *files;
	/* tsearch(3) tree of names by text and family. Owned. Each name is in
	 * the schedule, and its address is the id of its job. */
	void *shared;
	/* Borrowed descriptor of the namespace in which names are resolved; -1
	 * for that of the thread that starts the workers. */
	int netns;
	/* Directory of resolv.conf, hosts and nsswitch.conf. Owned. */
	char *etc_root;
	/* Options of the same names. */
	reach_resolve_function resolve;
	void *resolve_context;
	/* Last value of the engine's count that was passed on to the
	 * schedule. */
	uint64_t network_changes;
};

/* Copies the options that concern names. @return 0 or -ENOMEM. */
int reach_name_targets_init(struct reach_name_targets *names,
			    const struct reach_monitor_options *options);
/* Frees all owned memory, without waiting for a lookup in progress. */
void reach_name_targets_free(struct reach_name_targets *names);
/* Releases the resolver alone, for good. */
void reach_name_targets_stop(struct reach_name_targets *names);
/* In a child of fork(): closes its copies of the descriptors, frees nothing. */
void reach_name_targets_abandon(struct reach_name_targets *names);
/* Schedules target @id for resolution if it is a name. The first one starts
 * resolver, schedule and watches. A target gets the result of others with the
 * same name. @return 0 or a negative errno. */
int reach_name_targets_add(struct reach_name_targets *names, uint64_t id);
/* Drops target @id if it is a name. With the last target of a name, its pending
 * result is dropped as well. Call it while the engine has the target. */
void reach_name_targets_remove(struct reach_name_targets *names, uint64_t id);
/* Passes results to the engine, changes of network and files to the schedule,
 * and due names to the resolver. Never waits. */
void reach_name_targets_run(struct reach_name_targets *names);
/* Time of the next run that no descriptor announces; INT64_MAX for never. */
int64_t reach_name_targets_deadline(const struct reach_name_targets *names);

/* Copies the caller's options, which may have another size, and checks them;
 * NULL means the defaults. @return 0, -EINVAL or -E2BIG. */
int reach_options_read(struct reach_monitor_options *ret,
		       const struct reach_monitor_options *options);

/* Sets @sysfs to the path of the sysfs mount, "" for none (borrowed from
 * @options or static), and @netns to the descriptor of the namespace to enter,
 * -1 to stay. */
void reach_options_place(const struct reach_monitor_options *options,
			 const char **sysfs, int *netns);

/* What the engine wants of its caller. All zero except `fd` and `netns`, which
 * are -1 for none. */
struct reach_input {
	/* UDP socket whose connect() finds the kernel's choice of a source.
	 * Opened at first use, and kept. Owned. */
	int fd;
	/* Namespace to enter. Borrowed. */
	int netns;
	/* A socket in the namespace. Borrowed. */
	int peer;
	/* Family of `fd`: always IPv6 for the sources that an engine wants. */
	int family;
	/* Path of the sysfs mount, "" for none. Borrowed. */
	const char *sysfs;
};

/* Supplies what the next requests of @engine depend on. Nothing is sent. */
void reach_input_supply(struct reach_input *input, struct reach_engine *engine);

/* Finds one source, of either family, with a socket of its own. @return 0;
 * -EOPNOTSUPP if no such socket can be set up; or the error of connect(). */
int reach_input_source(const struct reach_input *like,
		       const struct reach_engine *engine,
		       const struct reach_source_request *request,
		       struct reach_address *ret);

/* The members of a monitor. monitor.c opens and closes it, dispatch.c is its
 * loop. Each member that is a struct belongs to the file of the same name. Others
 * set only what it needs from them: monitor.c its initial values. */

/* Received events after which requests are sent even if the queue is not empty.
 * The rest of the dispatch may use the same number again. So an endless storm
 * delays the caller by at most 8,192 events, and what is left keeps the
 * descriptor readable. ENOBUFS in a row on the request socket have the same
 * bound. */
#define REACH_RECEIVES_MAX 4096

/* Batches of REACH_BATCH (128) requests in one dispatch: 8,192 lookups, about
 * 15 ms. More dirty targets are evaluated in several dispatches, and the caller
 * gets the thread back in between. */
#define REACH_BATCHES_MAX 64

struct reach_monitor {
	struct reach_fork fork;
	struct reach_engine *engine;
	struct reach_wakeup wakeup;
	struct reach_name_targets names;
	struct reach_event_filter filter;
	struct reach_input input;
	/* rtnetlink socket of the multicast groups, with the filter; negative
	 * where the groups are refused (option `once`). Owned. */
	int events;
	/* `events` has joined RTNLGRP_NEIGH. */
	bool neighbors;
	/* rtnetlink socket of requests and answers. Owned. */
	int lookups;
	/* Another descriptor of the monitored namespace; -1 for that of the
	 * opening thread. Owned. */
	int netns;
	/* Option `netns_path`, and its watches; NULL and -1 without. Owned. */
	char *netns_path;
	int netns_watches[2];
	/* Path of the sysfs mount, "" for none. Owned. */
	char *sysfs_root;
	/* Dispatches with events since the epoll set was last polled. */
	uint32_t dispatches_without_epoll;
	/* Receive calls and batches that this dispatch may still use. */
	int receives;
	int batches;
	/* Events were lost (ENOBUFS, MSG_TRUNC), and the engine has not been
	 * told yet, since the queue must be drained first. */
	bool overrun;
	/* Buffers of one batch of requests, and of one received datagram. */
	uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
	uint32_t datagram[REACH_DATAGRAM_SIZE / sizeof(uint32_t)];
};

/* Reads what made `netns_watches` readable. If the file at `netns_path` is another
 * namespace now, closes all that keeps the old one alive; later dispatches return
 * -ESTALE. @return whether it is another one. */
bool reach_monitor_lost_netns(struct reach_monitor *monitor);

/* Sends a batch of requests of @engine. @return 0 or a negative errno. */
int reach_requests_send(int fd, struct reach_engine *engine,
			const void *requests, size_t size);

#pragma GCC visibility pop

#endif
