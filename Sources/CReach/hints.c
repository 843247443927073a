/* SPDX-License-Identifier: MIT */
/* What the kernel does not say and others bring: resolved names, and what
 * sysfs tells of links. */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

static bool is_known(const struct reach_address *list, size_t count,
		     const struct reach_address *address)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (reach_address_equal(&list[i], address))
			return true;
	return false;
}

/* The addresses worth asking for: 0.0.0.0 and :: are what blocking resolvers
 * answer for "nowhere". */
static size_t clean(const struct reach_address *addresses, size_t count,
		    struct reach_address *ret)
{
	size_t kept = 0, i;

	for (i = 0; i < count && kept < REACH_ADDRESSES_MAX; i++) {
		struct reach_address address;

		if (addresses[i].family != AF_INET &&
		    addresses[i].family != AF_INET6)
			continue;
		address = reach_address_unmap(&addresses[i]);
		if (!reach_address_is_any(&address) &&
		    !is_known(ret, kept, &address))
			ret[kept++] = address;
	}
	return kept;
}

static bool is_same(const struct reach_entry *entry,
		    const struct reach_address *list, size_t count)
{
	size_t i;

	if (entry->resolution != REACH_RESOLUTION_DONE ||
	    entry->lookup_count != count)
		return false;
	for (i = 0; i < count; i++)
		if (!reach_address_equal(&entry->lookups[i].destination,
					 &list[i]))
			return false;
	return true;
}

int reach_engine_resolved(struct reach_engine *engine, uint64_t id,
			  const struct reach_address *addresses, size_t count)
{
	struct reach_entry *entry = reach_targets_find(engine, id);
	struct reach_address list[REACH_ADDRESSES_MAX];
	int err;

	if (!entry)
		return -ENOENT;
	if (entry->target.kind != REACH_TARGET_NAME || (count && !addresses))
		return -EINVAL;
	count = clean(addresses, count, list);
	if (is_same(entry, list, count))
		return 0;
	err = reach_entry_look_up(entry, list, count);
	if (err)
		return err;
	entry->resolution = REACH_RESOLUTION_DONE;
	reach_mark(engine, entry);
	return 0;
}

uint32_t reach_engine_wants_evidence(struct reach_engine *engine)
{
	size_t i;

	if (!engine->want_evidence)
		return 0;
	for (i = 0; i < engine->links.count; i++) {
		struct reach_link *link = &engine->links.items[i];

		if (link->evidence_asked)
			continue;
		link->evidence_asked = true;
		return link->index;
	}
	engine->want_evidence = false;
	return 0;
}

int reach_engine_set_evidence(struct reach_engine *engine, uint32_t index,
			      const struct reach_evidence *evidence)
{
	struct reach_link *link =
		(struct reach_link *)(uintptr_t)reach_links_find(&engine->links,
								 index);

	if (evidence && evidence->size < sizeof(*evidence))
		return -EINVAL;
	if (!link)
		return -ENOENT;
	link->evidence_asked = true;
	/* A size of 0: there was never any. */
	if (!evidence && !link->evidence.size)
		return 0;
	link->evidence_known = evidence != NULL;
	memset(&link->evidence, 0, sizeof(link->evidence));
	if (evidence) {
		link->evidence = *evidence;
		link->evidence.devtype[sizeof(evidence->devtype) - 1] = '\0';
		link->evidence.driver[sizeof(evidence->driver) - 1] = '\0';
	}
	reach_mark_all(engine);
	return 0;
}
