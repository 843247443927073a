/* SPDX-License-Identifier: MIT */
// The source of an IPv6 target is asked for once, and again after all that the
// kernel chooses it by; how often is counted, and what comes of it compared
// with what a monitor says that has just been opened.
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "monitor/answer.h"

#define TARGETS 300

/* What a batch may have to be asked for twice. */
#define TWICE 128

/* Of a leader and of what is asked in short batches. */
#define FEW 8

#define RULE	"-6 rule add fwmark 9 lookup 100"
#define NO_RULE "-6 rule del fwmark 9 lookup 100"
#define GATEWAY "-6 route replace default via 2001:db8:9::2 dev e0"
#define FITTING "2a00::9/16 dev e0 nodad noprefixroute"

/* That it came is announced from a work queue, a change at once. */
#define ADD "-6 addr add " FITTING, "-6 addr change " FITTING

static const struct step {
	/* What is done before anybody is asked. */
	const char *commands[4];
	/* Questions for each. */
	unsigned int questions;
} steps[] = {
	{ { RULE }, 1 },
	{ { NO_RULE }, 1 },
	{ { "-6 route replace default via 2001:db8:9::3 dev e0" }, 1 },
	/* A more fitting address comes, and is deprecated, and is not. */
	{ { RULE, ADD }, 2 },
	{ { NO_RULE }, 1 },
	{ { RULE, "-6 addr change " FITTING " preferred_lft 0" }, 2 },
	{ { "-6 addr change " FITTING " preferred_lft forever", NO_RULE }, 2 },
	{ { "-6 addr del " FITTING, ADD }, 2 },
	{ { RULE, "-6 addr del " FITTING }, 2 },
	/* A source that is prescribed is not what would be chosen. */
	{ { ADD, GATEWAY " src 2001:db8:9::1" }, 2 },
	{ { NO_RULE }, 2 },
	{ { GATEWAY }, 2 },
	{ { RULE }, 1 },
	{ { GATEWAY " src 2001:db8:9::1" }, 2 },
	{ { GATEWAY }, 2 },
	/* Nor is that of another output. */
	{ { "-6 route replace default via 2001:db8:8::2 dev e1" }, 2 },
	{ { NO_RULE }, 1 },
	{ { GATEWAY }, 2 },
	/* Errors have none. */
	{ { "-6 rule add unreachable priority 100" }, 1 },
	{ { "-6 rule del unreachable priority 100" }, 2 },
	/* Links, by which it is decided whose addresses are looked at. */
	{ { "link set e1 down" }, 2 },
	{ { "link set e1 up" }, 2 },
	{ { "link set e1 master br0" }, 2 },
	{ { "link set e1 nomaster" }, 2 },
	{ { RULE }, 1 },
};

struct watch {
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static bool open_watch(struct watch *watch)
{
	struct reach_target target;
	bool fine = reach_monitor_open(&watch->monitor, NULL) == 0;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (unsigned int i = 0; fine && i < TARGETS; i++) {
		target.remote = (struct reach_address){
			.family = AF_INET6,
			.bytes = { 0x2a, 0, (uint8_t)(i >> 8), (uint8_t)i },
		};
		fine = !reach_monitor_add(watch->monitor, &target,
					  &watch->ids[i]);
	}
	return fine;
}

static bool settle(const struct watch *watch)
{
	do {
		if (reach_monitor_dispatch(watch->monitor) < 0)
			return false;
	} while (check_readable(reach_monitor_fd(watch->monitor)));
	return true;
}

static uint64_t lookups(const struct watch *watch)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	return reach_monitor_stats(watch->monitor, &stats) ? 0 : stats.lookups;
}

static bool is_as_fresh(const struct watch *watch)
{
	struct reach_state state = { .size = sizeof(state) }, other = state;
	struct watch fresh;
	bool same = open_watch(&fresh) && settle(&fresh);

	for (size_t i = 0; i < TARGETS && same; i++)
		same = !reach_monitor_state(watch->monitor, watch->ids[i],
					    &state) &&
		       !reach_monitor_state(fresh.monitor, fresh.ids[i],
					    &other) &&
		       answer_is_same(&state, &other);
	reach_monitor_close(fresh.monitor);
	return same;
}

/* Settles, and tells what it took. */
static void expect(struct check *check, const struct watch *watch,
		   unsigned int questions, const char *what)
{
	const uint64_t before = lookups(watch);
	const uint64_t most =
		questions * TARGETS + FEW + (questions > 1 ? TWICE : 0);
	uint64_t count;

	CHECK(check, settle(watch));
	count = lookups(watch) - before;
	if (!CHECK(check, count >= questions * TARGETS && count <= most) ||
	    !CHECK(check, is_as_fresh(watch)))
		fprintf(stderr, "%llu lookups after: %s\n",
			(unsigned long long)count, what);
}

static bool await_links(const struct watch *watch)
{
	return answer_await_link(watch->monitor, "e0") &&
	       answer_await_link(watch->monitor, "e1");
}

static void take_steps(struct check *check, const struct watch *watch)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const struct step *step = &steps[i];

		for (size_t k = 0; step->commands[k]; k++)
			CHECK(check, answer_ip(step->commands[k]));
		expect(check, watch, step->questions, step->commands[0]);
		CHECK(check, await_links(watch));
	}
	reach_monitor_refresh(watch->monitor);
	expect(check, watch, 2, "a refresh");
	CHECK(check, answer_ip(NO_RULE));
	expect(check, watch, 1, NO_RULE);
	reach_engine_overrun(watch->monitor->engine);
	expect(check, watch, 2, "an overrun");
}

static int try_in_namespace(void *context)
{
	/* No link-local addresses: they come by events of their own. */
	static const struct topology topology = {
		"sources",
		{ "link set lo up", "link add br0 type bridge",
		  "link add e0 type veth peer name p0",
		  "link add e1 type veth peer name p1",
		  "link set e0 addrgenmode none",
		  "link set e1 addrgenmode none",
		  "link set p0 addrgenmode none",
		  "link set p1 addrgenmode none", "link set p0 up",
		  "link set p1 up", "link set e0 up", "link set e1 up",
		  "-6 addr add 2001:db8:9::1/64 dev e0 nodad",
		  "-6 addr add 2001:db8:8::1/64 dev e1 nodad", GATEWAY }
	};
	struct check *check = context;
	struct watch watch;

	if (unshare(CLONE_NEWNET))
		return -errno;
	/* Questions are counted: no timer adds one. */
	check_stop_clock();
	if (!answer_build(&topology))
		return -EOPNOTSUPP;
	if (CHECK(check, open_watch(&watch)) &&
	    CHECK(check, settle(&watch) && await_links(&watch)))
		take_steps(check, &watch);
	reach_monitor_close(watch.monitor);
	return 0;
}

void test_sources(struct check *check)
{
	const int error = check_on_thread(try_in_namespace, check);

	if (error)
		check_skip(check, "sources", error);
}
