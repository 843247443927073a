/* SPDX-License-Identifier: MIT */
/* Interfaces that the caller knows to be metered or not (reach/metered.h). */
#ifndef REACH_ENGINE_STATE_METERED_H
#define REACH_ENGINE_STATE_METERED_H

#include <stddef.h>
#include <stdint.h>

#include <reach/metered.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

struct reach_metered_list {
	/* Sorted by name; among items of one name, metered first. */
	struct reach_metered_interface *items;
	size_t count;
};

/* enum reach_metered of the interface @name with this class. */
uint8_t reach_metered_of(const struct reach_engine *engine, const char *name,
			 uint8_t class);
void reach_metered_free(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
