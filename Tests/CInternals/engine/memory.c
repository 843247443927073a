/* SPDX-License-Identifier: MIT */
/*
 * An engine in which any one allocation fails, or several in a row. Every call
 * reports the failure, and no event is lost. Once there is memory again, the
 * states equal those of an engine that never lacked it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/memory.h"

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
	struct bytes bytes;
	/* Of the route to 198.51.0.0/16; 0 for none. */
	uint8_t type;
	/* Only adds the targets: no events, no removals. */
	bool short_one;
	uint64_t ids[TARGETS];
	struct reach_state states[TARGETS];
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct scene *scene = bytes->context;
	const uint8_t *destination = bytes_attribute(request, RTA_DST);
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	if (*destination == 10 && !bytes->bare) {
		body->rtm_dst_len = 32;
		body->rtm_type = RTN_LOCAL;
		mnl_attr_put_u32(ret, RTA_OIF, 1);
		bytes_put_source(ret);
		return 0;
	}
	if (*destination != 198 || !scene->type)
		return ENETUNREACH;
	if (scene->type == RTN_PROHIBIT)
		return EACCES;
	if (bytes_wants_match(request))
		body->rtm_dst_len = 16;
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	if (!bytes->bare)
		bytes_put_source(ret);
	return 0;
}

/* Adds the route to 198.51.0.0/16, or deletes it. */
static void set_route(struct scene *scene, uint8_t type)
{
	scene->type = type;
	bytes_tell_prefix(&scene->bytes, type ? RTM_NEWROUTE : RTM_DELROUTE,
			  "198.51.0.0", 16);
}

static void set_addresses(struct scene *scene, bool there)
{
	scene->bytes.bare = !there;
	bytes_tell_address(&scene->bytes, there ? RTM_NEWADDR : RTM_DELADDR,
			   "10.0.0.2");
	bytes_tell_address(&scene->bytes, there ? RTM_NEWADDR : RTM_DELADDR,
			   "fd00::2");
}

static struct reach_target target_at(size_t i)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);

	target.remote = (struct reach_address){
		.family = AF_INET,
		.bytes = { 198, 51, (uint8_t)(i % 8), (uint8_t)(i % 8) },
	};
	if (i % 8 == 7)
		target.remote = check_address("10.0.0.2");
	switch (i) {
	case 0:
		target = check_target(REACH_TARGET_INTERNET, NULL);
		break;
	case 1:
		target = check_target(REACH_TARGET_NAME, "name.test");
		break;
	case 2:
		target.kind = REACH_TARGET_ADDRESS_PAIR;
		target.local = check_address("10.0.0.2");
		break;
	case 3:
		memcpy(target.interface_name, "none0", 6);
		break;
	case 4:
		memcpy(target.interface_name, "eth0", 5);
		break;
	default:
		if (i % 3 == 0)
			target.remote = check_address("fd00::9");
		target.mark = (uint32_t)(i % 5);
		break;
	}
	return target;
}

static void add(struct scene *scene, size_t i)
{
	const struct reach_target target = target_at(i);

	PERSIST(reach_engine_add(scene->bytes.engine, &target, &scene->ids[i]));
}

static void resolve(struct scene *scene)
{
	const struct reach_address addresses[] = {
		check_address("10.0.0.2"),
		check_address("198.51.1.1"),
		check_address("::1"),
	};

	PERSIST(reach_engine_resolved(scene->bytes.engine, scene->ids[1],
				      addresses, 3));
}

static void set_probes(struct scene *scene)
{
	const struct reach_address probes[] = {
		check_address("198.51.1.1"),
		check_address("2001::1"),
	};

	PERSIST(reach_engine_set_probes(scene->bytes.engine, probes, 2));
}

static void change(struct scene *scene)
{
	struct bytes *bytes = &scene->bytes;

	set_route(scene, RTN_UNICAST);
	bytes_answer(bytes);
	set_addresses(scene, false);
	bytes_answer(bytes);
	set_route(scene, 0);
	set_route(scene, RTN_PROHIBIT);
	bytes_answer(bytes);
	set_addresses(scene, true);
	reach_engine_overrun(bytes->engine);
	bytes_answer(bytes);
	set_route(scene, 0);
	bytes_answer(bytes);
	set_addresses(scene, false);
	set_route(scene, RTN_UNICAST);
	bytes_answer(bytes);
	set_addresses(scene, true);
	bytes_answer(bytes);
}

/* The whole scenario, but for the final states, which finish() reads. */
static void act(struct scene *scene)
{
	struct bytes *bytes = &scene->bytes;
	size_t i;

	*bytes = (struct bytes){ .look_up = look_up,
				 .context = scene,
				 .scarce = true };
	scene->type = 0;
	PERSIST(reach_engine_create(&bytes->engine));
	reach_engine_clock(bytes->engine, BYTES_SECOND);
	for (i = 0; i < TARGETS; i++)
		add(scene, i);
	bytes_answer(bytes);
	if (scene->short_one)
		return;
	resolve(scene);
	set_probes(scene);
	change(scene);
	for (i = 2; i < TARGETS; i++) {
		CHECK(reach_engine_remove(bytes->engine, scene->ids[i]) == 0);
		add(scene, i);
	}
	bytes_answer(bytes);
}

static void finish(struct scene *scene)
{
	struct bytes *bytes = &scene->bytes;
	int64_t deadline;

	bytes_answer(bytes);
	/* Runs all timers, so that the engine retries whatever it gave up. */
	while ((deadline = reach_engine_deadline(bytes->engine)) != INT64_MAX) {
		reach_engine_clock(bytes->engine, deadline);
		bytes_answer(bytes);
	}
	CHECK(bytes_settle(bytes) == TARGETS);
	for (size_t i = 0; i < TARGETS; i++)
		scene->states[i] = bytes_state(bytes, scene->ids[i]);
	bytes_close(bytes);
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

static void compare(bool short_one)
{
	static struct scene plenty, scene;

	plenty.short_one = scene.short_one = short_one;
	act(&plenty);
	finish(&plenty);
	run_dry(&scene, &plenty, 1);
	run_dry(&scene, &plenty, 9);
}

void test_memory(void)
{
	compare(true);
	compare(false);
}
