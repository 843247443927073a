/* SPDX-License-Identifier: MIT */
/*
 * The oracle. Whatever happened to an engine before, once it has all of a
 * kernel's answers, its states must equal those of a new engine.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "world.h"

/* The most batches of requests before an engine must be at rest. */
#define ROUNDS_MAX 64

void world_set_evidence(struct reach_engine *engine, uint32_t index,
			uint8_t what)
{
	static const char *const types[] = { "wlan", "wwan", "", "bridge" };

	PROMISE(reach_engine_set_evidence(engine, index,
					  what & 8 ? NULL : types[what & 3], "",
					  what >> 2 & 1) == 0);
}

/* Supplies a source for every other destination, and an error for the rest. */
static void set_source(struct reach_engine *engine,
		       const struct reach_source_request *request)
{
	const bool is_inet = request->destination.family == AF_INET;
	const struct reach_address source = {
		.family = request->destination.family,
		.bytes = { 0xfd, [15] = is_inet ? 0 : 2 },
	};
	bool has_source = request->destination.bytes[is_inet ? 3 : 15] & 1;

	reach_engine_set_source(engine, has_source ? &source : NULL,
				has_source ? 0 : -ENETUNREACH);
}

/* Supplies evidence and sources, which the engine needs before its next
 * requests. */
static void serve(const struct world *world, struct reach_engine *engine)
{
	struct reach_source_request request;
	uint32_t index;

	while ((index = reach_engine_wants_evidence(engine)) != 0)
		world_set_evidence(engine, index,
				   index < EVIDENCE_MAX ? world->evidence[index]
							: 0);
	while (reach_engine_wants_source(engine, &request) == 1)
		set_source(engine, &request);
}

void world_rest(struct world *world, struct reach_engine *engine)
{
	const uint8_t calm = 0x1f;
	int rounds = 0;

	for (;;) {
		serve(world, engine);
		kernel_ask(engine, &world->requests);
		if (world->requests.size == 0)
			return;
		PROMISE(++rounds < ROUNDS_MAX);
		kernel_answer(engine, &world->requests, calm);
	}
}

static uint64_t add_target(struct reach_engine *engine,
			   const struct watched *target)
{
	uint64_t id = 0;

	PROMISE(reach_engine_add(engine, &target->target, &id) == 0);
	if (target->is_resolved)
		PROMISE(reach_engine_resolved(engine, id, target->addresses,
					      target->address_count) == 0);
	if (target->failure < 0)
		PROMISE(reach_engine_resolution_failed(engine, id,
						       target->failure) == 0);
	return id;
}

static void compare_states(const struct world *world,
			   const struct reach_engine *fresh,
			   const uint64_t *ids)
{
	for (size_t i = 0; i < world->count; i++) {
		struct reach_state state = { .size = sizeof(state) };
		struct reach_state other = { .size = sizeof(other) };

		PROMISE(reach_engine_state(world->engine, world->targets[i].id,
					   &state) == 0);
		PROMISE(reach_engine_state(fresh, ids[i], &other) == 0);
		PROMISE(memcmp(&state, &other, sizeof(state)) == 0);
	}
}

static void compare_interfaces(const struct reach_engine *engine,
			       const struct reach_engine *fresh)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	struct reach_interface other = interface;
	uint32_t last = 0;
	int result;

	do {
		result = reach_engine_interface(engine, last, &interface);
		PROMISE(reach_engine_interface(fresh, last, &other) == result);
		PROMISE(memcmp(&interface, &other, sizeof(interface)) == 0);
		last = interface.index;
	} while (result == 1);
}

void world_compare_with_fresh(struct world *world)
{
	struct reach_engine *fresh;
	uint64_t ids[TARGETS_MAX];

	PROMISE(reach_engine_create(&fresh) == 0);
	reach_engine_clock(fresh, world->now);
	PROMISE(reach_engine_set_probes(fresh, world->probes,
					world->probe_count) == 0);
	PROMISE(reach_engine_set_facts(fresh, world->facts,
				       world->fact_count) == 0);
	for (size_t i = 0; i < world->count; i++)
		ids[i] = add_target(fresh, &world->targets[i]);
	world_rest(world, fresh);
	(void)reach_engine_publish(fresh);
	compare_states(world, fresh, ids);
	compare_interfaces(world->engine, fresh);
	reach_engine_destroy(fresh);
}
