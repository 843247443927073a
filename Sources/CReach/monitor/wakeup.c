/* SPDX-License-Identifier: MIT */
/* One thread at a time uses a monitor, so `kicked` needs no lock and saves the
 * write when the eventfd is readable already. */
#include "monitor/monitor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* An expiry of CLOCK_REALTIME in the year 2255, in seconds. Later than any
 * clock, and below KTIME_MAX (2262, include/linux/ktime.h), where nanoseconds
 * overflow. */
#define NEVER_SECONDS 9000000000

/* Adds @fd, which was just opened, as *@ret. @return 0 or a negative errno. */
static int add(struct reach_wakeup *wakeup, enum reach_wakeup_member member,
	       int fd, int *ret)
{
	*ret = fd;
	return fd < 0 ? -errno : reach_wakeup_watch(wakeup, fd, member);
}

int reach_wakeup_open(struct reach_wakeup *wakeup)
{
	const struct itimerspec never = { .it_value.tv_sec = NEVER_SECONDS };
	const int timer = TFD_CLOEXEC | TFD_NONBLOCK;
	int err;

	wakeup->deadline = INT64_MAX;
	wakeup->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (wakeup->epoll < 0)
		return -errno;
	err = add(wakeup, REACH_WAKEUP_KICK,
		  eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), &wakeup->kick);
	if (!err)
		err = add(wakeup, REACH_WAKEUP_TIMER,
			  timerfd_create(CLOCK_MONOTONIC, timer),
			  &wakeup->timer);
	if (!err)
		err = add(wakeup, REACH_WAKEUP_CLOCK,
			  timerfd_create(CLOCK_REALTIME, timer),
			  &wakeup->clock);
	if (err)
		return err;
	/* On failure the refresh after a suspend is missing. Changes during the
	 * suspend that caused no event then stay unknown. */
	(void)timerfd_settime(wakeup->clock,
			      TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			      &never, NULL);
	return 0;
}

void reach_wakeup_close(struct reach_wakeup *wakeup)
{
	reach_descriptor_close(&wakeup->clock);
	reach_descriptor_close(&wakeup->timer);
	reach_descriptor_close(&wakeup->kick);
	reach_descriptor_close(&wakeup->epoll);
}

int reach_wakeup_watch(struct reach_wakeup *wakeup, int fd,
		       enum reach_wakeup_member member)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = member };

	return epoll_ctl(wakeup->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void reach_wakeup_kick(struct reach_wakeup *wakeup)
{
	const uint64_t one = 1;

	if (wakeup->kicked)
		return;
	wakeup->kicked = true;
	/* The counter is at most 1, so the write cannot fail for want of room
	 * (eventfd(2)). */
	(void)!write(wakeup->kick, &one, sizeof(one));
}

int reach_wakeup_look(struct reach_wakeup *wakeup)
{
	/* Room for all seven members, of which the namespace has two. */
	struct epoll_event events[8];
	uint64_t kicks;
	int count, i;

	do
		count = epoll_wait(wakeup->epoll, events,
				   sizeof(events) / sizeof(*events), 0);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	wakeup->ready = 0;
	for (i = 0; i < count; i++)
		wakeup->ready |= events[i].data.u32;
	if (wakeup->ready & REACH_WAKEUP_KICK) {
		wakeup->kicked = false;
		(void)!read(wakeup->kick, &kicks, sizeof(kicks));
	}
	return 0;
}

bool reach_wakeup_take(struct reach_wakeup *wakeup,
		       enum reach_wakeup_member member)
{
	const bool was_ready = wakeup->ready & member;

	wakeup->ready &= ~(uint32_t)member;
	return was_ready;
}

bool reach_wakeup_drain_timers(struct reach_wakeup *wakeup)
{
	uint64_t ticks;

	/* An expired timerfd is disarmed: it has to be armed again. */
	if (reach_wakeup_take(wakeup, REACH_WAKEUP_TIMER) &&
	    read(wakeup->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
		wakeup->deadline = INT64_MAX;
	/* read() fails with ECANCELED, once after each discontinuous change. */
	if (!reach_wakeup_take(wakeup, REACH_WAKEUP_CLOCK))
		return false;
	(void)!read(wakeup->clock, &ticks, sizeof(ticks));
	return true;
}

int reach_wakeup_arm(struct reach_wakeup *wakeup, int64_t deadline)
{
	struct itimerspec timer = { 0 };

	/* Each event of a removal postpones the confirming lookup, and arming
	 * the timer each time would delay the caller. So keep an earlier
	 * expiry: its dispatch finds nothing due and arms the timer again.
	 * Replace one that has passed unread, or the descriptor would stay
	 * readable for nothing. */
	if (deadline == wakeup->deadline ||
	    (deadline > wakeup->deadline &&
	     wakeup->deadline > reach_monotonic()))
		return 0;
	if (deadline != INT64_MAX) {
		/* it_value 0 disarms (timerfd_settime(2)). */
		const int64_t due = deadline > 0 ? deadline : 1;

		timer.it_value.tv_sec = (time_t)(due / REACH_SECOND);
		timer.it_value.tv_nsec = (long)(due % REACH_SECOND);
	}
	if (timerfd_settime(wakeup->timer, TFD_TIMER_ABSTIME, &timer, NULL))
		return -errno;
	wakeup->deadline = deadline;
	return 0;
}
