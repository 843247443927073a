/* SPDX-License-Identifier: MIT */
/* In a child of fork(), the parent's monitor can't be used: its functions
 * return -ECHILD. */
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"
#include "names/script.h"

struct scene {
	struct check *check;
	struct reach_monitor *monitor;
	struct script script;
	/* The targets: the address 10.9.0.1, which lo gets later, and the name
	 * "hang". */
	uint64_t ids[2];
	/* The number of open descriptors before the monitor was opened. */
	int descriptors;
};

static bool open_monitor(struct scene *scene)
{
	struct reach_monitor_options options;

	reach_monitor_options_init(&options);
	options.resolve = script_resolve;
	options.resolve_context = &scene->script;
	return CHECK(scene->check,
		     !reach_monitor_open(&scene->monitor, &options));
}

static bool add_targets(struct scene *scene)
{
	struct reach_target target;
	int err;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.remote = (struct reach_address){ .family = AF_INET,
						.bytes = { 10, 9, 0, 1 } };
	err = reach_monitor_add(scene->monitor, &target, &scene->ids[0]);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "hang";
	target.policy = REACH_NAME_STRICT;
	return CHECK(scene->check, !err) &&
	       CHECK(scene->check, !reach_monitor_add(scene->monitor, &target,
						      &scene->ids[1]));
}

/* Dispatches until @count changes report a reachable target. */
static bool await_reachable(struct scene *scene, int count)
{
	struct reach_change change = { .size = sizeof(change) };

	while (count > 0 && check_wait(reach_monitor_fd(scene->monitor))) {
		if (reach_monitor_dispatch(scene->monitor) < 0)
			return false;
		while (reach_monitor_next(scene->monitor, &change) == 1)
			count -= (change.state.flags & REACH_FLAG_REACHABLE) !=
				 0;
	}
	return count == 0;
}

/* In the child: the number of functions that behave wrongly. */
static int use(void *context)
{
	const struct scene *scene = context;
	struct reach_monitor *monitor = scene->monitor;
	struct reach_interface interface = { .size = sizeof(interface) };
	struct reach_change change = { .size = sizeof(change) };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_stats stats = { .size = sizeof(stats) };
	struct reach_target target;
	uint64_t id = 77;
	int wrong = 0;

	reach_target_init(&target, REACH_TARGET_INTERNET);
	wrong += reach_monitor_fd(monitor) != -ECHILD;
	wrong += reach_monitor_add(monitor, &target, &id) != -ECHILD;
	wrong += reach_monitor_remove(monitor, scene->ids[0]) != -ECHILD;
	wrong += reach_monitor_dispatch(monitor) != -ECHILD;
	wrong += reach_monitor_next(monitor, &change) != -ECHILD;
	wrong += reach_monitor_state(monitor, scene->ids[0], &state) != -ECHILD;
	wrong += reach_monitor_interface(monitor, 0, &interface) != -ECHILD;
	wrong += reach_monitor_stats(monitor, &stats) != -ECHILD;
	reach_monitor_refresh(monitor);
	wrong += id != 77 || state.flags || stats.events;
	reach_monitor_close(monitor);
	reach_monitor_close(monitor);
	wrong += check_descriptors() != scene->descriptors;
	return wrong;
}

/* In the child: a monitor that the child opens reports a change. */
static int open_own(void *context)
{
	struct scene scene = *(struct scene *)context;

	scene.check = &(struct check){ 0 };
	if (!open_monitor(&scene) || !add_targets(&scene) ||
	    reach_monitor_dispatch(scene.monitor) < 0)
		return 1;
	if (!answer_ip("addr add 10.9.0.1/32 dev lo") ||
	    !await_reachable(&scene, 1))
		return 2;
	reach_monitor_close(scene.monitor);
	return answer_ip("addr del 10.9.0.1/32 dev lo") ? 0 : 3;
}

/* The parent has an unread event and a running name lookup while it forks. */
static void live_on(struct scene *scene, bool marked)
{
	struct check *check = scene->check;

	scene->descriptors = check_descriptors();
	if (!open_monitor(scene) || !add_targets(scene))
		return;
	if (!marked)
		reach_fork_unmark(&scene->monitor->fork);
	CHECK(check, reach_monitor_dispatch(scene->monitor) >= 0);
	CHECK(check, script_await(scene->script.hanging[0], 1));
	CHECK(check, answer_ip("addr add 10.9.0.1/32 dev lo"));
	CHECK(check, check_in_child(use, scene) == 0);
	CHECK(check, await_reachable(scene, 1));
	CHECK(check, answer_ip("addr del 10.9.0.1/32 dev lo"));
	CHECK(check, check_in_child(open_own, scene) == 0);
	CHECK(check, answer_ip("addr add 10.0.0.77/32 dev lo"));
	script_let_go(scene->script.gate[1], 2);
	CHECK(check, await_reachable(scene, 1));
	CHECK(check, answer_ip("addr del 10.0.0.77/32 dev lo"));
	reach_monitor_close(scene->monitor);
	CHECK(check, check_descriptors() == scene->descriptors);
}

static int try(void *context)
{
	struct scene scene = { .check = context };

	CHECK(scene.check, answer_ip("link set lo up"));
	script_open(&scene.script);
	live_on(&scene, true);
	live_on(&scene, false);
	/* A change of the network repeats name lookups that hang. */
	script_let_go(scene.script.gate[1], 16);
	while (check_resolver_threads())
		sched_yield();
	script_close(&scene.script);
	return 0;
}

void test_fork(struct check *check)
{
	check_in_netns(check, "a monitor in a child of fork()", try, check);
}
