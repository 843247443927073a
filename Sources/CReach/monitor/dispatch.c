/* SPDX-License-Identifier: MIT */
/*
 * The monitor's loop. Its order is the argument for its correctness: receive
 * events until there are none, mark, ask, receive the answers, and look for
 * new events before publishing, so that the last question is always younger
 * than the last event. Where the questions cost no more than to look for a
 * second event, it asks after the first, and the look before publishing finds
 * the rest.
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/query/questions.h"
#include "monitor/state.h"
#include "monitor/sysfs_evidence.h"

/* Rounds of events and questions in one dispatch. */
#define ROUNDS_MAX 16

/* Dispatches with events in a row that leave the other descriptors alone. */
#define UNLOOKED_MAX 16

/* recvmmsg() costs as much as two receives, and most changes are one event.
 * So many answers are received one by one. */
#define FEW_ANSWERS 2

static int take_events(struct reach_monitor *monitor, int count,
		       const struct reach_datagram *datagrams)
{
	int err = 0, i;

	for (i = 0; i < count; i++) {
		/* A process may send to our port or to the groups with
		 * CAP_NET_ADMIN; it is not the kernel. */
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

/* Nothing is lost, and there is little to ask. */
static bool is_little(const struct reach_monitor *monitor)
{
	return !monitor->overrun && reach_engine_asks_little(monitor->engine);
}

/* Receives until there is nothing, the first for itself; or where a dispatch
 * begins no further than that, if it @may_stop at little: settle() looks again.
 * @return whether there was something, or a negative errno. */
static int receive_events(struct reach_monitor *monitor, bool may_stop)
{
	struct reach_datagram datagrams[REACH_DATAGRAMS];
	int count, err, i, any = 0;

	for (i = 0; i < monitor->receives; i++) {
		count = receive(monitor, i == 0, datagrams);
		if (count == -EAGAIN)
			break;
		any = 1;
		/* Told once and before what is still queued; until the queue
		 * is empty the kernel drops everything else without a word
		 * (netlink_overrun, net/netlink/af_netlink.c). So drain
		 * first. */
		if (count == -ENOBUFS) {
			monitor->overrun = true;
			continue;
		}
		if (count < 0)
			return count;
		err = take_events(monitor, count, datagrams);
		if (err)
			return err;
		/* The queue was empty then; settle() looks again. */
		if (i && count < REACH_DATAGRAMS)
			break;
		if (may_stop && is_little(monitor))
			break;
	}
	monitor->receives -= i;
	if (monitor->overrun && monitor->receives) {
		monitor->overrun = false;
		reach_engine_overrun(monitor->engine);
		/* There is something to ask, even if the last look filled its
		 * share of receives and this one found nothing. */
		any = 1;
	}
	return any;
}

static int send_questions(struct reach_monitor *monitor, size_t size)
{
	ssize_t sent;

	do
		sent = send(monitor->questions, monitor->requests, size, 0);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return 0;
	/* The kernel had no memory for them just now. */
	if (errno == ENOBUFS || errno == EAGAIN || errno == ENOMEM) {
		reach_engine_answers_lost(monitor->engine);
		return 0;
	}
	return -errno;
}

/* The kernel answers while it takes the request, so all answers are there
 * when send() returns; a dump goes on from one receive to the next. */
static int receive_answers(struct reach_monitor *monitor)
{
	struct reach_datagram datagrams[REACH_DATAGRAMS];
	int count, i, losses = 0, err = 0;

	while (reach_engine_pending(monitor->engine)) {
		count = reach_engine_pending(monitor->engine) <= FEW_ANSWERS
				? reach_receive_one(monitor->receiver,
						    monitor->questions,
						    datagrams)
				: reach_receive(monitor->receiver,
						monitor->questions, datagrams);
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

/* One batch; @return whether there was something to ask, or an errno. */
static int ask_batch(struct reach_monitor *monitor)
{
	size_t size;
	int err;

	/* Also when there is nothing to ask: a class may change. */
	reach_sysfs_evidence_read(monitor->engine, monitor->sysfs_root);
	err = reach_engine_requests(monitor->engine, monitor->requests,
				    sizeof(monitor->requests), &size);
	if (err || !size)
		return err;
	err = send_questions(monitor, size);
	/* Expiries are told from the moment of the answer. */
	reach_engine_clock(monitor->engine, reach_monotonic());
	if (!err)
		err = receive_answers(monitor);
	return err ? err : 1;
}

/* Asks until all is known; with very many targets a part of it, and the next
 * dispatch the rest. */
static int ask(struct reach_monitor *monitor)
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

/* Receives events, and looks at the other descriptors when there are none.
 * They stay readable, so nothing is lost when a dispatch that has events
 * leaves them to the next. */
static int begin(struct reach_monitor *monitor)
{
	int err, any;

	monitor->receives = REACH_RECEIVES_MAX;
	monitor->batches = REACH_BATCHES_MAX;
	any = receive_events(monitor, true);
	if (any < 0)
		return any;
	if (!any || ++monitor->unlooked >= UNLOOKED_MAX) {
		monitor->unlooked = 0;
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

/* Questions and events, until a look for events finds none, or until so much
 * has been done that the rest is left to the next dispatch. */
static int settle(struct reach_monitor *monitor)
{
	int ret, i;

	monitor->receives = REACH_RECEIVES_MAX;
	for (i = 0; i < ROUNDS_MAX && monitor->receives; i++) {
		reach_name_targets_run(&monitor->names);
		ret = reach_event_filter_widen(monitor);
		if (!ret)
			ret = ask(monitor);
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
		err = settle(monitor);
	if (!err)
		err = reach_event_filter_narrow(monitor);
	if (!err)
		err = reach_timers_arm(&monitor->timers,
				       next_deadline(monitor));
	if (!err)
		return reach_engine_publish(monitor->engine);
	/* Not to be lost if the caller tries again. */
	if (err == -ENOMEM)
		reach_wakeup_kick(&monitor->wakeup);
	return err;
}
