/* SPDX-License-Identifier: MIT */
/* Under qemu-user, send() refuses messages of some types, and all that are sent
 * with them (target_to_host_data_route_nlmsg(), linux-user/fd-trans.c). The
 * verdicts are the same. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

static _Thread_local unsigned int refusals;

static bool is_unknown(const void *bytes, size_t size)
{
	const struct nlmsghdr *nlh = bytes;

	while (size >= sizeof(*nlh)) {
		const size_t step = NLMSG_ALIGN(nlh->nlmsg_len);

		if (nlh->nlmsg_type != RTM_GETLINK &&
		    nlh->nlmsg_type != RTM_GETADDR &&
		    nlh->nlmsg_type != RTM_GETROUTE) {
			refusals++;
			return true;
		}
		size -= step < size ? step : size;
		nlh = (const void *)((const uint8_t *)nlh + step);
	}
	return false;
}

static struct reach_state once(struct check *check, const char *text)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = text;
	CHECK(check, !reach_check(&target, NULL, 0, &state));
	return state;
}

/* Dispatches until target @id has @reason. */
static bool await(struct reach_monitor *monitor, uint64_t id,
		  enum reach_reason reason)
{
	struct reach_state state = { .size = sizeof(state) };

	do {
		if (!check_wait(reach_monitor_fd(monitor)) ||
		    reach_monitor_dispatch(monitor) < 0)
			return false;
	} while (reach_monitor_state(monitor, id, &state) ||
		 state.reason != reason);
	return true;
}

static int try(void *context)
{
	static const struct topology cable = {
		"cable", { "link set lo up", CABLE, DEFAULTS }
	};
	static const char *const targets[] = { "192.0.2.1", "2001:db8:f::1" };
	struct check *check = context;
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t ids[2];

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&cable))
		return -EOPNOTSUPP;
	CHECK(check, once(check, "192.0.2.1").flags == REACH_FLAG_REACHABLE);
	CHECK(check,
	      once(check, "10.9.0.1").flags & REACH_FLAG_IS_LOCAL_ADDRESS);
	CHECK(check, !reach_monitor_open(&monitor, NULL));
	for (int i = 0; i < 2; i++) {
		reach_target_init(&target, REACH_TARGET_NAME);
		target.name = targets[i];
		CHECK(check, !reach_monitor_add(monitor, &target, &ids[i]));
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++)
			CHECK(check, await(monitor, ids[i], REACH_REASON_NONE));
		CHECK(check, answer_ip("link set e0 down"));
		for (int i = 0; i < 2; i++)
			CHECK(check,
			      await(monitor, ids[i], REACH_REASON_NO_ROUTE));
		CHECK(check, answer_ip("link set e0 up"));
		CHECK(check,
		      answer_ip(
			      "-6 addr replace 2001:db8:9::1/64 dev e0 nodad"));
		CHECK(check, answer_ip("route replace default via 10.9.0.2"));
		CHECK(check,
		      answer_ip("-6 route replace default via 2001:db8:9::2"));
	}
	reach_monitor_close(monitor);
	return 0;
}

/* The test is qemu-user here. */
static int try_refused(void *context)
{
	struct check *check = context;
	int err;

	answer_refuses = is_unknown;
	err = try(context);
	CHECK(check, err || refusals > 0);
	return err;
}

/* `.ci/steps/cross` runs the second one under qemu-user. */
void test_qemu_user(struct check *check)
{
	const int err = check_on_thread(try_refused, check);

	if (err < 0 || check_on_thread(try, check))
		check_skip(check, "requests that qemu-user refuses", err);
}
