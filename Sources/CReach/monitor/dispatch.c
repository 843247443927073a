/* SPDX-License-Identifier: MIT */
/*
 * The loop of a monitor. Correctness depends on its order: receive events until
 * the queue is empty, mark the targets that they affect, send lookups, receive
 * the answers, then receive events again; publish only when that finds none.
 * The last lookup is then younger than the last event.
 *
 * With few lookups to send, the first receive ends after one event and saves
 * the recvmmsg() that would find the queue empty. The order holds: the receive
 * before publishing finds what is left.
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "monitor/state.h"
#include "monitor/sysfs_evidence.h"

/* Rounds of lookups and events in one dispatch. Events that arrive during every
 * round would keep the caller's thread otherwise; beyond the bound nothing is
 * lost, the descriptor is made readable and the next dispatch goes on. */
#define ROUNDS_MAX 16

/* Dispatches in a row that found events and did not poll the epoll set. Most
 * wake-ups are events, and epoll_wait() is a system call more for each. The
 * other descriptors stay readable meanwhile; the bound keeps a steady stream of
 * events from starving timers and results of the resolver. */
#define UNLOOKED_MAX 16

/* Answers that are received by one recvfrom() each: recvmmsg() costs as much as
 * two, and most changes are one event with one or two answers. More are
 * received REACH_DATAGRAMS at a time. */
#define FEW_ANSWERS 2

static int take_events(struct reach_monitor *monitor, int count,
		       const struct reach_datagram *datagrams)
{
	int err = 0, i;

	for (i = 0; i < count; i++) {
		/* A process can send to this port, and to the groups with
		 * CAP_NET_ADMIN (netlink(7)). */
		if (!datagrams[i].from_kernel) {
			reach_engine_counters(monitor->engine)->spoofed++;
			continue;
		}
		if (datagrams[i].truncated)
			monitor->overrun = true;
		else if (reach_engine_events(monitor->engine,
					     datagrams[i].bytes,
					     datagrams[i].size))
			err = -ENOMEM;
	}
	return err;
}

static int receive(struct reach_monitor *monitor, bool one,
		   struct reach_datagram *datagrams)
{
	if (monitor->events < 0)
		return -EAGAIN;
	if (one)
		return reach_receive_one(monitor->receiver, monitor->events,
					 datagrams);
	return reach_receive(monitor->receiver, monitor->events, datagrams);
}

/* Whether few lookups are to be sent (reach_engine_asks_little()); never while
 * a loss is to be repaired, which requires an empty queue. */
static bool has_little_to_ask(const struct reach_monitor *monitor)
{
	return !monitor->overrun && reach_engine_asks_little(monitor->engine);
}

/* Receives events until the queue is empty: the first one alone, as a change is
 * one event as a rule, then REACH_DATAGRAMS at a time. @may_stop allows to stop
 * before that with little to ask; the caller receives again before it
 * publishes.
 * @return 1 if the engine may have lookups to send because of it, 0 if not, or
 *         a negative errno. */
static int receive_events(struct reach_monitor *monitor, bool may_stop)
{
	struct reach_datagram datagrams[REACH_DATAGRAMS];
	int count, err, i, any = 0;

	for (i = 0; i < monitor->receives; i++) {
		count = receive(monitor, i == 0, datagrams);
		if (count == -EAGAIN)
			break;
		any = 1;
		/* The kernel reports a loss once, ahead of what is queued, and
		 * drops all further events silently until the queue is empty
		 * (netlink_overrun() and NETLINK_S_CONGESTED,
		 * net/netlink/af_netlink.c): dumps come after the drain. */
		if (count == -ENOBUFS) {
			monitor->overrun = true;
			continue;
		}
		if (count < 0)
			return count;
		err = take_events(monitor, count, datagrams);
		if (err)
			return err;
		/* recvmmsg() returned fewer than asked for: the queue was
		 * empty. The receive before publishing finds what came
		 * since. */
		if (i && count < REACH_DATAGRAMS)
			break;
		if (may_stop && has_little_to_ask(monitor))
			break;
	}
	monitor->receives -= i;
	if (monitor->overrun && monitor->receives) {
		monitor->overrun = false;
		reach_engine_overrun(monitor->engine);
		/* The loss itself may date from the receive before, which used
		 * up its calls with the last event in the queue. */
		any = 1;
	}
	return any;
}

static int send_requests(struct reach_monitor *monitor, size_t size)
{
	ssize_t sent;

	do
		sent = send(monitor->lookups, monitor->requests, size, 0);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return 0;
	/* The kernel had no memory for the requests: the engine sends them
	 * again after a back-off. */
	if (errno == ENOBUFS || errno == EAGAIN || errno == ENOMEM) {
		reach_engine_answers_lost(monitor->engine);
		return 0;
	}
	return -errno;
}

/* rtnetlink answers within send(), so -EAGAIN means that the missing answers
 * are lost. A dump continues with each receive (netlink_recvmsg() calls
 * netlink_dump(), net/netlink/af_netlink.c). */
static int receive_answers(struct reach_monitor *monitor)
{
	struct reach_datagram datagrams[REACH_DATAGRAMS];
	int count, i, losses = 0, err = 0;

	while (reach_engine_pending(monitor->engine)) {
		count = reach_engine_pending(monitor->engine) <= FEW_ANSWERS
				? reach_receive_one(monitor->receiver,
						    monitor->lookups, datagrams)
				: reach_receive(monitor->receiver,
						monitor->lookups, datagrams);
		if (count == -ENOBUFS && ++losses < REACH_RECEIVES_MAX)
			continue;
		if (count == -EAGAIN || count == -ENOBUFS) {
			reach_engine_answers_lost(monitor->engine);
			break;
		}
		if (count < 0)
			return count;
		for (i = 0; i < count; i++)
			if (datagrams[i].from_kernel &&
			    reach_engine_answers(monitor->engine,
						 datagrams[i].bytes,
						 datagrams[i].size))
				err = -ENOMEM;
	}
	return err;
}

/* Sends one batch and receives its answers. @return 1, 0 if there was nothing
 * to ask, or a negative errno. */
static int ask_batch(struct reach_monitor *monitor)
{
	size_t size;
	int err;

	/* Before the test for requests: evidence alone can change a verdict. */
	reach_sysfs_evidence_read(monitor->engine, monitor->sysfs_root);
	monitor->sources.peer = monitor->lookups;
	reach_sources_answer(&monitor->sources, monitor->engine);
	err = reach_engine_requests(monitor->engine, monitor->requests,
				    sizeof(monitor->requests), &size);
	if (err || !size)
		return err;
	err = send_requests(monitor, size);
	/* RTA_EXPIRES is relative to the answer. A deadline must not be early:
	 * in its last tick a route reports 0, as routes do that never
	 * expire. */
	reach_engine_clock(monitor->engine, reach_monotonic());
	if (!err)
		err = receive_answers(monitor);
	return err ? err : 1;
}

/* Sends batches until no target is dirty or the dispatch has used up its
 * number. Then only evaluations that have begun are finished
 * (reach_engine_wind_up()), so that the dispatch ends between two states of
 * each target; the next one continues.
 * @return 0 or a negative errno. */
static int ask_all(struct reach_monitor *monitor)
{
	int ret = 1;

	for (; monitor->batches && ret > 0; monitor->batches--)
		ret = ask_batch(monitor);
	if (ret <= 0)
		return ret;
	reach_engine_wind_up(monitor->engine, true);
	while (ret > 0)
		ret = ask_batch(monitor);
	reach_engine_wind_up(monitor->engine, false);
	return ret;
}

/* The first receive of a dispatch; then timers and clock. The epoll set is
 * polled only if there was no event, or after UNLOOKED_MAX dispatches: it is
 * level-triggered, so a later dispatch still sees what is readable now. */
static int begin(struct reach_monitor *monitor)
{
	int err, any;

	monitor->receives = REACH_RECEIVES_MAX;
	monitor->batches = REACH_BATCHES_MAX;
	any = receive_events(monitor, true);
	if (any < 0)
		return any;
	if (!any || ++monitor->dispatches_without_epoll >= UNLOOKED_MAX) {
		monitor->dispatches_without_epoll = 0;
		err = reach_wakeup_look(&monitor->wakeup);
		if (err)
			return err;
	}
	if (any || monitor->wakeup.ready)
		reach_engine_counters(monitor->engine)->wakeups++;
	if (reach_timers_drain(&monitor->timers, &monitor->wakeup))
		reach_engine_refresh(monitor->engine);
	reach_engine_clock(monitor->engine, reach_monotonic());
	return 0;
}

/* Rounds of lookups and events until a receive finds the queue empty: the
 * condition for publishing. When a bound of the dispatch is reached first the
 * epoll descriptor is made readable, for the next dispatch to continue. */
static int run_rounds(struct reach_monitor *monitor)
{
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
		ret = receive_events(monitor, false);
		if (ret <= 0)
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
	int err = reach_fork_is_child(&monitor->fork) ? -ECHILD
						      : begin(monitor);

	if (!err)
		err = run_rounds(monitor);
	if (!err)
		err = reach_event_filter_narrow(monitor);
	if (!err)
		err = reach_timers_arm(&monitor->timers,
				       next_deadline(monitor));
	if (!err)
		return reach_engine_publish(monitor->engine);
	/* Callers may dispatch again after -ENOMEM; poll(2) then returns at
	 * once. */
	if (err == -ENOMEM)
		reach_wakeup_kick(&monitor->wakeup);
	return err;
}
