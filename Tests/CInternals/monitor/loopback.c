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
#include "monitor/judge_wire.h"

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
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(text, &target.remote);
	strcpy(target.interface_name, interface);
	ret->size = sizeof(*ret);
	return answer_agrees(&target) && answer_monitored(&target, ret);
}

/* ---- own addresses ----------------------------------------------------- */

static const char *const own[] = { "127.0.0.1", "127.1.2.3", "::1", "10.9.0.1",
				   "2001:db8:9::1" };

/* Each is reachable if and only if a datagram arrives. */
static void compare_own(struct check *check, bool up)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		struct reach_state state;
		const bool came = comes_back(own[i]);

		if (!CHECK(check, state_of(own[i], "", &state)))
			continue;
		if (!CHECK(check, came == up && came == (state.flags != 0)))
			fprintf(stderr, "%s: %#x\n", own[i], state.flags);
		CHECK(check, up || state.reason == REACH_REASON_LINK_DOWN ||
				     state.reason == REACH_REASON_NO_ROUTE);
		CHECK(check, !up || state.reason == REACH_REASON_NONE);
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

static void compare_pairs(struct check *check)
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

		reach_target_init(&target, REACH_TARGET_ADDRESS_PAIR);
		(void)reach_address_parse(rows[i].local, &target.local);
		(void)reach_address_parse(rows[i].remote, &target.remote);
		if (!CHECK(check, answer_agrees(&target)) ||
		    !CHECK(check, answer_monitored(&target, &state)) ||
		    !CHECK(check, connected == (state.flags != 0)))
			fprintf(stderr, "%s to %s: connects %d, %#x\n",
				rows[i].local, rows[i].remote, connected,
				state.flags);
	}
}

/* A monitor reports an own address while lo goes down and up. */
static void watch_lo(struct check *check)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t id;
	int i;

	if (!CHECK(check, reach_monitor_open(&monitor, NULL) == 0))
		return;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("10.9.0.1", &target.remote);
	CHECK(check, reach_monitor_add(monitor, &target, &id) == 0);
	for (i = 0; i < 4; i++) {
		CHECK(check,
		      answer_ip(i % 2 ? "link set lo up" : "link set lo down"));
		CHECK(check, reach_monitor_dispatch(monitor) >= 0);
		CHECK(check, reach_monitor_state(monitor, id, &state) == 0);
		CHECK(check, (state.flags != 0) == i % 2);
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

static int lose_lo(void *context)
{
	static const struct topology topology = { "own", { CABLE } };
	struct check *check = context;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&topology))
		return -EOPNOTSUPP;
	while (!has_own_route())
		sched_yield();
	compare_own(check, false);
	CHECK(check, answer_ip("link set lo up"));
	compare_own(check, true);
	compare_pairs(check);
	watch_lo(check);
	return 0;
}

/* ---- multicast and broadcast ------------------------------------------- */

static void compare(struct check *check, const char *when, const char *to,
		    const char *interface)
{
	const int err = send_to(to, interface);
	struct reach_state state;

	CHECK(check, state_of(to, interface, &state));
	if (!CHECK(check, (err == 0) == (state.flags != 0)))
		fprintf(stderr, "%s: %s%%%s: %d, %#x %u\n", when, to, interface,
			err, state.flags, state.reason);
	CHECK(check,
	      err != -EADDRNOTAVAIL || state.reason == REACH_REASON_NO_SOURCE);
}

/* Each is reachable if and only if sendto() succeeds. Without an interface,
 * only IPv4 is compared: its routes choose one. */
static void compare_many(struct check *check, const char *when)
{
	static const char *const to[] = { "224.0.0.251", "239.1.1.1",
					  "255.255.255.255", "ff02::fb",
					  "ff0e::1234" };

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		compare(check, when, to[i], "e0");
		if (to[i][0] == '2')
			compare(check, when, to[i], "");
	}
}

/* Makes duplicate address detection take minutes. */
static bool probe_for_long(const char *interface)
{
	char path[128];
	FILE *file;
	bool done;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/dad_transmits",
		 interface);
	file = fopen(path, "we");
	done = file && fputs("600", file) >= 0;
	return file && !fclose(file) && done;
}

static bool await_link(const char *name)
{
	struct reach_monitor *monitor;
	bool came;

	if (reach_monitor_open(&monitor, NULL))
		return false;
	came = answer_await_link(monitor, name);
	reach_monitor_close(monitor);
	return came;
}

static int send_to_many(void *context)
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
	static const struct topology topology = {
		"many",
		{ "link set lo up", "link add e0 type veth peer name p0",
		  "link set e0 addrgenmode none",
		  "link set p0 addrgenmode none", "link set p0 up",
		  "link set e0 up" }
	};
	struct check *check = context;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&topology))
		return -EOPNOTSUPP;
	CHECK(check, probe_for_long("e0"));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		CHECK(check, answer_ip(steps[i]) && await_link("e0"));
		compare_many(check, steps[i]);
	}
	return 0;
}

/* ------------------------------------------------------------------------ */

static void run(struct check *check, int (*work)(void *context),
		const char *what)
{
	const int error = check_on_thread(work, check);

	if (error)
		check_skip(check, what, error);
}

void test_loopback(struct check *check)
{
	run(check, lose_lo, "own addresses");
	run(check, send_to_many, "multicast and broadcast");
}
