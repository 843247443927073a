/* SPDX-License-Identifier: MIT */
/** Network interfaces: their class, whether they can carry a packet, and what
 * only you know about them.
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

/** The class of an interface, from rtnetlink (kind, hardware type) and sysfs
 * (driver, DEVTYPE), never from its name. A layered interface (VLAN, bridge,
 * bond, macvlan) has the class of the interface below it. */
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
	/** PPP, over DSL or a modem; the kernel doesn't know which. */
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
	 * isn't one that drops all (dummy, ifb, Wi-Fi monitor mode). */
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
	/** Index of the interface below a VLAN, macvlan, or bound tunnel, or of
	 * a veth's peer (IFLA_LINK, IFLA_VXLAN_LINK); 0 for none. */
	uint32_t lower;
	/** 1 if `lower` is an index of another network namespace, which also
	 * routes a tunnel's packets; else 0. */
	uint32_t lower_elsewhere;
	/** The ends of a tunnel, and the fwmark of its packets; family 0 and 0
	 * for none. The kernel reports them for GRE, IPIP, SIT, VTI, vxlan, and
	 * Geneve, over IPv4 and IPv6, but not for tun, WireGuard, L2TP, and
	 * PPP.
	 *
	 * To learn which interface carries the tunnel, add a target of kind
	 * REACH_TARGET_ADDRESS_PAIR with this `local`, `remote`, and `mark`,
	 * `lower` as `interface_index`, and uid 0: the state of that target has
	 * the interface. */
	struct reach_address local;
	struct reach_address remote;
	uint32_t mark;
	/** Always 0. */
	uint32_t reserved;
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

/** Whether traffic costs money or counts against a quota (metered). */
enum reach_metered {
	/** Not known. */
	REACH_METERED_UNKNOWN,
	REACH_METERED_YES,
	REACH_METERED_NO
};

/** Conditions of a modem, as bits. */
enum REACH_FLAG_ENUM reach_modem_condition {
	/** Registered with a cellular network, so it can connect. */
	REACH_MODEM_REGISTERED = 1 << 0,
	/** Has a data connection: routes and links decide. */
	REACH_MODEM_CONNECTED = 1 << 1,
	/** The SIM needs a PIN or PUK. Ignored if the modem is registered. */
	REACH_MODEM_LOCKED = 1 << 2,
	/** Traffic makes a registered modem connect (dial on demand). */
	REACH_MODEM_ON_TRAFFIC = 1 << 3
};

/** What you know about an interface and rtnetlink doesn't report, for example
 * from NetworkManager or ModemManager:
 *
 *	struct reach_interface_facts phone = {
 *		.size = sizeof(phone),
 *		.interface_name = "wlan0",
 *		.metered = REACH_METERED_YES,
 *	};
 *
 *	reach_monitor_set_facts(monitor, &phone, 1);
 *
 * The key is the name: the facts apply to the interface that has this name now,
 * even if it appeared later, was renamed to it, or has a new index. Several
 * entries may have one name: it is metered if one of them is, and each modem
 * counts.
 *
 * `metered` of struct reach_state has the value for the target's interface.
 * Flags don't depend on it. A change of it is a change of targets that report
 * their path (REACH_REPORT_PATH).
 *
 * If a target has no usable route, the best modem that isn't connected decides:
 * registered with dial on demand, then registered, then locked. The flags are
 * REACH_FLAG_REACHABLE, REACH_FLAG_TRANSIENT_CONNECTION,
 * REACH_FLAG_CONNECTION_REQUIRED, and REACH_FLAG_IS_WWAN. A registered modem
 * has the reason REACH_REASON_NOT_CONNECTED, and
 * REACH_FLAG_CONNECTION_ON_TRAFFIC if it dials on demand. A locked one has the
 * reason REACH_REASON_LOCKED_SIM and REACH_FLAG_INTERVENTION_REQUIRED.
 *
 * A target has no usable route if its reason is REACH_REASON_NO_ROUTE,
 * REACH_REASON_LINK_DOWN, or REACH_REASON_NO_SOURCE, and it is a unicast
 * address that is not loopback, link-local, on a directly connected network, or
 * an address of this host. The same holds for the remote address of a pair
 * whose local address is usable. A name has the verdict of its best address. If
 * it has no address because of REACH_REASON_NO_NETWORK, it has the modem's
 * verdict. Routes of type unreachable, prohibit, and blackhole, and rules of
 * type prohibit and blackhole, are an administrator's decision: no flags. A
 * rule of type unreachable counts as a missing route, because the kernel
 * returns the same errno for both. */
struct reach_interface_facts {
	/** sizeof(struct reach_interface_facts). */
	size_t size;
	/** Name of the interface, NUL-terminated; it need not exist. "" stands
	 * for the unknown interface of a modem and, for `metered`, for all
	 * interfaces of class REACH_INTERFACE_VPN without an own value: a tunnel
	 * costs as much as the network below it. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** enum reach_metered. */
	uint32_t metered;
	/** Bits of enum reach_modem_condition; 0 for no modem. A target bound to
	 * an interface uses only the modems of that interface. */
	uint32_t modem;
};

REACH_END_DECLS

#endif
