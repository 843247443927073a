/* SPDX-License-Identifier: MIT */
/*
 * Two radios of mac80211_hwsim: wlan0 is the station, and the other, in another
 * namespace, the access point. The patterns allow a watcher to miss short
 * states, such as the handshake with the right key, but no lasting one.
 */
#include "guest.h"

#define PEER   "10.1.0.1"
#define BEYOND "198.51.100.1"

struct wifi {
	struct watch watch;
	struct seen *peer;
	struct seen *beyond;
	struct seen *local;
	struct seen *internet;
	/* The access point's side. */
	struct watch far;
	struct seen *station;
};

static pid_t begin_access_point(struct wifi *wifi, const char *kind)
{
	const pid_t pid =
		start("ip netns exec ap hostapd /etc/ap-%s.conf", kind);

	await(wifi->station, 'd');
	return pid;
}

static pid_t begin_station(const char *network)
{
	return start("wpa_supplicant -D nl80211 -i wlan0 "
		     "-c /etc/station-%s.conf",
		     network);
}

static void open_wifi(struct wifi *wifi)
{
	run("ip netns add ap && iw phy phy1 set netns name ap");
	run("ip -n ap addr add " PEER "/24 dev wlan1");
	watch_open(&wifi->watch, NULL);
	wifi->peer = watch_add(&wifi->watch, PEER, NULL);
	wifi->beyond = watch_add(&wifi->watch, BEYOND, NULL);
	wifi->local = watch_add(&wifi->watch, "169.254.0.0", NULL);
	wifi->internet = watch_add(&wifi->watch, "0.0.0.0", NULL);
	expect(wifi->peer, "^n$");
	expect(wifi->local, "^x$");
	watch_open(&wifi->far, "ap");
	wifi->station = watch_add(&wifi->far, "10.1.0.2", NULL);
}

static void close_wifi(struct wifi *wifi)
{
	watch_close(&wifi->far);
	watch_close(&wifi->watch);
	run("ip netns del ap");
}

static void expect_all_reachable(struct wifi *wifi)
{
	await(wifi->beyond, 'r');
	await(wifi->internet, 'r');
	await(wifi->local, 'd');
	expect_over(wifi->peer, "wlan0", REACH_INTERFACE_WIFI);
	expect_over(wifi->beyond, "wlan0", REACH_INTERFACE_WIFI);
	expect_over(wifi->internet, "wlan0", REACH_INTERFACE_WIFI);
	expect_over(wifi->local, "wlan0", REACH_INTERFACE_WIFI);
	run("ping -c 1 -w 60 " PEER " >>/run/log");
}

/* Without a supplicant the link is never dormant. When the link comes up, the
 * driver reports RUNNING and operstate unknown, but no carrier. That isn't
 * reachable. */
static void test_bare(struct wifi *wifi)
{
	pid_t ap, up;

	run("ip addr add 10.1.0.2/24 dev wlan0");
	/* The kernel updates links without carrier once a second. It does so
	 * now for wlan1, so wlan0 keeps its first state for most of a
	 * second. */
	run("ip -n ap link set wlan1 up");
	up = start("ip link set wlan0 up");
	await_through(wifi->peer, 'x', "^nx$");
	join(up);
	run("ip route add default via " PEER);
	await_through(wifi->beyond, 'x', "^nx$");
	ap = begin_access_point(wifi, "open");
	run("iw dev wlan0 connect reach-open 2412");
	await_through(wifi->peer, 'd', "^xd$");
	expect_all_reachable(wifi);
	expect(wifi->beyond, "^xr$");
	run("iw dev wlan0 disconnect");
	await_through(wifi->peer, 'x', "^dx$");
	await_through(wifi->beyond, 'x', "^rx$");
	/* The kernel sends no events for routes that go with the link. */
	run("ip link set wlan0 down");
	await_through(wifi->peer, 'n', "^xn$");
	await_through(wifi->beyond, 'n', "^xn$");
	stop(ap);
}

/* A macvlan over wlan0, and a VLAN over that, are Wi-Fi too. */
static void test_over(struct wifi *wifi)
{
	struct seen *tagged = watch_add(&wifi->watch, "10.3.0.1", NULL);

	run("ip link add link wlan0 name alike type macvlan");
	await_class(&wifi->watch, "alike", REACH_INTERFACE_WIFI);
	run("ip link add link alike name upper type vlan id 5");
	await_class(&wifi->watch, "upper", REACH_INTERFACE_WIFI);
	run("ip link set alike up && ip link set upper up");
	run("ip addr add 10.3.0.2/24 dev upper");
	await_through(tagged, 'd', "^r[sx]*d$");
	expect_over(tagged, "upper", REACH_INTERFACE_WIFI);
	run("ip link del alike");
	await_through(tagged, 'r', "^d[nsx]*r$");
}

/* As with DHCP, the address comes after the association. */
static void test_open(struct wifi *wifi)
{
	const pid_t ap = begin_access_point(wifi, "open");
	pid_t station;

	run("ip addr flush dev wlan0");
	await(wifi->local, 'x');
	expect(wifi->local, "^xdx$");
	station = begin_station("open");
	await_through(wifi->local, 's', "^xs$");
	expect(wifi->peer, "^n$");
	run("ip addr add 10.1.0.2/24 dev wlan0");
	await_through(wifi->peer, 'd', "^nd$");
	expect(wifi->beyond, "^n$");
	run("ip route add default via " PEER);
	await_through(wifi->beyond, 'r', "^nr$");
	expect_all_reachable(wifi);
	expect(wifi->local, "^sd$");
	test_over(wifi);
	stop(station);
	await_through(wifi->peer, 'n', "^dx?n$");
	await_through(wifi->beyond, 'n', "^rx?n$");
	await_through(wifi->local, 'x', "^dx$");
	stop(ap);
}

/* The station is associated, but the handshake never succeeds. The link is
 * dormant while the access point tries. */
static void test_wrong_key(struct wifi *wifi)
{
	const pid_t station = begin_station("wrong");

	await_through(wifi->peer, 'q', "^nxq$");
	await_through(wifi->peer, 'x', "^qx$");
	stop(station);
	await(wifi->peer, 'n');
	expect(wifi->peer, "^x(qx)*n$");
	expect(wifi->local, "^x$");
}

/* The address remains from before. The access point stops and starts again. */
static void test_wpa2(struct wifi *wifi)
{
	pid_t ap = begin_access_point(wifi, "wpa2");
	struct seen *peer6 = watch_add(&wifi->watch, "2001:db8::1", NULL);
	pid_t station;

	test_wrong_key(wifi);
	run("echo 0 >/proc/sys/net/ipv6/conf/wlan0/disable_ipv6");
	run("ip addr add 2001:db8::2/64 dev wlan0");
	station = begin_station("wpa2");
	await_through(wifi->peer, 'd', "^nx(qx)*q?d$");
	run("ip route add default via " PEER);
	await_through(wifi->beyond, 'r', "^nx?r$");
	expect_all_reachable(wifi);
	/* Duplicate address detection takes its time. */
	await_through(peer6, 'd', "^n[nsxq]*sd$");
	expect_over(peer6, "wlan0", REACH_INTERFACE_WIFI);
	stop(ap);
	await_through(wifi->peer, 'x', "^dx$");
	await_through(peer6, 'x', "^dx$");
	await_through(wifi->beyond, 'x', "^rx$");
	await_through(wifi->internet, 'x', "x$");
	await_through(wifi->local, 'x', "^xdx$");
	ap = begin_access_point(wifi, "wpa2");
	await_through(wifi->peer, 'd', "^x(qx)*q?d$");
	await_through(peer6, 'd', "^x(qx)*q?d$");
	expect_all_reachable(wifi);
	stop(station);
	await_through(wifi->peer, 'n', "^dx?n$");
	await_through(peer6, 'n', "^d[xs]*n$");
	stop(ap);
}

void test_wifi(void)
{
	struct wifi wifi;

	open_wifi(&wifi);
	await_class(&wifi.watch, "lo", REACH_INTERFACE_LOOPBACK);
	await_class(&wifi.watch, "wlan0", REACH_INTERFACE_WIFI);
	await_class(&wifi.watch, "hwsim0", REACH_INTERFACE_OTHER);
	test_bare(&wifi);
	test_open(&wifi);
	test_wpa2(&wifi);
	close_wifi(&wifi);
}
