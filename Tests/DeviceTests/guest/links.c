/* SPDX-License-Identifier: MIT */
/* PPP, WireGuard, and other software devices. */
#include "guest.h"

#define INTERNET "0.0.0.0"

void test_ppp(void)
{
	struct watch watch;
	struct seen *peer, *internet;
	pid_t pppd;

	run("ip netns add far");
	watch_open(&watch, NULL);
	peer = watch_add(&watch, "10.5.0.1", NULL);
	internet = watch_add(&watch, INTERNET, NULL);
	pppd = start("pppd nodetach local noauth noccp 10.5.0.2:10.5.0.1 pty "
		     "'ip netns exec far pppd notty nodetach local noauth "
		     "noccp'");
	await_class(&watch, "ppp0", REACH_INTERFACE_PPP);
	await_through(peer, 't', "^n[xs]*t$");
	expect_over(peer, "ppp0", REACH_INTERFACE_PPP);
	run("ping -c 1 -w 60 10.5.0.1 >>/run/log");
	run("ip route add default dev ppp0");
	await_through(internet, 't', "^nt$");
	expect_over(internet, "ppp0", REACH_INTERFACE_PPP);
	stop(pppd);
	await_absence(&watch, "ppp0");
	await_through(peer, 'n', "^t[xs]*n$");
	await_through(internet, 'n', "^t[xs]*n$");
	watch_close(&watch);
	run("ip netns del far");
}

static void test_wireguard(struct watch *watch)
{
	struct seen *peer = watch_add(watch, "10.6.0.1", NULL);
	struct seen *internet = watch_add(watch, INTERNET, NULL);

	run("ip link add wg0 type wireguard");
	await_class(watch, "wg0", REACH_INTERFACE_VPN);
	run("ip addr add 10.6.0.2/24 dev wg0 && ip link set wg0 up");
	await_through(peer, 't', "^n[xs]*t$");
	expect_over(peer, "wg0", REACH_INTERFACE_VPN);
	run("ip route add default dev wg0");
	await_through(internet, 't', "^nt$");
	run("ip link set wg0 down");
	await_through(peer, 'n', "^tx?n$");
	await_through(internet, 'n', "^tx?n$");
	run("ip link del wg0");
	await_absence(watch, "wg0");
}

/* The devices that "ip link add" makes, and their classes without a real device
 * below. */
void test_software(void)
{
	static const struct {
		const char *name;
		const char *arguments;
		enum reach_interface_class class;
	} devices[] = {
		{ "dummy7", "type dummy", REACH_INTERFACE_VIRTUAL },
		{ "veth7", "type veth peer name veth8",
		  REACH_INTERFACE_VIRTUAL },
		{ "vrf7", "type vrf table 7", REACH_INTERFACE_VIRTUAL },
		{ "bridge7", "type bridge", REACH_INTERFACE_VIRTUAL },
		{ "bond7", "type bond", REACH_INTERFACE_VIRTUAL },
		{ "team7", "type team", REACH_INTERFACE_VIRTUAL },
		{ "ifb7", "type ifb", REACH_INTERFACE_VIRTUAL },
		{ "vlan7", "link dummy7 type vlan id 7",
		  REACH_INTERFACE_VIRTUAL },
		{ "macvlan7", "link dummy7 type macvlan",
		  REACH_INTERFACE_VIRTUAL },
		{ "vxlan7", "type vxlan id 7 dstport 4789",
		  REACH_INTERFACE_VIRTUAL },
		{ "geneve7", "type geneve id 7 remote 10.7.0.1",
		  REACH_INTERFACE_VIRTUAL },
		{ "ipip7", "type ipip remote 10.7.0.1 local 10.7.0.2",
		  REACH_INTERFACE_VPN },
		{ "gre7", "type gre remote 10.7.0.1 local 10.7.0.2",
		  REACH_INTERFACE_VPN },
		{ "gretap7", "type gretap remote 10.7.0.1 local 10.7.0.2",
		  REACH_INTERFACE_VPN },
		{ "sit7", "type sit remote 10.7.0.1 local 10.7.0.2",
		  REACH_INTERFACE_VPN },
		{ "xfrm7", "type xfrm dev lo if_id 7", REACH_INTERFACE_VPN },
		{ "nlmon7", "type nlmon", REACH_INTERFACE_OTHER },
	};
	struct watch watch;

	watch_open(&watch, NULL);
	test_wireguard(&watch);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		run("ip link add %s %s", devices[i].name, devices[i].arguments);
		await_class(&watch, devices[i].name, devices[i].class);
	}
	run("ip tuntap add tun7 mode tun && ip tuntap add tap7 mode tap");
	await_class(&watch, "tun7", REACH_INTERFACE_VPN);
	await_class(&watch, "tap7", REACH_INTERFACE_VIRTUAL);
	watch_close(&watch);
}
