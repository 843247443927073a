/* SPDX-License-Identifier: MIT */
/**
 * Network interfaces: their class, and whether they can carry a packet.
 *
 *	struct reach_interface link = { .size = sizeof(link) };
 *	uint32_t index = 0;
 *
 *	while (reach_monitor_interface(monitor, index, &link) == 1) {
 *		printf("%s: %s\n", link.name,
 *		       reach_interface_class_name(link.interface_class));
 *		index = link.index;
 *	}
 */
#ifndef REACH_INTERFACE_H
#define REACH_INTERFACE_H

#include <reach/address.h>
#include <reach/export.h>

REACH_BEGIN_DECLS

/** The class of an interface. The library derives it from rtnetlink (kind,
 * hardware type) and sysfs (driver, DEVTYPE), never from the interface's name.
 * A layered interface (VLAN, bridge, bond, macvlan) has the class of the
 * interface below it. */
enum reach_interface_class {
	/** No evidence, or no other class fits (a monitor tap, Bluetooth). */
	REACH_INTERFACE_OTHER = 0,
	REACH_INTERFACE_LOOPBACK = 1,
	REACH_INTERFACE_WIRED_ETHERNET = 2,
	REACH_INTERFACE_WIFI = 3,
	/** A modem: wwan core, QMI, MBIM, a USB modem. */
	REACH_INTERFACE_CELLULAR = 4,
	/** WireGuard, tun, IPsec and other tunnels. */
	REACH_INTERFACE_VPN = 5,
	/** PPP; the kernel does not know whether it runs over DSL or a
	 * modem. */
	REACH_INTERFACE_PPP = 6,
	/** veth, dummy, tap, and bridges or bonds without a physical port. */
	REACH_INTERFACE_VIRTUAL = 7
};

/** The name of an enum reach_interface_class, as reachctl prints it
 * ("wiredEthernet"). Static text, never freed; "other" for unknown values. */
REACH_API const char *reach_interface_class_name(uint32_t interface_class);

/** Size of an interface name with its NUL (IFNAMSIZ of linux/if.h). */
#define REACH_INTERFACE_NAME_SIZE 16

/** Bits of struct reach_interface.state. */
enum REACH_FLAG_ENUM reach_interface_state {
	/** Administratively up (IFF_UP). */
	REACH_INTERFACE_UP = 1 << 0,
	/** Operational: operstate is up or unknown (IFF_RUNNING). */
	REACH_INTERFACE_RUNNING = 1 << 1,
	/** The lower layer has carrier (IFF_LOWER_UP). */
	REACH_INTERFACE_LOWER_UP = 1 << 2,
	/** Has carrier and waits for an external event: 802.1X, WPA, some
	 * dial-ups ("dormant" in RFC 2863). */
	REACH_INTERFACE_DORMANT = 1 << 3,
	/** Point to point (IFF_POINTOPOINT). */
	REACH_INTERFACE_POINT_TO_POINT = 1 << 4,
	/** It can carry a packet: UP, RUNNING, and LOWER_UP are set, and it
	 * isn't limited to capture, as Wi-Fi in monitor mode is. */
	REACH_INTERFACE_USABLE = 1 << 5
};

/** One interface. */
struct reach_interface {
	/** In: sizeof(struct reach_interface) of the caller. */
	size_t size;
	/** Interface index, never 0. */
	uint32_t index;
	/** Bits of enum reach_interface_state. */
	uint32_t state;
	/** enum reach_interface_class. */
	uint32_t interface_class;
	/** Index of the bridge, bond or VRF it belongs to, or 0. */
	uint32_t master;
	/** Name, NUL-terminated. */
	char name[REACH_INTERFACE_NAME_SIZE];
	/** rtnetlink kind (IFLA_INFO_KIND: "veth", "wireguard"),
	 * NUL-terminated; "" for a hardware device. */
	char kind[REACH_INTERFACE_NAME_SIZE];
};

/** An address of an interface. */
struct reach_interface_address {
	/** In: sizeof(struct reach_interface_address) of the caller. */
	size_t size;
	/** The address; if it is link-local, `scope_id` is the interface. */
	struct reach_address address;
	/** Length of the prefix of its subnet, in bits. */
	uint32_t prefix_length;
	/** 1 if the kernel accepts it as a source: not found duplicate, and not
	 * tentative unless optimistic. */
	uint32_t usable;
};

/** The sysfs attributes of an interface; "" for a missing file. */
struct reach_evidence {
	/** sizeof(struct reach_evidence). */
	size_t size;
	/** DEVTYPE of the interface's uevent file, NUL-terminated. */
	char devtype[32];
	/** Name of the driver that device/driver links to, NUL-terminated. */
	char driver[32];
	/** 1 if phy80211 or wireless/ exists. */
	uint8_t wireless;
	/** Always 0, else -EINVAL. */
	uint8_t reserved[7];
};

REACH_END_DECLS

#endif
