/* SPDX-License-Identifier: MIT */
/*
 * One answer for one target.
 *
 * An address is asked for on a socket of its own, with what its verdict needs
 * (oneshot.c); that does not depend on how many links, addresses or routes
 * there are. Where it is all links and addresses, they are read once if a
 * second socket hears of no change meanwhile, and else, or if there is none,
 * until they are the same twice. A name, and whatever goes wrong, is left to a
 * monitor.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/query/oneshot.h"
#include "monitor/check.h"
#include "monitor/options.h"
#include "monitor/state.h"
#include "monitor/sysfs_evidence.h"
#include "system/netns.h"

/* ---- without a monitor ------------------------------------------------- */

struct inquiry {
	struct reach_engine *engine;
	const char *sysfs_root;
	int netns;
	int fd;
	/* Of the second socket, or -1. */
	int changes;
	bool needs_all;
	/* Requests, and when they are sent an answer: each page that is touched
	 * costs as much as a question. */
	uint32_t buffer[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
};

static int open_socket(void *context)
{
	struct inquiry *inquiry = context;

	inquiry->fd = reach_socket_few_questions();
	if (inquiry->fd < 0)
		return inquiry->fd;
	inquiry->changes = inquiry->needs_all ? reach_socket_changes() : -1;
	if (inquiry->changes >= 0)
		reach_oneshot_set_watched(inquiry->engine);
	return 0;
}

static int receive(struct inquiry *inquiry)
{
	struct sockaddr_nl sender;
	socklen_t length = sizeof(sender);
	/* MSG_TRUNC: the size it had, though it did not fit. */
	const ssize_t size = recvfrom(
		inquiry->fd, inquiry->buffer, sizeof(inquiry->buffer),
		MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&sender, &length);

	if (size < 0)
		return -errno;
	if ((size_t)size > sizeof(inquiry->buffer))
		return -EMSGSIZE;
	if (length != sizeof(sender) || sender.nl_pid != 0)
		return 0;
	return reach_engine_answers(inquiry->engine, inquiry->buffer,
				    (size_t)size);
}

/* The kernel answers while it takes the requests. */
static int ask_batch(struct inquiry *inquiry, size_t size)
{
	int err = 0;

	if (send(inquiry->fd, inquiry->buffer, size, 0) < 0)
		return -errno;
	while (!err && reach_engine_pending(inquiry->engine))
		err = receive(inquiry);
	return err;
}

static int ask_all(struct inquiry *inquiry)
{
	size_t size;
	int err;

	for (;;) {
		reach_sysfs_evidence_read(inquiry->engine, inquiry->sysfs_root);
		err = reach_engine_requests(inquiry->engine, inquiry->buffer,
					    sizeof(inquiry->buffer), &size);
		if (err)
			return err;
		if (!size)
			return reach_oneshot_is_complete(inquiry->engine)
				       ? 0
				       : -EAGAIN;
		err = ask_batch(inquiry, size);
		if (err)
			return err;
	}
}

static int run(struct inquiry *inquiry, const struct reach_target *target,
	       struct reach_state *ret)
{
	uint64_t id;
	int err = reach_engine_add(inquiry->engine, target, &id);

	/* It is not for us to resolve. */
	if (!err && reach_engine_name(inquiry->engine, id))
		err = -EAGAIN;
	if (err)
		return err;
	inquiry->needs_all = reach_oneshot_needs_all(inquiry->engine, id);
	err = reach_netns_run(inquiry->netns, open_socket, inquiry);
	if (err)
		return err;
	err = ask_all(inquiry);
	if (!err && inquiry->changes >= 0 &&
	    !reach_socket_is_quiet(inquiry->changes))
		err = -EAGAIN;
	if (!err)
		err = reach_engine_state(inquiry->engine, id, ret);
	close(inquiry->fd);
	if (inquiry->changes >= 0)
		close(inquiry->changes);
	return err;
}

int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret)
{
	struct inquiry inquiry;
	int err = reach_options_read(options, &inquiry.sysfs_root,
				     &inquiry.netns);

	if (!err)
		err = reach_engine_create_oneshot(&inquiry.engine);
	if (err)
		return err;
	err = reach_engine_set_probes(inquiry.engine, options->probes,
				      options->probe_count);
	if (!err)
		err = run(&inquiry, target, ret);
	reach_engine_destroy(inquiry.engine);
	return err;
}

/* ---- with one ---------------------------------------------------------- */

/* Milliseconds until @end, rounded up, as poll() wants them. */
static int left(int64_t end)
{
	int64_t rest;

	if (end == INT64_MAX)
		return -1;
	rest = (end - reach_monotonic() + REACH_MILLISECOND - 1) /
	       REACH_MILLISECOND;
	if (rest <= 0)
		return 0;
	return rest < INT_MAX ? (int)rest : INT_MAX;
}

/* Until the state is final or the time is over. */
static int await(struct reach_monitor *monitor, uint64_t id, int64_t end,
		 struct reach_state *ret)
{
	struct pollfd pollfd = { .fd = reach_monitor_fd(monitor),
				 .events = POLLIN };
	int err;

	for (;;) {
		err = reach_monitor_dispatch(monitor);
		if (err >= 0)
			err = reach_monitor_state(monitor, id, ret);
		if (err && err != -EAGAIN)
			return err;
		if (!err && ret->resolution != REACH_RESOLUTION_PENDING)
			return 0;
		if (poll(&pollfd, 1, left(end)) == 0 && !err)
			return 0;
	}
}

static int check_with_monitor(const struct reach_target *target,
			      const struct reach_monitor_options *options,
			      int64_t end, struct reach_state *ret)
{
	struct reach_monitor_options once = *options;
	struct reach_monitor *monitor;
	uint64_t id;
	int err;

	once.once = 1;
	err = reach_monitor_open(&monitor, &once);
	if (err)
		return err;
	/* It is closed before a filter pays. */
	monitor->filter.refused = true;
	err = reach_monitor_add(monitor, target, &id);
	if (!err)
		err = await(monitor, id, end, ret);
	reach_monitor_close(monitor);
	return err;
}

int reach_check(const struct reach_target *target,
		const struct reach_monitor_options *options, int timeout_ms,
		struct reach_state *ret)
{
	const int64_t end =
		timeout_ms < 0
			? INT64_MAX
			: reach_monotonic() + timeout_ms * REACH_MILLISECOND;
	/* There may be an answer, and then no better one but an error. */
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options defaults;
	int err;

	if (ret->size < sizeof(*ret))
		return -EINVAL;
	err = reach_target_validate(target);
	if (err)
		return err;
	reach_monitor_options_init(&defaults);
	if (!options)
		options = &defaults;
	if (reach_check_alone(target, options, &state))
		err = check_with_monitor(target, options, end, &state);
	if (!err)
		*ret = state;
	return err;
}
