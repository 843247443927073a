/* SPDX-License-Identifier: MIT */
/* Hosts with a default route, whose packets reach nobody. A socket connects;
 * the judge is what leaves the host, or what the device drops. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_packet.h>

#include "monitor/answer.h"

#define ARP_TARGET 24

/* As dhcpcd sets it up without a DHCP server: the address has global scope. */
static const struct topology self_assigned = {
	"a self-assigned address and a default route",
	{ "link set lo up", "link add e0 type veth peer name p0",
	  "link set p0 up", "link set e0 up",
	  "addr add 169.254.9.200/16 brd + dev e0 noprefixroute",
	  "route add 169.254.0.0/16 dev e0 scope link src 169.254.9.200 "
	  "metric 202",
	  "route add default dev e0 scope link src 169.254.9.200 metric "
	  "202" }
};

/* As the kill switch of a VPN. */
static const struct topology dropping = {
	"a default route into a device that drops packets",
	{ "link set lo up", "link add sink0 type ifb", "link set sink0 up",
	  "addr add 100.85.0.1/24 dev sink0",
	  "route add default via 100.85.0.2 dev sink0 metric 98",
	  "-6 addr add fdeb:446c:912d:8da::/64 dev sink0 nodad",
	  "-6 route add default via fdeb:446c:912d:8da::1 metric 95" }
};

/* Another host's addresses, out of lo; and a bridge that leads nowhere. */
static const struct topology nowhere = {
	"routes that lead nowhere",
	{ "link set lo up", "link add sink0 type ifb", "link set sink0 up",
	  "addr add 10.9.0.1/24 dev sink0",
	  "-6 addr add 2001:db8:9::1/64 dev sink0 nodad",
	  "route add 10.91.0.0/16 dev lo src 10.9.0.1",
	  "-6 route add 2001:db8:91::/64 dev lo", "link add br0 type bridge",
	  "link set br0 up", "addr add 10.57.0.1/24 dev br0",
	  "route add default via 10.57.0.2" }
};

struct expectation {
	/* NULL for the internet. */
	const char *remote;
	uint32_t flags;
	enum reach_reason reason;
};

static void expect(struct check *check, const struct expectation *expected)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;

	reach_target_init(&target, expected->remote ? REACH_TARGET_ADDRESS
						    : REACH_TARGET_INTERNET);
	if (expected->remote)
		(void)reach_address_parse(expected->remote, &target.remote);
	CHECK(check, answer_agrees(&target));
	if (!CHECK(check, answer_monitored(&target, &state) &&
				  state.flags == expected->flags &&
				  state.reason == expected->reason &&
				  (state.reason != REACH_REASON_LINK_DOWN ||
				   !state.usable_next_hops)))
		fprintf(stderr, "%s: %#x, reason %u\n", expected->remote,
			state.flags, state.reason);
}

/* Dispatches until the target's link has its carrier. */
static bool settle(const char *name)
{
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t id;
	bool settled;

	if (reach_monitor_open(&monitor, NULL))
		return false;
	reach_target_init(&target, REACH_TARGET_INTERNET);
	settled = !reach_monitor_add(monitor, &target, &id) &&
		  answer_await_link(monitor, name);
	reach_monitor_close(monitor);
	return settled;
}

/* Connects to 8.8.8.8 and sends a byte. */
static bool send_away(void)
{
	const struct sockaddr_in place = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(0x08080808),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool sent = !connect(fd, (const void *)&place, sizeof(place)) &&
			  send(fd, "x", 1, 0) == 1;

	close(fd);
	return sent;
}

/* Whether the host asks its link for 8.8.8.8, and sends no packet there. */
static bool asks_the_link(void)
{
	const struct sockaddr_ll place = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex("p0"),
	};
	const int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_ll from = { 0 };
	uint8_t packet[256] = { 0 };
	bool asks = false;

	if (!bind(fd, (const void *)&place, sizeof(place)) && send_away())
		while (!asks && check_wait(fd)) {
			socklen_t size = sizeof(from);

			if (recvfrom(fd, packet, sizeof(packet), 0,
				     (struct sockaddr *)&from, &size) < 0 ||
			    from.sll_protocol == htons(ETH_P_IP))
				break;
			asks = from.sll_protocol == htons(ETH_P_ARP) &&
			       memcmp(packet + ARP_TARGET, "\10\10\10\10", 4) ==
				       0;
		}
	close(fd);
	return asks;
}

static int without_a_router(void *context)
{
	static const struct expectation rows[] = {
		{ "8.8.8.8", 0, REACH_REASON_NO_SOURCE },
		{ NULL, 0, REACH_REASON_NO_SOURCE },
		{ "169.254.1.1", REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT,
		  0 },
	};
	static const struct expectation later[] = {
		{ "8.8.8.8", REACH_FLAG_REACHABLE, 0 },
		{ NULL, REACH_FLAG_REACHABLE, 0 },
	};
	struct check *check = context;
	size_t i;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&self_assigned))
		return -EOPNOTSUPP;
	CHECK(check, settle("e0"));
	CHECK(check, asks_the_link());
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(check, &rows[i]);
	/* With a router, as from a DHCP server or in a cloud. */
	CHECK(check, answer_ip("route replace default via 169.254.1.1 dev e0 "
			       "src 169.254.9.200 metric 202"));
	for (i = 0; i < sizeof(later) / sizeof(*later); i++)
		expect(check, &later[i]);
	return 0;
}

/* The packets that ifb has dropped, by the kernel's count. */
static unsigned long dropped(void)
{
	FILE *file = fopen("/proc/thread-self/net/dev", "re");
	unsigned long count = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		(void)sscanf(line, " sink0: %*u %*u %*u %lu", &count);
	if (file)
		fclose(file);
	return count;
}

static int into_a_sink(void *context)
{
	static const struct expectation rows[] = {
		{ "8.8.8.8", 0, REACH_REASON_LINK_DOWN },
		{ "2600::1", 0, REACH_REASON_LINK_DOWN },
		{ "100.85.0.2", 0, REACH_REASON_LINK_DOWN },
		{ NULL, 0, REACH_REASON_LINK_DOWN },
		{ "100.85.0.1",
		  REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT |
			  REACH_FLAG_IS_LOCAL_ADDRESS,
		  0 },
	};
	struct check *check = context;
	unsigned long before;
	size_t i;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&dropping))
		return -EOPNOTSUPP;
	before = dropped();
	CHECK(check, send_away() && dropped() > before);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(check, &rows[i]);
	return 0;
}

static int begin_connection(const char *remote)
{
	struct sockaddr_in6 place = { .sin6_family = AF_INET6,
				      .sin6_port = htons(9) };
	const int fd =
		socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)inet_pton(AF_INET6, remote, &place.sin6_addr);
	(void)connect(fd, (const void *)&place, sizeof(place));
	return fd;
}

/* Whether the host connects to itself at @remote: then it has done so before it
 * connects to ::1. */
static bool connects(const char *remote)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(9) };
	const int server = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	bool connected = true;
	int first, second;

	if (bind(server, (const void *)&any, sizeof(any)) || listen(server, 2))
		return true;
	first = begin_connection(remote);
	second = begin_connection("::1");
	if (!getpeername(second, (void *)&peer, &size))
		connected = !getpeername(first, (void *)&peer, &size);
	close(first);
	close(second);
	close(server);
	return connected;
}

static int into_nothing(void *context)
{
	static const struct expectation rows[] = {
		{ "10.91.0.1", 0, REACH_REASON_LINK_DOWN },
		{ "2001:db8:91::1", 0, REACH_REASON_LINK_DOWN },
		{ "10.57.0.2", 0, REACH_REASON_LINK_DOWN },
		{ "8.8.8.8", 0, REACH_REASON_LINK_DOWN },
	};
	static const struct expectation later = { "8.8.8.8",
						  REACH_FLAG_REACHABLE, 0 };
	struct check *check = context;
	size_t i;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&nowhere))
		return -EOPNOTSUPP;
	CHECK(check, connects("::ffff:10.57.0.1"));
	CHECK(check, !connects("::ffff:10.91.0.1"));
	CHECK(check, !connects("2001:db8:91::1"));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(check, &rows[i]);
	CHECK(check, answer_ip("link set sink0 master br0"));
	expect(check, &rows[3]);
	CHECK(check, answer_ip("link add e0 type veth peer name p0") &&
			     answer_ip("link set e0 master br0 up") &&
			     answer_ip("link set p0 up") && settle("e0"));
	expect(check, &later);
	return 0;
}

void test_sinks(struct check *check)
{
	int err = check_on_thread(without_a_router, check);

	if (err < 0)
		check_skip(check, "a self-assigned address", err);
	err = check_on_thread(into_a_sink, check);
	if (err < 0)
		check_skip(check, "a device that drops packets", err);
	err = check_on_thread(into_nothing, check);
	if (err < 0)
		check_skip(check, "routes that lead nowhere", err);
}
