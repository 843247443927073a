/* SPDX-License-Identifier: MIT */
/*
 * The public functions of an engine, except for states and changes (changes.c)
 * and resolved names (targets/resolution.c). An engine does no I/O: its caller
 * supplies events, answers, and the time, sends the engine's requests, and
 * takes changes when no answer is missing.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/verdict/verdict.h"

/*
 * The built-in probe set: well-known anycast resolvers and root servers. Two
 * are in each half of IPv4 (0.0.0.0/1, 128.0.0.0/1), four far apart in
 * 2000::/3, the whole global unicast space. Nothing is sent to them.
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

#define STATS_SIZE_1_0 REACH_SIZE_TO(struct reach_stats, interface_changes)

#define BUILT_IN_COUNT (sizeof(built_in_probes) / sizeof(*built_in_probes))

/* Creates an engine without links, addresses, and dumps. Items of the batch
 * aren't cleared, since they are set when added. */
static int create(struct reach_engine **ret)
{
	struct reach_engine *engine = malloc(sizeof(*engine));

	if (!engine)
		return -ENOMEM;
	memset(engine, 0, offsetof(struct reach_engine, batch.requests));
	engine->second_lookups.count = engine->second_lookups.handed = 0;
	if (reach_entries_init(&engine->entries) ||
	    reach_destinations_init(&engine->destinations)) {
		reach_entries_free(&engine->entries);
		reach_table_free(&engine->destinations.table);
		free(engine);
		return -ENOMEM;
	}
	engine->selectors.record_size = sizeof(struct reach_selectors);
	engine->selectors.key_size = sizeof(struct reach_selector_key);
	engine->paths.record_size = sizeof(struct reach_path);
	engine->paths.key_size = sizeof(struct reach_path_key);
	memcpy(engine->probes.addresses, built_in_probes,
	       sizeof(built_in_probes));
	engine->probes.count = BUILT_IN_COUNT;
	engine->batch.sequence = 1;
	engine->clock.deadline = INT64_MAX;
	engine->clock.retry = INT64_MAX;
	engine->clock.policy = INT64_MAX;
	engine->clock.policy_latest = INT64_MAX;
	engine->confirmation.look = INT64_MAX;
	*ret = engine;
	return 0;
}

int reach_engine_create_oneshot(struct reach_engine **ret)
{
	struct reach_oneshot *oneshot = calloc(1, sizeof(*oneshot));
	const int err = oneshot ? create(ret) : -ENOMEM;

	if (err)
		free(oneshot);
	else
		(*ret)->oneshot = oneshot;
	return err;
}

int reach_engine_create(struct reach_engine **ret)
{
	int err = create(ret);

	if (err)
		return err;
	(*ret)->known[REACH_REQUEST_LINKS] = REACH_WANTED;
	(*ret)->known[REACH_REQUEST_ADDRESSES] = REACH_WANTED;
	return 0;
}

void reach_engine_destroy(struct reach_engine *engine)
{
	if (!engine)
		return;
	reach_targets_free(engine);
	reach_links_free(&engine->links);
	free(engine->addresses.items);
	free(engine->oneshot);
	free(engine->facts.items);
	free(engine);
}

int reach_engine_add(struct reach_engine *engine,
		     const struct reach_target *target, uint64_t *ret)
{
	struct reach_target normal;
	uint32_t number;
	int err = reach_target_read(&normal, target);

	if (err)
		return err;
	reach_target_normalize(&normal);
	err = reach_targets_insert(engine, &normal, &number);
	if (err)
		return err;
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

/* Replaces the old probes in all targets. On -ENOMEM some may keep the old
 * ones. */
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
		engine->probes.addresses[i] = reach_address_unmap(&probes[i]);
	engine->probes.count = count;
	for (number = 0;
	     (number = reach_aggregate_next(&engine->entries, number));)
		if (reach_aggregate_has_probes(
			    reach_entry_at(&engine->entries, number)
				    ->aggregate) &&
		    reach_targets_set_initial_parts(engine, number))
			err = -ENOMEM;
	return err;
}

/* Dumps and looks up everything again. */
static void start_over(struct reach_engine *engine)
{
	engine->dirty.barrier = true;
	memset(engine->policy, 0, sizeof(engine->policy));
	memset(engine->known, REACH_UNKNOWN, sizeof(engine->known));
	engine->known[REACH_REQUEST_LINKS] = REACH_WANTED;
	engine->known[REACH_REQUEST_ADDRESSES] = REACH_WANTED;
	reach_engine_refresh(engine);
}

/* The barrier follows the dumps: the lost event may announce a change that the
 * kernel hasn't carried out yet. */
void reach_engine_overrun(struct reach_engine *engine)
{
	engine->stats.overruns++;
	reach_confirmation_announce(engine);
	start_over(engine);
}

void reach_engine_refresh(struct reach_engine *engine)
{
	engine->network_changes++;
	reach_mark_all(engine);
}

int reach_engine_events(struct reach_engine *engine, const void *bytes,
			size_t size)
{
	struct reach_message message;
	size_t offset = 0;
	int ret, err = 0;

	while (offset < size) {
		ret = reach_message_decode(bytes, size, &offset, &message);
		if (ret == 1)
			ret = reach_event(engine, &message);
		if (ret == 0)
			continue;
		if (ret == -ENOMEM)
			err = ret;
		else
			engine->stats.malformed++;
		/* The change announced by the message is lost. */
		reach_engine_overrun(engine);
		if (ret == -EINVAL)
			return ret;
	}
	return err;
}

void reach_engine_clock(struct reach_engine *engine, int64_t now)
{
	engine->clock.now = now;
	/* A lookup was given up a while ago: its answer may be wrong. */
	if (now >= engine->clock.retry) {
		engine->clock.retry = INT64_MAX;
		start_over(engine);
	}
	if (now >= engine->confirmation.look)
		reach_confirm_due(engine);
	if (now >= engine->clock.deadline)
		reach_mark_expired(engine);
	if (now >= engine->clock.policy)
		reach_policy_want(engine);
}

int64_t reach_engine_deadline(const struct reach_engine *engine)
{
	int64_t deadline = engine->clock.deadline;

	/* Expiring routes, lookups that were given up, unconfirmed answers, and
	 * dumps. */
	if (engine->clock.retry < deadline)
		deadline = engine->clock.retry;
	if (engine->confirmation.look < deadline)
		deadline = engine->confirmation.look;
	if (engine->clock.policy < deadline)
		deadline = engine->clock.policy;
	return deadline;
}

int reach_engine_answers(struct reach_engine *engine, const void *bytes,
			 size_t size)
{
	struct reach_message message;
	size_t offset = 0;
	int ret, err = 0;

	while (offset < size) {
		ret = reach_message_decode(bytes, size, &offset, &message);
		if (ret == -EINVAL)
			return ret;
		if (ret < 0)
			engine->stats.malformed++;
		else if (reach_lookups_answer(engine, &message))
			err = -ENOMEM;
	}
	return err;
}

size_t reach_engine_pending(const struct reach_engine *engine)
{
	return engine->batch.outstanding;
}

int reach_engine_stats(const struct reach_engine *engine,
		       struct reach_stats *ret)
{
	if (!reach_sized_is_valid(ret, STATS_SIZE_1_0))
		return -EINVAL;
	reach_sized_write(ret, &engine->stats, sizeof(engine->stats));
	return 0;
}

const struct reach_target *reach_engine_name(const struct reach_engine *engine,
					     uint64_t id)
{
	const uint32_t number = reach_targets_find(engine, id);
	const struct reach_entry *entry;

	if (number == REACH_NO_ENTRY)
		return NULL;
	entry = reach_entry_at(&engine->entries, number);
	return entry->kind == REACH_ENTRY_AGGREGATE &&
			       entry->aggregate->target.name
		       ? &entry->aggregate->target
		       : NULL;
}
