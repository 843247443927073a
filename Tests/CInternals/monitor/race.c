/* SPDX-License-Identifier: MIT */
/*
 * A writer adds and deletes routes and addresses as fast as it can, while a
 * monitor dispatches without a pause. Whenever the writer stops, the monitor's
 * states must match the kernel's answers. If the monitor took an answer from
 * before a change for one from after it, the state would stay wrong for good.
 *
 *	REACH_RACE_EVENTS=100000    events in all; 40,000 if not set
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "base/base.h"
#include <reach/internal/message.h>

#include "monitor/answer.h"
#include "monitor/request.h"

#define EVENTS	    40000
#define TARGETS_MAX 160
/* The most changes in one burst. */
#define BURST 200

struct race {
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS_MAX];
	struct reach_address addresses[TARGETS_MAX];
	size_t count;
	int fd;
	uint32_t index;
	uint64_t state;
	atomic_bool running;
	int stale;
};

static uint32_t draw(struct race *race, uint32_t limit)
{
	race->state = race->state * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(race->state >> 33) % limit;
}

static int add_cable(int fd)
{
	_Alignas(8) uint8_t buffer[4096] = { 0 };
	struct nlmsghdr *nlh = request_begin(
		buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK,
		sizeof(struct ifinfomsg));
	struct nlattr *nest;

	mnl_attr_put_strz(nlh, IFLA_IFNAME, "race0");
	nest = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "veth");
	mnl_attr_nest_end(nlh, nest);
	return request_send(fd, nlh);
}

/* Makes a random change, which may fail: the object may not exist. */
static void change(struct race *race, int fd)
{
	static const char *const prefixes[2][4] = {
		{ "0.0.0.0", "198.51.0.0", "198.51.100.0", "198.51.100.1" },
		{ "::", "2001:db8::", "2001:db8:ffff::", "2001:db8:ffff::1" }
	};
	static const uint8_t lengths[2][4] = { { 0, 16, 24, 32 },
					       { 0, 32, 48, 128 } };
	static const char *const gateways[2][2] = { { "10.9.0.2", "10.9.1.2" },
						    { "2001:db8:9::2",
						      "2001:db8:9:1::2" } };
	static const char *const addresses[2][2] = { { "10.9.0.1", "10.9.1.1" },
						     { "2001:db8:9::1",
						       "2001:db8:9:1::1" } };
	const uint32_t side = draw(race, 2), n = draw(race, 2);
	const uint32_t what = draw(race, 400), which = draw(race, 4);
	const bool there = draw(race, 2);

	if (what == 0) {
		(void)request_set_link(fd, race->index, false);
		(void)request_set_link(fd, race->index, true);
	} else if (what < 14) {
		(void)request_set_address(fd, race->index, addresses[side][n],
					  side ? 64 : 24, there);
	} else {
		const struct request_route route = {
			.destination = check_address(prefixes[side][which]),
			.length = lengths[side][which],
			.gateway = gateways[side][n],
		};

		(void)request_set_route(fd, &route, there);
	}
}

static void *write_burst(void *context)
{
	struct race *race = context;
	unsigned int count = 1 + draw(race, BURST);

	/* Restores the addresses that an earlier burst may have deleted. */
	(void)request_set_address(race->fd, race->index, "10.9.0.1", 24, true);
	(void)request_set_address(race->fd, race->index, "2001:db8:9::1", 64,
				  true);
	while (count-- > 0)
		change(race, race->fd);
	atomic_store(&race->running, false);
	return NULL;
}

static void dispatch(struct race *race)
{
	if (reach_monitor_dispatch(race->monitor) < 0)
		abort();
	(void)answer_changes(race->monitor);
}

/* Waits until the kernel has made all changes that it announced: this request
 * takes the same lock. */
static void wait_for_rtnl(int fd)
{
	_Alignas(8) uint8_t buffer[4096] = { 0 };
	struct nlmsghdr *nlh =
		request_begin(buffer, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	struct ifinfomsg *body = mnl_nlmsg_get_payload(nlh);

	body->ifi_index = INT_MAX;
	(void)request_send(fd, nlh);
}

/* Whether the state matches the kernel's current answer. */
static bool is_right(const struct race *race, size_t i)
{
	const struct reach_address *address = &race->addresses[i];
	const uint8_t family = (uint8_t)address->family;
	struct reach_state state = { .size = sizeof(state) };
	struct reach_message message;
	_Alignas(8) uint8_t buffer[4096] = { 0 };
	struct nlmsghdr *nlh =
		request_begin(buffer, RTM_GETROUTE, 0, sizeof(struct rtmsg));
	struct rtmsg *body = mnl_nlmsg_get_payload(nlh);
	/* IPv6 hashes the protocol to choose among the legs of a route. */
	const uint8_t tcp = IPPROTO_TCP;
	size_t offset = 0;
	int error;

	body->rtm_family = family;
	body->rtm_dst_len = family == AF_INET ? 32 : 128;
	mnl_attr_put(nlh, RTA_DST, family == AF_INET ? 4 : 16, address->bytes);
	mnl_attr_put(nlh, RTA_IP_PROTO, sizeof(tcp), &tcp);
	error = request_send(race->fd, nlh);
	if (reach_monitor_state(race->monitor, race->ids[i], &state))
		return false;
	if (error)
		return state.flags == 0 && state.error == -error;
	if (reach_message_decode(buffer, nlh->nlmsg_len, &offset, &message) !=
	    1)
		return false;
	return state.error == 0 &&
	       state.interface_index == message.u.route.output &&
	       reach_address_equal(&state.gateway, &message.u.route.gateway) &&
	       reach_address_equal(&state.source,
				   &message.u.route.preferred_source);
}

static int count_wrong(const struct race *race)
{
	int wrong = 0;

	for (size_t i = 0; i < race->count; i++)
		wrong += !is_right(race, i);
	return wrong;
}

static void settle(struct race *race)
{
	do
		dispatch(race);
	while (check_readable(reach_monitor_fd(race->monitor)));
}

static bool run_burst(struct race *race)
{
	struct pollfd more = { .fd = reach_monitor_fd(race->monitor),
			       .events = POLLIN };
	pthread_t writer;
	int wrong;

	atomic_store(&race->running, true);
	if (pthread_create(&writer, NULL, write_burst, race))
		return false;
	while (atomic_load(&race->running))
		dispatch(race);
	pthread_join(writer, NULL);
	wait_for_rtnl(race->fd);
	settle(race);
	/* The kernel reports carriers and IPv6 addresses with a delay
	 * (linkwatch, addrconf). States that are really stale get no more
	 * events. */
	while ((wrong = count_wrong(race)) && poll(&more, 1, 2000) == 1)
		settle(race);
	race->stale += wrong;
	return true;
}

static void add_targets(struct race *race, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct reach_target target;
		char text[64];

		target = check_target(REACH_TARGET_ADDRESS, NULL);
		if (i % 2)
			snprintf(text, sizeof(text), "2001:db8:%s::%zx",
				 i % 4 == 1 ? "ffff" : "eeee", i / 4 + 1);
		else
			snprintf(text, sizeof(text), "198.51.%d.%zu",
				 i % 4 ? 100 : 7, i / 4 + 1);
		CHECK(reach_address_parse(text, &target.remote) == 0);
		race->addresses[i] = target.remote;
		CHECK(reach_monitor_add(race->monitor, &target,
					&race->ids[i]) == 0);
	}
	race->count = count;
}

static uint64_t events(const struct race *race)
{
	return answer_stats(race->monitor).events;
}

/* Runs bursts until the monitor has taken @wanted events, with @count
 * targets. */
static void run(struct race *race, size_t count, uint32_t receive_buffer,
		uint64_t wanted)
{
	struct reach_monitor_options options;

	reach_monitor_options_init(&options);
	options.receive_buffer = receive_buffer;
	race->stale = 0;
	if (!CHECK(reach_monitor_open(&race->monitor, &options) == 0))
		return;
	add_targets(race, count);
	dispatch(race);
	while (events(race) < wanted && run_burst(race))
		;
	CHECK(events(race) >= wanted);
	if (!CHECK(race->stale == 0))
		fprintf(stderr,
			"%d verdicts of %zu targets stale in %llu events\n",
			race->stale, count, (unsigned long long)events(race));
	reach_monitor_close(race->monitor);
}

static int race_in_namespace(void *context)
{
	const char *text = getenv("REACH_RACE_EVENTS");
	const uint64_t wanted = text ? strtoull(text, NULL, 10) : EVENTS;
	struct race race = { .state = wanted };

	(void)context;
	race.fd = request_open();
	if (race.fd < 0)
		return -errno;
	if (add_cable(race.fd)) {
		close(race.fd);
		return -EOPNOTSUPP;
	}
	/* Indices vary: some modules add links to each namespace (gre0). The
	 * kernel named the peer veth0. */
	race.index = if_nametoindex("race0");
	CHECK(request_set_link(race.fd, 1, true) == 0);
	CHECK(request_set_link(race.fd, if_nametoindex("veth0"), true) == 0);
	CHECK(request_set_link(race.fd, race.index, true) == 0);
	/* The engine looks up few targets differently from many. */
	run(&race, 8, 0, wanted / 2);
	run(&race, TARGETS_MAX, 0, wanted / 4);
	run(&race, 80, 4096, wanted / 4);
	close(race.fd);
	return 0;
}

void test_race(void)
{
	check_in_netns("a race with the kernel", race_in_namespace, NULL);
}
