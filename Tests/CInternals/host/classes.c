/* SPDX-License-Identifier: MIT */
/* The class of a link, by its words, sysfs, and the links below. */
#include <stdio.h>
#include <string.h>

#include <linux/if.h>
#include <linux/if_arp.h>

#include "check.h"
#include "host/host.h"

#define USABLE	 (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)
#define OTHER	 REACH_INTERFACE_OTHER
#define LOOPBACK REACH_INTERFACE_LOOPBACK
#define WIRED	 REACH_INTERFACE_WIRED_ETHERNET
#define WIFI	 REACH_INTERFACE_WIFI
#define CELLULAR REACH_INTERFACE_CELLULAR
#define VPN	 REACH_INTERFACE_VPN
#define PPP	 REACH_INTERFACE_PPP
#define VIRTUAL	 REACH_INTERFACE_VIRTUAL

/* devices.c has those that a kernel has told. */
static const struct row {
	const char *kind;
	/* 0 for Ethernet. */
	uint16_t type;
	struct reach_evidence evidence;
	enum reach_interface_class class;
} rows[] = {
	{ "", 0, .class = WIRED },
	{ "", ARPHRD_LOOPBACK, .class = LOOPBACK },
	{ "", ARPHRD_RAWIP, .class = CELLULAR },
	{ "", 530, .class = CELLULAR },
	{ "", ARPHRD_PPP, .class = PPP },
	{ "", ARPHRD_IEEE80211_RADIOTAP, .class = OTHER },
	{ "", ARPHRD_NONE, .class = OTHER },
	{ "tun", ARPHRD_PPP, .class = VPN },
	{ "ip6gre", ARPHRD_IP6GRE, .class = VPN },
	{ "ip6gretap", 0, .class = VPN },
	{ "ip6erspan", 0, .class = VPN },
	{ "ip6tnl", ARPHRD_TUNNEL6, .class = VPN },
	{ "vti", ARPHRD_TUNNEL, .class = VPN },
	{ "vti6", ARPHRD_TUNNEL6, .class = VPN },
	{ "l2tp", 0, .class = VPN },
	{ "l2tpeth", 0, .class = VPN },
	{ "ovpn", ARPHRD_NONE, .class = VPN },
	{ "rmnet", ARPHRD_RAWIP, .class = CELLULAR },
	{ "dsa", 0, .class = WIRED },
	{ "netkit", 0, .class = VIRTUAL },
	{ "neverheardof", 0, .class = VIRTUAL },
	{ "neverheardof", ARPHRD_CAN, .class = OTHER },
	{ "wireguar", 0, .class = VIRTUAL },
	{ "wireguardian", 0, .class = VIRTUAL },
	{ "", 0, { .devtype = "wlan" }, WIFI },
	{ "", 0, { .wireless = true }, WIFI },
	{ "",
	  ARPHRD_IEEE80211_RADIOTAP,
	  { .devtype = "wlan", .wireless = true },
	  OTHER },
	{ "", ARPHRD_IEEE80211, { .devtype = "wlan" }, OTHER },
	{ "", 0, { .devtype = "wwan", .driver = "cdc_ether" }, CELLULAR },
	{ "", 0, { .devtype = "gadget" }, WIRED },
	{ "", 0, { .devtype = "dsa" }, WIRED },
	{ "", 0, { .devtype = "bluetooth" }, OTHER },
	{ "", 0, { .devtype = "neverheardof" }, WIRED },
	{ "", 0, { .driver = "e1000e" }, WIRED },
	{ "", 0, { .driver = "rndis_host" }, WIRED },
	{ "", ARPHRD_NONE, { .driver = "qmi_wwan" }, CELLULAR },
	{ "", 0, { .driver = "cdc_mbim" }, CELLULAR },
	{ "", 0, { .driver = "huawei_cdc_ncm" }, CELLULAR },
	{ "", 0, { .driver = "sierra_net" }, CELLULAR },
	{ "", 0, { .driver = "mhi_net" }, CELLULAR },
	{ "", 0, { .driver = "iosm" }, CELLULAR },
	{ "", 0, { .driver = "mtk_t7xx" }, CELLULAR },
	{ "", ARPHRD_NONE, { .driver = "hso" }, CELLULAR },
	{ "",
	  0,
	  { .devtype = "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
	    .driver = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" },
	  WIRED },
	/* A kind takes precedence. */
	{ "wireguard", 0, { .devtype = "wlan" }, VPN },
};

static void by_words_and_sysfs(void)
{
	struct reach_link link = { .index = 1 };
	const struct reach_links links = { &link, 1, 1 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct reach_evidence *of = &rows[i].evidence;

		snprintf(link.kind, sizeof(link.kind), "%s", rows[i].kind);
		link.hardware_type = rows[i].type ? rows[i].type : ARPHRD_ETHER;
		link.evidence = *of;
		link.evidence_known = of->devtype[0] || of->driver[0] ||
				      of->wireless;
		if (!CHECK(reach_classify(&links, &link) == rows[i].class))
			fprintf(stderr,
				"kind '%s', type %u, devtype '%s', driver "
				"'%s'\n",
				link.kind, link.hardware_type, of->devtype,
				of->driver);
	}
	link = (struct reach_link){ .index = 1,
				    .hardware_type = ARPHRD_NONE,
				    .flags = IFF_LOOPBACK };
	CHECK(reach_classify(&links, &link) == LOOPBACK);
}

/* Links for capture are neither usable nor dormant. */
static void capture(void)
{
	static const uint16_t types[] = { ARPHRD_IEEE80211,
					  ARPHRD_IEEE80211_PRISM,
					  ARPHRD_IEEE80211_RADIOTAP,
					  ARPHRD_NETLINK, ARPHRD_VSOCKMON };
	struct reach_link link = { .index = 1 };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		link.hardware_type = types[i];
		link.flags = USABLE;
		CHECK(reach_link_state(&link) ==
		      (REACH_INTERFACE_UP | REACH_INTERFACE_RUNNING |
		       REACH_INTERFACE_LOWER_UP));
		link.flags = IFF_UP | IFF_LOWER_UP | IFF_DORMANT;
		CHECK(reach_link_state(&link) ==
		      (REACH_INTERFACE_UP | REACH_INTERFACE_LOWER_UP));
	}
}

/* A table that begins with a network card (1), Wi-Fi (2), a modem (3), and a
 * tunnel (4). */
struct table {
	struct reach_link items[64];
	struct reach_links links;
};

static struct reach_link *put(struct table *table, uint32_t index,
			      const char *kind)
{
	struct reach_link *link = &table->items[table->links.count++];

	*link = (struct reach_link){ .index = index,
				     .hardware_type = ARPHRD_ETHER };
	strcpy(link->kind, kind);
	return link;
}

static struct reach_link *begin(struct table *table)
{
	table->links = (struct reach_links){ table->items, 0, 64 };
	put(table, 1, "");
	put(table, 2, "")->evidence =
		(struct reach_evidence){ .devtype = "wlan" };
	table->items[1].evidence_known = true;
	put(table, 3, "wwan")->hardware_type = ARPHRD_NONE;
	put(table, 4, "tun")->hardware_type = ARPHRD_NONE;
	return table->items;
}

static enum reach_interface_class class_of(const struct table *table,
					   uint32_t index)
{
	return reach_classify(&table->links,
			      reach_links_find(&table->links, index));
}

static void lower_links(void)
{
	static const char *const kinds[] = { "vlan",   "macvlan", "macvtap",
					     "ipvlan", "ipvtap",  "macsec" };
	struct table table;
	uint32_t i;

	begin(&table);
	for (i = 0; i < 6; i++) {
		put(&table, 10 + i, kinds[i])->lower = 2;
		CHECK(class_of(&table, 10 + i) == WIFI);
	}
	/* One that is elsewhere, unknown, itself, or missing proves nothing. */
	put(&table, 20, "macvlan")->lower = 1;
	table.items[table.links.count - 1].lower_elsewhere = true;
	put(&table, 21, "macvlan")->lower = 99;
	put(&table, 22, "macvlan")->lower = 22;
	put(&table, 23, "macvlan");
	for (i = 20; i < 24; i++)
		CHECK(class_of(&table, i) == VIRTUAL);
	/* Eight layers are seen through; the kernel has no more. */
	begin(&table);
	for (i = 10; i < 30; i++)
		put(&table, i, "vlan")->lower = i == 10 ? 1 : i - 1;
	CHECK(class_of(&table, 17) == WIRED);
	CHECK(class_of(&table, 18) == VIRTUAL);
	CHECK(class_of(&table, 29) == VIRTUAL);
}

static void ports(void)
{
	struct table table;
	struct reach_link *real = begin(&table);
	uint32_t i;

	/* Of ports that are all down, the best counts. */
	for (i = 0; i < 4; i++)
		real[i].master = 10;
	put(&table, 10, "bridge");
	put(&table, 11, "vlan")->lower = 10;
	CHECK(class_of(&table, 10) == WIRED);
	CHECK(class_of(&table, 11) == WIRED);
	/* The last one may be the best. */
	real[0].master = 0;
	put(&table, 12, "dsa")->master = 10;
	CHECK(class_of(&table, 10) == WIRED);
	/* Usable ones count before others. */
	real[1].flags = USABLE;
	CHECK(class_of(&table, 10) == WIFI);
	real[2].master = real[3].master = 13;
	put(&table, 13, "team");
	CHECK(class_of(&table, 13) == CELLULAR);
	/* A port doesn't make a VRF real, and ports may be virtual. */
	begin(&table)->master = 10;
	put(&table, 10, "vrf");
	put(&table, 11, "bridge");
	put(&table, 12, "veth")->master = 11;
	put(&table, 13, "tun")->master = 11;
	CHECK(class_of(&table, 1) == WIRED);
	CHECK(class_of(&table, 10) == VIRTUAL);
	CHECK(class_of(&table, 11) == VIRTUAL);
	/* Links side by side are no layers. */
	begin(&table);
	put(&table, 10, "bridge");
	for (i = 11; i < 30; i++) {
		put(&table, i, "vlan")->master = 10;
		table.items[table.links.count - 1].lower = i < 29 ? 4 : 2;
	}
	CHECK(class_of(&table, 10) == WIFI);
	CHECK(class_of(&table, 11) == VPN);
}

static void bonds(void)
{
	struct table table;
	struct reach_link *real = begin(&table);

	/* An active port counts before a backup, a usable backup before an
	 * active port that is down, and backups alone are all there is. */
	put(&table, 10, "bond");
	real[0].master = real[1].master = 10;
	real[0].flags = real[1].flags = USABLE;
	real[0].slave_state = 1;
	CHECK(class_of(&table, 10) == WIFI);
	real[0].slave_state = 0;
	real[0].flags = 0;
	real[1].slave_state = 1;
	CHECK(class_of(&table, 10) == WIFI);
	real[0].slave_state = 1;
	real[1].flags = 0;
	CHECK(class_of(&table, 10) == WIRED);
}

static void cycles(void)
{
	static const char *const kinds[] = { "bridge", "vlan", "bond", "team",
					     "macvlan" };
	static struct reach_link items[400];
	const struct reach_links links = { items, 400, 400 };
	uint32_t i;

	for (i = 0; i < 400; i++) {
		items[i] = (struct reach_link){ .index = i + 1,
						.hardware_type = ARPHRD_ETHER,
						.master = 1 + (i + 1) % 7,
						.lower = 1 + (i + 1) % 11 };
		strcpy(items[i].kind, kinds[(i + 1) % 5]);
	}
	for (i = 0; i < 400; i++)
		CHECK(reach_classify(&links, &items[i]) == VIRTUAL);
}

static void names(void)
{
	static const char *const all[] = { "other", "loopback", "wiredEthernet",
					   "wifi",  "cellular", "vpn",
					   "ppp",   "virtual" };

	for (uint32_t i = 0; i < 8; i++)
		CHECK(!strcmp(reach_interface_class_name(i), all[i]));
	CHECK(!strcmp(reach_interface_class_name(8), "other"));
	CHECK(!strcmp(reach_interface_class_name(UINT32_MAX), "other"));
}

void test_classes(void)
{
	by_words_and_sysfs();
	capture();
	lower_links();
	ports();
	bonds();
	cycles();
	names();
}
