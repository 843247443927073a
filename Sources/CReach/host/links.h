/* SPDX-License-Identifier: MIT */
/* The table of links. */
#ifndef REACH_HOST_LINKS_H
#define REACH_HOST_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>
#include <reach/interface.h>
#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* What is known of a link, merged from all messages about it. */
struct reach_link {
	uint32_t index;
	/* IFF_* of the last message. */
	uint32_t flags;
	uint32_t master;
	uint32_t lower;
	/* The lower link is in another namespace, so it is not in the table. */
	bool lower_elsewhere;
	/* Evidence was asked for, and what came. */
	bool evidence_asked;
	bool evidence_known;
	/* Not met yet in the running dump. */
	bool stale;
	uint16_t hardware_type;
	uint8_t operstate;
	uint8_t slave_state;
	uint8_t hardware_address_length;
	uint8_t hardware_address[32];
	char name[REACH_INTERFACE_NAME_SIZE];
	char kind[REACH_INTERFACE_NAME_SIZE];
	struct reach_evidence evidence;
};

/* Sorted by index. */
struct reach_links {
	struct reach_link *items;
	size_t count;
	size_t capacity;
};

/* Where @index is, or would be. */
size_t reach_links_position(const struct reach_links *links, uint32_t index);

const struct reach_link *reach_links_find(const struct reach_links *links,
					  uint32_t index);
const struct reach_link *reach_links_find_name(const struct reach_links *links,
					       const char *name);

/* UP, RUNNING and LOWER_UP: RUNNING alone is also set at ifup of a driver
 * whose carrier is off, LOWER_UP alone while WPA or 802.1X is pending. */
bool reach_link_usable(const struct reach_link *link);

/* What a message changed. */
enum reach_link_delta {
	/* Whether and how packets pass: usable, dormant, point-to-point. */
	REACH_LINK_DELTA_STATE = 1 << 0,
	/* Name, kind, type, what is below or above; also new and gone. */
	REACH_LINK_DELTA_IDENTITY = 1 << 1
};

/* Merges RTM_NEWLINK (or takes out RTM_DELLINK). Returns the delta bits or
 * -ENOMEM. */
int reach_links_apply(struct reach_links *links,
		      const struct reach_link_message *message, bool gone);

/* Around a dump: links not met between the two are gone. The end returns
 * the delta bits. */
void reach_links_dump_begin(struct reach_links *links);
int reach_links_dump_end(struct reach_links *links);

void reach_links_free(struct reach_links *links);

/* Has carrier and waits for an outside event (RFC 2863 dormant). */
bool reach_link_dormant(const struct reach_link *link);

#pragma GCC visibility pop

#endif
