/* SPDX-License-Identifier: MIT */
/* The members of a monitor. monitor.c opens and closes it, dispatch.c is its
 * loop. Each member that is a struct belongs to the file of the same name, and
 * no other file writes to it. */
#ifndef REACH_MONITOR_STATE_H
#define REACH_MONITOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/monitor.h>

#include "monitor/event_filter.h"
#include "monitor/fork.h"
#include "monitor/name_targets.h"
#include "monitor/source_socket.h"
#include "monitor/timers.h"
#include "monitor/wakeup.h"
#include "system/socket.h"

#pragma GCC visibility push(hidden)

/* Receive calls, of up to REACH_DATAGRAMS events each, after which requests are
 * sent even if the queue is not empty. The rest of the dispatch may use the
 * same number again. So an endless storm delays the caller by at most 8,192
 * events, and what is left keeps the descriptor readable. ENOBUFS in a row on
 * the request socket have the same bound. */
#define REACH_RECEIVES_MAX 256

/* Batches of REACH_BATCH (128) requests in one dispatch: 8,192 lookups, about
 * 15 ms. More dirty targets are evaluated in several dispatches, and the caller
 * gets the thread back in between. */
#define REACH_BATCHES_MAX 64

struct reach_monitor {
	struct reach_fork fork;
	struct reach_engine *engine;
	struct reach_receiver *receiver;
	struct reach_wakeup wakeup;
	struct reach_timers timers;
	struct reach_name_targets names;
	struct reach_event_filter filter;
	struct reach_source_socket sources;

	/* rtnetlink socket of the multicast groups, with the filter; negative
	 * where the groups are refused (option `once`). Owned. */
	int events;
	/* rtnetlink socket of requests and answers. Owned. */
	int lookups;
	/* Duplicated descriptor of the monitored namespace; -1 for that of the
	 * opening thread. Owned. */
	int netns;
	/* Path of the sysfs mount, "" for none. Owned. */
	char *sysfs_root;

	/* Dispatches with events since the epoll set was last polled. */
	uint32_t dispatches_without_epoll;
	/* Receive calls and batches that this dispatch may still use. */
	int receives;
	int batches;
	/* Events were lost (ENOBUFS, MSG_TRUNC), and the engine has not been
	 * told yet, since the queue must be drained first. */
	bool overrun;
	/* Buffer of one batch of requests. */
	uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
};

#pragma GCC visibility pop

#endif
