/* SPDX-License-Identifier: MIT */
/*
 * USB network devices. dummy_hcd connects a gadget to the host's real driver.
 * The gadget's side is moved to the namespace "far". Interfaces are renamed, so
 * that the library can't classify them by name.
 */
#include <stdio.h>

#include "guest.h"

#define LOCAL_WIFI "169.254.0.0"
#define INTERNET   "0.0.0.0"

void plug(struct watch *watch, int port, const char *what, const char *name,
	  enum reach_interface_class class)
{
	char far[REACH_INTERFACE_NAME_SIZE];

	run("gadget plug %d %s", port, what);
	snprintf(far, sizeof(far), "gadget%d.0", port);
	await_class(watch, far, REACH_INTERFACE_WIRED_ETHERNET);
	await_class(watch, name, class);
	run("ip link set %s netns far name gadget%d", far, port);
	await_absence(watch, far);
}

void unplug(struct watch *watch, int port, const char *name)
{
	run("gadget unplug %d", port);
	await_absence(watch, name);
}

/* A VLAN over the modem is cellular too, and dormant when the modem is. */
static void test_dormant(struct watch *watch, struct seen *peer)
{
	struct seen *tagged = watch_add(watch, "10.3.0.1", NULL);

	run("ip link add link eth0 name upper type vlan id 5");
	await_class(watch, "upper", REACH_INTERFACE_CELLULAR);
	run("ip addr add 10.3.0.2/24 dev upper && ip link set upper up");
	await_through(tagged, 'W', "^w[sx]*W$");
	expect_over(tagged, "upper", REACH_INTERFACE_CELLULAR);
	run("ip -n far link set gadget0 down");
	await_through(peer, 'x', "^Wx$");
	await_through(tagged, 'x', "^Wx$");
	run("ip link set eth0 mode dormant");
	run("ip -n far link set gadget0 up");
	await_through(peer, 'Q', "^xQ$");
	expect_over(peer, "eth0", REACH_INTERFACE_CELLULAR);
	await_through(tagged, 'Q', "^xQ$");
	run("ip link set eth0 state up");
	await_through(peer, 'W', "^QW$");
	await_through(tagged, 'W', "^QW$");
}

void test_modem(void)
{
	struct watch watch;
	struct seen *peer, *beyond, *internet, *local;
	pid_t up;

	run("ip netns add far");
	watch_open(&watch, NULL);
	peer = watch_add(&watch, "10.2.0.1", NULL);
	beyond = watch_add(&watch, "198.51.100.1", NULL);
	internet = watch_add(&watch, INTERNET, NULL);
	local = watch_add(&watch, LOCAL_WIFI, NULL);
	plug(&watch, 0, MODEM, "wwan0", REACH_INTERFACE_CELLULAR);
	run("ip link set wwan0 name eth0");
	await_class(&watch, "eth0", REACH_INTERFACE_CELLULAR);
	run("ip addr add 10.2.0.2/24 dev eth0");
	/* The driver reports a carrier until the modem reports none, which may
	 * be after the first event. */
	up = start("ip link set eth0 up");
	await_through(peer, 'x', "^nW?x$");
	join(up);
	run("ip route add default via 10.2.0.1");
	run("ip -n far addr add 10.2.0.1/24 dev gadget0");
	run("ip -n far link set gadget0 up");
	await_through(peer, 'W', "^xW$");
	await_through(beyond, 'w', "^nx?w$");
	await_through(internet, 'w', "^nx?w$");
	expect_over(peer, "eth0", REACH_INTERFACE_CELLULAR);
	expect_over(internet, "eth0", REACH_INTERFACE_CELLULAR);
	run("ping -c 1 -w 60 10.2.0.1 >>/run/log");
	test_dormant(&watch, peer);
	unplug(&watch, 0, "eth0");
	await_through(peer, 'n', "^Wx?n$");
	await_through(beyond, 'n', "^wxQwx?n$");
	expect(local, "^x$");
	watch_close(&watch);
	run("ip netns del far");
}

/* A tethered phone is a wired network card. */
void test_tethers(void)
{
	struct watch watch;
	struct seen *peer, *local;

	run("ip netns add far");
	watch_open(&watch, NULL);
	peer = watch_add(&watch, "10.2.0.1", NULL);
	local = watch_add(&watch, LOCAL_WIFI, NULL);
	plug(&watch, 0, TETHER, "usb0", REACH_INTERFACE_WIRED_ETHERNET);
	plug(&watch, 1, "ncm 0x1d6b 0x0104", "usb1",
	     REACH_INTERFACE_WIRED_ETHERNET);
	plug(&watch, 2, "rndis 0x1d6b 0x0104", "usb2",
	     REACH_INTERFACE_WIRED_ETHERNET);
	run("ip link set usb0 name wwan7");
	await_class(&watch, "wwan7", REACH_INTERFACE_WIRED_ETHERNET);
	run("ip link add br0 type bridge && ip link set br0 up");
	await_class(&watch, "br0", REACH_INTERFACE_VIRTUAL);
	run("ip link set wwan7 master br0 up && ip addr add 10.2.0.2/24 dev "
	    "br0");
	await_class(&watch, "br0", REACH_INTERFACE_WIRED_ETHERNET);
	run("ip -n far addr add 10.2.0.1/24 dev gadget0");
	run("ip -n far link set gadget0 up");
	await_through(peer, 'd', "^n[sx]*d$");
	await_through(local, 'd', "^x[sx]*d$");
	expect_over(peer, "br0", REACH_INTERFACE_WIRED_ETHERNET);
	expect_over(local, "br0", REACH_INTERFACE_WIRED_ETHERNET);
	run("ping -c 1 -w 60 10.2.0.1 >>/run/log");
	unplug(&watch, 0, "wwan7");
	await_class(&watch, "br0", REACH_INTERFACE_VIRTUAL);
	await_through(peer, 'x', "^d+x$");
	await_through(local, 'x', "^d+x$");
	run("ip link del br0");
	unplug(&watch, 1, "usb1");
	unplug(&watch, 2, "usb2");
	watch_close(&watch);
	run("ip netns del far");
}
