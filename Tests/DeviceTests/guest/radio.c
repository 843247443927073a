/* SPDX-License-Identifier: MIT */
/*
 * More tests of a Wi-Fi radio: it roams between two access points of one
 * network (wlan1 and wlan2, in another namespace), is blocked by rfkill,
 * listens in monitor mode, and is an access point itself.
 */
#include "guest.h"

#define PEER "10.1.0.1"

struct radio {
	struct watch watch;
	struct seen *peer;
	struct seen *internet;
	struct seen *local;
	struct announced announced;
	pid_t first;
	pid_t station;
};

static pid_t begin_access_point(int number)
{
	return start("ip netns exec air hostapd /etc/ap-roam%d.conf", number);
}

/* Runs @command, and watches until wlan0's supplicant has completed the
 * association with access point @number, whose address contains the number. */
static void associate(struct radio *radio, const char *command, int number)
{
	const pid_t pid =
		start("sh -c '%s; until wpa_cli -i wlan0 status | tr \"\\n\" - "
		      "| grep -q bssid=02:00:00:00:0%d.*COMPLETED; do :; done'",
		      command, number);

	join_watching(&radio->watch, pid);
}

static void expect_connected(struct radio *radio)
{
	await(radio->peer, 'd');
	expect_announced(radio->peer, &radio->announced);
	await(radio->internet, 'r');
	await(radio->local, 'd');
	expect(radio->internet, "r$");
	expect(radio->local, "d$");
	expect_over(radio->peer, "wlan0", REACH_INTERFACE_WIFI);
	expect_over(radio->internet, "wlan0", REACH_INTERFACE_WIFI);
	run("ping -c 1 -w 60 " PEER " >>/run/log");
}

/* Between the two associations the driver has no carrier. The kernel may or may
 * not announce that, because linkwatch waits up to a second. */
static void test_roaming(struct radio *radio)
{
	pid_t second;

	radio->first = begin_access_point(1);
	radio->station = start("wpa_supplicant -D nl80211 -i wlan0 "
			       "-c /etc/station-roam.conf");
	await_through(radio->peer, 'd', "^nx(qx)*q?d$");
	run("ip route add default via " PEER);
	await(radio->internet, 'r');
	await(radio->local, 'd');
	associate(radio, ":", 1);
	second = begin_access_point(2);
	run("until wpa_cli -i wlan0 scan_results | grep -q '^02:00:00:00:02'; "
	    "do wpa_cli -i wlan0 scan >>/run/log; done");
	expect(radio->peer, "^d$");
	announced_open(&radio->announced, radio->peer);
	associate(radio, "wpa_cli -i wlan0 roam 02:00:00:00:02:00", 2);
	expect_connected(radio);
	/* The access point sends no frame when it goes down: the station
	 * notices missing beacons. */
	associate(radio, "ip -n air link set wlan2 down", 1);
	expect_connected(radio);
	stop(second);
}

/* Like a notebook's switch: the kernel takes the link down, and the supplicant
 * brings it up again. Only the connected route comes back. */
static void test_rfkill(struct radio *radio)
{
	run("for f in /sys/class/ieee80211/phy0/rfkill*/soft; do "
	    "echo 1 >$f; done");
	await(radio->peer, 'n');
	await_through(radio->internet, 'n', "^r[xq]*n$");
	await_through(radio->local, 'x', "^dx$");
	expect_announced(radio->peer, &radio->announced);
	await_class(&radio->watch, "wlan0", REACH_INTERFACE_WIFI);
	run("for f in /sys/class/ieee80211/phy0/rfkill*/soft; do "
	    "echo 0 >$f; done");
	associate(radio, ":", 1);
	run("ip route add default via " PEER);
	await(radio->internet, 'r');
	expect(radio->internet, "^n[xq]*r$");
	expect_connected(radio);
	announced_close(&radio->announced);
}

/* A monitor interface has carrier and an address, but can't send IP packets. */
static void test_monitor_mode(struct radio *radio)
{
	struct seen *beside = watch_add(&radio->watch, "10.9.0.1", NULL);
	struct seen *local = watch_add(&radio->watch, "169.254.0.0", "mon0");

	run("iw phy phy0 interface add mon0 type monitor");
	await_class(&radio->watch, "mon0", REACH_INTERFACE_OTHER);
	run("ip addr add 10.9.0.2/24 dev mon0 && ip link set mon0 up");
	await_through(beside, 'x', "^rx$");
	await_running(&radio->watch, "mon0", false);
	expect_over(beside, "mon0", REACH_INTERFACE_OTHER);
	run("ip route replace default dev mon0");
	await_through(radio->internet, 'x', "^rn?x$");
	expect(local, "^ix$");
	expect(radio->local, "^d$");
	expect(radio->peer, "^d$");
	run("ip route replace default via " PEER);
	await_through(radio->internet, 'r', "^xn?r$");
	run("iw dev mon0 del");
	await_through(local, 'i', "^xi$");
	await_through(beside, 'r', "^xn?r$");
}

/* An interface changes to monitor mode and back. */
static void test_mode_change(struct radio *radio)
{
	run("ip link set wlan0 down && iw dev wlan0 set type monitor");
	run("ip link set wlan0 up");
	await_class(&radio->watch, "wlan0", REACH_INTERFACE_OTHER);
	await_through(radio->peer, 'x', "^nx$");
	await_running(&radio->watch, "wlan0", false);
	expect(radio->local, "^x$");
	run("ip link set wlan0 down && iw dev wlan0 set type managed");
	await_through(radio->peer, 'n', "^xn$");
	run("ip link set wlan0 up");
	await_class(&radio->watch, "wlan0", REACH_INTERFACE_WIFI);
	run("ip link set wlan0 down");
}

static void test_access_point(struct radio *radio)
{
	pid_t ap, station;

	run("ip -n air link del br0 && ip -n air addr add " PEER
	    "/24 dev wlan1");
	ap = start("hostapd -i wlan0 /etc/ap-open.conf");
	await_through(radio->peer, 'd', "^n[nx]*d$");
	station = start("ip netns exec air wpa_supplicant -D nl80211 -i wlan1 "
			"-c /etc/station-open.conf");
	run("until iw dev wlan0 station dump | grep -q authorized.*yes; "
	    "do :; done");
	run("ping -c 1 -w 60 " PEER " >>/run/log");
	expect_over(radio->peer, "wlan0", REACH_INTERFACE_WIFI);
	await_class(&radio->watch, "wlan0", REACH_INTERFACE_WIFI);
	await_running(&radio->watch, "wlan0", true);
	stop(station);
	stop(ap);
	await_through(radio->peer, 'n', "^d[nx]*n$");
}

void test_radio(void)
{
	struct radio radio;

	watch_open(&radio.watch, NULL);
	await_class(&radio.watch, "wlan1", REACH_INTERFACE_WIFI);
	await_class(&radio.watch, "wlan2", REACH_INTERFACE_WIFI);
	radio.peer = watch_add(&radio.watch, PEER, NULL);
	radio.internet = watch_add(&radio.watch, "0.0.0.0", NULL);
	radio.local = watch_add(&radio.watch, "169.254.0.0", NULL);
	run("ip netns add air && iw phy phy1 set netns name air "
	    "&& iw phy phy2 set netns name air");
	run("ip -n air link add br0 type bridge && ip -n air link set br0 up "
	    "&& ip -n air addr add " PEER "/24 dev br0");
	run("ip addr flush dev wlan0 && ip addr add 10.1.0.2/24 dev wlan0");
	test_roaming(&radio);
	test_rfkill(&radio);
	test_monitor_mode(&radio);
	stop(radio.station);
	stop(radio.first);
	await_through(radio.peer, 'n', "^dx?n$");
	await_through(radio.local, 'x', "^dx$");
	test_mode_change(&radio);
	test_access_point(&radio);
	watch_close(&radio.watch);
	run("ip netns del air");
}
