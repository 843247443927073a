/* SPDX-License-Identifier: MIT */
// The source address of IPv6 targets. Each step changes something that affects
// the kernel's choice of a source. The states must then equal those of a new
// monitor. Each event here makes the engine look up all targets again.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "monitor/answer.h"

/* More than the engine looks up without RTM_F_FIB_MATCH, and more than fit
 * into a batch. */
#define TARGETS 300

#define RULE	"-6 rule add fwmark 9 lookup 100"
#define NO_RULE "-6 rule del fwmark 9 lookup 100"
#define GATEWAY "-6 route replace default via 2001:db8:9::2 dev e0"
#define FITTING "2a00::9/16 dev e0 nodad noprefixroute"

/* A label that makes the address fit less well (RFC 6724, rule 6). The monitor
 * gets no event for it. */
#define LABEL "prefix 2a00::9/128 label 77"

/* The kernel announces a new address from a work queue, but a change of the
 * address at once. */
#define ADD "-6 addr add " FITTING, "-6 addr change " FITTING

static const struct step {
	/* `ip` commands, run before the monitor reads events. */
	const char *commands[4];
	/* The first target's source; NULL for none. */
	const char *source;
} steps[] = {
	{ { RULE }, "2001:db8:9::1" },
	{ { "-6 route replace default via 2001:db8:9::3 dev e0" },
	  "2001:db8:9::1" },
	/* A better fitting address is added, deprecated, and preferred
	 * again. */
	{ { NO_RULE, ADD }, "2a00::9" },
	{ { RULE, "-6 addr change " FITTING " preferred_lft 0" },
	  "2001:db8:9::1" },
	{ { "-6 addr change " FITTING " preferred_lft forever", NO_RULE },
	  "2a00::9" },
	{ { "-6 addr del " FITTING, ADD }, "2a00::9" },
	/* Only the rule's event causes new lookups. */
	{ { "addrlabel add " LABEL, RULE }, "2001:db8:9::1" },
	{ { "addrlabel del " LABEL, NO_RULE }, "2a00::9" },
	{ { RULE, "-6 addr del " FITTING }, "2001:db8:9::1" },
	{ { ADD, GATEWAY " src 2001:db8:9::1" }, "2001:db8:9::1" },
	{ { GATEWAY }, "2a00::9" },
	{ { GATEWAY " src 2001:db8:9::1", NO_RULE }, "2001:db8:9::1" },
	{ { GATEWAY }, "2a00::9" },
	{ { "-6 route replace default via 2001:db8:8::2 dev e1" },
	  "2001:db8:8::1" },
	{ { GATEWAY }, "2a00::9" },
	{ { "-6 rule add unreachable priority 100" }, NULL },
	{ { "-6 rule del unreachable priority 100" }, "2a00::9" },
	/* Changes of a link: the kernel selects candidate addresses by link. */
	{ { "link set e1 down" }, "2a00::9" },
	{ { "link set e1 up" }, "2a00::9" },
	{ { "link set e1 master br0" }, "2a00::9" },
	{ { "link set e1 nomaster" }, "2a00::9" },
};

struct watch {
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static bool open_watch(struct watch *watch)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);
	bool fine = reach_monitor_open(&watch->monitor, NULL) == 0;

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

static bool is_as_fresh(const struct watch *watch)
{
	struct reach_state state = { .size = sizeof(state) }, other = state;
	struct watch fresh = { 0 };
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

static bool has_source(const struct watch *watch, const char *wanted)
{
	const struct reach_state state =
		answer_state(watch->monitor, watch->ids[0]);
	struct reach_address source = { 0 };

	if (wanted)
		source = check_address(wanted);
	return memcmp(&state.source, &source, sizeof(source)) == 0;
}

static bool await_links(const struct watch *watch)
{
	return answer_await_link(watch->monitor, "e0") &&
	       answer_await_link(watch->monitor, "e1");
}

static void take_steps(const struct watch *watch)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const struct step *step = &steps[i];

		for (size_t k = 0; step->commands[k]; k++)
			CHECK(answer_ip(step->commands[k]));
		CHECK(settle(watch));
		if (!CHECK(has_source(watch, step->source)) ||
		    !CHECK(is_as_fresh(watch)))
			fprintf(stderr, "after: %s\n", step->commands[0]);
		CHECK(await_links(watch));
	}
}

static void try(void *context)
{
	struct watch watch = { 0 };

	(void)context;
	/* No timer may repeat the lookups. */
	check_stop_clock();
	if (CHECK(open_watch(&watch)) &&
	    CHECK(settle(&watch) && await_links(&watch)))
		take_steps(&watch);
	reach_monitor_close(watch.monitor);
}

void test_sources(void)
{
	/* No link-local addresses: their events would interfere. */
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

	answer_in(&topology, try, NULL);
}
