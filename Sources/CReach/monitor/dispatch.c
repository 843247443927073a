/* SPDX-License-Identifier: MIT */
/*
 * The monitor's loop. Its order is the argument for its correctness: receive
 * events until there are none, mark, ask, receive the answers, and look for
 * new events before publishing, so that the last question is always younger
 * than the last event. Where the questions cost no more than to look for a
 * second event, it asks after the first, and the look before publishing finds
 * the rest.
 */
#include "monitor/monitor_internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

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

void reach_evidence_read(struct reach_engine *engine, const char *sysfs_root)
{
	struct reach_evidence evidence;
	uint32_t index;

	while ((index = reach_engine_wants_evidence(engine))) {
		const struct reach_link *link =
			reach_engine_link(engine, index);
		const bool known =
			link && *sysfs_root &&
			reach_sysfs_read(sysfs_root, link->name, link->index,
					 link->hardware_address,
					 link->hardware_address_length,
					 &evidence) == 0;

		(void)reach_engine_set_evidence(engine, index,
						known ? &evidence : NULL);
	}
}

/* One batch; @return whether there was something to ask, or an errno. */
static int ask_batch(struct reach_monitor *monitor)
{
	size_t size;
	int err;

	/* Also when there is nothing to ask: a class may change. */
	reach_evidence_read(monitor->engine, monitor->sysfs_root);
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

/* One call tells which of the descriptors are worth a read. */
static int look(struct reach_monitor *monitor)
{
	struct epoll_event events[8];
	int count, i;

	do
		count = epoll_wait(monitor->epoll, events,
				   sizeof(events) / sizeof(*events), 0);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	for (i = 0; i < count; i++)
		monitor->ready |= events[i].data.u32;
	monitor->unlooked = 0;
	return 0;
}

static void drain_kick(struct reach_monitor *monitor)
{
	uint64_t value;

	if (!(monitor->ready & REACH_MONITOR_KICK))
		return;
	monitor->kicked = false;
	(void)!read(monitor->kick, &value, sizeof(value));
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
	monitor->ready = 0;
	if (!any || ++monitor->unlooked >= UNLOOKED_MAX) {
		err = look(monitor);
		if (err)
			return err;
	}
	if (any || monitor->ready)
		reach_engine_counters(monitor->engine)->wakeups++;
	drain_kick(monitor);
	if (reach_timers_drain(monitor))
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
		reach_name_targets_run(monitor);
		ret = reach_attach_widen(monitor);
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
	reach_monitor_kick(monitor);
	return 0;
}

int reach_monitor_dispatch(struct reach_monitor *monitor)
{
	int err = reach_fork_is_child(monitor) ? -ECHILD : begin(monitor);

	if (!err)
		err = settle(monitor);
	if (!err)
		err = reach_attach_narrow(monitor);
	if (!err)
		err = reach_timers_arm(monitor);
	if (!err)
		return reach_engine_publish(monitor->engine);
	/* Not to be lost if the caller tries again. */
	if (err == -ENOMEM)
		reach_monitor_kick(monitor);
	return err;
}
