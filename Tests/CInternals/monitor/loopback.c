/* SPDX-License-Identifier: MIT */
/* Own addresses, multicast, and broadcast: the verdicts must agree with the
 * kernel, that is, with a datagram that arrives or an error of sendto(). */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/judge_host.h"

struct place {
	struct sockaddr_storage address;
	socklen_t size;
};

static struct place place_of(const struct reach_address *address,
			     const char *interface)
{
	struct place place;
	struct sockaddr_in6 *inet6 = (void *)&place.address;

	place.size = judge_place(address, 9, &place.address);
	if (address->family == AF_INET6 &&
	    (address->bytes[0] == 0xff || address->bytes[0] == 0xfe))
		inet6->sin6_scope_id = if_nametoindex(interface);
	return place;
}

/* Sends a datagram out of @interface ("" for any). Returns 0 or a negative
 * errno. */
static int send_to(const char *text, const char *interface)
{
	struct reach_address address;
	struct place place;
	const int on = 1;
	int fd, err = 0;

	if (reach_address_parse(text, &address))
		return -EINVAL;
	place = place_of(&address, interface);
	fd = socket(address.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if (*interface && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface,
				     (socklen_t)strlen(interface)))
		err = -errno;
	if (!err && sendto(fd, "", 1, 0, (struct sockaddr *)&place.address,
			   place.size) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Whether a datagram to an own address arrives. While lo is down, the sender
 * gets no error. */
static bool comes_back(const char *text)
{
	struct reach_address address;
	struct place place;
	bool came;
	int fd;

	if (reach_address_parse(text, &address))
		return false;
	place = place_of(&address, "");
	fd = socket(address.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	came = bind(fd, (struct sockaddr *)&place.address, place.size) == 0 &&
	       send_to(text, "") == 0 && check_readable(fd);
	close(fd);
	return came;
}

static bool state_of(const char *text, const char *interface,
		     struct reach_state *ret)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, text);

	strcpy(target.interface_name, interface);
	ret->size = sizeof(*ret);
	return answer_agrees(&target) && answer_monitored(&target, ret);
}

/* ---- own addresses ----------------------------------------------------- */

static const char *const own[] = { "127.0.0.1", "127.1.2.3", "::1", "10.9.0.1",
				   "2001:db8:9::1" };

/* Each is reachable if and only if a datagram arrives. */
static void compare_own(bool up)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		struct reach_state state;
		const bool came = comes_back(own[i]);

		if (!CHECK(state_of(own[i], "", &state)))
			continue;
		if (!CHECK(came == up && came == (state.flags != 0)))
			fprintf(stderr, "%s: %#x\n", own[i], state.flags);
		CHECK(up || state.reason == REACH_REASON_LINK_DOWN ||
		      state.reason == REACH_REASON_NO_ROUTE);
		CHECK(!up || state.reason == REACH_REASON_NONE);
	}
}

/* Whether a connection from @local to @remote, both of this host, succeeds. */
static bool connects(const char *local, const char *remote)
{
	struct reach_address to = { 0 }, from = { 0 };
	struct place place, source;
	int server, fd;
	bool done;

	(void)reach_address_parse(remote, &to);
	(void)reach_address_parse(local, &from);
	place = place_of(&to, "");
	source = place_of(&from, "");
	server = socket(to.family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fd = socket(to.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A connection within a host needs no time. */
	done = !bind(server, (void *)&place.address, place.size) &&
	       !listen(server, 1) &&
	       !bind(fd, (void *)&source.address, source.size) &&
	       (!connect(fd, (void *)&place.address, place.size) ||
		errno == EINPROGRESS) &&
	       !getpeername(fd, (void *)&source.address, &source.size);
	close(fd);
	close(server);
	return done;
}

static void compare_pairs(void)
{
	static const struct {
		const char *local;
		const char *remote;
	} rows[] = {
		{ "127.0.0.1", "127.1.2.3" }, { "127.0.0.1", "10.9.0.1" },
		{ "10.9.0.1", "127.0.0.1" },  { "::1", "2001:db8:9::1" },
		{ "2001:db8:9::1", "::1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const bool connected = connects(rows[i].local, rows[i].remote);
		struct reach_state state = { .size = sizeof(state) };
		struct reach_target target;

		target = check_target(REACH_TARGET_ADDRESS_PAIR, NULL);
		target.local = check_address(rows[i].local);
		target.remote = check_address(rows[i].remote);
		if (!CHECK(answer_agrees(&target)) ||
		    !CHECK(answer_monitored(&target, &state)) ||
		    !CHECK(connected == (state.flags != 0)))
			fprintf(stderr, "%s to %s: connects %d, %#x\n",
				rows[i].local, rows[i].remote, connected,
				state.flags);
	}
}

/* A monitor reports an own address while lo goes down and up. */
static void watch_lo(void)
{
	struct reach_monitor *monitor;
	uint64_t id;

	if (!CHECK(reach_monitor_open(&monitor, NULL) == 0))
		return;
	id = answer_watch(monitor, REACH_TARGET_ADDRESS, "10.9.0.1");
	for (int i = 0; i < 4; i++) {
		CHECK(answer_ip(i % 2 ? "link set lo up" : "link set lo down"));
		CHECK(reach_monitor_dispatch(monitor) >= 0);
		CHECK((answer_state(monitor, id).flags != 0) == i % 2);
	}
	reach_monitor_close(monitor);
}

/* addrconf adds the route to an own address when duplicate address detection
 * ends. Even with nodad that happens later, in a work queue (addrconf_dad_work,
 * net/ipv6/addrconf.c). Until then the network's route matches. */
static bool has_own_route(void)
{
	static const char own_route[] = "20010db8000900000000000000000001 80 ";
	FILE *file = fopen("/proc/thread-self/net/ipv6_route", "re");
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, own_route, sizeof(own_route) - 1) == 0;
	if (file)
		fclose(file);
	return found;
}

static void lose_lo(void *context)
{
	(void)context;
	while (!has_own_route())
		sched_yield();
	compare_own(false);
	CHECK(answer_ip("link set lo up"));
	compare_own(true);
	compare_pairs();
	watch_lo();
}

/* ---- multicast and broadcast ------------------------------------------- */

static void compare(const char *when, const char *to, const char *interface)
{
	const int err = send_to(to, interface);
	struct reach_state state;

	CHECK(state_of(to, interface, &state));
	if (!CHECK((err == 0) == (state.flags != 0)))
		fprintf(stderr, "%s: %s%%%s: %d, %#x %u\n", when, to, interface,
			err, state.flags, state.reason);
	CHECK(err != -EADDRNOTAVAIL || state.reason == REACH_REASON_NO_SOURCE);
}

/* Each is reachable if and only if sendto() succeeds. Without an interface,
 * only IPv4 is compared: its routes choose one. */
static void compare_many(const char *when)
{
	static const char *const to[] = { "224.0.0.251", "239.1.1.1",
					  "255.255.255.255", "ff02::fb",
					  "ff0e::1234" };

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		compare(when, to[i], "e0");
		if (to[i][0] == '2')
			compare(when, to[i], "");
	}
}

static void send_to_many(void *context)
{
	static const char *const steps[] = {
		"link set e0 down",
		"link set e0 up",
		"addr add 10.9.0.1/24 dev e0",
		/* This address stays tentative until it is deleted. */
		"-6 addr add fe80::9/64 dev e0",
		"-6 addr del fe80::9/64 dev e0",
		"-6 addr add 2001:db8:9::1/64 dev e0 nodad",
		"route add default via 10.9.0.2",
		"route add unreachable 239.0.0.0/8",
		"route add prohibit 224.0.0.0/4",
		"addr del 10.9.0.1/24 dev e0",
	};

	(void)context;
	/* Duplicate address detection takes minutes. */
	CHECK(answer_ip("=ipv6/conf/e0/dad_transmits 600"));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		CHECK(answer_ip(steps[i]) && answer_await("e0"));
		compare_many(steps[i]);
	}
}

/* ------------------------------------------------------------------------ */

void test_loopback(void)
{
	static const struct topology own_addresses = { "own addresses",
						       { CABLE } };
	static const struct topology groups = { "multicast and broadcast",
						{ PLAIN_CABLE } };

	answer_in(&own_addresses, lose_lo, NULL);
	answer_in(&groups, send_to_many, NULL);
}
