/* SPDX-License-Identifier: MIT */
/* A host whose containers start and stop, as Docker makes them: each has a
 * namespace, and a veth to a bridge. For names, that is no change of network.
 * While it was, 50 names cost 40 DNS queries per second. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/judge_host.h"

#define CONTAINERS 5

static const char *const base[] = {
	"link set lo up",
	"link add e0 type veth peer name p0",
	"link set p0 up",
	"link set e0 up",
	"addr add 10.9.0.1/24 dev e0",
	"route add default via 10.9.0.2",
	"link add docker0 address 02:42:00:00:00:01 type bridge",
	"link set docker0 addrgenmode none",
	"link set docker0 up",
	"addr add 172.17.0.1/16 dev docker0",
};

static int answer(void *context, const char *name,
		  struct reach_address *addresses, size_t capacity)
{
	(void)context;
	(void)name;
	(void)capacity;
	(void)reach_address_parse("203.0.113.80", &addresses[0]);
	return 1;
}

/* Dispatches until link @name has its carrier and an address (@comes), or
 * isn't there. */
static bool await(struct reach_monitor *monitor, const char *name, bool comes)
{
	const struct reach_engine *engine = monitor->engine;
	const struct reach_link *link;

	while (reach_monitor_dispatch(monitor) >= 0) {
		link = reach_links_find_name(&engine->links, name);
		if (comes ? link && reach_link_usable(link) &&
				    reach_own_addresses_of(&engine->addresses,
							   link->index)
			  : !link)
			return true;
		if (!check_wait(reach_monitor_fd(monitor)))
			return false;
	}
	return false;
}

/* @return the descriptor of a container's namespace, or -1. Nothing else keeps
 * the container. */
static int start(struct reach_monitor *monitor, int number)
{
	const int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	const int container = check_new_netns();
	char command[96], name[16];
	bool done;

	snprintf(name, sizeof(name), "veth%d", number);
	snprintf(command, sizeof(command),
		 "link add %s type veth peer name eth0 netns /proc/%d/fd/%d",
		 name, (int)getpid(), container);
	done = answer_ip(command);
	snprintf(command, sizeof(command), "link set %s master docker0 up",
		 name);
	done = done && answer_ip(command) && !setns(container, CLONE_NEWNET) &&
	       answer_ip("link set eth0 up");
	done = !setns(home, CLONE_NEWNET) && done && await(monitor, name, true);
	close(home);
	if (done)
		return container;
	close(container);
	return -1;
}

static bool stop(struct reach_monitor *monitor, int number, int container)
{
	char name[16];

	snprintf(name, sizeof(name), "veth%d", number);
	return !close(container) && await(monitor, name, false);
}

static void start_and_stop(struct check *check, struct reach_monitor *monitor)
{
	const uint64_t *changes = &monitor->engine->network_changes;
	uint64_t before;
	int first, other;

	/* The bridge has a carrier as long as it has a container. It gets no
	 * link-local address, whose event might come later. */
	first = start(monitor, 0);
	CHECK(check, first >= 0 && answer_await_link(monitor, "docker0"));
	before = *changes;
	for (int i = 1; i <= CONTAINERS; i++) {
		other = start(monitor, i);
		CHECK(check, other >= 0 && stop(monitor, i, other));
	}
	CHECK(check, *changes == before);
	CHECK(check, answer_ip("addr add 10.9.0.3/24 dev e0"));
	while (*changes == before && check_wait(reach_monitor_fd(monitor)))
		CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	CHECK(check, *changes == before + 1);
	CHECK(check, stop(monitor, 0, first));
}

static int watch(void *context)
{
	struct check *check = context;
	struct reach_monitor_options options;
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t id;

	if (unshare(CLONE_NEWNET))
		return -errno;
	reach_monitor_options_init(&options);
	options.resolve = answer;
	if (!CHECK(check,
		   judge_set("=ipv6/conf/default/accept_dad 0") &&
			   answer_batch(base, sizeof(base) / sizeof(*base)) &&
			   !reach_monitor_open(&monitor, &options)))
		return 0;
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "db.test";
	CHECK(check, !reach_monitor_add(monitor, &target, &id));
	start_and_stop(check, monitor);
	reach_monitor_close(monitor);
	return 0;
}

void test_containers(struct check *check)
{
	const int err = check_on_thread(watch, check);

	if (err)
		check_skip(check, "containers", err);
}
