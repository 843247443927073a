/* SPDX-License-Identifier: MIT */
/*
 * Door of host/: tables of this host's links and addresses, interface
 * classes.
 */
#ifndef REACH_HOST_HOST_H
#define REACH_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/interface.h>
#include <reach/internal/message.h>

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* The table of this host's addresses, maintained from dumps and events. */

/* An address of an interface of this host. */
struct reach_own_address {
	struct reach_address address;
	/* The far end of a point-to-point link, else family 0. */
	struct reach_address peer;
	uint32_t interface_index;
	/* IFA_F_*. */
	uint32_t flags;
	uint8_t prefix_length;
	/* RT_SCOPE_*. */
	uint8_t scope;
	/* The running dump has not reported it yet. */
	bool stale;
};

/* A sorted array: by address, then interface, prefix length and peer. */
struct reach_own_addresses {
	/* Owned, and freed by its owner. */
	struct reach_own_address *items;
	size_t count;
	uint32_t capacity;
};

/* Applies RTM_NEWADDR, or RTM_DELADDR with @gone. @return 1 if anything but a
 * lifetime changed, 0 if not, or -ENOMEM. */
int reach_own_addresses_apply(struct reach_own_addresses *table,
			      const struct reach_address_message *message,
			      bool gone);
/* Interface @index went down. With keep_addr_on_down its IPv6 addresses stay,
 * but become tentative without an event: duplicate address detection runs again
 * when the interface comes up (addrconf_ifdown(), net/ipv6/addrconf.c). */
void reach_own_addresses_down(struct reach_own_addresses *table,
			      uint32_t index);

/* Enclose the messages of a dump. The end removes entries that the dump did not
 * report.
 * @return 1 if there were any, else 0. */
void reach_own_addresses_dump_begin(struct reach_own_addresses *table);
int reach_own_addresses_dump_end(struct reach_own_addresses *table);

/* The usable entry of @address, or NULL. An address is usable if the kernel
 * accepts it as source: not tentative, unless optimistic, and not found
 * duplicate. Prefers the entry of interface @index. Without one it takes any
 * interface, except for a link-local address with an @index that is not 0.
 * Valid until the table changes. */
const struct reach_own_address *
reach_own_addresses_find(const struct reach_own_addresses *table,
			 const struct reach_address *address, uint32_t index);

/* The first entry of @address, usable or not, or NULL. */
const struct reach_own_address *
reach_own_addresses_find_any(const struct reach_own_addresses *table,
			     const struct reach_address *address);

/* Whether the kernel accepts @entry as source; see reach_own_addresses_find().
 */
bool reach_own_address_usable(const struct reach_own_address *entry);

/* Whether interface @index has a usable IPv6 link-local address. */
bool reach_own_addresses_link_local(const struct reach_own_addresses *table,
				    uint32_t index);

/* A usable address of interface @index, of more than host scope, or NULL; IPv4
 * first. */
const struct reach_own_address *
reach_own_addresses_of(const struct reach_own_addresses *table, uint32_t index);

/* The table of this namespace's links, maintained from dumps and events. */

/* A link, merged from all messages about it. */
struct reach_link {
	uint32_t index;
	/* IFF_* of the last message. */
	uint32_t flags;
	/* Index of the bridge, bond or VRF that it is a port of, or 0. */
	uint32_t master;
	/* Index of the lower link or the peer (IFLA_LINK), or 0. For a vxlan,
	 * that of `tunnel`. */
	uint32_t lower;
	/* Where the packets of a tunnel go. */
	struct reach_tunnel tunnel;
	/* Device group. A policy rule can ignore the routes over a group's links
	 * (suppress_ifgroup, ip-rule(8)). */
	uint32_t group;
	/* `lower` is an index of another namespace (IFLA_LINK_NETNSID). */
	bool lower_elsewhere;
	/* Evidence was requested since the last change of identity. */
	bool evidence_asked;
	/* `evidence` is valid. */
	bool evidence_known;
	/* The running dump has not reported it yet. */
	bool stale;
	/* It was unplugged, and the kernel may have left gateways on it
	 * (query/change_over.c): for IPv4, for IPv6. */
	bool left[2];
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
	/* Alternative names, `alternative_count` of them, in an allocation of
	 * their own. systemd gives each device some. */
	char (*alternatives)[REACH_INTERFACE_NAME_SIZE];
	uint32_t alternative_count;
	/* Evidence from sysfs about the device. */
	struct reach_evidence evidence;
};

/* An array sorted by index. */
struct reach_links {
	struct reach_link *items;
	size_t count;
	uint32_t capacity;
};

/* Position of the first link whose index is not below @index. */
size_t reach_links_position(const struct reach_links *links, uint32_t index);

/* The link with this index or name, or NULL. Valid until the table changes. */
const struct reach_link *reach_links_find(const struct reach_links *links,
					  uint32_t index);
const struct reach_link *reach_links_find_name(const struct reach_links *links,
					       const char *name);

/* Whether the link is up with carrier, and may have addresses and routes, but
 * drops all that IP sends over it: dummy (dummy_xmit(), drivers/net/dummy.c),
 * ifb (ifb_xmit(), drivers/net/ifb.c), and links for capture: a Wi-Fi interface
 * in monitor mode, nlmon, vsockmon. */
bool reach_link_drops(const struct reach_link *link);

/* Whether packets can be sent: the link has IFF_UP, IFF_RUNNING and
 * IFF_LOWER_UP, and doesn't drop them. RUNNING without LOWER_UP is also
 * seen right after ifup without carrier, LOWER_UP without RUNNING while WPA or
 * 802.1X is pending. */
bool reach_link_usable(const struct reach_link *link);

/* Whether packets that are routed over @link leave: it is usable, and so are,
 * @by_vrf, its VRF (vrf_ip_out(), drivers/net/vrf.c) and, for a bond, a bridge, or
 * a VLAN over one, a port: a bond keeps its carrier without miimon, and so does
 * a bridge that never had a port. */
bool reach_links_pass(const struct reach_links *links,
		      const struct reach_link *link, bool by_vrf);

/* Whether the link resolves its neighbors (ARP, NDP). */
bool reach_link_resolves(const struct reach_link *link);

/* Whether the link is up without carrier, and resolves its neighbors. The kernel
 * has forgotten them, and they fail once somebody sends (neigh_carrier_down(),
 * net/core/neighbour.c). */
bool reach_link_is_unplugged(const struct reach_link *link);

/* Records that the kernel may leave the gateways of @family on link @index or, if
 * the link is usable, that it uses one again; and whether the link, or any one, is
 * usable again whose gateways it may still leave alone. */
void reach_links_set_left(struct reach_links *links, uint32_t index,
			  uint8_t family, bool left);
bool reach_link_is_awaited(const struct reach_link *link);
bool reach_links_await(const struct reach_links *links);

/* Whether the link may have a route that is taken instead of one over an
 * unplugged link. @vrf: index of the VRF that is searched, or 0. */
bool reach_link_is_other(const struct reach_link *link, uint32_t vrf);

/* What a message changed, as bits. */
enum reach_link_delta {
	/* Whether and how packets pass: usable, dormant, point-to-point. */
	REACH_LINK_DELTA_STATE = 1 << 0,
	/* Everything that a class can depend on: name, kind, type, master,
	 * lower link. Also set for a link that is new or removed. */
	REACH_LINK_DELTA_IDENTITY = 1 << 1,
	/* The device group. */
	REACH_LINK_DELTA_GROUP = 1 << 2
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

/* The class of a link, from netlink and sysfs. */

/* Depth to which layered links are followed: MAX_NEST_DEV of linux/netdevice.h.
 * The kernel allows no cycle, but malformed messages could build one. */
#define REACH_LAYERS_MAX 8

/* The class of @link, by netlink first, then by the evidence from sysfs. A
 * layered link takes it from the lower link or the ports. Pure. @contained: in a
 * namespace without physical links (a container), an Ethernet link whose lower link
 * or peer is in another namespace (veth, netkit, macvlan, ipvlan, VLAN) counts as
 * wired, and so do links above it. */
enum reach_interface_class reach_classify_in(const struct reach_links *links,
					     const struct reach_link *link,
					     bool contained);

static inline enum reach_interface_class
reach_classify(const struct reach_links *links, const struct reach_link *link)
{
	return reach_classify_in(links, link, false);
}

/* Whether the table has a wired, Wi-Fi or cellular device, up or not. */
bool reach_classify_has_physical(const struct reach_links *links);

/* The basis of a link's class. */
enum reach_basis {
	/* Its rtnetlink kind or hardware type alone. */
	REACH_BASIS_WORD,
	/* The evidence from sysfs about its device. */
	REACH_BASIS_DEVICE,
	/* Whether its peer is in another namespace (veth, netkit). */
	REACH_BASIS_PEER,
	/* The lower link (VLAN, macvlan). */
	REACH_BASIS_LOWER,
	/* The ports (bridge, bond, team). */
	REACH_BASIS_PORTS
};

enum reach_basis reach_classify_basis(const struct reach_link *link);

/* The link that @link inherits its class from: its lower link, or the first
 * port of that class, usable ones first. NULL if @link has no link below it, or
 * none in the table. */
const struct reach_link *reach_classify_below(const struct reach_links *links,
					      const struct reach_link *link);

#pragma GCC visibility pop

#endif
