/* SPDX-License-Identifier: MIT */
/* Modems of the wwan core (Linux 5.13), which PCIe modems use. Their links are
 * point-to-point, without a hardware address, and their operstate is UNKNOWN.
 * The core's simulator drops all packets. */
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"

static void test_traffic(struct watch *watch)
{
	struct seen *peer = watch_add(watch, "10.7.0.1", NULL);
	struct seen *internet = watch_add(watch, "0.0.0.0", NULL);
	struct seen *local = watch_add(watch, "169.254.0.0", NULL);

	run("ip link set wwan0 name eth7");
	await_class(watch, "eth7", REACH_INTERFACE_CELLULAR);
	run("ip addr add 10.7.0.2/24 dev eth7 && ip link set eth7 up");
	await_through(peer, 'w', "^n[xs]*w$");
	run("ip route add default dev eth7");
	await_through(internet, 'w', "^nw$");
	expect_over(peer, "eth7", REACH_INTERFACE_CELLULAR);
	expect_over(internet, "eth7", REACH_INTERFACE_CELLULAR);
	await_running(watch, "eth7", true);
	/* A second link of the same modem, as used for another APN. */
	run("ip link add name wlan7 parentdev wwan0 type wwan linkid 2");
	await_class(watch, "wlan7", REACH_INTERFACE_CELLULAR);
	run("ip addr add 10.8.0.2/24 dev wlan7 && ip link set wlan7 up");
	run("ip link set eth7 down");
	await_through(peer, 'n', "^wx?n$");
	await_through(internet, 'n', "^wx?n$");
	run("ip route add default dev wlan7");
	await_through(peer, 'w', "^nw$");
	await_through(internet, 'w', "^nw$");
	expect_over(peer, "wlan7", REACH_INTERFACE_CELLULAR);
	expect_over(internet, "wlan7", REACH_INTERFACE_CELLULAR);
	run("ip link del wlan7");
	await_absence(watch, "wlan7");
	await_through(internet, 'n', "^wx?n$");
	await_through(peer, 'n', "^wx?n$");
	expect(local, "^x$");
}

void test_wwan(void)
{
	struct watch watch;

	if (system("modprobe -q -n wwan_hwsim")) {
		printf("SKIPPED: there is no wwan_hwsim for this kernel\n");
		return;
	}
	watch_open(&watch, NULL);
	run("modprobe wwan_hwsim devices=1");
	await_class(&watch, "wwan0", REACH_INTERFACE_CELLULAR);
	test_traffic(&watch);
	/* Removing the modem removes its first link. */
	run("modprobe -r wwan_hwsim");
	await_absence(&watch, "eth7");
	watch_close(&watch);
}
