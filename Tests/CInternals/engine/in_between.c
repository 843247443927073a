/* SPDX-License-Identifier: MIT */
/* Events, removals and losses between a request and its answer. */
#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "bytes.h"

struct scene {
	/* Called before the first answer. */
	void (*happens)(struct bytes *bytes);
	uint64_t id;
	bool has_route;
	/* Barriers that preceded the first lookup. */
	unsigned int barriers;
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct scene *scene = bytes->context;
	const bool had_route = scene->has_route;
	void (*happens)(struct bytes *bytes) = scene->happens;

	if (bytes->lookups == 1)
		scene->barriers = bytes->barriers;
	scene->happens = NULL;
	if (happens)
		happens(bytes);
	if (!had_route)
		return ENETUNREACH;
	return bytes_route(bytes, request, ret);
}

static void a_target_goes(struct bytes *bytes)
{
	const struct scene *scene = bytes->context;

	(void)reach_engine_remove(bytes->engine, scene->id);
}

static void a_target_goes_and_answers_are_lost(struct bytes *bytes)
{
	a_target_goes(bytes);
	reach_engine_answers_lost(bytes->engine);
}

static void a_target_goes_and_a_route(struct bytes *bytes)
{
	a_target_goes(bytes);
	bytes_tell_route(bytes, RTM_DELROUTE, AF_INET);
}

static void answers_are_lost(struct bytes *bytes)
{
	struct scene *scene = bytes->context;

	reach_engine_answers_lost(bytes->engine);
	scene->has_route = true;
}

static void a_route_comes(struct bytes *bytes)
{
	struct scene *scene = bytes->context;

	scene->has_route = true;
	bytes_tell_route(bytes, RTM_NEWROUTE, AF_INET);
}

/* The target of a lookup is removed: its answer must reach no other target. */
static void nobody_is_asked_for(void (*happens)(struct bytes *bytes))
{
	struct scene scene = { .has_route = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &scene };
	uint64_t other;

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	scene.id = bytes_watch(&bytes, "192.0.2.1", 0);
	scene.happens = happens;
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 2);
	other = bytes_watch(&bytes, "192.0.2.2", 0);
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 4);
	CHECK(bytes_state(&bytes, other).flags & REACH_FLAG_REACHABLE);
}

/* An outdated or lost answer causes another lookup. */
static void it_is_asked_again(void (*happens)(struct bytes *bytes))
{
	struct scene scene = { .happens = happens };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &scene };
	uint64_t id = bytes_begin(&bytes, "192.0.2.1", 0);

	CHECK(bytes.lookups == 4);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
}

/* The kernel announces a removal before it carries it out. */
static void a_barrier_goes_first(uint16_t type)
{
	struct scene scene = { .has_route = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &scene };

	bytes_begin(&bytes, "192.0.2.1", 0);
	bytes.lookups = bytes.barriers = 0;
	if (type == RTM_DELROUTE || type == RTM_NEWROUTE)
		bytes_tell_route(&bytes, type, AF_INET);
	else if (type == RTM_DELADDR)
		bytes_tell_address(&bytes, type, "10.0.0.2");
	else
		bytes_tell_link(&bytes, 2, false);
	bytes_settle(&bytes);
	CHECK(bytes.lookups > 0);
	CHECK(scene.barriers == (type != RTM_NEWROUTE));
}

void test_in_between(void)
{
	nobody_is_asked_for(a_target_goes);
	nobody_is_asked_for(a_target_goes_and_answers_are_lost);
	nobody_is_asked_for(a_target_goes_and_a_route);
	it_is_asked_again(answers_are_lost);
	it_is_asked_again(a_route_comes);
	a_barrier_goes_first(RTM_DELROUTE);
	a_barrier_goes_first(RTM_DELADDR);
	a_barrier_goes_first(RTM_NEWLINK);
	a_barrier_goes_first(RTM_NEWROUTE);
}
