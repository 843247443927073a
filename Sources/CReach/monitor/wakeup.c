/* SPDX-License-Identifier: MIT */
/* One thread at a time uses a monitor, so `kicked` needs no lock and saves the
 * write when the eventfd is readable already. */
#include "monitor/monitor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int reach_wakeup_open(struct reach_wakeup *wakeup)
{
	wakeup->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (wakeup->epoll < 0)
		return -errno;
	wakeup->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wakeup->kick < 0)
		return -errno;
	return reach_wakeup_watch(wakeup, wakeup->kick, REACH_WAKEUP_KICK);
}

void reach_wakeup_close(struct reach_wakeup *wakeup)
{
	if (wakeup->kick >= 0)
		close(wakeup->kick);
	if (wakeup->epoll >= 0)
		close(wakeup->epoll);
	wakeup->kick = wakeup->epoll = -1;
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

static void drain_kick(struct reach_wakeup *wakeup)
{
	uint64_t value;

	wakeup->kicked = false;
	(void)!read(wakeup->kick, &value, sizeof(value));
}

int reach_wakeup_look(struct reach_wakeup *wakeup)
{
	/* Room for all seven members. */
	struct epoll_event events[8];
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
	if (wakeup->ready & REACH_WAKEUP_KICK)
		drain_kick(wakeup);
	return 0;
}

bool reach_wakeup_take(struct reach_wakeup *wakeup,
		       enum reach_wakeup_member member)
{
	const bool was_ready = wakeup->ready & member;

	wakeup->ready &= ~(uint32_t)member;
	return was_ready;
}
