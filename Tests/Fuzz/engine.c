/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a script. One byte chooses an operation on an engine, and
 * the bytes after it are its arguments. At the end, a kernel that answers every
 * request must bring the engine to rest. Each remaining target must then have
 * the same state as in a fresh engine (fresh.c).
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "world.h"

static struct watched *find(struct world *world, uint64_t id)
{
	for (size_t i = 0; i < world->count; i++)
		if (world->targets[i].id == id)
			return &world->targets[i];
	return NULL;
}

static void add(struct world *world)
{
	static const char *const names[] = { "example.org", "192.0.2.1", "::1",
					     "bad name",    "",		 "h" };
	struct script *script = &world->script;
	uint8_t how = script_byte(script);
	struct reach_target target;
	uint64_t id = 0;
	int valid;
	int added;

	reach_target_init(&target, (enum reach_target_kind)(how % 6));
	target.policy = how >> 3 & 1;
	if (how & 0x10)
		target.interface_index = script_byte(script);
	if (how & 0x20)
		target.mark = script_byte(script);
	if (how & 0x40)
		memcpy(target.interface_name, "eth0", 5);
	if (target.kind == REACH_TARGET_NAME) {
		target.name = names[script_byte(script) % 6];
		target.remote.family = how & 0x80 ? AF_INET6 : 0;
	} else {
		target.remote = script_address(script);
	}
	if (target.kind == REACH_TARGET_ADDRESS_PAIR)
		target.local = script_address(script);
	if (world->count == TARGETS_MAX)
		return;
	valid = reach_target_validate(&target);
	added = reach_engine_add(world->engine, &target, &id);
	PROMISE(valid == added);
	if (added < 0) {
		PROMISE(id == 0);
		return;
	}
	PROMISE(id != 0);
	for (size_t i = 0; i < world->id_count; i++)
		PROMISE(id != world->ids[i]);
	world->ids[world->id_count++] = id;
	world->targets[world->count++] =
		(struct watched){ .id = id, .target = target };
}

static void check_state(const struct reach_state *state)
{
	PROMISE((state->flags & ~REACH_FLAGS_ALL) == 0);
	PROMISE(state->status ==
		(int32_t)reach_status_from_flags(state->flags));
	PROMISE(state->address_count <= REACH_ADDRESSES_MAX);
	PROMISE(memchr(state->interface_name, 0,
		       sizeof(state->interface_name)) != NULL);
	PROMISE(state->resolution <= REACH_RESOLUTION_OUTDATED);
	PROMISE(reach_reason_name(state->reason) != NULL);
	PROMISE(!(state->flags & REACH_FLAG_REACHABLE) ||
		state->reason == REACH_REASON_NONE ||
		state->reason == REACH_REASON_DORMANT ||
		state->reason == REACH_REASON_RESOLVING ||
		(state->flags & REACH_FLAG_CONNECTION_REQUIRED &&
		 (state->reason == REACH_REASON_NOT_CONNECTED ||
		  state->reason == REACH_REASON_LOCKED_SIM)));
}

static void remove_target(struct world *world)
{
	size_t position = script_byte(&world->script);
	struct reach_state state = { .size = sizeof(state) };
	uint64_t id;

	if (world->count == 0)
		return;
	position %= world->count;
	id = world->targets[position].id;
	PROMISE(reach_engine_remove(world->engine, id) == 0);
	PROMISE(reach_engine_remove(world->engine, id) == -ENOENT);
	PROMISE(reach_engine_state(world->engine, id, &state) == -ENOENT);
	PROMISE(reach_engine_resolved(world->engine, id, NULL, 0) == -ENOENT);
	world->targets[position] = world->targets[--world->count];
}

/* Drops the requests once the engine has all answers. */
static void forget_answered(struct world *world)
{
	if (reach_engine_pending(world->engine) > 0)
		return;
	world->requests.size = 0;
	world->requests.count = 0;
}

static void events(struct world *world)
{
	size_t size;
	uint8_t *bytes = script_datagram(&world->script, &size);

	PROMISE(reach_engine_events(world->engine, bytes, size) == 0);
	free(bytes);
}

static void take_answers(struct world *world, bool patched)
{
	size_t size;
	uint8_t *bytes = script_datagram(&world->script, &size);

	if (patched)
		kernel_patch(&world->requests, bytes, size);
	PROMISE(reach_engine_answers(world->engine, bytes, size) == 0);
	free(bytes);
	forget_answered(world);
}

static void answers(struct world *world)
{
	take_answers(world, false);
}

static void patched_answers(struct world *world)
{
	take_answers(world, true);
}

static void kernel_answers(struct world *world)
{
	kernel_answer(world->engine, &world->requests,
		      script_byte(&world->script));
}

static void answers_lost(struct world *world)
{
	reach_engine_answers_lost(world->engine);
	PROMISE(reach_engine_pending(world->engine) == 0);
	forget_answered(world);
}

static void overrun(struct world *world)
{
	reach_engine_overrun(world->engine);
}

static void refresh(struct world *world)
{
	reach_engine_refresh(world->engine);
}

static void resolved(struct world *world)
{
	struct reach_address addresses[REACH_ADDRESSES_MAX + 2];
	uint8_t what = script_byte(&world->script);
	size_t count = what % (REACH_ADDRESSES_MAX + 2);
	struct watched *target;
	int result;

	for (size_t i = 0; i < count; i++)
		addresses[i] = script_address(&world->script);
	if (world->count == 0)
		return;
	target = &world->targets[(what >> 4) % world->count];
	result = reach_engine_resolved(world->engine, target->id, addresses,
				       count);
	PROMISE(result == 0 || result == -EINVAL || result == -EAFNOSUPPORT);
	if (result < 0)
		return;
	target->is_resolved = true;
	target->failure = 0;
	target->address_count = count;
	memcpy(target->addresses, addresses, count * sizeof(addresses[0]));
}

/* Only errors whose reason doesn't depend on the current state. */
static void resolution_failed(struct world *world)
{
	static const int errors[] = { -ENOENT, -ENODATA, -ENETUNREACH };
	uint8_t what = script_byte(&world->script);
	int error = errors[what % 3];
	struct watched *target;

	if (world->count == 0)
		return;
	target = &world->targets[(what >> 2) % world->count];
	if (reach_engine_resolution_failed(world->engine, target->id, error) <
	    0)
		return;
	target->failure = error;
	if (error != -ENETUNREACH)
		target->is_resolved = false;
}

static void evidence(struct world *world)
{
	uint8_t what = script_byte(&world->script);
	uint32_t index = reach_engine_wants_evidence(world->engine);

	if (index == 0)
		return;
	if (index < EVIDENCE_MAX)
		world->evidence[index] = what;
	world_set_evidence(world->engine, index, what);
}

/* Answers a request for a source address with any address, unlike
 * world_rest(). */
static void source(struct world *world)
{
	struct reach_source_request request;
	const struct reach_address found = script_address(&world->script);
	bool fits;

	if (reach_engine_pending(world->engine) > 0 ||
	    reach_engine_wants_source(world->engine, &request) == 0)
		return;
	fits = found.family == request.destination.family;
	reach_engine_set_source(world->engine, fits ? &found : NULL,
				fits ? 0 : -EIO);
}

/* Modems, metered interfaces, and both; some of no interface that exists. */
static void facts(struct world *world)
{
	static const char *const names[] = { "", "lo", "eth0", "wwan0",
					     "tun0" };
	struct reach_interface_facts list[FACTS_MAX] = { 0 };
	size_t count = script_byte(&world->script) % (FACTS_MAX + 1);
	int result;

	for (size_t i = 0; i < count; i++) {
		uint8_t what = script_byte(&world->script);

		list[i].size = sizeof(list[i]);
		list[i].metered = what >> 3 & 3;
		list[i].modem = script_byte(&world->script) % 0x11;
		strcpy(list[i].interface_name, names[what % 5]);
	}
	result = reach_engine_set_facts(world->engine, list, count);
	PROMISE(result == 0 || result == -EINVAL);
	if (result < 0)
		return;
	world->fact_count = count;
	memcpy(world->facts, list, count * sizeof(list[0]));
}

static bool same_addresses(const struct reach_state *a,
			   const struct reach_state *b)
{
	return a->address_count == b->address_count &&
	       memcmp(a->addresses, b->addresses,
		      a->address_count * sizeof(a->addresses[0])) == 0;
}

/* Takes one change. Returns whether there was one. */
static bool next(struct world *world)
{
	struct reach_change change = { .size = sizeof(change) };
	struct watched *target;
	int result = reach_engine_next(world->engine, &change);

	PROMISE(result == 0 || result == 1);
	if (result == 0)
		return false;
	target = find(world, change.id);
	PROMISE(target != NULL);
	check_state(&change.state);
	PROMISE(!target->reported || target->last.flags != change.state.flags ||
		target->last.interface_index != change.state.interface_index ||
		target->last.resolution != change.state.resolution ||
		!same_addresses(&target->last, &change.state));
	target->reported = true;
	target->last = change.state;
	return true;
}

static void requests(struct world *world)
{
	kernel_ask(world->engine, &world->requests);
}

static void move_clock(struct world *world)
{
	/* By up to 2.3 hours. */
	world->now += (int64_t)(script_word(&world->script) >> 9) * 1000000;
	reach_engine_clock(world->engine, world->now);
	PROMISE(reach_engine_deadline(world->engine) > world->now);
}

static void probes(struct world *world)
{
	struct reach_address addresses[REACH_PROBES_MAX + 1];
	size_t count = script_byte(&world->script) % (REACH_PROBES_MAX + 2);
	int result;

	for (size_t i = 0; i < count; i++)
		addresses[i] = script_address(&world->script);
	result = reach_engine_set_probes(world->engine, addresses, count);
	PROMISE(result == 0 || result == -EINVAL || result == -EAFNOSUPPORT);
	PROMISE(count <= REACH_PROBES_MAX || result == -EINVAL);
	if (result < 0)
		return;
	world->probe_count = count;
	memcpy(world->probes, addresses, count * sizeof(addresses[0]));
}

static void interfaces(struct world *world)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	uint32_t last = 0;

	while (reach_engine_interface(world->engine, last, &interface) == 1) {
		PROMISE(interface.index > last);
		PROMISE(memchr(interface.name, 0, sizeof(interface.name)));
		PROMISE(memchr(interface.kind, 0, sizeof(interface.kind)));
		PROMISE(interface.interface_class <= REACH_INTERFACE_VIRTUAL);
		last = interface.index;
	}
}

static void publish(struct world *world)
{
	int queued = reach_engine_publish(world->engine);

	PROMISE(queued == 0 || queued == 1);
	for (size_t i = 0; i < world->count; i++) {
		struct reach_state state = { .size = sizeof(state) };
		int result = reach_engine_state(world->engine,
						world->targets[i].id, &state);

		PROMISE(result == 0 || result == -EAGAIN);
		if (result == 0)
			check_state(&state);
	}
}

static void take(struct world *world)
{
	next(world);
}

/* The corpus depends on their order and number: add to `more_operations`. */
static void (*const operations[])(struct world *world) = {
	add,	    remove_target,   events,
	answers,    patched_answers, kernel_answers,
	move_clock, overrun,	     answers_lost,
	resolved,   evidence,	     publish,
	take,	    requests,	     refresh,
	probes,	    interfaces,
};

/* Operations newer than the corpus follow a byte of this value. */
#define MORE 0xff
static void (*const more_operations[])(struct world *world) = {
	resolution_failed,
	source,
	facts,
};

static void step(struct world *world)
{
	uint8_t what = script_byte(&world->script);

	if (what == MORE)
		more_operations[script_byte(&world->script) %
				(sizeof(more_operations) /
				 sizeof(more_operations[0]))](world);
	else
		operations[what % (sizeof(operations) / sizeof(operations[0]))](
			world);
}

/* At the end, every target has a state, without an overrun that marks all, and
 * has been reported. An overrun after which the kernel gives the same answers
 * causes no change. */
static void settle(struct world *world)
{
	reach_engine_answers_lost(world->engine);
	world_rest(world, world->engine);
	for (size_t i = 0; i < world->count; i++) {
		struct reach_state state = { .size = sizeof(state) };

		PROMISE(reach_engine_state(world->engine, world->targets[i].id,
					   &state) == 0);
	}
	reach_engine_overrun(world->engine);
	world_rest(world, world->engine);
	publish(world);
	while (next(world))
		;
	for (size_t i = 0; i < world->count; i++) {
		struct reach_state state = { .size = sizeof(state) };

		PROMISE(world->targets[i].reported);
		PROMISE(reach_engine_state(world->engine, world->targets[i].id,
					   &state) == 0);
		PROMISE(state.flags == world->targets[i].last.flags);
	}
	reach_engine_overrun(world->engine);
	world_rest(world, world->engine);
	PROMISE(reach_engine_publish(world->engine) == 0);
	interfaces(world);
	world_compare_with_fresh(world);
}

void fuzz_engine(const uint8_t *bytes, size_t size)
{
	struct world *world = calloc(1, sizeof(*world));
	int steps = 0;

	if (world == NULL)
		return;
	world->script = (struct script){ bytes, size };
	PROMISE(reach_engine_create(&world->engine) == 0);
	while (world->script.size > 0 && steps++ < STEPS_MAX)
		step(world);
	settle(world);
	reach_engine_destroy(world->engine);
	free(world);
}
