/* SPDX-License-Identifier: MIT */
/*
 * The loop of a monitor. Correctness depends on its order: receive events until
 * the queue is empty, mark the affected targets, send lookups, receive the
 * answers, then receive events again. Publish only when that finds none. The
 * last lookup is then younger than the last event.
 */
#include <errno.h>
#include <sys/socket.h>

#include <linux/netlink.h>

#include "monitor/monitor.h"

/* Rounds of lookups and events in one dispatch. Without a bound, events that
 * arrive during every round would hold the caller's thread forever. Beyond it
 * nothing is lost: the descriptor is made readable, and the next dispatch
 * continues. */
#define ROUNDS_MAX 16

/* Dispatches in a row that found events and did not poll the epoll set. Most
 * wake-ups are events, and each epoll_wait() is one more system call. The other
 * descriptors stay readable meanwhile. The bound keeps a steady stream of
 * events from starving timers and results of the resolver. */
#define UNLOOKED_MAX 16

/* @return 0 or a negative errno. */
static int take_event(struct reach_monitor *monitor,
		      const struct reach_datagram *datagram)
{
	/* Any process can send to this port, and with CAP_NET_ADMIN to the
	 * groups (netlink(7)). */
	if (!datagram->from_kernel) {
		monitor->engine->stats.spoofed++;
		return 0;
	}
	if (datagram->truncated) {
		monitor->overrun = true;
		return 0;
	}
	return reach_engine_events(monitor->engine, datagram->bytes,
				   datagram->size)
		       ? -ENOMEM
		       : 0;
}

/* Receives events until the queue is empty. @return 1 if the engine may have
 * lookups to send because of it, 0 if not, or a negative errno. */
static int receive_events(struct reach_monitor *monitor)
{
	struct reach_datagram datagram;
	int err, i, any = 0;

	if (monitor->events < 0)
		return 0;
	for (i = 0; i < monitor->receives; i++) {
		err = reach_receive(monitor->events, monitor->datagram,
				    sizeof(monitor->datagram), &datagram);
		if (err == -EAGAIN)
			break;
		any = 1;
		/* The kernel reports a loss once, ahead of queued events, and
		 * drops all further events silently until the queue is empty
		 * (netlink_overrun() and NETLINK_S_CONGESTED,
		 * net/netlink/af_netlink.c). So dumps come after the drain.
		 * EINVAL is an event that qemu-user can't translate, and drops
		 * (host_to_target_data_route_nlmsg(), linux-user/fd-trans.c). */
		if (err == -ENOBUFS || err == -EINVAL) {
			monitor->overrun = true;
			continue;
		}
		if (!err)
			err = take_event(monitor, &datagram);
		if (err)
			return err;
	}
	monitor->receives -= i;
	if (monitor->overrun && monitor->receives) {
		monitor->overrun = false;
		reach_engine_overrun(monitor->engine);
		/* The loss itself may date from the previous receive, which
		 * used up its calls with the last event in the queue. */
		any = 1;
	}
	return any;
}

static int send_once(int fd, const void *bytes, size_t size)
{
	ssize_t sent;

	do
		sent = send(fd, bytes, size, 0);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* qemu-user refuses a whole batch with EOPNOTSUPP if it doesn't know the type of
 * one message (RTM_GETSTATS, so there is no barrier; RTM_GETRULE). The others
 * are then sent one by one, and the engine gets the error as the kernel's
 * answer. */
int reach_requests_send(int fd, struct reach_engine *engine,
			const void *requests, size_t size)
{
	int err = send_once(fd, requests, size);
	const struct nlmsghdr *nlh;
	size_t at;

	if (err != -EOPNOTSUPP)
		return err;
	for (at = 0; at < size; at += NLMSG_ALIGN(nlh->nlmsg_len)) {
		struct {
			struct nlmsghdr header;
			struct nlmsgerr body;
		} answer = { { .nlmsg_len = sizeof(answer),
			       .nlmsg_type = NLMSG_ERROR },
			     { .error = -EOPNOTSUPP } };

		nlh = (const void *)((const uint8_t *)requests + at);
		answer.header.nlmsg_seq = nlh->nlmsg_seq;
		answer.body.msg = *nlh;
		err = send_once(fd, nlh, nlh->nlmsg_len);
		if (err == -EOPNOTSUPP)
			err = reach_engine_answers(engine, &answer,
						   sizeof(answer));
		if (err)
			return err;
	}
	return 0;
}

static int send_requests(struct reach_monitor *monitor, size_t size)
{
	const int err = reach_requests_send(monitor->lookups, monitor->engine,
					    monitor->requests, size);

	/* The kernel had no memory for the requests: the engine sends them
	 * again after a back-off. */
	if (err != -ENOBUFS && err != -EAGAIN && err != -ENOMEM)
		return err;
	reach_engine_answers_lost(monitor->engine);
	return 0;
}

/* rtnetlink answers within send(), so -EAGAIN means that the missing answers
 * are lost. A dump continues with each receive (netlink_recvmsg() calls
 * netlink_dump(), net/netlink/af_netlink.c). */
static int receive_answers(struct reach_monitor *monitor)
{
	struct reach_datagram datagram;
	int losses = 0, err, ret = 0;

	while (reach_engine_pending(monitor->engine)) {
		err = reach_receive(monitor->lookups, monitor->datagram,
				    sizeof(monitor->datagram), &datagram);
		if (err == -ENOBUFS && ++losses < REACH_RECEIVES_MAX)
			continue;
		if (err == -EAGAIN || err == -ENOBUFS) {
			reach_engine_answers_lost(monitor->engine);
			break;
		}
		if (err)
			return err;
		if (datagram.from_kernel &&
		    reach_engine_answers(monitor->engine, datagram.bytes,
					 datagram.size))
			ret = -ENOMEM;
	}
	return ret;
}

/* Sends one batch and receives its answers. @return 1, 0 if there was nothing
 * to send, or a negative errno. */
static int ask_batch(struct reach_monitor *monitor)
{
	size_t size;
	int err;

	/* Before the test for requests: evidence alone can change a verdict. */
	reach_input_supply(&monitor->input, monitor->engine);
	err = reach_engine_requests(monitor->engine, monitor->requests,
				    sizeof(monitor->requests), &size);
	if (err || !size)
		return err;
	err = send_requests(monitor, size);
	/* RTA_EXPIRES is relative to the answer. A deadline must not be early:
	 * in its last tick a route reports 0, like a route that never
	 * expires. */
	reach_engine_clock(monitor->engine, reach_monotonic());
	if (!err)
		err = receive_answers(monitor);
	return err ? err : 1;
}

/* Sends batches until no target is dirty or the dispatch has used up its
 * batches; the next one continues. @return 0 or a negative errno. */
static int ask_all(struct reach_monitor *monitor)
{
	int ret = 1;

	for (; monitor->batches && ret > 0; monitor->batches--)
		ret = ask_batch(monitor);
	return ret < 0 ? ret : 0;
}

/* The first receive of a dispatch, then timers and clock. Polls the epoll set
 * only if there was no event, or after UNLOOKED_MAX dispatches. The set is
 * level-triggered, so a later dispatch still sees what is readable now. */
static int begin(struct reach_monitor *monitor)
{
	int err, any;

	monitor->receives = REACH_RECEIVES_MAX;
	monitor->batches = REACH_BATCHES_MAX;
	any = receive_events(monitor);
	if (any < 0)
		return any;
	if (!any || ++monitor->dispatches_without_epoll >= UNLOOKED_MAX) {
		monitor->dispatches_without_epoll = 0;
		err = reach_wakeup_look(&monitor->wakeup);
		if (err)
			return err;
	}
	if (reach_wakeup_take(&monitor->wakeup, REACH_WAKEUP_NETNS) &&
	    reach_monitor_lost_netns(monitor))
		return -ESTALE;
	if (any || monitor->wakeup.ready)
		monitor->engine->stats.wakeups++;
	if (monitor->wakeup.ready &&
	    reach_wakeup_drain_timers(&monitor->wakeup))
		reach_engine_refresh(monitor->engine);
	reach_engine_clock(monitor->engine, reach_monotonic());
	return 0;
}

/* Joins RTNLGRP_NEIGH while an answer may change with a neighbor, and leaves it
 * again. @return whether it has joined, so that those answers must be looked up
 * once more. */
static bool follow_neighbors(struct reach_monitor *monitor)
{
	const bool wanted = monitor->engine->uncertain;

	if (wanted == monitor->neighbors || monitor->events < 0)
		return false;
	monitor->neighbors = wanted;
	if (reach_socket_follow_neighbors(monitor->events, wanted) || !wanted)
		return false;
	/* An event may have been missed before. */
	reach_confirmation_disregard(monitor->engine);
	reach_recheck(monitor->engine);
	return true;
}

/* Rounds of lookups and events until a receive finds the queue empty, which is
 * the condition for publishing. If a bound of the dispatch comes first, the
 * epoll descriptor is made readable, and the next dispatch continues. */
static int run_rounds(struct reach_monitor *monitor)
{
	bool joined;
	int ret, i;

	monitor->receives = REACH_RECEIVES_MAX;
	for (i = 0; i < ROUNDS_MAX && monitor->receives; i++) {
		reach_name_targets_run(&monitor->names);
		ret = reach_event_filter_widen(monitor);
		if (!ret)
			ret = ask_all(monitor);
		if (ret < 0)
			return ret;
		if (!monitor->batches)
			break;
		joined = follow_neighbors(monitor);
		ret = receive_events(monitor);
		if (ret < 0 || !(ret || joined))
			return ret;
	}
	reach_wakeup_kick(&monitor->wakeup);
	return 0;
}

static int64_t next_deadline(const struct reach_monitor *monitor)
{
	const int64_t names = reach_name_targets_deadline(&monitor->names);
	int64_t deadline = reach_engine_deadline(monitor->engine);

	if (names < deadline)
		deadline = names;
	if (monitor->filter.due < deadline)
		deadline = monitor->filter.due;
	return deadline;
}

int reach_monitor_dispatch(struct reach_monitor *monitor)
{
	int err = reach_fork_is_child(&monitor->fork) ? -ECHILD : 0;

	/* Without the socket: see reach_monitor_lost_netns(). */
	if (!err)
		err = monitor->lookups < 0 ? -ESTALE : begin(monitor);
	if (!err)
		err = run_rounds(monitor);
	if (!err)
		err = reach_event_filter_narrow(monitor);
	if (!err)
		err = reach_wakeup_arm(&monitor->wakeup,
				       next_deadline(monitor));
	if (!err)
		return reach_engine_publish(monitor->engine);
	/* Callers may dispatch again after -ENOMEM; poll(2) then returns at
	 * once. */
	if (err == -ENOMEM)
		reach_wakeup_kick(&monitor->wakeup);
	return err;
}
