/* SPDX-License-Identifier: MIT */
/* The filter on a monitor's event socket: it drops irrelevant events, and never
 * one that matters, whatever destinations it is built from. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "engine/state/state.h"
#include "filter/filter.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

/* So many that the engine dumps rules and forms equivalence groups. */
#define MANY 70
#define MOST 4096

struct trial {
	struct check *check;
	struct reach_monitor *monitor;
	uint64_t ids[MOST];
	size_t count;
};

/* Runs `ip` in the thread's namespace. */
static void ip(struct check *check, const char *arguments)
{
	char command[256];

	snprintf(command, sizeof(command), "ip %s", arguments);
	CHECK(check, system(command) == 0);
}

/* Dispatches until there is nothing to do, and no filter left to build. */
static void settle(struct trial *trial)
{
	struct reach_monitor *monitor = trial->monitor;
	struct reach_change change = { .size = sizeof(change) };
	bool waits;

	do {
		if (!CHECK(trial->check, reach_monitor_dispatch(monitor) >= 0))
			return;
		while (reach_monitor_next(monitor, &change) == 1)
			;
		waits = monitor->filter.due != INT64_MAX;
	} while (waits ? check_wait(reach_monitor_fd(monitor))
		       : check_readable(reach_monitor_fd(monitor)));
}

static struct reach_address address_of(bool inet, size_t number)
{
	struct reach_address ret = { .family = inet ? AF_INET : AF_INET6 };

	ret.bytes[0] = inet ? 11 : 0x20;
	/* Far apart, so that only short prefixes contain many of them. */
	ret.bytes[1] = (uint8_t)(number * 151);
	ret.bytes[2] = (uint8_t)(number >> 4);
	ret.bytes[inet ? 3 : 15] = (uint8_t)(1 + number % 250);
	return ret;
}

static void add(struct trial *trial, bool inet, size_t number)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.remote = address_of(inet, number);
	CHECK(trial->check,
	      reach_monitor_add(trial->monitor, &target,
				&trial->ids[trial->count++]) == 0);
}

static bool begin(struct trial *trial, struct check *check, size_t inet,
		  size_t inet6)
{
	size_t i;

	*trial = (struct trial){ .check = check };
	if (!CHECK(check, reach_monitor_open(&trial->monitor, NULL) == 0))
		return false;
	for (i = 0; i < inet; i++)
		add(trial, true, i);
	for (i = 0; i < inet6; i++)
		add(trial, false, i);
	settle(trial);
	return true;
}

static uint32_t flags_of(const struct trial *trial, size_t number)
{
	struct reach_state state = { .size = sizeof(state) };

	CHECK(trial->check,
	      reach_monitor_state(trial->monitor, trial->ids[number], &state) ==
		      0);
	return state.flags;
}

static size_t count_reachable(const struct trial *trial)
{
	size_t i, ret = 0;

	for (i = 0; i < trial->count; i++)
		ret += flags_of(trial, i) & REACH_FLAG_REACHABLE ? 1 : 0;
	return ret;
}

static uint64_t count_events(const struct trial *trial)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	(void)reach_monitor_stats(trial->monitor, &stats);
	return stats.events;
}

/* Adds and deletes a blackhole route for @address, and checks that target
 * @number follows. */
static void check_heard(struct trial *trial, size_t number,
			const struct reach_address *address)
{
	char text[REACH_ADDRESS_TEXT_SIZE], command[128];

	reach_address_format(address, text, sizeof(text));
	snprintf(command, sizeof(command), "route add blackhole %s", text);
	ip(trial->check, command);
	settle(trial);
	CHECK(trial->check, flags_of(trial, number) == 0);
	snprintf(command, sizeof(command), "route del blackhole %s", text);
	ip(trial->check, command);
	settle(trial);
	CHECK(trial->check, flags_of(trial, number) & REACH_FLAG_REACHABLE);
}

static bool set_memory(const char *value)
{
	const int fd =
		open("/proc/sys/net/core/optmem_max", O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, value, strlen(value)) > 0;
	close(fd);
	return done;
}

/* The monitor must work with any limit on the memory of filters. Before Linux
 * 6.8 all namespaces share the limit, so the test can't change it. */
static void any_memory_will_do(struct check *check)
{
	static const char *const limits[] = { "0",    "900",   "4096",
					      "9000", "20480", "131072" };
	struct trial trial;
	bool any = false, refused = true;
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct reach_address first = address_of(true, 3);
		const struct reach_address later = address_of(true, 900);

		if (!set_memory(limits[i])) {
			check_skip(check, "a limit for filters", -errno);
			return;
		}
		if (!begin(&trial, check, 300, 200))
			return;
		refused = trial.monitor->filter.refused;
		any = any || refused;
		CHECK(check, trial.monitor->filter.attached != refused);
		check_heard(&trial, 3, &first);
		add(&trial, true, 900);
		settle(&trial);
		check_heard(&trial, 500, &later);
		CHECK(check, count_reachable(&trial) == 301);
		reach_monitor_close(trial.monitor);
	}
	/* The last limit is the stock one. */
	CHECK(check, any && !refused);
}

static void join(struct trial *trial, bool joined)
{
	const unsigned int group = RTNLGRP_IPV4_ROUTE;

	CHECK(trial->check, setsockopt(trial->monitor->events, SOL_NETLINK,
				       joined ? NETLINK_ADD_MEMBERSHIP
					      : NETLINK_DROP_MEMBERSHIP,
				       &group, sizeof(group)) == 0);
}

/* Adds a blackhole route for target @number without the monitor receiving the
 * event. Then makes the engine look up one target, the leader, for all. Returns
 * whether the target was the leader, so that all got its error. */
static bool leads(struct trial *trial, size_t number)
{
	const struct reach_address address = address_of(true, number);
	char text[REACH_ADDRESS_TEXT_SIZE], command[128];
	bool ret;

	reach_address_format(&address, text, sizeof(text));
	snprintf(command, sizeof(command), "route add blackhole %s", text);
	join(trial, false);
	ip(trial->check, command);
	join(trial, true);
	snprintf(command, sizeof(command),
		 "route replace default dev e0 mtu %zu", 1400 + number);
	ip(trial->check, command);
	settle(trial);
	ret = count_reachable(trial) == 0;
	if (!ret) {
		ip(trial->check, "route flush type blackhole");
		settle(trial);
	}
	return ret;
}

/* Simulates this: the kernel answers the leader's lookup before it announces
 * the leader's route. By the time of the event, the leader has been removed,
 * and the filter drops the event. */
static void an_error_is_doubted_when_its_leader_may_be_gone(struct check *check)
{
	struct trial trial;
	size_t tries = 0, leader;

	if (!begin(&trial, check, MANY, 0))
		return;
	CHECK(check, count_reachable(&trial) == MANY);
	/* A confirming lookup may make one the leader that was tried before. */
	while (tries < 3 * MANY && !leads(&trial, tries % MANY))
		tries++;
	leader = tries % MANY;
	if (CHECK(check, tries < 3 * MANY)) {
		CHECK(check, reach_monitor_remove(trial.monitor,
						  trial.ids[leader]) == 0);
		trial.ids[leader] = trial.ids[--trial.count];
		add(&trial, true, MANY);
		settle(&trial);
		CHECK(check, count_reachable(&trial) == MANY);
	}
	ip(check, "route flush type blackhole");
	reach_monitor_close(trial.monitor);
}

static void tables_that_no_rule_looks_at_are_dropped(struct check *check)
{
	struct trial trial;
	uint64_t before;
	int i;

	if (!begin(&trial, check, MANY, 1))
		return;
	for (i = 0; i < 2; i++) {
		before = count_events(&trial);
		ip(check, "route add blackhole 11.0.0.0/8 table 77");
		ip(check, "-6 route add blackhole 2000::/8 table 77");
		ip(check, "route add default dev e0 table 777");
		settle(&trial);
		CHECK(check, count_events(&trial) == before);
		/* A new rule uses the table whose events were dropped. */
		ip(check, "rule add pref 100 table 77");
		settle(&trial);
		CHECK(check, count_reachable(&trial) == 0);
		ip(check, "route del blackhole 11.0.0.0/8 table 77");
		settle(&trial);
		CHECK(check, count_reachable(&trial) == MANY);
		ip(check, "rule del pref 100");
		ip(check, "-6 route flush table 77");
		ip(check, "route flush table 777");
		settle(&trial);
	}
	reach_monitor_close(trial.monitor);
}

/* A filter is built when it is due. Afterwards no timer is left. */
static void filters_are_paced(struct check *check)
{
	struct reach_event_filter *filter;
	struct trial trial;
	size_t half, i;

	if (!begin(&trial, check, 1, 0))
		return;
	filter = &trial.monitor->filter;
	CHECK(check, filter->attached);
	/* On a machine under load, each may come after the pause. */
	for (i = 1; i < 1000 || (filter->attached && i < MOST); i++) {
		add(&trial, true, i);
		CHECK(check, reach_monitor_dispatch(trial.monitor) >= 0);
	}
	/* The next one waits. */
	CHECK(check, !filter->attached && filter->due == filter->next);
	settle(&trial);
	CHECK(check, filter->attached && filter->due == INT64_MAX);
	CHECK(check, count_reachable(&trial) == trial.count);
	half = trial.count / 2;
	for (i = 0; i < half; i++)
		CHECK(check,
		      reach_monitor_remove(trial.monitor, trial.ids[i]) == 0);
	CHECK(check, reach_monitor_dispatch(trial.monitor) >= 0);
	CHECK(check, filter->interest.count == trial.count);
	CHECK(check, reach_monitor_remove(trial.monitor, trial.ids[half]) == 0);
	settle(&trial);
	CHECK(check, reach_monitor_dispatch(trial.monitor) >= 0);
	settle(&trial);
	CHECK(check, filter->interest.count == trial.count - half - 1);
	reach_monitor_close(trial.monitor);
}

/* A route in table default must pass the filter even if it leads to no target
 * yet. It means that targets that lose their route in table main may get
 * different answers. */
static void table_default_is_heard_of(struct check *check)
{
	const struct reach_address address = address_of(true, MANY);
	char text[REACH_ADDRESS_TEXT_SIZE], command[128];
	struct trial trial;

	if (!begin(&trial, check, MANY, 0))
		return;
	reach_address_format(&address, text, sizeof(text));
	snprintf(command, sizeof(command), "route add %s dev e0 table default",
		 text);
	ip(check, command);
	settle(&trial);
	add(&trial, true, MANY);
	settle(&trial);
	ip(check, "route del default");
	settle(&trial);
	CHECK(check, count_reachable(&trial) == 1);
	ip(check, "route add default dev e0");
	ip(check, "route flush table default");
	reach_monitor_close(trial.monitor);
}

/* Adds and deletes 300 host routes, for the addresses that the awk expression
 * @hosts makes from $1. Returns the number of events received. */
static uint64_t storm(struct trial *trial, const char *hosts)
{
	const uint64_t before = count_events(trial);
	char command[256];

	snprintf(command, sizeof(command),
		 "seq 0 299 | awk '{print \"route add blackhole \" %s; "
		 "print \"route del blackhole \" %s}' | ip -batch -",
		 hosts, hosts);
	CHECK(trial->check, system(command) == 0);
	settle(trial);
	return count_events(trial) - before;
}

/* A filter for up to 400 targets has each of them, and a storm beside them costs
 * nothing. With 3,000 it has shorter prefixes, each for several targets: it
 * still passes the events of all of them, and drops what is far away. */
static void storms_are_dropped(struct check *check)
{
	static const size_t some[] = { 0, 1, 5, 257, 399, 700, 1025, 2999 };
	static const size_t counts[] = { 400, 3000 };
	struct trial trial;
	size_t i, k;

	for (i = 0; i < 2; i++) {
		if (!begin(&trial, check, counts[i], 0))
			return;
		CHECK(check,
		      storm(&trial, "\"10.151.\" int($1/250) \".\" $1%250") ==
			      0);
		CHECK(check, i || storm(&trial, "\"11.151.0.\" 3+$1%250") == 0);
		for (k = 0; k < sizeof(some) / sizeof(*some); k++) {
			const struct reach_address address =
				address_of(true, some[k]);

			if (some[k] < counts[i])
				check_heard(&trial, some[k], &address);
		}
		CHECK(check, count_reachable(&trial) == counts[i]);
		reach_monitor_close(trial.monitor);
	}
}

static int try_in_namespace(void *context)
{
	struct check *check = context;

	CHECK(check, answer_plug_in());
	ip(check, "route add default dev e0");
	filters_are_paced(check);
	an_error_is_doubted_when_its_leader_may_be_gone(check);
	tables_that_no_rule_looks_at_are_dropped(check);
	table_default_is_heard_of(check);
	storms_are_dropped(check);
	any_memory_will_do(check);
	return 0;
}

void test_event_filter(struct check *check)
{
	check_in_netns(check, "a monitor's filter", try_in_namespace, check);
}
