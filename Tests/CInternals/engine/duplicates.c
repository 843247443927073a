/* SPDX-License-Identifier: MIT */
// Equal targets share one lookup, whatever happens while it is in flight.
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "engine/state/state.h"
#include "monitor/answer.h"

#define EQUAL 1000

struct scene {
	struct check *check;
	struct reach_engine *engine;
	int fd;
	uint64_t ids[EQUAL];
};

static uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
static uint32_t answers[REACH_DATAGRAM_SIZE / sizeof(uint32_t)];

/* Takes the engine's requests into `requests`. Returns their size in bytes. */
static size_t ask(struct scene *scene)
{
	size_t size = 0;

	CHECK(scene->check,
	      reach_engine_requests(scene->engine, requests, sizeof(requests),
				    &size) == 0);
	return size;
}

static void take_answers(struct scene *scene)
{
	while (reach_engine_pending(scene->engine)) {
		const ssize_t received =
			recv(scene->fd, answers, sizeof(answers), 0);

		if (!CHECK(scene->check, received > 0))
			return;
		CHECK(scene->check,
		      reach_engine_answers(scene->engine, answers,
					   (size_t)received) == 0);
	}
}

static void answer(struct scene *scene, size_t size)
{
	CHECK(scene->check, send(scene->fd, requests, size, 0) == (int)size);
	take_answers(scene);
}

static void pump(struct scene *scene)
{
	size_t size;

	while ((size = ask(scene)))
		answer(scene, size);
}

static uint64_t lookups(const struct scene *scene)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	CHECK(scene->check, reach_engine_stats(scene->engine, &stats) == 0);
	return stats.lookups;
}

static void open_scene(struct scene *scene)
{
	CHECK(scene->check, reach_engine_create(&scene->engine) == 0);
	/* Answers the dumps of links and addresses: only lookups follow. */
	pump(scene);
}

static void add_names(struct scene *scene, enum reach_name_policy policy)
{
	struct reach_target target;
	char name[32];
	size_t i;

	reach_target_init(&target, REACH_TARGET_NAME);
	target.policy = policy;
	target.name = name;
	for (i = 0; i < EQUAL; i++) {
		snprintf(name, sizeof(name), "host%zu.test", i);
		CHECK(scene->check, reach_engine_add(scene->engine, &target,
						     &scene->ids[i]) == 0);
	}
}

static void add_addresses(struct scene *scene, const char *address)
{
	struct reach_target target;
	size_t i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	CHECK(scene->check, reach_address_parse(address, &target.remote) == 0);
	for (i = 0; i < EQUAL; i++)
		CHECK(scene->check, reach_engine_add(scene->engine, &target,
						     &scene->ids[i]) == 0);
}

/* All @count targets have a state, and each is reported once. */
static void check_told(struct scene *scene, size_t count)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_state state = { .size = sizeof(state) };
	size_t told = 0, known = 0, i;

	reach_engine_publish(scene->engine);
	while (reach_engine_next(scene->engine, &change) == 1)
		told++;
	for (i = 0; i < EQUAL; i++)
		known += reach_engine_state(scene->engine, scene->ids[i],
					    &state) == 0;
	CHECK(scene->check, told == count);
	CHECK(scene->check, known == count);
}

static void addresses(struct scene *scene, const char *address)
{
	uint64_t before;

	open_scene(scene);
	add_addresses(scene, address);
	pump(scene);
	/* One lookup of the matching route, and one of the source. */
	CHECK(scene->check, lookups(scene) <= 2);
	check_told(scene, EQUAL);
	before = lookups(scene);
	reach_engine_refresh(scene->engine);
	pump(scene);
	CHECK(scene->check, lookups(scene) - before <= 2);
	reach_engine_destroy(scene->engine);
}

/* An unresolved optimistic name has the state of the internet target. That has
 * four IPv4 and four IPv6 probes, each with a lookup of its route and one of
 * its source. */
static void names(struct scene *scene)
{
	struct reach_address resolved = { .family = AF_INET,
					  .bytes = { 127, 0, 0, 1 } };
	uint64_t before;
	size_t i;

	open_scene(scene);
	add_names(scene, REACH_NAME_OPTIMISTIC);
	pump(scene);
	CHECK(scene->check, lookups(scene) <= 4 * 2 + 4 * 2);
	check_told(scene, EQUAL);
	before = lookups(scene);
	for (i = 0; i < EQUAL; i++)
		CHECK(scene->check,
		      reach_engine_resolved(scene->engine, scene->ids[i],
					    &resolved, 1) == 0);
	pump(scene);
	CHECK(scene->check, lookups(scene) - before <= 2);
	check_told(scene, EQUAL);
	reach_engine_destroy(scene->engine);
}

/* The target whose lookup is in flight is removed, along with others that wait
 * for its answer. */
static void removals(struct scene *scene)
{
	size_t size, i;

	open_scene(scene);
	add_addresses(scene, "127.0.0.1");
	/* With many targets the engine first dumps rules and settings. */
	while ((size = ask(scene)) && !lookups(scene))
		answer(scene, size);
	CHECK(scene->check, reach_engine_pending(scene->engine));
	for (i = 0; i < EQUAL / 2; i++)
		CHECK(scene->check,
		      reach_engine_remove(scene->engine, scene->ids[i]) == 0);
	reach_engine_answers_lost(scene->engine);
	pump(scene);
	check_told(scene, EQUAL / 2);
	reach_engine_destroy(scene->engine);
}

static size_t marked(const struct scene *scene)
{
	const struct reach_aggregate *next = scene->engine->dirty.marked.next;
	size_t ret = 0;

	for (; next; next = next->list.next)
		ret++;
	return ret;
}

/* Names that are removed before a lookup, the oldest first, leave the list of
 * marked ones, and so do those that were asked for. */
static void marked_names(struct scene *scene)
{
	size_t i;

	open_scene(scene);
	add_names(scene, REACH_NAME_OPTIMISTIC);
	CHECK(scene->check, marked(scene) == EQUAL);
	for (i = 0; i < EQUAL / 2; i++)
		CHECK(scene->check,
		      reach_engine_remove(scene->engine, scene->ids[i]) == 0);
	CHECK(scene->check, marked(scene) == EQUAL / 2);
	pump(scene);
	CHECK(scene->check, marked(scene) == 0);
	check_told(scene, EQUAL / 2);
	reach_engine_destroy(scene->engine);
}

/* The answer comes after the last user was removed. */
static void a_late_answer(struct scene *scene)
{
	size_t size, i;

	open_scene(scene);
	add_addresses(scene, "127.0.0.1");
	while ((size = ask(scene)) && !lookups(scene))
		answer(scene, size);
	for (i = 0; i < EQUAL; i++)
		CHECK(scene->check,
		      reach_engine_remove(scene->engine, scene->ids[i]) == 0);
	answer(scene, size);
	CHECK(scene->check, scene->engine->destinations.count == 0);
	CHECK(scene->check, scene->engine->paths.count == 0);
	reach_engine_destroy(scene->engine);
}

/* Lookups whose answers are lost every time count as refused in the end. */
static void losses(struct scene *scene)
{
	open_scene(scene);
	add_addresses(scene, "127.0.0.1");
	while (ask(scene))
		reach_engine_answers_lost(scene->engine);
	check_told(scene, EQUAL);
	reach_engine_destroy(scene->engine);
}

static void take_events(struct scene *scene, int fd)
{
	ssize_t size;

	while ((size = recv(fd, answers, sizeof(answers), MSG_DONTWAIT)) > 0)
		CHECK(scene->check, reach_engine_events(scene->engine, answers,
							(size_t)size) == 0);
}

/* A route is added after the kernel has answered and before the engine reads
 * the answer. The waiting targets' last known paths don't show that the route
 * affects them, but they must be looked up again. */
static int an_event_before_the_answer(void *context)
{
	static const struct topology topology = {
		"twins", { CABLE, DEFAULTS, "route add 198.51.100.0/24 dev e0" }
	};
	const struct reach_address resolved = { .family = AF_INET,
						.bytes = { 198, 51, 100, 7 } };
	struct reach_state state = { .size = sizeof(state) };
	struct scene scene = { .check = context };
	struct reach_target target;
	size_t direct = 0, size, i;
	int events;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&topology))
		return -EOPNOTSUPP;
	events = reach_socket_events(1 << 20);
	scene.fd = reach_socket_lookups(false);
	CHECK(scene.check, events >= 0 && scene.fd >= 0);
	open_scene(&scene);
	/* Another target has the source of the default route. */
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("203.0.113.1", &target.remote);
	reach_engine_add(scene.engine, &target, scene.ids);
	add_names(&scene, REACH_NAME_STRICT);
	for (i = 0; i < EQUAL; i++)
		reach_engine_resolved(scene.engine, scene.ids[i], &resolved, 1);
	pump(&scene);
	CHECK(scene.check, answer_ip("route del 198.51.100.0/24"));
	take_events(&scene, events);
	size = ask(&scene);
	CHECK(scene.check,
	      size && send(scene.fd, requests, size, 0) == (int)size);
	CHECK(scene.check, answer_ip("route add 198.51.0.0/16 dev e0"));
	take_events(&scene, events);
	take_answers(&scene);
	pump(&scene);
	for (i = 0; i < EQUAL; i++)
		direct += reach_engine_state(scene.engine, scene.ids[i],
					     &state) == 0 &&
			  state.flags & REACH_FLAG_IS_DIRECT;
	CHECK(scene.check, direct == EQUAL);
	reach_engine_destroy(scene.engine);
	close(events);
	close(scene.fd);
	return 0;
}

void test_duplicates(struct check *check)
{
	struct scene scene = { .check = check };
	int err;

	scene.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	CHECK(check, scene.fd >= 0);
	addresses(&scene, "192.0.2.1");
	addresses(&scene, "2001:db8::1");
	addresses(&scene, "127.0.0.1");
	names(&scene);
	removals(&scene);
	marked_names(&scene);
	a_late_answer(&scene);
	losses(&scene);
	close(scene.fd);
	err = check_on_thread(an_event_before_the_answer, check);
	if (err)
		check_skip(check, "an event before the answer", err);
}
