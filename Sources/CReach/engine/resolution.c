/* SPDX-License-Identifier: MIT */
/*
 * Results of the resolver for name targets. A temporary failure keeps earlier
 * addresses. Without a network, routes decide whether they are reachable; with
 * one, a client that resolves the name now would fail.
 */
#include "engine/engine.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/if.h>

#include "engine/verdict/verdict.h"

static bool contains(const struct reach_address *list, size_t count,
		     const struct reach_address *address)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (reach_address_equal(&list[i], address))
			return true;
	return false;
}

/* Copies the addresses that are worth a lookup. Skips duplicates, and other
 * families than @family unless that is 0. Also skips 0.0.0.0 and ::, which
 * blocking resolvers return for a blocked name. @return their number, at most
 * REACH_ADDRESSES_MAX. */
static size_t filter_addresses(const struct reach_address *addresses,
			       size_t count, uint16_t family,
			       struct reach_address *ret)
{
	size_t kept = 0, i;

	for (i = 0; i < count && kept < REACH_ADDRESSES_MAX; i++) {
		struct reach_address address;

		if (addresses[i].family != AF_INET &&
		    addresses[i].family != AF_INET6)
			continue;
		address = reach_address_unmap(&addresses[i]);
		if (family && address.family != family)
			continue;
		if (!reach_address_is_any(&address) &&
		    !contains(ret, kept, &address))
			ret[kept++] = address;
	}
	return kept;
}

/* Whether the aggregate already has these addresses, in this order. */
static bool is_same(const struct reach_engine *engine,
		    const struct reach_aggregate *aggregate,
		    const struct reach_address *list, size_t count)
{
	uint32_t i;

	/* Parts of a pending name are probes. */
	if (aggregate->resolution == REACH_RESOLUTION_PENDING ||
	    aggregate->part_count != count)
		return false;
	for (i = 0; i < count; i++) {
		const struct reach_address address = reach_destination_full(
			engine, reach_part_destination(engine, aggregate, i));

		if (!reach_address_equal(&address, &list[i]))
			return false;
	}
	return true;
}

static bool is_valid(const struct reach_address *addresses, size_t count)
{
	size_t i;

	if (count && !addresses)
		return false;
	for (i = 0; i < count; i++)
		if (addresses[i].reserved)
			return false;
	return true;
}

/* Sets @ret to the entry of name target @id. @return 0, -ENOENT, or -EINVAL if
 * the target is not a name. */
static int find_name(const struct reach_engine *engine, uint64_t id,
		     uint32_t *ret)
{
	const uint32_t number = reach_targets_find(engine, id);
	const struct reach_entry *entry;

	if (number == REACH_NO_ENTRY)
		return -ENOENT;
	entry = reach_entry_at(&engine->entries, number);
	if (entry->kind != REACH_ENTRY_AGGREGATE ||
	    entry->aggregate->target.kind != REACH_TARGET_NAME)
		return -EINVAL;
	*ret = number;
	return 0;
}

/* Applies the result of a resolution: addresses, or the reason why there are
 * none, and the positive errno of a lack of resources. Replaces parts only if
 * the result differs. @return 0 or -ENOMEM. */
static int conclude(struct reach_engine *engine, uint32_t number,
		    const struct reach_address *list, size_t count,
		    enum reach_reason failure, uint32_t error)
{
	struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;
	int err;

	if (!is_same(engine, aggregate, list, count)) {
		err = reach_targets_set_parts(engine, number, list, count);
		if (err)
			return err;
	}
	aggregate->resolution = REACH_RESOLUTION_DONE;
	aggregate->failure = (uint8_t)failure;
	aggregate->failure_error = error;
	reach_evaluate(engine, number);
	return 0;
}

int reach_engine_resolved(struct reach_engine *engine, uint64_t id,
			  const struct reach_address *addresses, size_t count)
{
	struct reach_address list[REACH_ADDRESSES_MAX];
	const struct reach_aggregate *aggregate;
	uint32_t number;
	int err = find_name(engine, id, &number);

	if (err)
		return err;
	if (!is_valid(addresses, count))
		return -EINVAL;
	aggregate = reach_entry_at(&engine->entries, number)->aggregate;
	count = filter_addresses(addresses, count,
				 aggregate->target.remote.family, list);
	return conclude(engine, number, list, count,
			count ? REACH_REASON_NONE : REACH_REASON_NO_ADDRESS, 0);
}

int reach_engine_share_resolution(struct reach_engine *engine, uint64_t from,
				  uint64_t to, bool failures)
{
	const struct reach_aggregate *known =
		reach_entry_at(&engine->entries,
			       reach_targets_find(engine, from))
			->aggregate;
	const bool outdated = known->resolution == REACH_RESOLUTION_OUTDATED;
	const size_t count = outdated ? 0 : known->part_count;
	struct reach_address list[REACH_ADDRESSES_MAX];
	enum reach_reason failure = known->failure;
	uint32_t i;

	if (known->resolution == REACH_RESOLUTION_PENDING ||
	    (!count && !failures))
		return 0;
	if (outdated && !failure)
		failure = REACH_REASON_NO_NETWORK;
	for (i = 0; i < count; i++)
		list[i] = reach_destination_full(
			engine, reach_part_destination(engine, known, i));
	return conclude(engine, reach_targets_find(engine, to), list, count,
			failure, known->failure_error);
}

/* Whether a link other than loopback is usable and has an address. */
static bool has_network(const struct reach_engine *engine)
{
	size_t i;

	for (i = 0; i < engine->links.count; i++) {
		const struct reach_link *link = &engine->links.items[i];

		if (!(link->flags & IFF_LOOPBACK) && reach_link_usable(link) &&
		    reach_own_addresses_of(&engine->addresses, link->index))
			return true;
	}
	return false;
}

/* Whether the resolver could not even try, which says nothing of the name. */
static bool is_lack_of_resources(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

static enum reach_reason reason_of(const struct reach_engine *engine, int error)
{
	if (is_lack_of_resources(error))
		return REACH_REASON_RESOLVER_FAILED;
	if (error == -ENOENT)
		return REACH_REASON_NO_SUCH_NAME;
	if (error == -ENODATA)
		return REACH_REASON_NO_ADDRESS;
	return error == -ENETUNREACH || error == -ENETDOWN ||
			       !has_network(engine)
		       ? REACH_REASON_NO_NETWORK
		       : REACH_REASON_RESOLVER_FAILED;
}

int reach_engine_resolution_failed(struct reach_engine *engine, uint64_t id,
				   int error)
{
	const bool lacks = is_lack_of_resources(error);
	struct reach_aggregate *aggregate;
	enum reach_reason reason;
	uint32_t number;
	int err = find_name(engine, id, &number);

	if (err)
		return err;
	if (error >= 0)
		return -EINVAL;
	aggregate = reach_entry_at(&engine->entries, number)->aggregate;
	reason = reason_of(engine, error);
	/* Parts of a pending name are probes. */
	if (error == -ENOENT || error == -ENODATA ||
	    aggregate->resolution == REACH_RESOLUTION_PENDING ||
	    !aggregate->part_count)
		return conclude(engine, number, NULL, 0, reason,
				lacks ? (uint32_t)-error : 0);
	aggregate->resolution = REACH_RESOLUTION_OUTDATED;
	/* When the network is back, a server that failed before may still
	 * fail. */
	if (reason != REACH_REASON_NO_NETWORK && !lacks)
		aggregate->failure = (uint8_t)reason;
	reach_evaluate(engine, number);
	return 0;
}
