/* SPDX-License-Identifier: MIT */
/*
 * reach_check(): one state of one target.
 *
 * The fast path has no monitor: one socket, one lookup, and requests for the
 * links and addresses that the verdict depends on (engine/query/oneshot.c). So
 * its cost doesn't depend on the size of the host's tables.
 *
 * A target that depends on all links and addresses takes dumps of both, which the
 * kernel doesn't make at one moment: they are repeated until two in a row are
 * equal. Local Wi-Fi takes 37 us that way, and 3.2 ms with 500 links.
 *
 * Names, and targets on which the fast path fails, go to a monitor that is
 * closed when the state is final.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "monitor/monitor.h"

/* ---- without a monitor ------------------------------------------------- */

struct check {
	/* Owned. */
	struct reach_engine *engine;
	/* Socket of requests and answers. */
	int lookups;
	/* Borrows from the options. */
	struct reach_input input;
	/* Requests, then each answer. Page faults of a second buffer would cost
	 * as much as a lookup. */
	uint32_t buffer[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
};

static int open_socket(void *context)
{
	struct check *check = context;

	check->lookups = check->input.peer = reach_socket_lookups(true);
	return check->lookups < 0 ? check->lookups : 0;
}

static int receive(struct check *check)
{
	struct reach_datagram datagram;
	const int err = reach_receive(check->lookups, check->buffer,
				      sizeof(check->buffer), &datagram);

	if (err)
		return err;
	if (datagram.truncated)
		return -EMSGSIZE;
	return datagram.from_kernel
		       ? reach_engine_answers(check->engine, datagram.bytes,
					      datagram.size)
		       : 0;
}

/* rtnetlink answers within send(), so every answer is queued when it returns. A
 * missing answer is an error (-EAGAIN); don't wait for it. */
static int ask_batch(struct check *check, size_t size)
{
	int err = reach_requests_send(check->lookups, check->engine,
				      check->buffer, size);

	while (!err && reach_engine_pending(check->engine))
		err = receive(check);
	return err;
}

static int ask_all(struct check *check)
{
	size_t size;
	int err;

	for (;;) {
		reach_input_supply(&check->input, check->engine);
		err = reach_engine_requests(check->engine, check->buffer,
					    sizeof(check->buffer), &size);
		if (err)
			return err;
		if (!size)
			return reach_oneshot_is_complete(check->engine)
				       ? 0
				       : -EAGAIN;
		err = ask_batch(check, size);
		if (err)
			return err;
	}
}

static int run(struct check *check, const struct reach_target *target,
	       struct reach_state *ret)
{
	uint64_t id;
	int err = reach_engine_add(check->engine, target, &id);

	/* Resolution needs worker threads and a timeout, which a monitor
	 * has. */
	if (!err && reach_engine_name(check->engine, id))
		err = -EAGAIN;
	if (err)
		return err;
	err = reach_netns_run(check->input.netns, open_socket, check);
	if (err)
		return err;
	err = ask_all(check);
	if (!err)
		err = reach_engine_state(check->engine, id, ret);
	close(check->lookups);
	reach_descriptor_close(&check->input.fd);
	return err;
}

int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret)
{
	struct check check;
	int err = reach_engine_create_oneshot(&check.engine);

	if (err)
		return err;
	check.input = (struct reach_input){ .fd = -1 };
	reach_options_place(options, &check.input.sysfs, &check.input.netns);
	err = reach_engine_set_probes(check.engine, options->probes,
				      options->probe_count);
	if (!err)
		err = run(&check, target, ret);
	reach_engine_destroy(check.engine);
	return err;
}

/* ---- with a monitor ---------------------------------------------------- */

/* Milliseconds until @end for poll(2): rounded up, or it would return early and
 * spin; -1 for no end. */
static int timeout_until(int64_t end)
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

/* Runs the monitor until the state of target @id is final, or until @end, when
 * it takes the present state. */
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
		if (poll(&pollfd, 1, timeout_until(end)) == 0 && !err)
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
	/* The monitor is closed before building a filter could pay off. */
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
	/* On failure @ret stays untouched, even if a state was read before. */
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options own;
	int err;

	if (!reach_sized_is_valid(ret, REACH_STATE_SIZE_1_0))
		return -EINVAL;
	err = reach_target_validate(target);
	if (err)
		return err;
	err = reach_options_read(&own, options);
	if (err)
		return err;
	if (reach_check_alone(target, &own, &state))
		err = check_with_monitor(target, &own, end, &state);
	if (!err)
		reach_sized_write(ret, &state, sizeof(state));
	return err;
}
