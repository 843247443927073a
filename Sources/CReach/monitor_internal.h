/* SPDX-License-Identifier: MIT */
/* The inside of a monitor: monitor.c opens and closes it, dispatch.c is its
 * loop, timers.c its clocks, attach.c what the event socket drops. */
#ifndef REACH_MONITOR_INTERNAL_H
#define REACH_MONITOR_INTERNAL_H

#include "filter.h"
#include "internal.h"

#pragma GCC visibility push(hidden)

/* Receives in a row before the kernel is asked all the same, and as many again
 * in a dispatch: a storm that never pauses must not keep everybody waiting. */
#define REACH_RECEIVES_MAX 256

/* Batches of questions in a dispatch, 128 each: some 15 ms. */
#define REACH_BATCHES_MAX 64

/* What the epoll set watches (bits of `ready`). */
enum reach_monitor_source {
	REACH_MONITOR_EVENTS = 1 << 0,
	REACH_MONITOR_KICK = 1 << 1,
	REACH_MONITOR_TIMER = 1 << 2,
	REACH_MONITOR_CLOCK = 1 << 3,
	REACH_MONITOR_RESOLVER = 1 << 4,
	REACH_MONITOR_WATCH = 1 << 5
};

/* The filter on the event socket. */
struct reach_attachment {
	/* What it was made for; `added` counts only while it is attached. */
	struct reach_turnover turnover;
	size_t count;
	/* Instructions that it may have. */
	size_t capacity;
	/* Until when those that were made are paid for, and when one is to be
	 * made: INT64_MAX if the one there is will do. */
	int64_t paid;
	int64_t due;
	/* REACH_FILTER_STOCK, as it was made. */
	uint8_t stock;
	bool attached;
	/* There is none, for good. */
	bool refused;
};

struct reach_monitor {
	/* True, and cleared in a child of fork(); NULL where the kernel cannot
	 * do that. */
	bool *own;
	/* The process that opened it. */
	pid_t process;
	struct reach_engine *engine;
	struct reach_receiver *receiver;
	/* Only once there is a name. */
	struct reach_resolver *resolver;
	struct reach_names *names;
	struct reach_watch *watch;

	int epoll;
	/* Negative where the kernel announces nothing (`once`). */
	int events;
	int questions;
	/* Makes the descriptor readable when a call left work to do. */
	int kick;
	/* CLOCK_MONOTONIC, for the engine and the names. */
	int timer;
	/* CLOCK_REALTIME, told when the clock jumps: resume from suspend. */
	int clock;
	/* The monitored namespace, or -1 for the opening thread's. */
	int netns;

	/* What was readable when the dispatch began, enum
	 * reach_monitor_source. */
	uint32_t ready;
	/* Dispatches since the last look at all of them. */
	uint32_t unlooked;
	/* What the timer is set to. */
	int64_t deadline;
	/* reach_engine_network_changes() and reach_engine_returns() when the
	 * names were last told. */
	uint64_t network_changes;
	uint64_t returns;
	/* Left of those that this dispatch may make. */
	int receives;
	int batches;
	bool kicked;
	/* Events were lost and are not yet made good. */
	bool overrun;
	struct reach_attachment attachment;

	/* "" where it must not be read. */
	char *sysfs_root;
	char *etc_root;
	reach_resolve_function resolve;
	void *resolve_context;
	uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
};

/* ---- timers.c ---------------------------------------------------------- */

/* Opens `timer` and `clock`. */
int reach_timers_open(struct reach_monitor *monitor);

/* Reads those that are ready; whether the machine was suspended or its clock
 * was set. */
bool reach_timers_drain(struct reach_monitor *monitor);

/* Sets `timer` to the next deadline of engine, names and filter. */
int reach_timers_arm(struct reach_monitor *monitor);

/* ---- fork.c ------------------------------------------------------------ */

/* Marks @monitor as opened by this process. */
void reach_fork_mark(struct reach_monitor *monitor);
void reach_fork_unmark(struct reach_monitor *monitor);

/* Whether this is a child of the process that opened @monitor. */
bool reach_fork_is_child(const struct reach_monitor *monitor);

/* ---- dispatch.c -------------------------------------------------------- */

/* Tells the engine what sysfs ("" for none) tells of the links it asks for. */
void reach_evidence_read(struct reach_engine *engine, const char *sysfs_root);

/* ---- name_targets.c ---------------------------------------------------- */

/* Starts what names need, and schedules target @id. */
int reach_name_targets_add(struct reach_monitor *monitor, uint64_t id);
void reach_name_targets_remove(struct reach_monitor *monitor, uint64_t id);

/* Takes results and changed files; submits what is due. */
void reach_name_targets_run(struct reach_monitor *monitor);

/* When it is to be called again though no descriptor says so, or INT64_MAX. */
int64_t reach_name_targets_deadline(const struct reach_monitor *monitor);

/* ---- attach.c ---------------------------------------------------------- */

void reach_attach_init(struct reach_attachment *attachment);

/* Before questions: makes sure that nothing is dropped that could change an
 * answer. 0 or a negative errno. */
int reach_attach_widen(struct reach_monitor *monitor);

/* After them: makes sure that not much is taken that cannot. */
int reach_attach_narrow(struct reach_monitor *monitor);

/* ---- check.c ----------------------------------------------------------- */

/* The state that a monitor would begin with, without one; a negative errno
 * where that cannot be. */
int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret);

/* ---- monitor.c --------------------------------------------------------- */

/* Sets @sysfs to where sysfs is, "" for nowhere, and @netns to the namespace
 * that is to be entered, -1 for none. @return 0 or -EINVAL. */
int reach_options_read(const struct reach_monitor_options *options,
		       const char **sysfs, int *netns);

int reach_monitor_watch_fd(struct reach_monitor *monitor, int fd,
			   enum reach_monitor_source source);
void reach_monitor_kick(struct reach_monitor *monitor);

#pragma GCC visibility pop

#endif
