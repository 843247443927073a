/* SPDX-License-Identifier: MIT */
/* The engine's public functions, its dumps and its clock. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

/*
 * The built-in probe set: well-known anycast resolvers and root servers, two
 * in each half of IPv4 (0.0.0.0/1, 128.0.0.0/1) and four far apart in
 * 2000::/3, all the global unicast space there is. Nothing is sent to them.
 */
static const struct reach_address built_in_probes[] = {
	/* 1.1.1.1, 8.8.8.8, 193.0.14.129 (K), 199.7.83.42 (L) */
	{ .family = AF_INET, .bytes = { 1, 1, 1, 1 } },
	{ .family = AF_INET, .bytes = { 193, 0, 14, 129 } },
	{ .family = AF_INET, .bytes = { 8, 8, 8, 8 } },
	{ .family = AF_INET, .bytes = { 199, 7, 83, 42 } },
	/* 2001:500:9f::42 (L), 2606:4700:4700::1111, 2a00:5a60::ad1:0ff,
	 * 2400:3200::1 */
	{ .family = AF_INET6,
	  .bytes = { 0x20, 0x01, 0x05, 0x00, 0x00, 0x9f, 0, 0, 0, 0, 0, 0, 0, 0,
		     0, 0x42 } },
	{ .family = AF_INET6,
	  .bytes = { 0x26, 0x06, 0x47, 0x00, 0x47, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
		     0x11, 0x11 } },
	{ .family = AF_INET6,
	  .bytes = { 0x2a, 0x00, 0x5a, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xd1,
		     0x00, 0xff } },
	{ .family = AF_INET6,
	  .bytes = { 0x24, 0x00, 0x32, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		     0x01 } },
};

#define BUILT_IN_COUNT (sizeof(built_in_probes) / sizeof(*built_in_probes))

/* Until what was given up is tried again, in nanoseconds. */
#define RETRY_DELAY INT64_C(1000000000)

int reach_engine_create_sparse(struct reach_engine **ret)
{
	struct reach_engine *engine = malloc(sizeof(*engine));

	if (!engine)
		return -ENOMEM;
	memset(engine, 0, offsetof(struct reach_engine, questions));
	if (reach_entries_init(&engine->entries)) {
		reach_entries_free(&engine->entries);
		free(engine);
		return -ENOMEM;
	}
	engine->profiles.record_size = sizeof(struct reach_profile);
	engine->profiles.key_size = sizeof(struct reach_selectors);
	engine->paths.record_size = sizeof(struct reach_path);
	engine->paths.key_size = sizeof(struct reach_path_key);
	memcpy(engine->probes, built_in_probes, sizeof(built_in_probes));
	engine->probe_count = BUILT_IN_COUNT;
	engine->sequence = 1;
	engine->needs.sparse = true;
	engine->needs.majority = true;
	engine->deadline = INT64_MAX;
	engine->retry = INT64_MAX;
	engine->doubt.look = INT64_MAX;
	*ret = engine;
	return 0;
}

int reach_engine_create(struct reach_engine **ret)
{
	struct reach_engine *engine;
	int err = reach_engine_create_sparse(&engine);

	if (err)
		return err;
	engine->needs.sparse = false;
	engine->needs.majority = false;
	engine->want_links = true;
	engine->want_addresses = true;
	*ret = engine;
	return 0;
}

void reach_engine_destroy(struct reach_engine *engine)
{
	if (!engine)
		return;
	reach_targets_free(engine);
	reach_links_free(&engine->links);
	reach_own_addresses_free(&engine->addresses);
	free(engine);
}

int reach_engine_add(struct reach_engine *engine,
		     const struct reach_target *target, uint64_t *ret)
{
	struct reach_target normal;
	uint32_t number;
	int err = reach_target_validate(target);

	if (err)
		return err;
	normal = *target;
	reach_target_normalize(&normal);
	err = reach_targets_insert(engine, &normal, &number);
	if (err)
		return err;
	reach_mark(engine, number);
	*ret = reach_targets_id(engine, number);
	return 0;
}

int reach_engine_remove(struct reach_engine *engine, uint64_t id)
{
	const uint32_t number = reach_targets_find(engine, id);

	if (number == REACH_NO_ENTRY)
		return -ENOENT;
	reach_targets_remove(engine, number);
	return 0;
}

static bool uses_probes(const struct reach_compound *compound)
{
	return compound->target.kind == REACH_TARGET_INTERNET ||
	       (compound->target.kind == REACH_TARGET_NAME &&
		compound->target.policy == REACH_NAME_OPTIMISTIC &&
		compound->resolution == REACH_RESOLUTION_PENDING);
}

static int validate_probes(const struct reach_address *probes, size_t count)
{
	size_t i;

	if (count > REACH_PROBES_MAX || (count && !probes))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (probes[i].family != AF_INET && probes[i].family != AF_INET6)
			return -EAFNOSUPPORT;
		if (probes[i].reserved)
			return -EINVAL;
	}
	return 0;
}

int reach_engine_set_probes(struct reach_engine *engine,
			    const struct reach_address *probes, size_t count)
{
	int err = validate_probes(probes, count);
	uint32_t number;
	size_t i;

	if (err)
		return err;
	if (!count) {
		probes = built_in_probes;
		count = BUILT_IN_COUNT;
	}
	for (i = 0; i < count; i++)
		engine->probes[i] = reach_address_unmap(&probes[i]);
	engine->probe_count = count;
	/* What is added on the way is parts. */
	for (number = REACH_LISTS; number < engine->entries.used; number++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);

		if (entry->kind == REACH_ENTRY_COMPOUND &&
		    uses_probes(entry->u.compound) &&
		    reach_targets_prepare(engine, number))
			err = -ENOMEM;
	}
	return err;
}

/* As if nothing were known of links, addresses, rules and routes. */
static void begin_anew(struct reach_engine *engine)
{
	engine->want_links = true;
	engine->want_addresses = true;
	engine->barrier = true;
	reach_assume_nothing(engine);
	reach_engine_refresh(engine);
}

void reach_engine_overrun(struct reach_engine *engine)
{
	engine->stats.overruns++;
	reach_doubt_announce(engine);
	begin_anew(engine);
}

void reach_engine_refresh(struct reach_engine *engine)
{
	engine->network_changes++;
	engine->returns++;
	reach_mark_all(engine);
}

int reach_engine_events(struct reach_engine *engine, const void *bytes,
			size_t size)
{
	struct reach_message message;
	size_t offset = 0;
	int ret, err = 0;

	/* To clear all of it takes as long as to decode into it. */
	message.size = sizeof(message);
	for (;;) {
		ret = reach_message_decode(bytes, size, &offset, &message);
		if (ret == 0)
			return err;
		if (ret == 1)
			ret = reach_event(engine, &message);
		if (ret == 0)
			continue;
		if (ret == -ENOMEM)
			err = ret;
		else
			engine->stats.malformed++;
		/* Whatever it said is lost. */
		reach_engine_overrun(engine);
		if (ret == -EINVAL)
			return ret;
	}
}

void reach_engine_clock(struct reach_engine *engine, int64_t now)
{
	engine->now = now;
	if (now >= engine->retry) {
		engine->retry = INT64_MAX;
		begin_anew(engine);
	}
	reach_doubt_look(engine);
	reach_mark_expired(engine);
}

void reach_engine_retry_later(struct reach_engine *engine)
{
	engine->retry = reach_after(engine->now, RETRY_DELAY);
}

int64_t reach_engine_deadline(const struct reach_engine *engine)
{
	int64_t deadline = engine->deadline;

	if (engine->retry < deadline)
		deadline = engine->retry;
	if (engine->doubt.look < deadline)
		deadline = engine->doubt.look;
	return deadline;
}

int reach_engine_requests(struct reach_engine *engine, void *buffer,
			  size_t size, size_t *written)
{
	if (size < REACH_REQUESTS_SIZE)
		return -EINVAL;
	*written = reach_questions_write(engine, buffer, size);
	return 0;
}

int reach_engine_answers(struct reach_engine *engine, const void *bytes,
			 size_t size)
{
	struct reach_message message;
	size_t offset = 0;
	int ret, err = 0;

	message.size = sizeof(message);
	for (;;) {
		ret = reach_message_decode(bytes, size, &offset, &message);
		if (ret == 0)
			return err;
		if (ret == -EINVAL)
			return ret;
		if (ret < 0)
			engine->stats.malformed++;
		else if (reach_questions_answer(engine, &message))
			err = -ENOMEM;
	}
}

size_t reach_engine_pending(const struct reach_engine *engine)
{
	return engine->outstanding;
}

void reach_engine_answers_lost(struct reach_engine *engine)
{
	reach_questions_lost(engine);
}

int reach_engine_stats(const struct reach_engine *engine,
		       struct reach_stats *ret)
{
	const size_t size = ret->size;

	if (size < sizeof(*ret))
		return -EINVAL;
	*ret = engine->stats;
	ret->size = size;
	return 0;
}

uint64_t reach_engine_network_changes(const struct reach_engine *engine)
{
	return engine->network_changes;
}

uint64_t reach_engine_returns(const struct reach_engine *engine)
{
	return engine->returns;
}

void reach_engine_wind_up(struct reach_engine *engine, bool winding_up)
{
	engine->winding_up = winding_up;
}

void reach_engine_barrier(struct reach_engine *engine)
{
	reach_doubt_announce(engine);
}

struct reach_stats *reach_engine_counters(struct reach_engine *engine)
{
	return &engine->stats;
}

const struct reach_link *reach_engine_link(const struct reach_engine *engine,
					   uint32_t index)
{
	return reach_links_find(&engine->links, index);
}

const char *reach_engine_name(const struct reach_engine *engine, uint64_t id)
{
	const uint32_t number = reach_targets_find(engine, id);
	const struct reach_entry *entry;

	if (number == REACH_NO_ENTRY)
		return NULL;
	entry = reach_entry_at(&engine->entries, number);
	return entry->kind == REACH_ENTRY_COMPOUND
		       ? entry->u.compound->target.name
		       : NULL;
}
