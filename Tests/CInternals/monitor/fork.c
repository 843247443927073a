/* SPDX-License-Identifier: MIT */
/* In a child of fork(), the parent's monitor can't be used: its functions
 * return -ECHILD. */
#include <errno.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"
#include "names/script.h"

struct scene {
	struct reach_monitor *monitor;
	struct script script;
	/* The targets: the address 10.9.0.1, which lo gets later, and the name
	 * "hang". */
	uint64_t ids[2];
	/* The number of open descriptors before the monitor was opened. */
	int descriptors;
};

static void add_targets(struct scene *scene)
{
	scene->ids[0] =
		answer_watch(scene->monitor, REACH_TARGET_ADDRESS, "10.9.0.1");
	scene->ids[1] = answer_watch_name(scene->monitor, "hang");
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
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);
	uint64_t id = 77;
	int wrong = 0;

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

	scene.monitor = answer_open(script_resolve, &scene.script);
	add_targets(&scene);
	if (reach_monitor_dispatch(scene.monitor) < 0)
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
	scene->descriptors = check_descriptors();
	scene->monitor = answer_open(script_resolve, &scene->script);
	add_targets(scene);
	if (!marked)
		reach_fork_unmark(&scene->monitor->fork);
	CHECK(reach_monitor_dispatch(scene->monitor) >= 0);
	CHECK(script_await(scene->script.hanging[0], 1));
	CHECK(answer_ip("addr add 10.9.0.1/32 dev lo"));
	CHECK(check_in_child(use, scene) == 0);
	CHECK(await_reachable(scene, 1));
	CHECK(answer_ip("addr del 10.9.0.1/32 dev lo"));
	CHECK(check_in_child(open_own, scene) == 0);
	CHECK(answer_ip("addr add 10.0.0.77/32 dev lo"));
	script_let_go(scene->script.gate[1], 2);
	CHECK(await_reachable(scene, 1));
	CHECK(answer_ip("addr del 10.0.0.77/32 dev lo"));
	reach_monitor_close(scene->monitor);
	CHECK(check_descriptors() == scene->descriptors);
}

static int try(void *context)
{
	struct scene scene = { 0 };

	(void)context;
	CHECK(answer_ip("link set lo up"));
	script_open(&scene.script);
	live_on(&scene, true);
	live_on(&scene, false);
	/* A change of the network repeats name lookups that hang. */
	script_let_go(scene.script.gate[1], 16);
	check_await_threads();
	script_close(&scene.script);
	return 0;
}

void test_fork(void)
{
	check_in_netns("a monitor in a child of fork()", try, NULL);
}
