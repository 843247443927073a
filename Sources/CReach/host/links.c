/* SPDX-License-Identifier: MIT */
/* An RTM_NEWLINK is compared with the known link while it is merged. Many link
 * events (MTU, queue length, wireless scans) change nothing of interest
 * here. */
#include "host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/if_arp.h>
#include <string.h>

size_t reach_links_position(const struct reach_links *links, uint32_t index)
{
	size_t low = 0, high = links->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (links->items[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct reach_links *links, size_t at, uint32_t index)
{
	return at < links->count && links->items[at].index == index;
}

const struct reach_link *reach_links_find(const struct reach_links *links,
					  uint32_t index)
{
	const size_t at = reach_links_position(links, index);

	return is_at(links, at, index) ? &links->items[at] : NULL;
}

/* Whether @name is the link's name or an alternative one (altname), as for
 * SO_BINDTODEVICE (netdev_name_node_lookup(), net/core/dev.c). */
static bool has_name(const struct reach_link *link, const char *name)
{
	uint32_t i;

	if (strcmp(link->name, name) == 0)
		return true;
	for (i = 0; i < link->alternative_count; i++)
		if (strcmp(link->alternatives[i], name) == 0)
			return true;
	return false;
}

const struct reach_link *reach_links_find_name(const struct reach_links *links,
					       const char *name)
{
	size_t i;

	for (i = 0; i < links->count; i++)
		if (has_name(&links->items[i], name))
			return &links->items[i];
	return NULL;
}

/* Compared without a call: each verdict asks for several kinds. */
#define IS_KIND(link, text) (memcmp((link)->kind, text, sizeof(text)) == 0)

bool reach_link_drops(const struct reach_link *link)
{
	if (IS_KIND(link, "dummy") || IS_KIND(link, "ifb"))
		return true;
	switch (link->hardware_type) {
	case ARPHRD_IEEE80211:
	case ARPHRD_IEEE80211_PRISM:
	case ARPHRD_IEEE80211_RADIOTAP:
	case ARPHRD_NETLINK:
	case ARPHRD_VSOCKMON:
		return true;
	default:
		return false;
	}
}

bool reach_link_is_vrf(const struct reach_link *link)
{
	return IS_KIND(link, "vrf");
}

bool reach_link_usable(const struct reach_link *link)
{
	const uint32_t wanted = IFF_UP | IFF_RUNNING | IFF_LOWER_UP;

	return (link->flags & wanted) == wanted && !reach_link_drops(link);
}

bool reach_link_dormant(const struct reach_link *link)
{
	const uint32_t wanted = IFF_UP | IFF_LOWER_UP;

	/* IFF_LOWER_UP too: a driver without carrier may report dormant for a
	 * moment. */
	return (link->flags & wanted) == wanted &&
	       !(link->flags & IFF_RUNNING) && !reach_link_drops(link) &&
	       (link->operstate == IF_OPER_DORMANT ||
		link->flags & IFF_DORMANT);
}

bool reach_link_resolves(const struct reach_link *link)
{
	return !(link->flags & (IFF_NOARP | IFF_LOOPBACK | IFF_POINTOPOINT));
}

bool reach_link_is_unplugged(const struct reach_link *link)
{
	return link->flags & IFF_UP && reach_link_resolves(link) &&
	       !reach_link_usable(link) && !reach_link_dormant(link) &&
	       !reach_link_drops(link);
}

void reach_links_set_left(struct reach_links *links, uint32_t index,
			  uint8_t family, bool left)
{
	const size_t at = reach_links_position(links, index);

	if (is_at(links, at, index) &&
	    (left || reach_link_usable(&links->items[at])))
		links->items[at].left[family == AF_INET6] = left;
}

bool reach_link_is_awaited(const struct reach_link *link)
{
	return (link->left[0] || link->left[1]) && reach_link_usable(link);
}

bool reach_links_await(const struct reach_links *links)
{
	size_t i;

	for (i = 0; i < links->count; i++)
		if (reach_link_is_awaited(&links->items[i]))
			return true;
	return false;
}

bool reach_link_is_other(const struct reach_link *link, uint32_t vrf)
{
	return reach_link_usable(link) && !(link->flags & IFF_LOOPBACK) &&
	       link->master == vrf && !reach_link_is_vrf(link);
}

static struct reach_link *insert(struct reach_links *links, size_t at,
				 uint32_t index)
{
	if (links->count == links->capacity &&
	    !reach_array_grow(&links->items, &links->capacity,
			      sizeof(*links->items)))
		return NULL;
	memmove(&links->items[at + 1], &links->items[at],
		(links->count - at) * sizeof(*links->items));
	links->count++;
	memset(&links->items[at], 0, sizeof(links->items[at]));
	links->items[at].index = index;
	return &links->items[at];
}

static void remove_at(struct reach_links *links, size_t at)
{
	free(links->items[at].alternatives);
	links->count--;
	memmove(&links->items[at], &links->items[at + 1],
		(links->count - at) * sizeof(*links->items));
}

/* The flags that a verdict depends on. */
static uint32_t relevant(uint32_t flags)
{
	return flags & (IFF_UP | IFF_RUNNING | IFF_LOWER_UP | IFF_DORMANT |
			IFF_POINTOPOINT | IFF_LOOPBACK | IFF_NOARP);
}

/* The setters below return whether the value changed. */
static bool put_string(char *to, const char *from)
{
	if (strcmp(to, from) == 0)
		return false;
	memcpy(to, from, REACH_INTERFACE_NAME_SIZE);
	return true;
}

static bool put_number(uint32_t *to, uint32_t from)
{
	const bool changed = *to != from;

	*to = from;
	return changed;
}

static bool put_address(struct reach_link *link,
			const struct reach_link_message *m)
{
	const size_t size = sizeof(link->hardware_address);
	const bool changed =
		link->hardware_address_length != m->hardware_address_length ||
		memcmp(link->hardware_address, m->hardware_address, size) != 0;

	link->hardware_address_length = m->hardware_address_length;
	memcpy(link->hardware_address, m->hardware_address, size);
	return changed;
}

/* Merges the properties that identify a device. @return whether they changed,
 * so that sysfs must be read again. @whole as in merge(). */
static bool merge_identity(struct reach_link *link,
			   const struct reach_link_message *m, bool whole)
{
	bool changed = link->hardware_type != m->hardware_type;

	link->hardware_type = m->hardware_type;
	if (m->present & REACH_LINK_NAME)
		changed |= put_string(link->name, m->name);
	if (whole || m->present & REACH_LINK_KIND)
		changed |= put_string(link->kind, m->kind);
	/* Evidence is refused while sysfs and netlink have different hardware
	 * addresses, for example between a change of the address and its
	 * event. */
	if (m->present & REACH_LINK_HARDWARE_ADDRESS)
		changed |= put_address(link, m) && !link->evidence_known;
	return changed;
}

/* Merges master, lower link and state as a port, on which inherited classes
 * depend, and the ends of a tunnel.
 * @return whether they changed. */
static bool merge_layers(struct reach_link *link,
			 const struct reach_link_message *m, bool whole)
{
	bool changed = false;

	if (whole || m->present & REACH_LINK_MASTER)
		changed |= put_number(&link->master, m->master);
	if (whole || m->present & REACH_LINK_LOWER) {
		const bool elsewhere = m->present & REACH_LINK_LOWER_NETNS;

		changed |= put_number(&link->lower,
				      m->lower ? m->lower : m->tunnel.link) ||
			   link->lower_elsewhere != elsewhere;
		link->lower_elsewhere = elsewhere;
	}
	if (whole &&
	    memcmp(&link->tunnel, &m->tunnel, sizeof(m->tunnel)) != 0) {
		changed = true;
		link->tunnel = m->tunnel;
	}
	if (whole || m->present & REACH_LINK_SLAVE_STATE) {
		changed |= link->slave_state != m->slave_state;
		link->slave_state = m->slave_state;
	}
	return changed;
}

/* @return whether the names changed, or -ENOMEM. */
static int put_alternatives(struct reach_link *link,
			    const struct reach_link_message *m)
{
	const size_t size = m->alternative_count * sizeof(*m->alternatives);
	void *copy = NULL;

	if (link->alternative_count == m->alternative_count &&
	    (!size || memcmp(link->alternatives, m->alternatives, size) == 0))
		return 0;
	if (size) {
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, m->alternatives, size);
	}
	free(link->alternatives);
	link->alternatives = copy;
	link->alternative_count = m->alternative_count;
	return 1;
}

/* @return bits of enum reach_link_delta or -ENOMEM. */
static int merge(struct reach_link *link, const struct reach_link_message *m)
{
	/* An attribute absent from a whole message (IFLA_MASTER, IFLA_LINKINFO)
	 * means that the link has none. Only events of the wireless extensions
	 * are partial: they have the name and IFLA_WIRELESS
	 * (rtnetlink_ifinfo_prep(), net/wireless/wext-core.c). */
	const bool whole = m->present & REACH_LINK_OPERSTATE;
	const int renamed = whole ? put_alternatives(link, m) : 0;
	int delta = renamed ? REACH_LINK_DELTA_IDENTITY : 0;

	if (renamed < 0)
		return renamed;
	if (relevant(link->flags) != relevant(m->flags))
		delta |= REACH_LINK_DELTA_STATE;
	link->flags = m->flags;
	if (whole && link->operstate != m->operstate) {
		delta |= REACH_LINK_DELTA_STATE;
		link->operstate = m->operstate;
	}
	if (merge_identity(link, m, whole)) {
		delta |= REACH_LINK_DELTA_IDENTITY;
		link->evidence_asked = false;
		link->evidence_known = false;
	}
	if (merge_layers(link, m, whole))
		delta |= REACH_LINK_DELTA_IDENTITY;
	if (m->present & REACH_LINK_GROUP && put_number(&link->group, m->group))
		delta |= REACH_LINK_DELTA_GROUP;
	link->stale = false;
	return delta;
}

int reach_links_apply(struct reach_links *links,
		      const struct reach_link_message *message, bool gone)
{
	const size_t at = reach_links_position(links, message->index);
	struct reach_link *link;
	int delta;

	if (gone) {
		if (!is_at(links, at, message->index))
			return 0;
		remove_at(links, at);
		return REACH_LINK_DELTA_STATE | REACH_LINK_DELTA_IDENTITY;
	}
	if (is_at(links, at, message->index))
		return merge(&links->items[at], message);
	link = insert(links, at, message->index);
	if (!link)
		return -ENOMEM;
	delta = merge(link, message);
	return delta < 0 ? delta
			 : REACH_LINK_DELTA_STATE | REACH_LINK_DELTA_IDENTITY;
}

void reach_links_dump_begin(struct reach_links *links)
{
	size_t i;

	for (i = 0; i < links->count; i++)
		links->items[i].stale = true;
}

int reach_links_dump_end(struct reach_links *links)
{
	size_t i, kept = 0;
	int delta = 0;

	for (i = 0; i < links->count; i++) {
		if (!links->items[i].stale) {
			links->items[kept++] = links->items[i];
			continue;
		}
		free(links->items[i].alternatives);
		delta = REACH_LINK_DELTA_STATE | REACH_LINK_DELTA_IDENTITY;
	}
	links->count = kept;
	return delta;
}

void reach_links_free(struct reach_links *links)
{
	while (links->count)
		remove_at(links, links->count - 1);
	free(links->items);
	memset(links, 0, sizeof(*links));
}

uint32_t reach_link_state(const struct reach_link *link)
{
	uint32_t state = 0;

	state |= link->flags & IFF_UP ? REACH_INTERFACE_UP : 0U;
	state |= link->flags & IFF_RUNNING ? REACH_INTERFACE_RUNNING : 0U;
	state |= link->flags & IFF_LOWER_UP ? REACH_INTERFACE_LOWER_UP : 0U;
	state |= link->flags & IFF_POINTOPOINT ? REACH_INTERFACE_POINT_TO_POINT
					       : 0U;
	state |= reach_link_dormant(link) ? REACH_INTERFACE_DORMANT : 0U;
	state |= reach_link_usable(link) ? REACH_INTERFACE_USABLE : 0U;
	return state;
}
