/* SPDX-License-Identifier: MIT */
/*
 * The class of a link, from tables of the properties that kernel drivers
 * report: IFLA_INFO_KIND, DEVTYPE, the driver's name, and ARPHRD_*. Names of
 * interfaces are not used, since users and udev choose them. Layered links
 * inherit the class: an Ethernet VLAN is wired.
 */
#include <linux/if.h>
#include <linux/if_arp.h>
#include <string.h>

#include "host/host.h"

/* ARPHRD_RAWIP in the kernels of Android phones; 519 in linux/if_arp.h. */
#define ARPHRD_RAWIP_ANDROID 530

/* Searches for ports in one classification. Each reads the whole table, and
 * nested bridges could need one per port of every level. Beyond this number the
 * class is virtual. */
#define SEARCHES_MAX 64

/* One classification, through the layers. */
struct walk {
	const struct reach_links *links;
	/* Layers followed so far. */
	unsigned int depth;
	/* Searches for ports that are left. */
	unsigned int searches;
	/* As in reach_classify_in(). */
	bool contained;
};

/* A row of a table: the class of links that have `word`. A layered link has
 * this class only if its layers don't decide. */
struct row {
	const char *word;
	enum reach_basis basis;
	enum reach_interface_class class;
};

#define VPN(word)     { word, REACH_BASIS_WORD, REACH_INTERFACE_VPN }
#define VIRTUAL(word) { word, REACH_BASIS_WORD, REACH_INTERFACE_VIRTUAL }
#define PEER(word)    { word, REACH_BASIS_PEER, REACH_INTERFACE_VIRTUAL }
#define LOWER(word)   { word, REACH_BASIS_LOWER, REACH_INTERFACE_VIRTUAL }
#define PORTS(word)   { word, REACH_BASIS_PORTS, REACH_INTERFACE_VIRTUAL }

/* By IFLA_INFO_KIND (rtnl_link_ops.kind); "tun" is in find_kind(). */
static const struct row kind_rows[] = {
	VPN("wireguard"),
	VPN("ipip"),
	VPN("sit"),
	VPN("gre"),
	VPN("gretap"),
	VPN("erspan"),
	VPN("ip6gre"),
	VPN("ip6gretap"),
	VPN("ip6erspan"),
	VPN("ip6tnl"),
	VPN("vti"),
	VPN("vti6"),
	VPN("xfrm"),
	VPN("l2tp"),
	VPN("l2tpeth"),
	VPN("ovpn"),
	VIRTUAL("vrf"),
	PEER("veth"),
	VIRTUAL("dummy"),
	VIRTUAL("ifb"),
	PEER("netkit"),
	VIRTUAL("vxlan"),
	VIRTUAL("geneve"),
	LOWER("vlan"),
	LOWER("macvlan"),
	LOWER("macvtap"),
	LOWER("ipvlan"),
	LOWER("ipvtap"),
	LOWER("macsec"),
	PORTS("bridge"),
	PORTS("bond"),
	PORTS("team"),
	{ "wwan", REACH_BASIS_WORD, REACH_INTERFACE_CELLULAR },
	{ "rmnet", REACH_BASIS_WORD, REACH_INTERFACE_CELLULAR },
	{ "ppp", REACH_BASIS_WORD, REACH_INTERFACE_PPP },
	{ "dsa", REACH_BASIS_WORD, REACH_INTERFACE_WIRED_ETHERNET },
};

/* By DEVTYPE of the uevent file (SET_NETDEV_DEVTYPE()). */
static const struct row devtype_rows[] = {
	{ "wlan", REACH_BASIS_WORD, REACH_INTERFACE_WIFI },
	{ "wwan", REACH_BASIS_WORD, REACH_INTERFACE_CELLULAR },
	{ "ppp", REACH_BASIS_WORD, REACH_INTERFACE_PPP },
	{ "gadget", REACH_BASIS_WORD, REACH_INTERFACE_WIRED_ETHERNET },
	{ "dsa", REACH_BASIS_WORD, REACH_INTERFACE_WIRED_ETHERNET },
	{ "bluetooth", REACH_BASIS_WORD, REACH_INTERFACE_OTHER },
	VPN("l2tpeth"),
};

#define MODEM(word) { word, REACH_BASIS_WORD, REACH_INTERFACE_CELLULAR }

/* By the name of the driver: modems. */
static const struct row driver_rows[] = {
	MODEM("qmi_wwan"),   MODEM("cdc_mbim"), MODEM("huawei_cdc_ncm"),
	MODEM("sierra_net"), MODEM("mhi_net"),	MODEM("iosm"),
	MODEM("mtk_t7xx"),   MODEM("hso"),
};

/* The row of @text, which need not be NUL-terminated in its @size bytes, or
 * NULL. */
static const struct row *find_row(const struct row *rows, size_t count,
				  const char *text, size_t size)
{
	/* The common case: a hardware device has neither kind nor DEVTYPE. */
	if (!text[0])
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (rows[i].word[0] == text[0] &&
		    strncmp(rows[i].word, text, size) == 0)
			return &rows[i];
	return NULL;
}

#define FIND_ROW(rows, text)                                                   \
	find_row(rows, sizeof(rows) / sizeof(*(rows)), text, sizeof(text))

/* The row of the link's kind, or NULL. Kind "tun" is a VPN's tun device, or a
 * virtual machine's tap device if it is of type Ethernet. */
static const struct row *find_kind(const struct reach_link *link)
{
	static const struct row tap = VIRTUAL("tun");
	static const struct row tun = VPN("tun");

	if (strncmp(link->kind, tun.word, sizeof(link->kind)) == 0)
		return link->hardware_type == ARPHRD_ETHER ? &tap : &tun;
	return FIND_ROW(kind_rows, link->kind);
}

/* The class of a link without a known kind. */
static enum reach_interface_class classify_device(const struct reach_link *link)
{
	const struct reach_evidence *evidence = &link->evidence;
	const struct row *row;

	if (link->hardware_type == ARPHRD_PPP)
		return REACH_INTERFACE_PPP;
	/* In monitor mode DEVTYPE is still "wlan". */
	if (reach_link_drops(link))
		return REACH_INTERFACE_OTHER;
	row = FIND_ROW(devtype_rows, evidence->devtype);
	if (row)
		return row->class;
	if (evidence->wireless)
		return REACH_INTERFACE_WIFI;
	row = FIND_ROW(driver_rows, evidence->driver);
	if (row)
		return row->class;
	if (link->hardware_type == ARPHRD_RAWIP ||
	    link->hardware_type == ARPHRD_RAWIP_ANDROID)
		return REACH_INTERFACE_CELLULAR;
	if (link->hardware_type != ARPHRD_ETHER)
		return REACH_INTERFACE_OTHER;
	/* Software devices have a kind. A hardware device has none, even if
	 * sysfs cannot be read. */
	return link->kind[0] ? REACH_INTERFACE_VIRTUAL
			     : REACH_INTERFACE_WIRED_ETHERNET;
}

static enum reach_interface_class classify(struct walk *walk,
					   const struct reach_link *link);

static enum reach_interface_class classify_lower(struct walk *walk,
						 const struct reach_link *link)
{
	const struct reach_link *lower =
		reach_links_find(walk->links, link->lower);

	return lower ? classify(walk, lower) : REACH_INTERFACE_VIRTUAL;
}

/* Rank of a port by whether traffic takes it. Usable ports come first, then
 * those that are not the backup of a bond (BOND_STATE_BACKUP, 1). The active
 * port of a team is an option of generic netlink, which requires CAP_NET_ADMIN
 * (drivers/net/team), so all its usable ports count. */
static unsigned int port_tier(const struct reach_link *port, bool bond)
{
	unsigned int active = bond && port->slave_state != 0 ? 0 : 1;

	return (reach_link_usable(port) ? 2 : 0) + active;
}

/* Order of classes among the ports of a link. */
static unsigned int class_rank(enum reach_interface_class class)
{
	static const uint8_t ranks[] = {
		[REACH_INTERFACE_WIRED_ETHERNET] = 6,
		[REACH_INTERFACE_WIFI] = 5,
		[REACH_INTERFACE_CELLULAR] = 4,
		[REACH_INTERFACE_VPN] = 3,
		[REACH_INTERFACE_PPP] = 2,
		[REACH_INTERFACE_OTHER] = 1,
		[REACH_INTERFACE_LOOPBACK] = 0,
		[REACH_INTERFACE_VIRTUAL] = 0,
	};

	return ranks[class];
}

/* The highest class among the ports of the highest tier. */
static enum reach_interface_class classify_ports(struct walk *walk,
						 const struct reach_link *link)
{
	bool bond = strncmp(link->kind, "bond", sizeof(link->kind)) == 0;
	enum reach_interface_class best = REACH_INTERFACE_VIRTUAL;
	const struct reach_links *links = walk->links;
	unsigned int top = 0;

	if (walk->searches == 0)
		return REACH_INTERFACE_VIRTUAL;
	walk->searches--;
	for (size_t i = 0; i < links->count; i++)
		if (links->items[i].master == link->index &&
		    port_tier(&links->items[i], bond) > top)
			top = port_tier(&links->items[i], bond);
	for (size_t i = 0; i < links->count; i++) {
		const struct reach_link *port = &links->items[i];
		enum reach_interface_class class;

		if (port->master != link->index || port_tier(port, bond) != top)
			continue;
		class = classify(walk, port);
		if (class_rank(class) > class_rank(best))
			best = class;
		if (best == REACH_INTERFACE_WIRED_ETHERNET)
			break;
	}
	return best;
}

static bool is_loopback(const struct reach_link *link)
{
	return link->flags & IFF_LOOPBACK ||
	       link->hardware_type == ARPHRD_LOOPBACK;
}

/* The class of a link whose lower link or peer is in another namespace, so that
 * the table lacks it. */
static enum reach_interface_class
classify_elsewhere(const struct walk *walk, const struct reach_link *link)
{
	return walk->contained && link->hardware_type == ARPHRD_ETHER
		       ? REACH_INTERFACE_WIRED_ETHERNET
		       : REACH_INTERFACE_VIRTUAL;
}

static enum reach_interface_class classify(struct walk *walk,
					   const struct reach_link *link)
{
	const struct row *row = find_kind(link);
	enum reach_interface_class class;

	if (is_loopback(link))
		return REACH_INTERFACE_LOOPBACK;
	if (!row)
		return classify_device(link);
	if (row->basis == REACH_BASIS_WORD || walk->depth == REACH_LAYERS_MAX)
		return row->class;
	if (row->basis != REACH_BASIS_PORTS && link->lower_elsewhere)
		return classify_elsewhere(walk, link);
	if (row->basis == REACH_BASIS_PEER)
		return row->class;
	walk->depth++;
	class = row->basis == REACH_BASIS_LOWER ? classify_lower(walk, link)
						: classify_ports(walk, link);
	walk->depth--;
	return class;
}

enum reach_interface_class reach_classify_in(const struct reach_links *links,
					     const struct reach_link *link,
					     bool contained)
{
	struct walk walk = { links, 0, SEARCHES_MAX, contained };

	return classify(&walk, link);
}

/* Whether @link is a physical device. Layered links are not: the device below
 * them is in the table, too. */
static bool is_physical(const struct reach_links *links,
			const struct reach_link *link)
{
	const enum reach_basis basis = reach_classify_basis(link);

	if (basis != REACH_BASIS_WORD && basis != REACH_BASIS_DEVICE)
		return false;
	switch (reach_classify(links, link)) {
	case REACH_INTERFACE_WIRED_ETHERNET:
	case REACH_INTERFACE_WIFI:
	case REACH_INTERFACE_CELLULAR:
		return true;
	default:
		return false;
	}
}

bool reach_classify_has_physical(const struct reach_links *links)
{
	size_t i;

	for (i = 0; i < links->count; i++)
		if (is_physical(links, &links->items[i]))
			return true;
	return false;
}

enum reach_basis reach_classify_basis(const struct reach_link *link)
{
	const struct row *row = find_kind(link);

	if (is_loopback(link))
		return REACH_BASIS_WORD;
	return row ? row->basis : REACH_BASIS_DEVICE;
}

const struct reach_link *reach_classify_below(const struct reach_links *links,
					      const struct reach_link *link)
{
	const enum reach_interface_class class = reach_classify(links, link);
	const struct reach_link *below = NULL;
	size_t i;

	if (reach_classify_basis(link) == REACH_BASIS_LOWER)
		return link->lower_elsewhere
			       ? NULL
			       : reach_links_find(links, link->lower);
	if (reach_classify_basis(link) != REACH_BASIS_PORTS)
		return NULL;
	for (i = 0; i < links->count; i++) {
		const struct reach_link *port = &links->items[i];

		if (port->master != link->index ||
		    reach_classify(links, port) != class)
			continue;
		if (reach_link_usable(port))
			return port;
		if (!below)
			below = port;
	}
	return below;
}
