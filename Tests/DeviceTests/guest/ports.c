/* SPDX-License-Identifier: MIT */
/* Bond and team over a wired port and a modem; ipvlan and macsec, which take
 * over the traffic of their lower link. */
#include "guest.h"

/* Brings up the far sides of both ports. The modem comes first, because its
 * driver may miss the modem's report that it is connected. Without that report
 * the bond would have nothing to fall back to. */
static void connect_modem_then_tether(struct seen *peer)
{
	run("ip -n far link set gadget1 up");
	await_through(peer, 'W', "^n[sx]*W$");
	run("ip -n far link set gadget0 up");
	await_through(peer, 'd', "^Wd$");
}

/* The class of @name, and of a macvlan over it, follows the carrier of usb0. */
static void fail_over(struct watch *watch, struct seen *peer, const char *name)
{
	expect_over(peer, name, REACH_INTERFACE_WIRED_ETHERNET);
	run("ip link add link %s name upper type macvlan", name);
	await_class(watch, "upper", REACH_INTERFACE_WIRED_ETHERNET);
	run("ip -n far link set gadget0 down");
	await_through(peer, 'W', "^dx?W$");
	expect_over(peer, name, REACH_INTERFACE_CELLULAR);
	await_class(watch, "upper", REACH_INTERFACE_CELLULAR);
	run("ip -n far link set gadget0 up");
	await_through(peer, 'd', "^Wd$");
	expect_over(peer, name, REACH_INTERFACE_WIRED_ETHERNET);
	await_class(watch, "upper", REACH_INTERFACE_WIRED_ETHERNET);
}

static struct seen *open_ports(struct watch *watch)
{
	run("ip netns add far");
	watch_open(watch, NULL);
	plug(watch, 0, TETHER, "usb0", REACH_INTERFACE_WIRED_ETHERNET);
	plug(watch, 1, MODEM, "wwan0", REACH_INTERFACE_CELLULAR);
	return watch_add(watch, "10.2.0.1", NULL);
}

static void close_ports(struct watch *watch)
{
	unplug(watch, 0, "usb0");
	unplug(watch, 1, "wwan0");
	watch_close(watch);
	run("ip netns del far");
}

/* A bond has the class of its active port, whatever made the port active. It is
 * named bond1, because the driver creates bond0 by itself. */
void test_bond(void)
{
	struct watch watch;
	struct seen *peer = open_ports(&watch);

	run("ip link add bond1 type bond mode active-backup miimon 100");
	run("ip link set usb0 master bond1 && ip link set wwan0 master bond1");
	run("ip link set bond1 type bond primary usb0");
	run("ip addr add 10.2.0.2/24 dev bond1 && ip link set bond1 up");
	connect_modem_then_tether(peer);
	fail_over(&watch, peer, "bond1");
	/* Sets the active port while both ports have carrier. */
	run("echo >/sys/class/net/bond1/bonding/primary");
	run("ip link set bond1 type bond active_slave wwan0");
	await_through(peer, 'W', "^dx?W$");
	expect_over(peer, "bond1", REACH_INTERFACE_CELLULAR);
	await_class(&watch, "upper", REACH_INTERFACE_CELLULAR);
	run("ip link set bond1 type bond active_slave usb0");
	await_through(peer, 'd', "^Wx?d$");
	run("ip link del upper && ip link del bond1");
	await_through(peer, 'n', "^d[dWx]*n$");
	close_ports(&watch);
}

/* Only generic netlink reports the active port of a team. A port without
 * carrier can't be the active one. */
void test_team(void)
{
	struct watch watch;
	struct seen *peer = open_ports(&watch);
	pid_t teamd;

	teamd = start("teamd -l stderr -f /etc/team.conf");
	await_class(&watch, "team1", REACH_INTERFACE_WIRED_ETHERNET);
	run("ip addr add 10.2.0.2/24 dev team1 && ip link set team1 up");
	connect_modem_then_tether(peer);
	fail_over(&watch, peer, "team1");
	run("ip link del upper");
	stop(teamd);
	await_through(peer, 'n', "^d[dWx]*n$");
	close_ports(&watch);
}

/* Links of each kind over one port follow its carrier. */
static void layer(struct watch *watch, const char *lower, int port, char letter,
		  enum reach_interface_class class)
{
	static const struct {
		const char *name;
		const char *arguments;
	} kinds[] = {
		{ "ipvlan7", "type ipvlan mode l2" },
		{ "ipvlan7", "type ipvlan mode l3" },
		{ "macsec7", "type macsec" },
	};
	const char up[] = { '^', 'x', letter, '$', '\0' };
	const char down[] = { '^', letter, 'x', '$', '\0' };
	struct seen *above = watch_add(watch, "10.4.0.1", NULL);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		run("ip link add link %s name %s %s", lower, kinds[i].name,
		    kinds[i].arguments);
		await_class(watch, kinds[i].name, class);
		run("ip addr add 10.4.0.2/24 dev %s && ip link set %s up",
		    kinds[i].name, kinds[i].name);
		await_through(above, letter, "^n[sx]*.$");
		expect_over(above, kinds[i].name, class);
		run("ip -n far link set gadget%d down", port);
		await_through(above, 'x', down);
		run("ip -n far link set gadget%d up", port);
		await_through(above, letter, up);
		run("ip link del %s", kinds[i].name);
		await(above, 'n');
		expect(above, "^.x?n$");
	}
}

void test_layers(void)
{
	struct watch watch;
	struct seen *wired, *cellular;

	open_ports(&watch);
	run("ip addr add 10.5.0.2/24 dev usb0 && ip link set usb0 up");
	run("ip addr add 10.6.0.2/24 dev wwan0 && ip link set wwan0 up");
	wired = watch_add(&watch, "10.5.0.1", NULL);
	cellular = watch_add(&watch, "10.6.0.1", NULL);
	run("ip -n far link set gadget0 up && ip -n far link set gadget1 up");
	await(wired, 'd');
	await(cellular, 'W');
	layer(&watch, "usb0", 0, 'd', REACH_INTERFACE_WIRED_ETHERNET);
	layer(&watch, "wwan0", 1, 'W', REACH_INTERFACE_CELLULAR);
	close_ports(&watch);
}
