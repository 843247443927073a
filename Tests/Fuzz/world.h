/* SPDX-License-Identifier: MIT */
/* What a script did to an engine, as far as a fresh one has to be told it. */
#ifndef REACH_FUZZ_WORLD_H
#define REACH_FUZZ_WORLD_H

#include <stdbool.h>

#include "fuzz.h"

#define TARGETS_MAX 32
/* Operations of one script; the rest of a long input is not read. */
#define STEPS_MAX 400
/* Interfaces with a small index: those of the kernel that answers are 1 and 2.
 */
#define EVIDENCE_MAX 256
#define METERED_MAX  4

struct watched {
	uint64_t id;
	struct reach_target target;
	bool reported;
	struct reach_state last;
	/* Of a name: what it was resolved to, and a failure after that or 0. */
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
	/* Every id there ever was. */
	uint64_t ids[STEPS_MAX];
	size_t id_count;
	int64_t now;
	size_t probe_count;
	struct reach_address probes[REACH_PROBES_MAX];
	size_t modem_count;
	struct reach_modem modems[REACH_MODEMS_MAX];
	size_t metered_count;
	struct reach_metered_interface metered[METERED_MAX];
	/* By index: for world_set_evidence(). */
	uint8_t evidence[EVIDENCE_MAX];
};

/* Answers that the interface has the evidence @what stands for. */
void world_set_evidence(struct reach_engine *engine, uint32_t index,
			uint8_t what);

/* Takes the next requests, or checks that there are none before the answers. */
void world_take_requests(struct reach_engine *engine,
			 struct outstanding *requests);

/* A kernel that answers everything brings an engine to rest. */
void world_rest(struct world *world, struct reach_engine *engine);

/* An engine that only ever knew what holds now says the same. To be called
 * when the world's engine is at rest. */
void world_compare_with_fresh(struct world *world);

#endif
