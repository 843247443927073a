/* SPDX-License-Identifier: MIT */
/* Under qemu-user, send() refuses messages of some types, and all that are sent
 * with them (target_to_host_data_route_nlmsg(), linux-user/fd-trans.c), and
 * receiving them fails. The verdicts are the same. */
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"

static _Thread_local unsigned int refusals;

static bool is_unknown(const void *bytes, size_t size)
{
	const struct nlmsghdr *nlh = bytes;

	while (size >= sizeof(*nlh)) {
		const size_t step = NLMSG_ALIGN(nlh->nlmsg_len);

		if (nlh->nlmsg_type > RTM_GETROUTE) {
			refusals++;
			return true;
		}
		size -= step < size ? step : size;
		nlh = (const void *)((const uint8_t *)nlh + step);
	}
	return false;
}

static struct reach_state once(const char *text)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target = check_target(REACH_TARGET_NAME, text);

	CHECK(!reach_check(&target, NULL, 0, &state));
	return state;
}

static void try(void *context)
{
	static const char *const targets[] = { "192.0.2.1", "2001:db8:f::1" };
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	struct reach_state state;
	uint64_t ids[2];

	(void)context;
	CHECK(once("192.0.2.1").flags == REACH_FLAG_REACHABLE);
	CHECK(once("10.9.0.1").flags & REACH_FLAG_IS_LOCAL_ADDRESS);
	for (int i = 0; i < 2; i++)
		ids[i] = answer_watch(monitor, REACH_TARGET_NAME, targets[i]);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++)
			CHECK(answer_await_reason(monitor, ids[i],
						  REACH_REASON_NONE, &state));
		/* A message of netconf. */
		CHECK(answer_ip("=ipv4/conf/e0/forwarding 1"));
		CHECK(answer_ip("link set e0 down"));
		for (int i = 0; i < 2; i++)
			CHECK(answer_await_reason(monitor, ids[i],
						  REACH_REASON_NO_ROUTE,
						  &state));
		CHECK(answer_ip("link set e0 up"));
		CHECK(answer_ip(
			"-6 addr replace 2001:db8:9::1/64 dev e0 nodad"));
		CHECK(answer_ip("route replace default via 10.9.0.2"));
		CHECK(answer_ip("-6 route replace default via 2001:db8:9::2"));
	}
}

/* The test is qemu-user here. */
static void try_refused(void *context)
{
	answer_refuses = is_unknown;
	try(context);
	CHECK(refusals > 0);
}

/* `.ci/steps/cross` runs the second one under qemu-user. */
void test_qemu_user(void)
{
	static const struct topology cable = {
		"requests that qemu-user refuses",
		{ "link set lo up", CABLE, DEFAULTS }
	};

	answer_in(&cable, try_refused, NULL);
	answer_in(&cable, try, NULL);
}
