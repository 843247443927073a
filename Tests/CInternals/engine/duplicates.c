/* SPDX-License-Identifier: MIT */
// Equal targets share one lookup, whatever happens while it is in flight.
#include <stdio.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define EQUAL 1000

struct scene {
	struct bytes bytes;
	uint64_t ids[EQUAL];
};

static void open_scene(struct scene *scene)
{
	scene->bytes = (struct bytes){ .look_up = bytes_route };
	bytes_open(&scene->bytes, BYTES_SECOND);
	/* Answers the dumps of links and addresses: only lookups follow. */
	bytes_answer(&scene->bytes);
}

static void add_names(struct scene *scene, enum reach_name_policy policy)
{
	char name[32] = "";
	struct reach_target target = check_target(REACH_TARGET_NAME, name);

	target.policy = policy;
	for (size_t i = 0; i < EQUAL; i++) {
		snprintf(name, sizeof(name), "host%zu.test", i);
		scene->ids[i] = bytes_add(&scene->bytes, &target);
	}
}

static void add_addresses(struct scene *scene, const char *address)
{
	for (size_t i = 0; i < EQUAL; i++)
		scene->ids[i] = bytes_watch(&scene->bytes, address, 0);
}

static void resolve_all(struct scene *scene, const char *text)
{
	const struct reach_address address = check_address(text);

	for (size_t i = 0; i < EQUAL; i++)
		CHECK(reach_engine_resolved(scene->bytes.engine, scene->ids[i],
					    &address, 1) == 0);
}

/* The oldest first. */
static void remove_some(struct scene *scene, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CHECK(reach_engine_remove(scene->bytes.engine, scene->ids[i]) ==
		      0);
}

/* All @count targets have a state, and each is reported once. */
static void check_told(struct scene *scene, size_t count)
{
	struct reach_state state = { .size = sizeof(state) };
	size_t known = 0;

	CHECK(bytes_settle(&scene->bytes) == count);
	for (size_t i = 0; i < EQUAL; i++)
		known += reach_engine_state(scene->bytes.engine, scene->ids[i],
					    &state) == 0;
	CHECK(known == count);
}

static void addresses(struct scene *scene, const char *address)
{
	open_scene(scene);
	add_addresses(scene, address);
	bytes_answer(&scene->bytes);
	/* One lookup of the matching route, and one of the source. */
	CHECK(scene->bytes.lookups <= 2);
	check_told(scene, EQUAL);
	scene->bytes.lookups = 0;
	reach_engine_refresh(scene->bytes.engine);
	bytes_answer(&scene->bytes);
	CHECK(scene->bytes.lookups && scene->bytes.lookups <= 2);
	bytes_close(&scene->bytes);
}

/* Adds the targets, and takes the request of their lookup. With many targets the
 * engine first dumps rules and settings. */
static void begin_lookup(struct scene *scene)
{
	open_scene(scene);
	add_addresses(scene, "127.0.0.1");
	while (bytes_ask(&scene->bytes) && !bytes_stats(&scene->bytes).lookups)
		bytes_reply(&scene->bytes);
	CHECK(reach_engine_pending(scene->bytes.engine));
}

static size_t marked(const struct scene *scene)
{
	const struct reach_aggregate *next =
		scene->bytes.engine->dirty.marked.next;
	size_t ret = 0;

	for (; next; next = next->list.next)
		ret++;
	return ret;
}

/* Names that are removed before a lookup leave the list of marked ones, and so do
 * those that were asked for. */
static void marked_names(struct scene *scene)
{
	open_scene(scene);
	add_names(scene, REACH_NAME_OPTIMISTIC);
	CHECK(marked(scene) == EQUAL);
	remove_some(scene, EQUAL / 2);
	CHECK(marked(scene) == EQUAL / 2);
	bytes_answer(&scene->bytes);
	CHECK(marked(scene) == 0);
	check_told(scene, EQUAL / 2);
	bytes_close(&scene->bytes);
}

/* The answer comes after the last user was removed. */
static void a_late_answer(struct scene *scene)
{
	begin_lookup(scene);
	remove_some(scene, EQUAL);
	bytes_reply(&scene->bytes);
	CHECK(scene->bytes.engine->destinations.count == 0);
	CHECK(scene->bytes.engine->paths.count == 0);
	bytes_close(&scene->bytes);
}

/* A route is added after the kernel has answered and before the engine reads
 * the answer. The waiting targets' last known paths don't show that the route
 * affects them, but they must be looked up again. */
static void an_event_before_the_answer(struct scene *scene)
{
	struct bytes_way ways[3] = {
		{ .gateway = "10.0.0.1" }, [2] = { .length = 16 }
	};
	size_t direct = 0;

	open_scene(scene);
	scene->bytes.look_up = bytes_way;
	scene->bytes.context = ways;
	scene->bytes.more = true;
	/* Another target has the source of the default route. */
	bytes_watch(&scene->bytes, "10.2.0.1", 0);
	add_names(scene, REACH_NAME_STRICT);
	resolve_all(scene, "10.1.0.7");
	bytes_settle(&scene->bytes);
	scene->bytes.more = false;
	bytes_tell_more(&scene->bytes, RTM_DELROUTE);
	CHECK(bytes_ask(&scene->bytes) > 0);
	bytes_tell_more(&scene->bytes, RTM_NEWROUTE);
	bytes_reply(&scene->bytes);
	scene->bytes.more = true;
	bytes_settle(&scene->bytes);
	for (size_t i = 0; i < EQUAL; i++)
		direct += (bytes_state(&scene->bytes, scene->ids[i]).flags &
			   REACH_FLAG_IS_DIRECT) != 0;
	CHECK(direct == EQUAL);
	bytes_close(&scene->bytes);
}

void test_duplicates(void)
{
	static struct scene scene;

	addresses(&scene, "192.0.2.1");
	addresses(&scene, "2001:db8::1");
	addresses(&scene, "127.0.0.1");
	marked_names(&scene);
	a_late_answer(&scene);
	an_event_before_the_answer(&scene);
}
