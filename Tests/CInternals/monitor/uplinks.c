/* SPDX-License-Identifier: MIT */
/*
 * A host with two uplinks, and a router at the other end of both. The cable of
 * the uplink in use is pulled. The judge is a TCP client that tries again and
 * again. If it ever gets through, the verdict must be "reachable" before it
 * sends anything, with the source that it gets.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/judge_wire.h"
#include "system/system.h"

#define PORT 80
/* Milliseconds of one try. */
#define TRY_MS 500
/* Tries until a client gives up; it gets through at the third. */
#define TRIES_MAX 30
/* Tries that must fail where the kernel has no other route. */
#define TRIES_IN_VAIN 5
/* Enough targets for shared lookups. */
#define MANY 20

static const char *const cables[] = {
	"link set lo up",
	/* Its end would be an event that makes the monitor look. */
	"=ipv6/conf/e0/accept_dad 0",
	"=ipv6/conf/e1/accept_dad 0",
	"link set e0 up",
	"link set e1 up",
	"addr add 10.9.0.1/24 dev e0",
	"addr add 10.9.1.1/24 dev e1",
	"-6 addr add 2001:db8:0::1/64 dev e0 nodad",
	"-6 addr add 2001:db8:1::1/64 dev e1 nodad",
};

static const char *const router[] = {
	"link set lo up",
	"link set p0 up",
	"link set p1 up",
	"addr add 10.9.0.2/24 dev p0",
	"addr add 10.9.1.2/24 dev p1",
	"addr add 192.0.2.0/24 dev lo",
	"-6 addr add 2001:db8:0::2/64 dev p0 nodad",
	"-6 addr add 2001:db8:1::2/64 dev p1 nodad",
	"-6 addr add 2001:db8:ffff::/64 dev lo nodad",
	"-6 route add local 2001:db8:ffff::/64 dev lo",
};

/* Neighbors fail after 0.3 seconds, not 3. */
static const char *const haste[] = {
	"=ipv4/neigh/e0/retrans_time_ms 100",
	"=ipv6/neigh/e0/retrans_time_ms 100",
	"=ipv4/neigh/e1/retrans_time_ms 100",
	"=ipv6/neigh/e1/retrans_time_ms 100",
};

struct row {
	const char *what;
	/* The targets, but for their numbers. */
	const char *target;
	/* What to do; NULL: to pull the cable of a watch. */
	void (*judge)(const struct row *row, unsigned int count, int peer);
	/* Whether a client gets through over e1 without the first cable. */
	bool succeeds;
	/* Whether to try it with many targets, too. */
	bool many;
	/* Whether that depends on the leg of a connection, which no lookup shows
	 * since Linux 7.3 (legs.c judges these). */
	bool has_leg;
	const char *commands[5];
};

/* ---- the two hosts ---------------------------------------------------- */

static int run_router(void *context)
{
	return answer_ip(*(const char *const *)context) ? 0 : -EIO;
}

static bool at_router(int peer, const char *command)
{
	return !reach_netns_run(peer, run_router, &command);
}

static int build_router(void *context)
{
	(void)context;
	return answer_all(router, sizeof(router) / sizeof(*router)) ? 0 : -EIO;
}

static int listen_there(void *context)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(PORT) };
	int *fd = context;

	*fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(*fd, (const struct sockaddr *)&any, sizeof(any)) ||
	    listen(*fd, 64))
		return -errno;
	return 0;
}

static bool build(const struct row *row, int peer)
{
	char command[128];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			 "link add e%zu type veth peer name p%zu netns "
			 "/proc/%d/fd/%d",
			 i, i, (int)getpid(), peer);
		if (!answer_ip(command))
			return false;
	}
	if (!answer_all(cables, sizeof(cables) / sizeof(*cables)) ||
	    reach_netns_run(peer, build_router, NULL) ||
	    !answer_all(haste, sizeof(haste) / sizeof(*haste)))
		return false;
	for (i = 0; row->commands[i]; i++)
		continue;
	return answer_all(row->commands, i);
}

/* ---- the client ------------------------------------------------------- */

static struct reach_target target_of(const struct row *row, unsigned int i)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%u", row->target, i + 1);
	return check_target(REACH_TARGET_ADDRESS, text);
}

/* Connects once. @return whether that succeeded; then @source is its source.
 * A failed connection may have a SO_ERROR of 0: seen in 9 of 360 runs under load,
 * after POLLERR alone, on Linux 6.18. Closing resets the connection, so that the
 * kernel sends no FIN later, which would probe the gateway. */
static bool try_once(const struct reach_address *address,
		     struct reach_address *source)
{
	struct sockaddr_storage place;
	socklen_t size = judge_place(address, PORT, &place);
	const int fd = socket(address->family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	const struct linger reset = { .l_onoff = 1 };
	bool done;

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	done = (!connect(fd, (struct sockaddr *)&place, size) ||
		errno == EINPROGRESS) &&
	       poll(&poll_fd, 1, TRY_MS) == 1 && poll_fd.revents == POLLOUT &&
	       !getsockname(fd, (struct sockaddr *)&place, &size) &&
	       !reach_address_from_sockaddr((struct sockaddr *)&place, size,
					    source);
	close(fd);
	return done;
}

static bool gets_through(const struct reach_address *address, int tries,
			 struct reach_address *source)
{
	while (tries--) {
		if (try_once(address, source))
			return true;
		/* Some fail at once, and kernels take seconds. */
		(void)poll(NULL, 0, TRY_MS / 5);
	}
	return false;
}

/* ---- the watch -------------------------------------------------------- */

struct watch {
	struct reach_monitor *monitor;
	uint64_t ids[MANY];
	unsigned int count;
};

/* Dispatches until the first target is, or isn't, reachable over @name. */
static bool await(struct watch *watch, const char *name, bool reachable)
{
	struct reach_state state;

	for (;;) {
		(void)reach_monitor_dispatch(watch->monitor);
		state = answer_state(watch->monitor, watch->ids[0]);
		if (reachable ? state.flags & REACH_FLAG_REACHABLE &&
					!strcmp(state.interface_name, name)
			      : !state.flags)
			return true;
		if (!check_wait(reach_monitor_fd(watch->monitor)))
			return false;
	}
}

/* Watches the targets. */
static bool begin(struct watch *watch, const struct row *row)
{
	watch->monitor = answer_open(NULL, NULL);
	for (unsigned int i = 0; i < watch->count; i++) {
		struct reach_target target = target_of(row, i);

		target.report = REACH_REPORT_PATH;
		if (reach_monitor_add(watch->monitor, &target, &watch->ids[i]))
			return false;
	}
	return true;
}

/* Every target, and a check without a monitor, has the verdict of a client. */
static bool all_agree(struct watch *watch, const struct row *row)
{
	struct reach_address source = { 0 };

	for (unsigned int i = 0; i < watch->count; i++) {
		const struct reach_target target = target_of(row, i);
		const struct reach_state state =
			answer_state(watch->monitor, watch->ids[i]);

		if (!CHECK(answer_agrees(&target)))
			return false;
		/* Tries in vain take long. */
		if (!row->succeeds && (state.flags || i))
			return CHECK(!state.flags);
		if (!CHECK(gets_through(&target.remote,
					row->succeeds ? TRIES_MAX
						      : TRIES_IN_VAIN,
					&source) == row->succeeds) ||
		    (row->succeeds &&
		     !CHECK(state.flags & REACH_FLAG_REACHABLE &&
			    !strcmp(state.interface_name, "e1") &&
			    reach_address_equal(&state.source, &source))))
			return false;
	}
	return true;
}

static void judge(const struct row *row, unsigned int count, int peer)
{
	struct watch watch = { .count = count };
	const struct reach_address first = target_of(row, 0).remote;
	struct reach_address source = { 0 };

	if (!CHECK(begin(&watch, row)) || !CHECK(await(&watch, "e0", true)))
		return;
	/* Without neighbor discovery nothing is ever delivered. */
	if (!strstr(row->commands[0], "arp off"))
		CHECK(gets_through(&first, TRIES_MAX, &source));
	CHECK(at_router(peer, "link set p0 down"));
	/* Nobody has sent anything since. */
	(void)(CHECK(await(&watch, "e1", row->succeeds)) &&
	       all_agree(&watch, row) &&
	       /* The client's success changes nothing. */
	       CHECK(await(&watch, "e1", row->succeeds)));
	reach_monitor_close(watch.monitor);
}

/* ---- a gateway that fails while its link has carrier ------------------ */

/* Tries to connect until a lookup finds the first target not reachable. No event
 * makes the monitor look: its link has carrier. The kernel forgets the failure of
 * a gateway after some seconds (neigh_periodic_work(), net/core/neighbour.c), and
 * then trusts it once more. */
static bool await_failure(struct watch *watch,
			  const struct reach_address *first)
{
	struct reach_address source = { 0 };

	for (int rest = TRIES_MAX;
	     rest && !gets_through(first, TRIES_IN_VAIN, &source); rest--) {
		reach_engine_refresh(watch->monitor->engine);
		(void)reach_monitor_dispatch(watch->monitor);
		if (!answer_state(watch->monitor, watch->ids[0]).flags)
			return true;
	}
	return false;
}

/* The watch begins while the gateway doesn't answer, and it must see the gateway
 * return, which the kernel announces as that of a neighbor alone. */
static void judge_return(const struct row *row, unsigned int count, int peer)
{
	struct watch watch = { .count = count };
	const struct reach_address first = target_of(row, 0).remote;
	struct reach_address source = { 0 };

	CHECK(at_router(peer, "-6 addr del 2001:db8:0::2/64 dev p0"));
	CHECK(begin(&watch, row) && await_failure(&watch, &first));
	/* Neither a lookup that is under way, nor one after a probe that still
	 * fails, may find the gateway's return. */
	CHECK(answer_idle(watch.monitor));
	CHECK(at_router(peer, "-6 addr add 2001:db8:0::2/64 dev p0 nodad"));
	CHECK(answer_ip("=ipv6/conf/e0/router_probe_interval 1"));
	CHECK(gets_through(&first, TRIES_MAX, &source) &&
	      await(&watch, "e0", true));
	reach_monitor_close(watch.monitor);
}

/* ---- multicast -------------------------------------------------------- */

/* A socket that receives the group's packets from p1. */
static int join_there(void *context)
{
	struct sockaddr_in place = { .sin_family = AF_INET,
				     .sin_port = htons(PORT) };
	const struct ip_mreqn request = {
		.imr_multiaddr.s_addr = htonl(0xe00000fb),
		.imr_address.s_addr = htonl(0x0a090102),
	};
	int *fd = context;

	*fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(*fd, (const struct sockaddr *)&place, sizeof(place)) ||
	    setsockopt(*fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request,
		       sizeof(request)))
		return -errno;
	return 0;
}

/* Whether a packet to the group arrives at p1. */
static bool is_received(int receiver)
{
	const struct sockaddr_in place = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(0xe00000fb),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool sent =
		!connect(fd, (const struct sockaddr *)&place, sizeof(place)) &&
		send(fd, "x", 1, 0) == 1;

	close(fd);
	return sent && check_wait(receiver);
}

/* Packets to a group make no gateway fail. Once others have, the kernel sends the
 * group's by the other link, and announces a neighbor alone. */
static void judge_group(const struct row *row, unsigned int count, int peer)
{
	struct watch watch = { .count = count };
	const struct reach_address host =
		check_target(REACH_TARGET_ADDRESS, "192.0.2.1").remote;
	struct reach_address source = { 0 };
	int receiver = -1;

	if (!CHECK(!reach_netns_run(peer, join_there, &receiver)) ||
	    !CHECK(begin(&watch, row)) || !CHECK(await(&watch, "e0", true)))
		return;
	CHECK(gets_through(&host, TRIES_MAX, &source));
	CHECK(at_router(peer, "link set p0 down"));
	CHECK(await(&watch, "e1", false));
	CHECK(answer_idle(watch.monitor));
	CHECK(gets_through(&host, TRIES_MAX, &source));
	CHECK(is_received(receiver));
	CHECK(await(&watch, "e1", true));
	close(receiver);
	reach_monitor_close(watch.monitor);
}

/* ---- the rows -------------------------------------------------------- */

/* Default routes over both. */
#define METRICS6                                                               \
	"-6 route add default via 2001:db8:0::2 metric 100",                   \
		"-6 route add default via 2001:db8:1::2 metric 200"
/* Nearly all targets get the first leg. */
#define LEGS4                                                                  \
	"route add default nexthop via 10.9.0.2 weight 255 nexthop via "       \
	"10.9.1.2"
#define LEGS6                                                                  \
	"-6 route add default nexthop via 2001:db8:0::2 weight 255 nexthop "   \
	"via 2001:db8:1::2"

static const struct row rows[] = {
	{ "IPv4, one metric", .target = "192.0.2.", .succeeds = true,
	  .many = true,
	  .commands = { "route append default via 10.9.0.2 metric 100",
			"route append default via 10.9.1.2 metric 100" } },
	{ "IPv4, two metrics", .target = "192.0.2.",
	  .commands = { "route add default via 10.9.0.2 metric 100",
			"route add default via 10.9.1.2 metric 200" } },
	{ "IPv4, a prefix and a default route", .target = "192.0.2.",
	  .commands = { "route add 192.0.2.0/24 via 10.9.0.2",
			"route add default via 10.9.1.2" } },
	{ "IPv6, two metrics", .target = "2001:db8:ffff::", .succeeds = true,
	  .many = true, .commands = { METRICS6 } },
	{ "IPv6, a prefix and a default route",
	  .target = "2001:db8:ffff::", .succeeds = true,
	  .commands = { "-6 route add 2001:db8:ffff::/64 via 2001:db8:0::2",
			"-6 route add default via 2001:db8:1::2" } },
	{ "IPv6, a route of another table", .target = "2001:db8:ffff::",
	  .commands = { "-6 route add default via 2001:db8:0::2",
			"-6 route add default via 2001:db8:1::2 table 77",
			"-6 rule add pref 40000 lookup 77" } },
	{ "IPv6, on a router", .target = "2001:db8:ffff::",
	  .commands = { METRICS6, "=ipv6/conf/all/forwarding 1" } },
	{ "IPv6, two legs", .target = "2001:db8:ffff::", .succeeds = true,
	  .commands = { LEGS6 } },
	{ "IPv6, two legs, on a router",
	  .target = "2001:db8:ffff::", .has_leg = true,
	  .commands = { LEGS6, "=ipv6/conf/all/forwarding 1" } },
	{ "IPv4, two legs", .target = "192.0.2.", .commands = { LEGS4 } },
	{ "IPv4, two legs, by neighbors", .target = "192.0.2.",
	  .succeeds = true,
	  .commands = { LEGS4, "=ipv4/fib_multipath_use_neigh 1" } },
	{ "IPv4, a group of nexthops", .target = "192.0.2.", .succeeds = true,
	  .commands = { "nexthop add id 1 via 10.9.0.2 dev e0",
			"nexthop add id 2 via 10.9.1.2 dev e1",
			"nexthop add id 3 group 1,255/2",
			"route add default nhid 3" } },
	{ "IPv6, without neighbor discovery", .target = "2001:db8:ffff::",
	  .commands = { "link set e0 arp off", METRICS6 } },
	{ "a rejecting route",
	  .target = "2001:db8:ffff::", .judge = judge_return,
	  .commands = { "-6 route add default via 2001:db8:0::2 metric 100",
			"-6 route add unreachable default metric "
			"4294967295" } },
	{ "a sink", .target = "2001:db8:ffff::", .judge = judge_return,
	  .commands = { "-6 route add default via 2001:db8:0::2 metric 100",
			"link add ifb0 type ifb", "link set ifb0 up",
			"-6 route add default dev ifb0 metric 200" } },
	{ "multicast by one of two default routes", .target = "224.0.0.25",
	  .judge = judge_group,
	  .commands = { "route append default via 10.9.0.2 metric 100",
			"route append default via 10.9.1.2 metric 100" } },
};

struct scene {
	const struct row *row;
	/* Number of targets. */
	unsigned int count;
};

static int play(void *context)
{
	const struct scene *scene = context;
	int peer = -1, server = -1;

	if (CHECK((peer = check_new_netns()) >= 0) &&
	    CHECK(build(scene->row, peer)) &&
	    CHECK(!reach_netns_run(peer, listen_there, &server)))
		(scene->row->judge ? scene->row->judge
				   : judge)(scene->row, scene->count, peer);
	close(server);
	close(peer);
	return 0;
}

void test_uplinks(void)
{
	struct scene scene = { 0 };
	const int failed = check_failures();

	/* A failure takes all of its patience. */
	for (size_t i = 0;
	     i < sizeof(rows) / sizeof(*rows) && check_failures() == failed;
	     i++) {
		if (rows[i].has_leg && answer_is_since(703))
			continue;
		scene = (struct scene){ &rows[i], 1 };
		check_in_netns(rows[i].what, play, &scene);
		scene.count = MANY;
		if (rows[i].many)
			check_in_netns(rows[i].what, play, &scene);
	}
	if (check_failures() != failed)
		fprintf(stderr, "in '%s'\n", scene.row->what);
}
