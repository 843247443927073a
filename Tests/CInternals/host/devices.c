/* SPDX-License-Identifier: MIT */
/* The 45 devices of a Debian machine with Linux 6.1: their messages, and what its
 * sysfs had. */
#include <errno.h>
#include <stdio.h>

#include "check.h"
#include "engine/verdict/verdict.h"
#include "host/host.h"

#define RECORDING "Tests/Vectors/debian-6.1-devices.dump"

struct device {
	const char *name;
	/* Without sysfs; 0 for the same as with it. */
	enum reach_interface_class alone;
	enum reach_interface_class class;
	/* What sysfs had of those whose class depends on it. */
	struct reach_evidence evidence;
	bool asked;
};

#define VIRTUAL(name) { name, .class = REACH_INTERFACE_VIRTUAL }
#define VPN(name)     { name, .class = REACH_INTERFACE_VPN }
#define WIFI(name)                                                             \
	{ name,                                                                \
	  REACH_INTERFACE_WIRED_ETHERNET,                                      \
	  REACH_INTERFACE_WIFI,                                                \
	  { "wlan", "mac80211_hwsim", true },                                  \
	  true }
#define WIRED(name, devtype, driver)                                           \
	{ name,                                                                \
	  0,                                                                   \
	  REACH_INTERFACE_WIRED_ETHERNET,                                      \
	  { devtype, driver, false },                                          \
	  true }

static const struct device devices[] = {
	{ "lo", .class = REACH_INTERFACE_LOOPBACK },
	WIFI("wlan0"),
	WIFI("wlan1"),
	WIFI("p2p0"),
	{ "mon0",
	  0,
	  REACH_INTERFACE_OTHER,
	  { "wlan", "mac80211_hwsim", true },
	  true },
	{ "hwsim0", .class = REACH_INTERFACE_OTHER, .asked = true },
	{ "nlmon0", .class = REACH_INTERFACE_OTHER, .asked = true },
	{ "wwan0", .class = REACH_INTERFACE_CELLULAR },
	{ "wwan1", .class = REACH_INTERFACE_CELLULAR },
	{ "wwanlink2", .class = REACH_INTERFACE_CELLULAR },
	{ "wwan2",
	  REACH_INTERFACE_WIRED_ETHERNET,
	  REACH_INTERFACE_CELLULAR,
	  { "wwan", "cdc_ether", false },
	  true },
	WIRED("eth0", "", "netdevsim"),
	WIRED("usb0", "gadget", "configfs-gadget.huawei_me909"),
	WIRED("usb1", "gadget", "configfs-gadget.plain_ecm"),
	WIRED("usb2", "gadget", "configfs-gadget.plain_ncm"),
	WIRED("usb3", "gadget", "configfs-gadget.rndis_tether"),
	WIRED("usb4", "", "cdc_ether"),
	WIRED("usb5", "", "cdc_ncm"),
	WIRED("usb6", "", "rndis_host"),
	VPN("wg0"),
	VPN("tunl0"),
	VPN("ipip1"),
	VPN("gre0"),
	VPN("gretap0"),
	VPN("erspan0"),
	VPN("gre1"),
	VPN("gretap1"),
	VPN("sit0"),
	VPN("sit1"),
	VPN("xfrm0"),
	VPN("tun0"),
	{ "ppp0", .class = REACH_INTERFACE_PPP },
	VIRTUAL("dummy0"),
	VIRTUAL("vrf0"),
	VIRTUAL("dummy0.5"),
	VIRTUAL("veth0"),
	VIRTUAL("veth1"),
	VIRTUAL("br0"),
	VIRTUAL("bond0"),
	VIRTUAL("macvlan0"),
	VIRTUAL("ifb0"),
	VIRTUAL("vxlan0"),
	VIRTUAL("geneve0"),
	VIRTUAL("team0"),
	VIRTUAL("tap0"),
};

#define COUNT (sizeof(devices) / sizeof(*devices))

/* Applies all messages of a recording: datagrams, each after its length. */
static void read_links(FILE *file, struct reach_links *links)
{
	static _Alignas(8) uint8_t bytes[1 << 16];
	static struct reach_message message;
	uint32_t size;
	int result;

	while (fread(&size, sizeof(size), 1, file) == 1) {
		size_t offset = 0;

		if (!CHECK(size <= sizeof(bytes) &&
			   fread(bytes, size, 1, file) == 1))
			return;
		while ((result = reach_message_decode(bytes, size, &offset,
						      &message)) == 1)
			if (message.kind == REACH_MESSAGE_LINK)
				CHECK(reach_links_apply(links, &message.u.link,
							false) >= 0);
		/* The kernel's messages aren't malformed. */
		CHECK(result == 0 && offset == size);
	}
}

static void check_classes(struct reach_links *links)
{
	for (size_t i = 0; i < COUNT; i++) {
		const struct device *device = &devices[i];
		const struct reach_link *found =
			reach_links_find_name(links, device->name);
		struct reach_link *link;

		if (!CHECK(found))
			continue;
		link = &links->items[found - links->items];
		CHECK(reach_classify(links, link) ==
		      (device->alone ? device->alone : device->class));
		CHECK((reach_classify_basis(link) == REACH_BASIS_DEVICE) ==
		      device->asked);
		link->evidence = device->evidence;
		link->evidence_known = true;
		if (!CHECK(reach_classify(links, link) == device->class))
			fprintf(stderr, "%s\n", device->name);
	}
}

void test_devices(void)
{
	FILE *file = fopen(RECORDING, "re");
	struct reach_links links = { 0 };

	if (!file) {
		check_skip(RECORDING, -errno);
		return;
	}
	read_links(file, &links);
	fclose(file);
	CHECK(links.count == COUNT);
	check_classes(&links);
	reach_links_free(&links);
}
