/* SPDX-License-Identifier: MIT */
/* Opening and closing a monitor, and the public functions that call the engine.
 * Each of them fails in a child of fork(): its parent may have been changing
 * the same memory, and shares the descriptors. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/filter.h>

#include "monitor/monitor.h"

/* ---- options ------------------------------------------------------------------- */

#define OPTIONS_SIZE_1_0 REACH_SIZE_TO(struct reach_monitor_options, reserved)

int reach_options_read(struct reach_monitor_options *ret,
		       const struct reach_monitor_options *options)
{
	int err;

	reach_monitor_options_init(ret);
	if (!options)
		return 0;
	err = reach_sized_read(ret, sizeof(*ret), OPTIONS_SIZE_1_0, options);
	if (err)
		return err;
	return ret->netns_fd < -1 || ret->once > 1 || ret->reserved ? -EINVAL
								    : 0;
}

void reach_options_place(const struct reach_monitor_options *options,
			 const char **sysfs, int *netns)
{
	*netns = options->netns_fd;
	/* setns(2) requires CAP_SYS_ADMIN even for the thread's own namespace,
	 * so don't enter that one. */
	if (*netns >= 0 &&
	    reach_netns_is_at("/proc/thread-self/ns/net", *netns))
		*netns = -1;
	/* A sysfs mount shows the network namespace of the process that mounted
	 * it (sysfs_init_fs_context(), fs/sysfs/mount.c). So /sys doesn't
	 * describe the interfaces of another namespace. */
	*sysfs = *netns >= 0 ? "" : "/sys";
	if (options->sysfs_root)
		*sysfs = options->sysfs_root;
}

/* ---- fork ---------------------------------------------------------------------- */

/* madvise(2), Linux 4.14; for older headers. */
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Every public function checks for a fork, so the check must be cheap: reading
 * a page that the kernel zeroes in a child takes no system call. getpid() takes
 * one, and is for kernels and sandboxes without MADV_WIPEONFORK. */
void reach_fork_mark(struct reach_fork *fork)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fork->process = getpid();
	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		return;
	}
	fork->is_parent = page;
	*fork->is_parent = true;
}

void reach_fork_unmark(struct reach_fork *fork)
{
	if (fork->is_parent)
		munmap(fork->is_parent, (size_t)sysconf(_SC_PAGESIZE));
	fork->is_parent = NULL;
}

bool reach_fork_is_child(const struct reach_fork *fork)
{
	return fork->is_parent ? !*fork->is_parent : fork->process != getpid();
}

/* ---- monitors ------------------------------------------------------------------ */

/* SO_RCVBUF of the event socket in bytes. The kernel doubles it (socket(7)),
 * and an event takes 832 bytes: room for 10,082 events. The default of 212,992
 * bytes has room for 256. */
#define RECEIVE_BUFFER (4 * 1024 * 1024)

/* Argument of open_sockets(). */
struct opening {
	struct reach_monitor *monitor;
	const struct reach_monitor_options *options;
};

/* Runs on a thread inside the monitored namespace: a netlink socket belongs to
 * the namespace that created it, wherever it is used later. */
static int open_sockets(void *context)
{
	const struct opening *opening = context;
	const uint32_t buffer = opening->options->receive_buffer;
	struct reach_monitor *monitor = opening->monitor;

	monitor->events = reach_socket_events(buffer ? buffer : RECEIVE_BUFFER);
	/* With `once`, a refusal of the groups is no error. */
	if (monitor->events < 0 &&
	    !(opening->options->once && monitor->events == -EOPNOTSUPP))
		return monitor->events;
	monitor->lookups = reach_socket_lookups(false);
	monitor->input.peer = monitor->lookups;
	return monitor->lookups < 0 ? monitor->lookups : 0;
}

static int open_netlink(struct reach_monitor *monitor,
			const struct reach_monitor_options *options)
{
	struct opening opening = { monitor, options };
	const int err = reach_netns_run(monitor->netns, open_sockets, &opening);

	if (err)
		return err;
	if (monitor->events >= 0)
		return reach_wakeup_watch(&monitor->wakeup, monitor->events,
					  REACH_WAKEUP_EVENTS);
	/* No event socket, no filter. */
	monitor->filter.refused = true;
	return 0;
}

static int copy_options(struct reach_monitor *monitor,
			const struct reach_monitor_options *options)
{
	const char *sysfs;
	int netns, err;

	reach_options_place(options, &sysfs, &netns);
	if (netns >= 0) {
		monitor->netns = reach_netns_hold(netns);
		if (monitor->netns < 0)
			return monitor->netns;
	}
	monitor->sysfs_root = strdup(sysfs);
	if (!monitor->sysfs_root)
		return -ENOMEM;
	monitor->names.engine = monitor->engine;
	monitor->names.wakeup = &monitor->wakeup;
	monitor->names.netns = monitor->netns;
	monitor->input.netns = monitor->netns;
	monitor->input.sysfs = monitor->sysfs_root;
	err = reach_name_targets_init(&monitor->names, options);
	if (err)
		return err;
	return reach_engine_set_probes(monitor->engine, options->probes,
				       options->probe_count);
}

/* As for the resolver's files, inotify is optional. */
static int watch_path(struct reach_monitor *monitor)
{
	int *const watches = monitor->netns_watches, err = 0, i;

	reach_netns_watch(monitor->netns_path, watches);
	for (i = 0; !err && i < 2; i++)
		if (watches[i] >= 0)
			err = reach_wakeup_watch(&monitor->wakeup, watches[i],
						 REACH_WAKEUP_NETNS);
	return err;
}

static int watch_netns(struct reach_monitor *monitor, const char *path)
{
	int err;

	if (monitor->netns < 0 || !path)
		return 0;
	monitor->netns_path = strdup(path);
	if (!monitor->netns_path)
		return -ENOMEM;
	err = watch_path(monitor);
	if (!err && !reach_netns_is_at(path, monitor->netns))
		err = -ESTALE;
	return err;
}

static int fill(struct reach_monitor *monitor,
		const struct reach_monitor_options *options)
{
	int err = reach_engine_create(&monitor->engine);

	if (!err)
		err = copy_options(monitor, options);
	if (!err)
		err = reach_wakeup_open(&monitor->wakeup);
	if (!err)
		err = watch_netns(monitor, options->netns_path);
	if (!err)
		err = open_netlink(monitor, options);
	return err;
}

int reach_monitor_open(struct reach_monitor **ret,
		       const struct reach_monitor_options *options)
{
	struct reach_monitor_options own;
	struct reach_monitor *monitor;
	int err = reach_options_read(&own, options);

	if (err)
		return err;
	monitor = calloc(1, sizeof(*monitor));
	if (!monitor)
		return -ENOMEM;
	monitor->wakeup.epoll = monitor->wakeup.kick = -1;
	monitor->wakeup.timer = monitor->wakeup.clock = -1;
	monitor->events = monitor->lookups = monitor->netns = -1;
	monitor->netns_watches[0] = monitor->netns_watches[1] = -1;
	monitor->input.fd = monitor->input.netns = -1;
	reach_fork_mark(&monitor->fork);
	monitor->filter.capacity = BPF_MAXINSNS;
	monitor->filter.due = INT64_MAX;
	err = fill(monitor, &own);
	if (err) {
		reach_monitor_close(monitor);
		return err;
	}
	/* The first dispatch dumps links and addresses, without any event. */
	reach_wakeup_kick(&monitor->wakeup);
	*ret = monitor;
	return 0;
}

static void close_watches(struct reach_monitor *monitor)
{
	reach_descriptor_close(&monitor->netns_watches[0]);
	reach_descriptor_close(&monitor->netns_watches[1]);
}

static void close_namespace(struct reach_monitor *monitor)
{
	close_watches(monitor);
	reach_descriptor_close(&monitor->events);
	reach_descriptor_close(&monitor->lookups);
	reach_descriptor_close(&monitor->netns);
	reach_descriptor_close(&monitor->input.fd);
}

bool reach_monitor_lost_netns(struct reach_monitor *monitor)
{
	struct pollfd process = { .fd = monitor->netns_watches[1],
				  .events = POLLIN };
	char events[4096];

	while (read(monitor->netns_watches[0], events, sizeof(events)) > 0)
		;
	/* The link may lead to another process, or another has its number. */
	if (poll(&process, 1, 0) > 0) {
		close_watches(monitor);
		(void)watch_path(monitor);
	}
	if (reach_netns_is_at(monitor->netns_path, monitor->netns))
		return false;
	reach_name_targets_stop(&monitor->names);
	close_namespace(monitor);
	monitor->input.netns = -1;
	return true;
}

/* In a child of fork(): descriptors only. Another thread of the parent may have
 * been changing the memory at that moment, and worker threads, which the child does
 * not have, may hold locks. */
void reach_monitor_close(struct reach_monitor *monitor)
{
	bool is_child;

	if (!monitor)
		return;
	is_child = reach_fork_is_child(&monitor->fork);
	if (is_child)
		reach_name_targets_abandon(&monitor->names);
	else
		reach_name_targets_free(&monitor->names);
	close_namespace(monitor);
	reach_wakeup_close(&monitor->wakeup);
	if (is_child)
		return;
	reach_engine_destroy(monitor->engine);
	reach_fork_unmark(&monitor->fork);
	free(monitor->netns_path);
	free(monitor->sysfs_root);
	free(monitor);
}

int reach_monitor_fd(const struct reach_monitor *monitor)
{
	return reach_fork_is_child(&monitor->fork) ? -ECHILD
						   : monitor->wakeup.epoll;
}

int reach_monitor_next(struct reach_monitor *monitor,
		       struct reach_change *change)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	return reach_engine_next(monitor->engine, change);
}

int reach_monitor_add(struct reach_monitor *monitor,
		      const struct reach_target *target, uint64_t *ret)
{
	uint64_t id;
	int err;

	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	err = reach_engine_add(monitor->engine, target, &id);
	if (err)
		return err;
	err = reach_name_targets_add(&monitor->names, id);
	if (err) {
		(void)reach_engine_remove(monitor->engine, id);
		return err;
	}
	reach_wakeup_kick(&monitor->wakeup);
	*ret = id;
	return 0;
}

int reach_monitor_remove(struct reach_monitor *monitor, uint64_t id)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	reach_name_targets_remove(&monitor->names, id);
	return reach_engine_remove(monitor->engine, id);
}

int reach_monitor_state(const struct reach_monitor *monitor, uint64_t id,
			struct reach_state *state)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	return reach_engine_state(monitor->engine, id, state);
}

int reach_monitor_interface(const struct reach_monitor *monitor, uint32_t after,
			    struct reach_interface *ret)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	return reach_engine_interface(monitor->engine, after, ret);
}

int reach_monitor_interface_address(const struct reach_monitor *monitor,
				    uint32_t index, size_t position,
				    struct reach_interface_address *ret)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	return reach_engine_interface_address(monitor->engine, index, position,
					      ret);
}

void reach_monitor_refresh(struct reach_monitor *monitor)
{
	if (reach_fork_is_child(&monitor->fork))
		return;
	reach_engine_refresh(monitor->engine);
	reach_wakeup_kick(&monitor->wakeup);
}

int reach_monitor_set_facts(struct reach_monitor *monitor,
			    const struct reach_interface_facts *facts,
			    size_t count)
{
	int err;

	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	err = reach_engine_set_facts(monitor->engine, facts, count);
	if (!err)
		reach_wakeup_kick(&monitor->wakeup);
	return err;
}

int reach_monitor_stats(const struct reach_monitor *monitor,
			struct reach_stats *ret)
{
	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	return reach_engine_stats(monitor->engine, ret);
}
