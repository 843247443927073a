/* SPDX-License-Identifier: MIT */
/*
 * An engine in which any one allocation fails, or several in a row. Every call
 * reports the failure, and no event is lost. Once there is memory again, the
 * states equal those of an engine that never lacked it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>
#include <string.h>

#include "check.h"
#include "engine/engine.h"
#include "engine/memory.h"
#include "monitor/request.h"
#include "system/system.h"

#define SECOND	INT64_C(1000000000)
#define TARGETS 76
/* Attempts per call: more than the allocations that fail in a row. */
#define PATIENCE 64
#define PERSIST(call)                                                          \
	do {                                                                   \
		int err = -ENOMEM;                                             \
		for (int try = 0; err == -ENOMEM && try < PATIENCE; try++)     \
			err = (call);                                          \
		CHECK(err == 0);                                               \
	} while (0)

struct scene {
	struct reach_engine *engine;
	int lookups;
	int changes;
	int events;
	int64_t now;
	/* Only adds the targets: no events, no removals. */
	bool short_one;
	uint64_t ids[TARGETS];
	struct reach_state states[TARGETS];
};

static uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
static uint32_t datagram[REACH_DATAGRAM_SIZE / sizeof(uint32_t)];

static bool is_told(int result)
{
	return result == 0 || result == -ENOMEM;
}

static void ask_kernel(struct scene *scene, size_t size)
{
	if (send(scene->lookups, requests, size, 0) < 0)
		abort();
	while (reach_engine_pending(scene->engine)) {
		const ssize_t received =
			recv(scene->lookups, datagram, sizeof(datagram), 0);

		CHECK(received > 0 &&
		      is_told(reach_engine_answers(scene->engine, datagram,
						   (size_t)received)));
	}
}

/* Takes all events, then answers requests until the engine has none. */
static void catch_up(struct scene *scene)
{
	ssize_t received;
	size_t size;

	while ((received = recv(scene->events, datagram, sizeof(datagram),
				MSG_DONTWAIT)) > 0)
		CHECK(is_told(reach_engine_events(scene->engine, datagram,
						  (size_t)received)));
	while (reach_engine_requests(scene->engine, requests, sizeof(requests),
				     &size) == 0 &&
	       size > 0)
		ask_kernel(scene, size);
}

/* Adds or deletes the route to 198.51.0.0/16. */
static void set_route(struct scene *scene, uint8_t type, bool there)
{
	const struct request_route route = {
		.destination = { .family = AF_INET, .bytes = { 198, 51 } },
		.length = 16,
		.type = type,
		/* A route of an error type has no interface. */
		.output = type == RTN_UNICAST,
	};

	(void)request_set_route(scene->changes, &route, there);
}

static void set_address(struct scene *scene, bool there)
{
	(void)request_set_address(scene->changes, 1, "198.51.7.7", 32, there);
}

static struct reach_target target_at(size_t i)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);

	target.remote = (struct reach_address){
		.family = AF_INET,
		.bytes = { 198, 51, (uint8_t)(i % 8), (uint8_t)(i % 8) },
	};
	switch (i) {
	case 0:
		target = check_target(REACH_TARGET_INTERNET, NULL);
		break;
	case 1:
		target = check_target(REACH_TARGET_NAME, "name.test");
		break;
	case 2:
		target.kind = REACH_TARGET_ADDRESS_PAIR;
		target.local = check_address("127.0.0.1");
		break;
	case 3:
		memcpy(target.interface_name, "none0", 6);
		break;
	case 4:
		memcpy(target.interface_name, "lo", 3);
		break;
	default:
		if (i % 3 == 0)
			target.remote = check_address("::1");
		target.mark = (uint32_t)(i % 5);
		break;
	}
	return target;
}

static void add(struct scene *scene, size_t i)
{
	const struct reach_target target = target_at(i);

	PERSIST(reach_engine_add(scene->engine, &target, &scene->ids[i]));
}

static void resolve(struct scene *scene)
{
	const struct reach_address addresses[] = {
		{ .family = AF_INET, .bytes = { 198, 51, 7, 7 } },
		{ .family = AF_INET, .bytes = { 198, 51, 1, 1 } },
		{ .family = AF_INET6, .bytes = { [15] = 1 } },
	};

	PERSIST(reach_engine_resolved(scene->engine, scene->ids[1], addresses,
				      3));
}

static void set_probes(struct scene *scene)
{
	const struct reach_address probes[] = {
		{ .family = AF_INET, .bytes = { 198, 51, 1, 1 } },
		{ .family = AF_INET6, .bytes = { 0x20, 1, [15] = 1 } },
	};

	PERSIST(reach_engine_set_probes(scene->engine, probes, 2));
}

static void change(struct scene *scene)
{
	set_route(scene, RTN_UNICAST, true);
	catch_up(scene);
	set_address(scene, true);
	catch_up(scene);
	set_route(scene, RTN_UNICAST, false);
	set_route(scene, RTN_PROHIBIT, true);
	catch_up(scene);
	set_address(scene, false);
	reach_engine_overrun(scene->engine);
	catch_up(scene);
	set_route(scene, RTN_PROHIBIT, false);
	catch_up(scene);
	set_address(scene, true);
	set_route(scene, RTN_UNICAST, true);
	catch_up(scene);
}

/* The whole scenario, but for the final states, which finish() reads. */
static void act(struct scene *scene)
{
	size_t i;

	PERSIST(reach_engine_create(&scene->engine));
	scene->now = SECOND;
	reach_engine_clock(scene->engine, scene->now);
	for (i = 0; i < TARGETS; i++)
		add(scene, i);
	catch_up(scene);
	if (scene->short_one)
		return;
	resolve(scene);
	set_probes(scene);
	change(scene);
	for (i = 2; i < TARGETS; i++) {
		CHECK(reach_engine_remove(scene->engine, scene->ids[i]) == 0);
		add(scene, i);
	}
	catch_up(scene);
}

/* Runs all timers, so that the engine retries whatever it gave up. */
static void come_to_rest(struct scene *scene)
{
	catch_up(scene);
	while (reach_engine_deadline(scene->engine) != INT64_MAX) {
		scene->now = reach_engine_deadline(scene->engine);
		reach_engine_clock(scene->engine, scene->now);
		catch_up(scene);
	}
}

static void finish(struct scene *scene)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t changes = 0;

	come_to_rest(scene);
	reach_engine_publish(scene->engine);
	while (reach_engine_next(scene->engine, &change) == 1)
		changes++;
	CHECK(changes == TARGETS);
	for (size_t i = 0; i < TARGETS; i++) {
		memset(&scene->states[i], 0, sizeof(scene->states[i]));
		scene->states[i].size = sizeof(scene->states[i]);
		CHECK(reach_engine_state(scene->engine, scene->ids[i],
					 &scene->states[i]) == 0);
	}
	reach_engine_destroy(scene->engine);
	/* Cleans up for the next run, whose engine must not see the events. */
	set_route(scene, RTN_UNICAST, false);
	set_address(scene, false);
	while (recv(scene->events, datagram, sizeof(datagram), MSG_DONTWAIT) >
	       0)
		;
}

static void run_dry(struct scene *scene, const struct scene *plenty,
		    unsigned int count)
{
	unsigned int first = 0;
	bool failed = true;

	while (failed) {
		memory_fail(++first, count);
		act(scene);
		failed = memory_restore();
		finish(scene);
		if (!CHECK(memcmp(scene->states, plenty->states,
				  sizeof(scene->states)) == 0)) {
			fprintf(stderr, "after allocations %u to %u failed\n",
				first, first + count - 1);
			return;
		}
	}
	CHECK(first > 10);
}

static int open_sockets(struct scene *scene)
{
	const struct sockaddr_nl groups = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV4_IFADDR,
	};

	scene->lookups = request_open();
	scene->changes = request_open();
	scene->events =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (bind(scene->events, (const void *)&groups, sizeof(groups)))
		return -errno;
	return request_set_link(scene->changes, 1, true);
}

static void compare(struct scene *scene, bool short_one)
{
	static struct scene plenty;

	scene->short_one = short_one;
	act(scene);
	finish(scene);
	plenty = *scene;
	run_dry(scene, &plenty, 1);
	run_dry(scene, &plenty, 9);
}

static int try_in_namespace(void *context)
{
	static struct scene scene;
	int err;

	(void)context;
	err = open_sockets(&scene);
	if (err)
		return err;
	compare(&scene, true);
	compare(&scene, false);
	close(scene.lookups);
	close(scene.changes);
	close(scene.events);
	return 0;
}

void test_memory(void)
{
	check_in_netns("an engine without memory", try_in_namespace, NULL);
}
