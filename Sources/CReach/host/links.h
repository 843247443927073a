/* SPDX-License-Identifier: MIT */
/* The table of this namespace's links, maintained from dumps and events. */
#ifndef REACH_HOST_LINKS_H
#define REACH_HOST_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/interface.h>
#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* A link, merged from all messages about it. */
struct reach_link {
	uint32_t index;
	/* IFF_* of the last message. */
	uint32_t flags;
	/* Index of the bridge, bond or VRF that it is a port of, or 0. */
	uint32_t master;
	/* Index of the lower link or the peer (IFLA_LINK), or 0. */
	uint32_t lower;
	/* `lower` is an index of another namespace (IFLA_LINK_NETNSID). */
	bool lower_elsewhere;
	/* Evidence was requested since the last change of identity. */
	bool evidence_asked;
	/* `evidence` is valid. */
	bool evidence_known;
	/* The running dump has not reported it yet. */
	bool stale;
	/* ARPHRD_*. */
	uint16_t hardware_type;
	/* IF_OPER_*. */
	uint8_t operstate;
	/* Bond port: 0 active, 1 backup. */
	uint8_t slave_state;
	/* Length of `hardware_address` in bytes. */
	uint8_t hardware_address_length;
	uint8_t hardware_address[32];
	char name[REACH_INTERFACE_NAME_SIZE];
	/* IFLA_INFO_KIND, "" for none. */
	char kind[REACH_INTERFACE_NAME_SIZE];
	/* Evidence from sysfs about the device. */
	struct reach_evidence evidence;
};

/* An array sorted by index. */
struct reach_links {
	struct reach_link *items;
	size_t count;
	size_t capacity;
};

/* Position of the first link whose index is not below @index. */
size_t reach_links_position(const struct reach_links *links, uint32_t index);

/* The link with this index or name, or NULL. Valid until the table changes. */
const struct reach_link *reach_links_find(const struct reach_links *links,
					  uint32_t index);
const struct reach_link *reach_links_find_name(const struct reach_links *links,
					       const char *name);

/* Whether the link is only for capture: a Wi-Fi interface in monitor mode,
 * nlmon, vsockmon. It is up with carrier and may have addresses and routes, but
 * drops everything that IP sends over it. */
bool reach_link_captures(const struct reach_link *link);

/* Whether packets can be sent: the link has IFF_UP, IFF_RUNNING and
 * IFF_LOWER_UP, and is not a capture link. RUNNING without LOWER_UP is also
 * seen right after ifup without carrier, LOWER_UP without RUNNING while WPA or
 * 802.1X is pending. */
bool reach_link_usable(const struct reach_link *link);

/* What a message changed, as bits. */
enum reach_link_delta {
	/* Whether and how packets pass: usable, dormant, point-to-point. */
	REACH_LINK_DELTA_STATE = 1 << 0,
	/* Everything that a class can depend on: name, kind, type, master,
	 * lower link. Also set for a link that is new or removed. */
	REACH_LINK_DELTA_IDENTITY = 1 << 1
};

/* Merges RTM_NEWLINK into the table, or removes the link with @gone
 * (RTM_DELLINK).
 * @return bits of enum reach_link_delta or -ENOMEM. */
int reach_links_apply(struct reach_links *links,
		      const struct reach_link_message *message, bool gone);

/* Enclose the messages of a dump. The end removes links that the dump did not
 * report.
 * @return bits of enum reach_link_delta. */
void reach_links_dump_begin(struct reach_links *links);
int reach_links_dump_end(struct reach_links *links);

/* Frees the entries and empties the table. */
void reach_links_free(struct reach_links *links);

/* Whether the link has carrier and waits for an external event (dormant, RFC
 * 2863). */
bool reach_link_dormant(const struct reach_link *link);

bool reach_link_is_vrf(const struct reach_link *link);

/* Bits of enum reach_interface_state. */
uint32_t reach_link_state(const struct reach_link *link);

#pragma GCC visibility pop

#endif
