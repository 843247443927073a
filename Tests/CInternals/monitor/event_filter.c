/* SPDX-License-Identifier: MIT */
/* The filter on a monitor's event socket: it drops irrelevant events, and never
 * one that matters, whatever destinations it is built from. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "check.h"
#include "engine/state/state.h"
#include "filter/filter.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

/* So many that the engine dumps rules and forms equivalence groups. */
#define MANY 70
#define MOST 4096

struct trial {
	struct reach_monitor *monitor;
	uint64_t ids[MOST];
	size_t count;
};

/* Dispatches until there is nothing to do, and no filter left to build. */
static void settle(struct trial *trial)
{
	struct reach_monitor *monitor = trial->monitor;
	bool confirmed, waits;

	do {
		confirmed = answer_confirm(monitor);
		(void)answer_changes(monitor);
		waits = monitor->filter.due != INT64_MAX;
	} while (!confirmed ||
		 (waits ? check_wait(reach_monitor_fd(monitor))
			: check_readable(reach_monitor_fd(monitor))));
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
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);

	target.remote = address_of(inet, number);
	CHECK(reach_monitor_add(trial->monitor, &target,
				&trial->ids[trial->count++]) == 0);
}

static void begin(struct trial *trial, size_t inet, size_t inet6)
{
	size_t i;

	*trial = (struct trial){ .monitor = answer_open(NULL, NULL) };
	for (i = 0; i < inet; i++)
		add(trial, true, i);
	for (i = 0; i < inet6; i++)
		add(trial, false, i);
	settle(trial);
}

static uint32_t flags_of(const struct trial *trial, size_t number)
{
	return answer_state(trial->monitor, trial->ids[number]).flags;
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
	return answer_stats(trial->monitor).events;
}

/* Adds or deletes a route to @address, of a type or with options around it. */
static void route(const char *before, const struct reach_address *address,
		  const char *after)
{
	char text[REACH_ADDRESS_TEXT_SIZE], command[128];

	reach_address_format(address, text, sizeof(text));
	snprintf(command, sizeof(command), "route %s %s %s", before, text,
		 after);
	CHECK(answer_ip(command));
}

/* Adds and deletes a blackhole route for @address, and checks that target
 * @number follows. */
static void check_heard(struct trial *trial, size_t number,
			const struct reach_address *address)
{
	route("add blackhole", address, "");
	settle(trial);
	CHECK(flags_of(trial, number) == 0);
	route("del blackhole", address, "");
	settle(trial);
	CHECK(flags_of(trial, number) & REACH_FLAG_REACHABLE);
}

/* The monitor must work with any limit on the memory of filters. Before Linux
 * 6.8 all namespaces share the limit, so the test can't change it. */
static void any_memory_will_do(void)
{
	static const char *const limits[] = {
		"=core/optmem_max 0",	  "=core/optmem_max 900",
		"=core/optmem_max 4096",  "=core/optmem_max 9000",
		"=core/optmem_max 20480", "=core/optmem_max 131072",
	};
	struct trial trial;
	bool any = false, refused = true;
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct reach_address first = address_of(true, 3);
		const struct reach_address later = address_of(true, 900);

		if (!answer_ip(limits[i])) {
			check_skip("a limit for filters", -errno);
			return;
		}
		begin(&trial, 300, 200);
		refused = trial.monitor->filter.refused;
		any = any || refused;
		CHECK(trial.monitor->filter.attached != refused);
		check_heard(&trial, 3, &first);
		add(&trial, true, 900);
		settle(&trial);
		check_heard(&trial, 500, &later);
		CHECK(count_reachable(&trial) == 301);
		reach_monitor_close(trial.monitor);
	}
	/* The last limit is the stock one. */
	CHECK(any && !refused);
}

static void tables_that_no_rule_looks_at_are_dropped(void)
{
	struct trial trial;
	uint64_t before;
	int i;

	begin(&trial, MANY, 1);
	for (i = 0; i < 2; i++) {
		before = count_events(&trial);
		CHECK(answer_ip("route add blackhole 11.0.0.0/8 table 77"));
		CHECK(answer_ip("-6 route add blackhole 2000::/8 table 77"));
		CHECK(answer_ip("route add default dev e0 table 777"));
		settle(&trial);
		CHECK(count_events(&trial) == before);
		/* A new rule uses the table whose events were dropped. */
		CHECK(answer_ip("rule add pref 100 table 77"));
		settle(&trial);
		CHECK(count_reachable(&trial) == 0);
		CHECK(answer_ip("route del blackhole 11.0.0.0/8 table 77"));
		settle(&trial);
		CHECK(count_reachable(&trial) == MANY);
		CHECK(answer_ip("rule del pref 100"));
		CHECK(answer_ip("-6 route flush table 77"));
		CHECK(answer_ip("route flush table 777"));
		settle(&trial);
	}
	reach_monitor_close(trial.monitor);
}

/* A filter is built when it is due. Afterwards no timer is left. */
static void filters_are_paced(void)
{
	struct reach_event_filter *filter;
	struct trial trial;
	size_t half, i;

	begin(&trial, 1, 0);
	filter = &trial.monitor->filter;
	CHECK(filter->attached);
	/* On a machine under load, each may come after the pause. */
	for (i = 1; i < 1000 || (filter->attached && i < MOST); i++) {
		add(&trial, true, i);
		CHECK(reach_monitor_dispatch(trial.monitor) >= 0);
	}
	/* The next one waits. */
	CHECK(!filter->attached && filter->due == filter->next);
	settle(&trial);
	CHECK(filter->attached && filter->due == INT64_MAX);
	CHECK(count_reachable(&trial) == trial.count);
	half = trial.count / 2;
	for (i = 0; i < half; i++)
		CHECK(reach_monitor_remove(trial.monitor, trial.ids[i]) == 0);
	CHECK(reach_monitor_dispatch(trial.monitor) >= 0);
	CHECK(filter->interest.count == trial.count);
	CHECK(reach_monitor_remove(trial.monitor, trial.ids[half]) == 0);
	settle(&trial);
	CHECK(reach_monitor_dispatch(trial.monitor) >= 0);
	settle(&trial);
	CHECK(filter->interest.count == trial.count - half - 1);
	reach_monitor_close(trial.monitor);
}

/* A route in table default must pass the filter even if it leads to no target
 * yet. It means that targets that lose their route in table main may get
 * different answers. */
static void table_default_is_heard_of(void)
{
	const struct reach_address address = address_of(true, MANY);
	struct trial trial;

	begin(&trial, MANY, 0);
	route("add", &address, "dev e0 table default");
	settle(&trial);
	add(&trial, true, MANY);
	settle(&trial);
	CHECK(answer_ip("route del default"));
	settle(&trial);
	CHECK(count_reachable(&trial) == 1);
	CHECK(answer_ip("route add default dev e0"));
	CHECK(answer_ip("route flush table default"));
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
	CHECK(system(command) == 0);
	settle(trial);
	return count_events(trial) - before;
}

/* A filter for up to 400 targets has each of them, and a storm beside them costs
 * nothing. With 3,000 it has shorter prefixes, each for several targets: it
 * still passes the events of all of them, and drops what is far away. */
static void storms_are_dropped(void)
{
	static const size_t some[] = { 0, 1, 5, 257, 399, 700, 1025, 2999 };
	static const size_t counts[] = { 400, 3000 };
	struct trial trial;
	size_t i, k;

	for (i = 0; i < 2; i++) {
		begin(&trial, counts[i], 1);
		CHECK(storm(&trial, "\"2001:db8:a:\" $1 \"::/64\"") == 0);
		CHECK(storm(&trial, "\"10.151.\" int($1/250) \".\" $1%250") ==
		      0);
		CHECK(i || storm(&trial, "\"11.151.0.\" 3+$1%250") == 0);
		for (k = 0; k < sizeof(some) / sizeof(*some); k++) {
			const struct reach_address address =
				address_of(true, some[k]);

			if (some[k] < counts[i])
				check_heard(&trial, some[k], &address);
		}
		CHECK(count_reachable(&trial) == counts[i]);
		reach_monitor_close(trial.monitor);
	}
}

/* No answer may change with a neighbor, so the monitor isn't told of any. */
static void neighbors_are_not_heard_of(void)
{
	struct trial trial;
	uint64_t before;

	begin(&trial, 1, 1);
	before = count_events(&trial);
	CHECK(answer_ip("neigh add 10.77.0.1 lladdr 02:00:00:00:00:01 dev e0"));
	settle(&trial);
	CHECK(count_events(&trial) == before);
	reach_monitor_close(trial.monitor);
}

static int try_in_namespace(void *context)
{
	(void)context;
	CHECK(answer_plug_in());
	CHECK(answer_ip("route add default dev e0"));
	filters_are_paced();
	tables_that_no_rule_looks_at_are_dropped();
	table_default_is_heard_of();
	storms_are_dropped();
	neighbors_are_not_heard_of();
	any_memory_will_do();
	return 0;
}

void test_event_filter(void)
{
	check_in_netns("a monitor's filter", try_in_namespace, NULL);
}
