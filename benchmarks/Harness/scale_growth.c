/* SPDX-License-Identifier: MIT */
/* The cases of scale.c whose instructions are counted. An engine alone, or a
 * monitor, does lookups. Only instructions inside counted() count. */
#include "scale.h"

#include <poll.h>

#include <reach/reach.h>

#include "monitor/monitor.h"

/* IFF_LOWER_UP of linux/if.h, which conflicts with net/if.h. */
#define CARRIER (IFF_RUNNING | 1 << 16)

static struct reach_engine *engine;
static struct reach_monitor *monitor;
static uint64_t *ids;
static uint32_t count;
static int questions;

static void ask(void)
{
	static uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
	static uint32_t answers[8192];
	size_t size;

	while (reach_engine_requests(engine, requests, sizeof(requests),
				     &size) == 0 &&
	       size > 0) {
		if (send(questions, requests, size, 0) < 0)
			die("send");
		while (reach_engine_pending(engine)) {
			const ssize_t got =
				recv(questions, answers, sizeof(answers), 0);

			if (got < 0 ||
			    reach_engine_answers(engine, answers, (size_t)got))
				die("recv");
		}
	}
	reach_engine_publish(engine);
}

static void take_changes(void)
{
	struct reach_change change = { .size = sizeof(change) };

	while (reach_engine_next(engine, &change) == 1)
		;
}

static void add(uint32_t number, const struct reach_target *target)
{
	if (reach_engine_add(engine, target, &ids[number]))
		die("add");
}

static struct reach_target host(uint32_t number)
{
	struct reach_target ret;

	reach_target_init(&ret, REACH_TARGET_ADDRESS);
	ret.remote.family = AF_INET;
	ret.remote.bytes[0] = 30;
	/* Spread, and not in order. */
	number *= 0x9e3779b1;
	ret.remote.bytes[1] = (uint8_t)(number >> 24);
	ret.remote.bytes[2] = (uint8_t)(number >> 16);
	ret.remote.bytes[3] = (uint8_t)(number >> 8);
	return ret;
}

static void add_hosts(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct reach_target target = host(i);

		add(i, &target);
	}
}

/* Takes the first changes, and lets the time pass after which the engine dumps
 * rules and settings. */
static void come_to_know(void)
{
	ask();
	take_changes();
	if (reach_engine_deadline(engine) < INT64_MAX)
		reach_engine_clock(engine, reach_engine_deadline(engine));
	ask();
}

static void add_and_ask(void)
{
	add_hosts();
	come_to_know();
}

static void remove_all(void)
{
	uint32_t i;

	for (i = count; i-- > 0;)
		if (reach_engine_remove(engine, ids[i]))
			die("remove");
	ask();
}

static void tell(uint16_t type, const uint8_t *destination, uint8_t length)
{
	static uint32_t buffer[64];
	const size_t size =
		put_route(buffer, AF_INET, type, destination, length);

	if (reach_engine_events(engine, buffer, size))
		die("events");
}

/* Events of blackhole routes, one per target, that cover no target. */
static void hear_of_blackholes(void)
{
	static uint32_t buffer[64];
	struct nlmsghdr *header = (struct nlmsghdr *)buffer;
	uint32_t i;

	for (i = 0; i < count; i++) {
		put_change(buffer, AF_INET, i, true);
		((struct rtmsg *)mnl_nlmsg_get_payload(header))->rtm_type =
			RTN_BLACKHOLE;
		if (reach_engine_events(engine, buffer, header->nlmsg_len))
			die("events");
	}
	ask();
	take_changes();
}

static void dispatch(void)
{
	struct reach_change change = { .size = sizeof(change) };

	if (reach_monitor_dispatch(monitor) < 0)
		die("reach_monitor_dispatch");
	while (reach_monitor_next(monitor, &change) == 1)
		;
}

/* ---- cases ------------------------------------------------------------- */

static void nothing(void)
{
}

static void look_up_again(void)
{
	reach_engine_refresh(engine);
	ask();
	take_changes();
}

static void hear_of_elsewhere(void)
{
	tell(RTM_NEWROUTE, (uint8_t[4]){ 20, 1, 2, 4 }, 32);
	ask();
}

static void hear_of_one(void)
{
	const struct reach_target target = host(0);

	tell(RTM_NEWROUTE, target.remote.bytes, 32);
	ask();
}

static void lose_default(void)
{
	change_defaults(questions, INET, false);
	tell(RTM_DELROUTE, NULL, 0);
	ask();
	take_changes();
}

/* Two targets per mark: half as many paths as targets, and just as many classes
 * as paths once the default route goes. */
static void add_pairs(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct reach_target target = host(i);

		target.mark = 1 + i / 2;
		add(i, &target);
	}
	come_to_know();
}

static void add_and_lose_default(void)
{
	add_and_ask();
	lose_default();
}

/* All are the same address. */
static void add_equal(void)
{
	const struct reach_target target = host(0);
	uint32_t i;

	for (i = 0; i < count; i++)
		add(i, &target);
	come_to_know();
}

/* Ten are scoped to a link. */
static void add_scoped(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct reach_target target = host(i);

		if (i < 10)
			strcpy(target.interface_name, "v1");
		add(i, &target);
	}
	come_to_know();
}

/* The scoped targets' link loses its present @flags, then regains them. */
static void change_link(unsigned int flags)
{
	static uint32_t buffer[64];
	int i;

	for (i = 0; i < 2; i++) {
		struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
		struct ifinfomsg *body;

		header->nlmsg_type = RTM_NEWLINK;
		body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
		body->ifi_index = (int)if_nametoindex("v1");
		body->ifi_flags = (IFF_UP | CARRIER) & (i ? ~0U : ~flags);
		mnl_attr_put_strz(header, IFLA_IFNAME, "v1");
		mnl_attr_put_u8(header, IFLA_OPERSTATE, i ? 6 : 2);
		if (reach_engine_events(engine, buffer, header->nlmsg_len))
			die("events");
		ask();
	}
}

static void lose_carrier(void)
{
	change_link(CARRIER);
}

static void go_down(void)
{
	change_link(IFF_UP | CARRIER);
}

/* One link per target, and its evidence from sysfs. */
static void hear_of_links(void)
{
	static uint32_t buffer[64];
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
		struct ifinfomsg *body;
		char name[16];

		header->nlmsg_type = RTM_NEWLINK;
		body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
		body->ifi_type = 1;
		body->ifi_index = (int)(100 + i);
		snprintf(name, sizeof(name), "l%u", i);
		mnl_attr_put_strz(header, IFLA_IFNAME, name);
		mnl_attr_put_u8(header, IFLA_OPERSTATE, 2);
		if (reach_engine_events(engine, buffer, header->nlmsg_len))
			die("events");
	}
	while ((i = reach_engine_wants_evidence(engine)))
		reach_engine_set_evidence(engine, i, NULL, NULL, 0);
}

static void add_names(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct reach_target target;
		char name[32];

		reach_target_init(&target, REACH_TARGET_NAME);
		snprintf(name, sizeof(name), "n%u.example", i);
		target.name = name;
		target.policy = REACH_NAME_STRICT;
		add(i, &target);
	}
	ask();
}

/* Until they are resolved, optimistic names share the lookups of the internet
 * target. */
static void add_and_remove_optimistic_names(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct reach_target target;

		reach_target_init(&target, REACH_TARGET_NAME);
		target.name = "db.example";
		add(i, &target);
	}
	for (i = 0; i < count; i++)
		if (reach_engine_remove(engine, ids[i]))
			die("remove");
}

static void resolve_names(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct reach_target target = host(i);

		if (reach_engine_resolved(engine, ids[i], &target.remote, 1))
			die("resolved");
	}
	ask();
	take_changes();
}

static void add_and_resolve_names(void)
{
	add_names();
	resolve_names();
	come_to_know();
}

static void resolve_one(void)
{
	const struct reach_target target = host(count);

	if (reach_engine_resolved(engine, ids[count / 2], &target.remote, 1))
		die("resolved");
	ask();
	take_changes();
}

/* Dispatches until the monitor has been quiet for longer than its timers run. */
static void come_to_rest(void)
{
	struct pollfd pollfd = { .fd = reach_monitor_fd(monitor),
				 .events = POLLIN };

	do
		dispatch();
	while (poll(&pollfd, 1, 2000) == 1);
}

/* A monitor at rest, which then loses the default route, after it has done so
 * once before. */
static void watch_and_lose_default(void)
{
	uint32_t i;

	if (reach_monitor_open(&monitor, NULL))
		die("reach_monitor_open");
	for (i = 0; i < count; i++) {
		const struct reach_target target = host(i);

		if (reach_monitor_add(monitor, &target, &ids[i]))
			die("reach_monitor_add");
	}
	come_to_rest();
	change_defaults(questions, INET, false);
	come_to_rest();
	change_defaults(questions, INET, true);
	come_to_rest();
	change_defaults(questions, INET, false);
}

static const struct {
	const char *name;
	void (*prepare)(void);
	void (*work)(void);
} cases[] = {
	{ "add", nothing, add_and_ask },
	{ "refresh", add_and_ask, look_up_again },
	{ "elsewhere", add_and_ask, hear_of_elsewhere },
	{ "one", add_and_ask, hear_of_one },
	{ "default", add_and_ask, lose_default },
	{ "dispatch", watch_and_lose_default, dispatch },
	{ "remove", add_and_ask, remove_all },
	{ "pairs", nothing, add_pairs },
	{ "remove-pairs", add_pairs, remove_all },
	{ "equal", nothing, add_equal },
	{ "remove-equal", add_equal, remove_all },
	{ "blackholes", add_and_lose_default, hear_of_blackholes },
	{ "links", ask, hear_of_links },
	{ "carrier", add_scoped, lose_carrier },
	{ "down", add_scoped, go_down },
	{ "names", nothing, add_names },
	{ "optimistic", nothing, add_and_remove_optimistic_names },
	{ "resolve", add_names, resolve_names },
	{ "resolve-one", add_and_resolve_names, resolve_one },
	{ "remove-names", add_and_resolve_names, remove_all },
};

__attribute__((noinline)) void counted(void (*work)(void));
void counted(void (*work)(void))
{
	work();
	__asm__ volatile("" ::: "memory");
}

int scale_count(const char *name, uint32_t targets)
{
	size_t i;

	count = targets;
	ids = calloc(count, sizeof(*ids));
	questions = reach_socket_lookups(false);
	if (!ids || questions < 0 || reach_engine_create(&engine))
		die("engine");
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		cases[i].prepare();
		counted(cases[i].work);
		return 0;
	}
	return 64;
}
