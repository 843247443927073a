/* SPDX-License-Identifier: MIT */
/* Opening, closing and filling a monitor. */
#include "monitor/monitor_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* In bytes; the kernel doubles it, and an event takes 832. */
#define RECEIVE_BUFFER (4 * 1024 * 1024)

void reach_monitor_options_init(struct reach_monitor_options *options)
{
	memset(options, 0, sizeof(*options));
	options->size = sizeof(*options);
	options->netns_fd = -1;
}

int reach_monitor_watch_fd(struct reach_monitor *monitor, int fd,
			   enum reach_monitor_source source)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = source };

	return epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno
								    : 0;
}

void reach_monitor_kick(struct reach_monitor *monitor)
{
	const uint64_t one = 1;

	if (monitor->kicked)
		return;
	monitor->kicked = true;
	/* A counter of at most 1 always has room. */
	(void)!write(monitor->kick, &one, sizeof(one));
}

struct sockets {
	uint32_t receive_buffer;
	bool once;
	int events;
	int questions;
};

/* On a thread that is in the monitored namespace: a netlink socket stays in
 * the namespace it was created in. */
static int open_sockets(void *context)
{
	struct sockets *sockets = context;

	sockets->events = reach_socket_events(sockets->receive_buffer);
	if (sockets->events < 0 &&
	    !(sockets->once && sockets->events == -EOPNOTSUPP))
		return sockets->events;
	sockets->questions = reach_socket_questions();
	return sockets->questions < 0 ? sockets->questions : 0;
}

static int open_netlink(struct reach_monitor *monitor,
			const struct reach_monitor_options *options)
{
	const uint32_t buffer = options->receive_buffer;
	struct sockets sockets = {
		.receive_buffer = buffer ? buffer : RECEIVE_BUFFER,
		.once = options->once,
		.events = -1,
		.questions = -1,
	};
	int err = reach_netns_run(monitor->netns, open_sockets, &sockets);

	monitor->events = sockets.events;
	monitor->questions = sockets.questions;
	if (err)
		return err;
	if (monitor->events >= 0)
		return reach_monitor_watch_fd(monitor, monitor->events,
					      REACH_MONITOR_EVENTS);
	/* There is nothing to filter. */
	monitor->attachment.refused = true;
	return 0;
}

static int open_descriptors(struct reach_monitor *monitor)
{
	int err;

	monitor->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->epoll < 0)
		return -errno;
	monitor->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (monitor->kick < 0)
		return -errno;
	err = reach_timers_open(monitor);
	if (!err)
		err = reach_monitor_watch_fd(monitor, monitor->kick,
					     REACH_MONITOR_KICK);
	if (!err)
		err = reach_monitor_watch_fd(monitor, monitor->timer,
					     REACH_MONITOR_TIMER);
	if (!err)
		err = reach_monitor_watch_fd(monitor, monitor->clock,
					     REACH_MONITOR_CLOCK);
	return err;
}

/* Whether @fd is the namespace the calling thread is in. */
static bool is_current_netns(int fd)
{
	struct stat current, given;

	return stat("/proc/thread-self/ns/net", &current) == 0 &&
	       fstat(fd, &given) == 0 && current.st_dev == given.st_dev &&
	       current.st_ino == given.st_ino;
}

int reach_options_read(const struct reach_monitor_options *options,
		       const char **sysfs, int *netns)
{
	if (options->size < sizeof(*options) || options->netns_fd < -1 ||
	    options->once > 1 || options->reserved)
		return -EINVAL;
	*netns = options->netns_fd;
	/* To enter where one is already needs CAP_SYS_ADMIN too, for
	 * nothing. */
	if (*netns >= 0 && is_current_netns(*netns))
		*netns = -1;
	/* The mount at /sys shows the namespace of who mounted it. */
	*sysfs = *netns >= 0 ? "" : "/sys";
	if (options->sysfs_root)
		*sysfs = options->sysfs_root;
	return 0;
}

static int copy_options(struct reach_monitor *monitor,
			const struct reach_monitor_options *options)
{
	const char *etc = options->etc_root ? options->etc_root : "/etc";
	const char *sysfs;
	int netns, err = reach_options_read(options, &sysfs, &netns);

	if (err)
		return err;
	if (netns >= 0) {
		monitor->netns = fcntl(netns, F_DUPFD_CLOEXEC, 0);
		if (monitor->netns < 0)
			return -errno;
	}
	monitor->sysfs_root = strdup(sysfs);
	monitor->etc_root = strdup(etc);
	if (!monitor->sysfs_root || !monitor->etc_root)
		return -ENOMEM;
	monitor->resolve = options->resolve;
	monitor->resolve_context = options->resolve_context;
	return reach_engine_set_probes(monitor->engine, options->probes,
				       options->probe_count);
}

static int fill(struct reach_monitor *monitor,
		const struct reach_monitor_options *options)
{
	int err = reach_engine_create(&monitor->engine);

	if (!err)
		err = copy_options(monitor, options);
	if (!err)
		err = reach_receiver_create(&monitor->receiver);
	if (!err)
		err = open_descriptors(monitor);
	if (!err)
		err = open_netlink(monitor, options);
	return err;
}

int reach_monitor_open(struct reach_monitor **ret,
		       const struct reach_monitor_options *options)
{
	struct reach_monitor_options defaults;
	struct reach_monitor *monitor;
	int err;

	reach_monitor_options_init(&defaults);
	if (!options)
		options = &defaults;
	monitor = calloc(1, sizeof(*monitor));
	if (!monitor)
		return -ENOMEM;
	monitor->epoll = monitor->events = monitor->questions = -1;
	monitor->kick = monitor->timer = monitor->clock = monitor->netns = -1;
	reach_fork_mark(monitor);
	reach_attach_init(&monitor->attachment);
	err = fill(monitor, options);
	if (err) {
		reach_monitor_close(monitor);
		return err;
	}
	/* The first dispatch has links and addresses to ask for. */
	reach_monitor_kick(monitor);
	*ret = monitor;
	return 0;
}

static void close_descriptor(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_descriptors(struct reach_monitor *monitor)
{
	close_descriptor(&monitor->events);
	close_descriptor(&monitor->questions);
	close_descriptor(&monitor->kick);
	close_descriptor(&monitor->timer);
	close_descriptor(&monitor->clock);
	close_descriptor(&monitor->netns);
	close_descriptor(&monitor->epoll);
}

/* In a child of fork(): memory may be as another thread of the parent was just
 * changing it, and a worker thread, which is not there, may hold a lock. */
static void abandon(struct reach_monitor *monitor)
{
	if (monitor->resolver)
		reach_resolver_abandon(monitor->resolver);
	monitor->resolver = NULL;
	if (monitor->watch)
		reach_watch_abandon(monitor->watch);
	monitor->watch = NULL;
	close_descriptors(monitor);
}

void reach_monitor_close(struct reach_monitor *monitor)
{
	if (!monitor)
		return;
	if (reach_fork_is_child(monitor)) {
		abandon(monitor);
		return;
	}
	reach_resolver_release(monitor->resolver);
	reach_names_destroy(monitor->names);
	reach_watch_destroy(monitor->watch);
	reach_receiver_destroy(monitor->receiver);
	reach_engine_destroy(monitor->engine);
	close_descriptors(monitor);
	reach_fork_unmark(monitor);
	free(monitor->sysfs_root);
	free(monitor->etc_root);
	free(monitor);
}

int reach_monitor_fd(const struct reach_monitor *monitor)
{
	return reach_fork_is_child(monitor) ? -ECHILD : monitor->epoll;
}

int reach_monitor_next(struct reach_monitor *monitor,
		       struct reach_change *change)
{
	if (reach_fork_is_child(monitor))
		return -ECHILD;
	return reach_engine_next(monitor->engine, change);
}

int reach_monitor_add(struct reach_monitor *monitor,
		      const struct reach_target *target, uint64_t *ret)
{
	uint64_t id;
	int err;

	if (reach_fork_is_child(monitor))
		return -ECHILD;
	err = reach_engine_add(monitor->engine, target, &id);
	if (err)
		return err;
	err = reach_name_targets_add(monitor, id);
	if (err) {
		(void)reach_engine_remove(monitor->engine, id);
		return err;
	}
	reach_monitor_kick(monitor);
	*ret = id;
	return 0;
}

int reach_monitor_remove(struct reach_monitor *monitor, uint64_t id)
{
	if (reach_fork_is_child(monitor))
		return -ECHILD;
	reach_name_targets_remove(monitor, id);
	return reach_engine_remove(monitor->engine, id);
}

int reach_monitor_state(const struct reach_monitor *monitor, uint64_t id,
			struct reach_state *state)
{
	if (reach_fork_is_child(monitor))
		return -ECHILD;
	return reach_engine_state(monitor->engine, id, state);
}

int reach_monitor_interface(const struct reach_monitor *monitor, uint32_t after,
			    struct reach_interface *ret)
{
	if (reach_fork_is_child(monitor))
		return -ECHILD;
	return reach_engine_interface(monitor->engine, after, ret);
}

void reach_monitor_refresh(struct reach_monitor *monitor)
{
	if (reach_fork_is_child(monitor))
		return;
	reach_engine_refresh(monitor->engine);
	reach_monitor_kick(monitor);
}

int reach_monitor_stats(const struct reach_monitor *monitor,
			struct reach_stats *ret)
{
	if (reach_fork_is_child(monitor))
		return -ECHILD;
	return reach_engine_stats(monitor->engine, ret);
}
