/* SPDX-License-Identifier: MIT */
/*
 * Routes with two legs, and rules by protocol. The judge is a TCP socket that
 * connects: the link where its SYN is seen, and its source. The links have no
 * ARP, so that no leg fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/judge_wire.h"

#define TARGETS 40
#define PORT	9
/* The longest time that a packet takes from a link to its peer. */
#define PACKET_MS 1000

#define LEGS4                                                                  \
	"route add default nexthop via 10.9.0.2 dev e0 onlink "                \
	"nexthop via 10.9.1.2 dev e1 onlink"
#define LEGS6                                                                  \
	"-6 route add default nexthop via 2001:db8:0::2 "                      \
	"nexthop via 2001:db8:1::2"

static const char *const base[] = {
	"link set lo up",
	"link add e0 type veth peer name p0",
	"link add e1 type veth peer name p1",
	"link set p0 arp off up",
	"link set p1 arp off up",
	"link set e0 arp off up",
	"link set e1 arp off up",
	"-6 addr add 2001:db8:0::1/64 dev e0 nodad",
	"-6 addr add 2001:db8:1::1/64 dev e1 nodad",
};

static const struct row {
	const char *what;
	bool inet6;
	const char *commands[4];
	/* fib_multipath_hash_policy, or NULL. */
	const char *policy;
	/* The carrier of e1 is lost. */
	bool dead;
	/* IPv6 doesn't leave a dead leg. */
	bool router;
	/* No lookup shows the leg: any usable one makes a target reachable. */
	bool hidden;
} rows[] = {
	{ .what = "IPv4, a source per leg",
	  .commands = { "addr add 10.9.0.1/24 dev e0",
			"addr add 10.9.1.1/24 dev e1", LEGS4 } },
	{ .what = "IPv4, one source",
	  .commands = { "addr add 10.1.1.1/32 dev lo", LEGS4 } },
	{ .what = "IPv4, one source, one leg dead",
	  .commands = { "addr add 10.1.1.1/32 dev lo", LEGS4 },
	  .dead = true },
	{ .what = "IPv4, hashing by ports, one leg dead",
	  .commands = { "addr add 10.1.1.1/32 dev lo", LEGS4 },
	  .policy = "1",
	  .dead = true,
	  .hidden = true },
	/* The default fields are addresses and protocol, without ports. */
	{ .what = "IPv4, hashing by fields, one leg dead",
	  .commands = { "addr add 10.1.1.1/32 dev lo", LEGS4 },
	  .policy = "3",
	  .dead = true,
	  .hidden = true },
	{ .what = "IPv4, rules by source",
	  .commands = { "addr add 10.1.1.1/32 dev lo", LEGS4,
			"rule add from 10.2.2.2 prohibit" } },
	{ .what = "IPv6", .inet6 = true, .commands = { LEGS6 } },
	{ .what = "IPv6, one leg dead",
	  .inet6 = true,
	  .commands = { LEGS6 },
	  .dead = true },
	{ .what = "IPv6, a router, one leg dead",
	  .inet6 = true,
	  .commands = { LEGS6 },
	  .dead = true,
	  .router = true },
	{ .what = "IPv6, hashing by ports, one leg dead",
	  .inet6 = true,
	  .commands = { LEGS6, "link set e0 mtu 1400" },
	  .policy = "1",
	  .dead = true,
	  .hidden = true },
};

struct judge {
	/* Packet sockets at p0 and p1. */
	int seen[2];
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static struct reach_address address_of(bool inet6, unsigned int i)
{
	struct reach_address address;
	char text[64];

	snprintf(text, sizeof(text), inet6 ? "2600::%u" : "192.0.2.%u", i + 1);
	(void)reach_address_parse(text, &address);
	return address;
}

/* Whether a packet to @address was seen at end @i. */
static bool look(const struct judge *judge, int i,
		 const struct reach_address *address)
{
	const size_t at = address->family == AF_INET ? 16 : 24;
	const size_t size = address->family == AF_INET ? 4 : 16;
	uint8_t packet[256];
	bool found = false;

	while (recv(judge->seen[i], packet, sizeof(packet), 0) > 0)
		found |= memcmp(packet + at, address->bytes, size) == 0;
	return found;
}

/* Connects. @return the link where the packet was seen, -1 for none, or a
 * negative errno below that. */
static int connect_to(const struct judge *judge,
		      const struct reach_address *address, bool expected,
		      struct reach_address *source)
{
	struct sockaddr_storage place;
	socklen_t size = judge_place(address, PORT, &place);
	const int fd = socket(address->family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd ends[2] = { { .fd = judge->seen[0], .events = POLLIN },
				  { .fd = judge->seen[1], .events = POLLIN } };
	int link = -1, i;

	if (connect(fd, (struct sockaddr *)&place, size) &&
	    errno != EINPROGRESS) {
		const int err = -errno;

		close(fd);
		return err;
	}
	(void)getsockname(fd, (struct sockaddr *)&place, &size);
	(void)reach_address_from_sockaddr((struct sockaddr *)&place, size,
					  source);
	/* A veth hands packets over within connect(), unless the softirq is
	 * left to ksoftirqd. */
	do
		for (i = 0; i < 2; i++)
			if (look(judge, i, address))
				link = i;
	while (link < 0 && expected && poll(ends, 2, PACKET_MS) > 0);
	close(fd);
	return link;
}

/* Whether no lookup shows the leg: since Linux 7.3, each TCP connection of IPv6
 * has a leg of its own (ip6_ecmp_set_mp_hash()). */
static bool is_hidden(const struct row *row)
{
	struct utsname system;
	int major = 0, minor = 0;

	return row->hidden ||
	       (row->inet6 && !uname(&system) &&
		sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
		major * 100 + minor >= 703);
}

static bool is_usable(const struct row *row, int link)
{
	return link == 0 || (link == 1 && !row->dead);
}

static bool is_right(struct check *check, const struct judge *judge,
		     const struct row *row, unsigned int i)
{
	const struct reach_address address = address_of(row->inet6, i);
	struct reach_state state = { .size = sizeof(state) };
	struct reach_address source = { 0 };
	struct reach_target target;
	int link;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.remote = address;
	if (reach_monitor_state(judge->monitor, judge->ids[i], &state))
		return false;
	CHECK(check,
	      state.next_hops == 2 && state.usable_next_hops == 2U - row->dead);
	if (i % 10 == 0)
		CHECK(check, answer_agrees(&target));
	link = connect_to(judge, &address, state.flags, &source);
	if (is_hidden(row))
		return state.flags &&
		       (!row->dead || !strcmp(state.interface_name, "e0"));
	if (!is_usable(row, link))
		return !state.flags;
	return state.flags &&
	       !strcmp(state.interface_name, link ? "e1" : "e0") &&
	       reach_address_equal(&state.source, &source);
}

static bool set(const char *file, const char *value)
{
	const int fd = open(file, O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, value, 1) == 1;

	close(fd);
	return done;
}

/* Chooses what the kernel hashes. 3, chosen fields, came with Linux 5.12. */
static bool choose_hash(const struct row *row)
{
	return !row->policy ||
	       (set("/proc/sys/net/ipv4/fib_multipath_hash_policy",
		    row->policy) &&
		set("/proc/sys/net/ipv6/fib_multipath_hash_policy",
		    row->policy));
}

static bool build(const struct row *row)
{
	size_t i;

	for (i = 0; i < sizeof(base) / sizeof(*base); i++)
		if (!answer_ip(base[i]))
			return false;
	for (i = 0; i < 4 && row->commands[i]; i++)
		if (!answer_ip(row->commands[i]))
			return false;
	return !row->router ||
	       set("/proc/sys/net/ipv6/conf/all/forwarding", "1");
}

static bool watch(struct judge *judge, const struct row *row)
{
	struct reach_target target;
	unsigned int i;

	if (reach_monitor_open(&judge->monitor, NULL))
		return false;
	for (i = 0; i < TARGETS; i++) {
		reach_target_init(&target, REACH_TARGET_ADDRESS);
		target.remote = address_of(row->inet6, i);
		target.report = REACH_REPORT_PATH;
		if (reach_monitor_add(judge->monitor, &target, &judge->ids[i]))
			return false;
	}
	return answer_await_link(judge->monitor, "e0") &&
	       answer_await_link(judge->monitor, "e1");
}

/* Dispatches until the monitor has noticed the pulled cable. */
static bool pull(const struct judge *judge)
{
	struct reach_state state = { .size = sizeof(state) };

	if (!answer_ip("link set p1 down"))
		return false;
	while (reach_monitor_state(judge->monitor, judge->ids[0], &state) ||
	       state.usable_next_hops != 1) {
		if (!check_wait(reach_monitor_fd(judge->monitor)))
			return false;
		(void)reach_monitor_dispatch(judge->monitor);
	}
	return true;
}

static void legs(struct check *check, const struct row *row)
{
	struct judge judge = { .seen = { -1, -1 } };
	unsigned int i, wrong = 0;

	if (!CHECK(check, !unshare(CLONE_NEWNET)) || !CHECK(check, build(row)))
		return;
	if (!choose_hash(row)) {
		/* Hashing by ports is older than all kernels tested. */
		if (CHECK(check, *row->policy == '3' && errno == EINVAL))
			check_skip(check, row->what, -EINVAL);
		return;
	}
	if (!CHECK(check, watch(&judge, row)))
		return;
	judge.seen[0] = judge_packets("p0", SOCK_DGRAM);
	judge.seen[1] = judge_packets("p1", SOCK_DGRAM);
	CHECK(check, !row->dead || pull(&judge));
	/* A packet that doesn't come takes all of the patience. */
	for (i = 0; i < TARGETS && !wrong; i++)
		wrong += !is_right(check, &judge, row, i);
	if (!CHECK(check, !wrong))
		fprintf(stderr, "%s: target %u\n", row->what, i);
	close(judge.seen[0]);
	close(judge.seen[1]);
	reach_monitor_close(judge.monitor);
}

/* Rules that forbid a protocol. The verdicts of both families are those of TCP,
 * and so are the explained rules. */
static void protocols(struct check *check, const char *command, bool forbidden)
{
	static const char *const targets[] = { "192.0.2.1", "2600::1" };
	char text[64];
	size_t i;

	if (!CHECK(check, !unshare(CLONE_NEWNET)) ||
	    !CHECK(check, build(&rows[0])) ||
	    !CHECK(check, answer_ip("-6 route add default via 2001:db8:0::2")))
		return;
	snprintf(text, sizeof(text), "-6 %s", command);
	CHECK(check, answer_ip(command) && answer_ip(text));
	for (i = 0; i < 2; i++) {
		const struct judge judge = { .seen = { -1, -1 } };
		struct reach_state state = { .size = sizeof(state) };
		struct reach_address source;
		struct reach_target target;
		int result;

		reach_target_init(&target, REACH_TARGET_ADDRESS);
		CHECK(check, !reach_address_parse(targets[i], &target.remote));
		CHECK(check, answer_agrees(&target));
		CHECK(check, answer_monitored(&target, &state));
		result = connect_to(&judge, &target.remote, false, &source);
		CHECK(check, (result == -EACCES) == forbidden);
		CHECK(check,
		      (state.reason == REACH_REASON_PROHIBITED) == forbidden);
	}
}

struct scene {
	struct check *check;
	const struct row *row;
	bool forbidden;
};

static int play(void *context)
{
	const struct scene *scene = context;

	if (scene->row)
		legs(scene->check, scene->row);
	else
		protocols(scene->check,
			  scene->forbidden
				  ? "rule add pref 50 ipproto 6 prohibit"
				  : "rule add pref 50 ipproto 17 prohibit",
			  scene->forbidden);
	return 0;
}

void test_legs(struct check *check)
{
	struct scene scene = { .check = check };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scene.row = &rows[i];
		(void)check_on_thread(play, &scene);
	}
	scene.row = NULL;
	(void)check_on_thread(play, &scene);
	scene.forbidden = true;
	(void)check_on_thread(play, &scene);
}
