/* SPDX-License-Identifier: MIT */
/* An engine under test, and everything that a fresh engine needs to know to
 * reach the same states. */
#ifndef REACH_FUZZ_WORLD_H
#define REACH_FUZZ_WORLD_H

#include <stdbool.h>

#include "fuzz.h"

#define TARGETS_MAX 32
/* The most operations of one script; the rest of the input is ignored. */
#define STEPS_MAX 400
/* Interfaces with a lower index have evidence. The kernel's interfaces have the
 * indices 1 and 2. */
#define EVIDENCE_MAX 256
#define FACTS_MAX    12

struct watched {
	uint64_t id;
	struct reach_target target;
	bool reported;
	struct reach_state last;
	/* For names: the addresses, and the failure since then, or 0. */
	bool is_resolved;
	int failure;
	size_t address_count;
	struct reach_address addresses[REACH_ADDRESSES_MAX + 2];
};

struct world {
	struct reach_engine *engine;
	struct script script;
	struct outstanding requests;
	struct watched targets[TARGETS_MAX];
	size_t count;
	/* All ids that the engine has ever returned. */
	uint64_t ids[STEPS_MAX];
	size_t id_count;
	int64_t now;
	size_t probe_count;
	struct reach_address probes[REACH_PROBES_MAX];
	size_t fact_count;
	struct reach_interface_facts facts[FACTS_MAX];
	/* The argument of world_set_evidence(), by interface index. */
	uint8_t evidence[EVIDENCE_MAX];
};

/* Gives the engine the evidence that @what encodes. */
void world_set_evidence(struct reach_engine *engine, uint32_t index,
			uint8_t what);

/* Answers all requests until the engine is at rest. */
void world_rest(struct world *world, struct reach_engine *engine);

/* Checks that a fresh engine reaches the same states. Call it when the world's
 * engine is at rest. */
void world_compare_with_fresh(struct world *world);

#endif
