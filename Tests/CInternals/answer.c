/* SPDX-License-Identifier: MIT */
/* One answer without a monitor: it is the first that a monitor gives. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "monitor_internal.h"

#define CABLE                                                                  \
	"link add e0 type veth peer name p0", "link set p0 up",                \
		"link set e0 up", "addr add 10.9.0.1/24 dev e0",               \
		"-6 addr add 2001:db8:9::1/64 dev e0 nodad"

#define DEFAULTS                                                               \
	"route add default via 10.9.0.2",                                      \
		"-6 route add default via 2001:db8:9::2"

struct topology {
	const char *name;
	/* Of `ip`. */
	const char *commands[24];
};

static const struct topology topologies[] = {
	{ "nothing", { NULL } },
	{ "loopback", { "link set lo up" } },
	{ "plain", { "link set lo up", CABLE, DEFAULTS } },
	{ "IPv4 only", { CABLE, "route add default via 10.9.0.2" } },
	{ "IPv6 only", { CABLE, "-6 route add default via 2001:db8:9::2" } },
	{ "half of IPv4", { CABLE, "route add 0.0.0.0/1 via 10.9.0.2" } },
	{ "half of IPv4 and IPv6",
	  { CABLE, "route add 128.0.0.0/1 via 10.9.0.2",
	    "-6 route add default via 2001:db8:9::2" } },
	{ "no carrier", { CABLE, DEFAULTS, "link set p0 down" } },
	{ "dormant",
	  { CABLE, DEFAULTS, "link set e0 mode dormant",
	    "link set e0 state dormant" } },
	{ "tentative",
	  { "link add d0 type veth peer name q0", "link set q0 up",
	    "link set d0 up", "-6 addr add 2001:db8:9::1/64 dev d0",
	    "-6 route add default via 2001:db8:9::2" } },
	{ "link-local only",
	  { "link add e0 type veth peer name p0", "link set p0 up",
	    "link set e0 up", "-6 route add default via fe80::2 dev e0" } },
	{ "narrow source",
	  { "link add e0 type veth peer name p0", "link set p0 up",
	    "link set e0 up", "addr add 169.254.1.1/16 dev e0 scope link",
	    "route add default dev e0" } },
	{ "source elsewhere",
	  { CABLE, "link add d0 type veth peer name q0", "link set q0 up",
	    "link set d0 up", "addr add 10.8.0.1/32 dev d0",
	    "route add default via 10.9.0.2 src 10.8.0.1" } },
	{ "address twice, of two scopes",
	  { "link add d0 type veth peer name q0", "link set q0 up",
	    "link set d0 up", "addr add 10.9.0.1/24 dev d0 scope host", CABLE,
	    DEFAULTS } },
	{ "bridge over dummy and cable",
	  { "link add br0 type bridge", "link add e0 type veth peer name p0",
	    "link add d0 type veth peer name q0", "link set q0 up",
	    "link set p0 up", "link set d0 up", "link set e0 up",
	    "link set br0 up", "link set e0 master br0",
	    "link set d0 master br0", "addr add 10.9.0.1/24 dev br0",
	    "route add default via 10.9.0.2" } },
	{ "VLAN over a bond",
	  { "link add bond0 type bond", "link add d0 type veth peer name q0",
	    "link set q0 up", "link set d0 master bond0", "link set bond0 up",
	    "link set d0 up", "link add v7 link bond0 type vlan id 7",
	    "link set v7 up", "addr add 10.9.0.1/24 dev v7",
	    "route add default via 10.9.0.2" } },
	{ "macvlan over a bridge of a macvlan and a tap",
	  { "link add d0 type veth peer name q0", "link set q0 up",
	    "link set d0 up", "link add m1 link d0 type macvlan",
	    "link add br0 type bridge", "tuntap add dev t0 mode tap",
	    "link set m1 master br0", "link set t0 master br0",
	    "link set m1 up", "link set br0 up",
	    "link add m0 link br0 type macvlan", "link set m0 up",
	    "addr add 10.9.0.1/24 dev m0", "route add default via 10.9.0.2" } },
	{ "macvlan over VLAN over a bridge",
	  { "link add br0 type bridge", "link add d0 type veth peer name q0",
	    "link set q0 up", "link set d0 master br0", "link set br0 up",
	    "link set d0 up", "link add v7 link br0 type vlan id 7",
	    "link set v7 up", "link add m0 link v7 type macvlan",
	    "link set m0 up", "addr add 10.9.0.1/24 dev m0",
	    "route add default via 10.9.0.2" } },
	{ "tunnel",
	  { CABLE, DEFAULTS, "link add t0 type gre remote 10.9.0.2",
	    "link set t0 up", "addr add 10.7.0.1 peer 10.7.0.2 dev t0",
	    "route add 192.0.2.0/24 dev t0", "route add 8.0.0.0/8 dev t0" } },
	{ "unnumbered tunnel",
	  { "link add t0 type gre remote 10.9.0.2", "link set t0 up",
	    "route add default dev t0" } },
	{ "tun",
	  { "tuntap add dev t0 mode tun", "link set t0 up",
	    "addr add 10.9.0.1/24 dev t0", "route add default dev t0" } },
	{ "refusals",
	  { CABLE, DEFAULTS, "route add blackhole 192.0.2.0/24",
	    "route add unreachable 8.8.8.8", "route add prohibit 10.8.0.0/24",
	    "-6 route add blackhole 2600::/16",
	    "-6 route add prohibit 2001:db8:ffff::/48" } },
	{ "multipath",
	  { CABLE, "link add e1 type veth peer name p1", "link set p1 up",
	    "link set e1 up", "addr add 10.9.1.1/24 dev e1",
	    "route add default nexthop via 10.9.0.2 nexthop via 10.9.1.2" } },
	{ "two ways",
	  { CABLE, "link add e1 type veth peer name p1", "link set p1 up",
	    "link set e1 up", "addr add 10.9.1.1/24 dev e1",
	    "route add default via 10.9.0.2",
	    "route add 192.0.0.0/8 via 10.9.1.2",
	    "-6 route add default via 2001:db8:9::2" } },
	{ "nexthop object",
	  { CABLE, "nexthop add id 1 via 10.9.0.2 dev e0",
	    "route add default nhid 1" } },
	{ "IPv4 over an IPv6 gateway",
	  { CABLE, "route add default via inet6 2001:db8:9::2 dev e0" } },
	{ "rules",
	  { CABLE, "route add default via 10.9.0.2 table 100",
	    "-6 route add default via 2001:db8:9::2 table 100",
	    "rule add fwmark 7 lookup 100", "-6 rule add fwmark 7 lookup 100",
	    "rule add uidrange 65534-65534 lookup 100" } },
};

/* ---- targets ----------------------------------------------------------- */

struct ask {
	uint32_t kind;
	const char *remote;
	const char *local;
	const char *interface_name;
	uint32_t interface_index;
	uint32_t mark;
	uint32_t uid;
};

static const struct ask asks[] = {
	{ .kind = REACH_TARGET_INTERNET },
	{ .kind = REACH_TARGET_INTERNET, .mark = 7 },
	{ .kind = REACH_TARGET_INTERNET, .interface_name = "e0" },
	{ .kind = REACH_TARGET_LOCAL_WIFI },
	{ .kind = REACH_TARGET_LOCAL_WIFI, .interface_name = "e0" },
	{ .remote = "0.0.0.0" },
	{ .remote = "169.254.0.0" },
	{ .remote = "192.0.2.1" },
	{ .remote = "192.0.2.1", .mark = 7 },
	{ .remote = "192.0.2.1", .uid = 65534 },
	{ .remote = "192.0.2.1", .interface_name = "e0" },
	{ .remote = "192.0.2.1", .interface_name = "none" },
	{ .remote = "192.0.2.1", .interface_index = 3 },
	{ .remote = "192.0.2.1", .interface_index = 77 },
	{ .remote = "8.8.8.8" },
	{ .remote = "10.8.0.1" },
	{ .remote = "10.9.0.1" },
	{ .remote = "10.9.0.2" },
	{ .remote = "10.9.0.255" },
	{ .remote = "10.9.1.2", .interface_name = "e1" },
	{ .remote = "127.0.0.1" },
	{ .remote = "127.8.0.1" },
	{ .remote = "169.254.7.7" },
	{ .remote = "224.0.0.1" },
	{ .remote = "::ffff:192.0.2.1" },
	{ .remote = "2600::1" },
	{ .remote = "2600::1", .mark = 7 },
	{ .remote = "2600::1", .interface_name = "e0" },
	{ .remote = "2001:db8:9::1" },
	{ .remote = "2001:db8:9::2" },
	{ .remote = "2001:db8:ffff::1" },
	{ .remote = "fe80::7%2" },
	{ .remote = "fe80::7%3" },
	{ .remote = "::1" },
	{ .remote = "ff02::1%3" },
	{ .kind = REACH_TARGET_ADDRESS_PAIR, .local = "10.9.0.1" },
	{ .kind = REACH_TARGET_ADDRESS_PAIR,
	  .local = "10.9.0.1",
	  .remote = "192.0.2.1" },
	{ .kind = REACH_TARGET_ADDRESS_PAIR,
	  .local = "10.8.0.1",
	  .remote = "8.8.8.8" },
	{ .kind = REACH_TARGET_ADDRESS_PAIR,
	  .local = "2001:db8:9::1",
	  .remote = "2600::1" },
	{ .kind = REACH_TARGET_NAME, .remote = "192.0.2.1" },
};

#define ASKS (sizeof(asks) / sizeof(*asks))

static void make_target(const struct ask *ask, struct reach_target *ret)
{
	reach_target_init(ret, ask->kind);
	if (ask->kind == REACH_TARGET_NAME)
		ret->name = ask->remote;
	else if (ask->remote)
		reach_address_parse(ask->remote, &ret->remote);
	if (ask->local)
		reach_address_parse(ask->local, &ret->local);
	if (ask->interface_name)
		strcpy(ret->interface_name, ask->interface_name);
	ret->interface_index = ask->interface_index;
	ret->mark = ask->mark;
	ret->uid = ask->uid ? ask->uid : REACH_UID_CALLER;
}

/* ---- worlds ------------------------------------------------------------ */

static bool ip(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "ip %s 2>/dev/null", command);
	return system(line) == 0;
}

/* Whether all could be done. */
static bool build(const struct topology *topology)
{
	for (const char *const *command = topology->commands; *command;
	     command++)
		if (!ip(*command)) {
			fprintf(stderr, "in '%s': ip %s\n", topology->name,
				*command);
			return false;
		}
	return true;
}

/* What a monitor says that has just been opened. */
static bool monitored(const struct reach_target *target,
		      struct reach_state *ret)
{
	struct reach_monitor *monitor;
	uint64_t id;
	bool fine;

	if (reach_monitor_open(&monitor, NULL))
		return false;
	fine = !reach_monitor_add(monitor, target, &id) &&
	       reach_monitor_dispatch(monitor) >= 0 &&
	       !reach_monitor_state(monitor, id, ret);
	reach_monitor_close(monitor);
	return fine;
}

static bool is_same(const struct reach_state *a, const struct reach_state *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Whether what is asked alone is what a monitor says, @tries times: a link or
 * an address may change its state meanwhile. */
static bool agrees(const struct reach_target *target, int tries)
{
	struct reach_state alone = { .size = sizeof(alone) };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options options;
	int err;

	reach_monitor_options_init(&options);
	do {
		err = reach_check_alone(target, &options, &alone);
		if (!monitored(target, &state))
			return false;
	} while ((err || !is_same(&alone, &state)) && --tries);
	if (err || !tries)
		fprintf(stderr, "%d: %#x %u %u, monitored %#x %u %u\n", err,
			alone.flags, alone.reason, alone.interface_index,
			state.flags, state.reason, state.interface_index);
	return tries;
}

struct work {
	struct check *check;
	const struct topology *topology;
};

static int compare(void *context)
{
	const struct work *work = context;
	struct reach_target target;

	if (unshare(CLONE_NEWNET))
		return -errno;
	/* What the kernel was not built with. */
	if (!build(work->topology))
		return -EOPNOTSUPP;
	for (size_t i = 0; i < ASKS; i++) {
		make_target(&asks[i], &target);
		if (!CHECK(work->check, agrees(&target, 100)))
			fprintf(stderr, "in '%s': target %zu, %s\n",
				work->topology->name, i,
				asks[i].remote ? asks[i].remote : "");
	}
	return 0;
}

static void it_is_what_a_monitor_says(struct check *check)
{
	for (size_t i = 0; i < sizeof(topologies) / sizeof(*topologies); i++) {
		struct work work = { check, &topologies[i] };
		int err = check_on_thread(compare, &work);

		if (err)
			check_skip(check, topologies[i].name, err);
	}
}

/* ---- changes meanwhile ------------------------------------------------- */

/* Asks by hand, and runs @change after @step batches; the number of batches or
 * a negative errno. */
static int ask_stepwise(const struct reach_target *target, int step,
			const char *change, struct reach_state *ret)
{
	static uint32_t buffer[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
	const int fd = reach_socket_few_questions();
	struct reach_engine *engine;
	size_t size = 1;
	uint64_t id;
	int batches;

	if (fd < 0 || reach_engine_create_sparse(&engine))
		return -EIO;
	reach_engine_add(engine, target, &id);
	for (batches = 0;; batches++) {
		if (batches == step)
			ip(change);
		reach_evidence_read(engine, "");
		reach_engine_requests(engine, buffer, sizeof(buffer), &size);
		if (!size)
			break;
		if (send(fd, buffer, size, 0) < 0)
			break;
		while (reach_engine_pending(engine)) {
			ssize_t length = recv(fd, buffer, sizeof(buffer), 0);

			if (length > 0)
				reach_engine_answers(engine, buffer,
						     (size_t)length);
		}
	}
	if (size || !reach_engine_is_complete(engine) ||
	    reach_engine_state(engine, id, ret))
		batches = -EIO;
	reach_engine_destroy(engine);
	close(fd);
	return batches;
}

struct change {
	struct topology topology;
	const char *change;
	const char *remote;
};

static const struct change changes[] = {
	{ { "route goes", { CABLE, DEFAULTS } },
	  "route del default",
	  "192.0.2.1" },
	{ { "link goes", { CABLE, DEFAULTS } }, "link del e0", "192.0.2.1" },
	{ { "link goes down", { CABLE, DEFAULTS } },
	  "link set e0 down",
	  "2600::1" },
	{ { "carrier goes", { CABLE, DEFAULTS } },
	  "link set p0 down",
	  "0.0.0.0" },
	{ { "address goes", { CABLE, DEFAULTS } },
	  "addr del 10.9.0.1/24 dev e0",
	  "0.0.0.0" },
	{ { "own address goes", { CABLE, DEFAULTS } },
	  "addr del 10.9.0.1/24 dev e0",
	  "10.9.0.1" },
	{ { "IPv6 address goes", { CABLE, DEFAULTS } },
	  "-6 addr del 2001:db8:9::1/64 dev e0",
	  "2600::1" },
	{ { "route moves",
	    { CABLE, DEFAULTS, "link add d0 type veth peer name q0",
	      "link set q0 up", "link set d0 up",
	      "addr add 10.8.0.1/24 dev d0" } },
	  "route replace default via 10.8.0.2",
	  "192.0.2.1" },
	{ { "port moves",
	    { "link add br0 type bridge", "tuntap add dev t0 mode tap",
	      "link set t0 master br0", "link add d0 type veth peer name q0",
	      "link set q0 up", "link set d0 up", "link set d0 master br0",
	      "link set br0 up", "addr add 10.9.0.1/24 dev br0",
	      "route add default via 10.9.0.2" } },
	  "link set d0 nomaster",
	  "192.0.2.1" },
	{ { "link is renamed", { CABLE, DEFAULTS } },
	  "link set e0 name e9",
	  "192.0.2.1" },
};

/* @return how many batches it took, 0 if no more than @step. */
static int interrupt(struct check *check, const struct change *change, int step)
{
	struct reach_state before = { .size = sizeof(before) };
	struct reach_state after = { .size = sizeof(after) };
	struct reach_state alone = { .size = sizeof(alone) };
	struct reach_target target;
	int batches;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!build(&change->topology))
		return -EOPNOTSUPP;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(change->remote, &target.remote);
	CHECK(check, monitored(&target, &before));
	batches = ask_stepwise(&target, step, change->change, &alone);
	CHECK(check, batches > 0 && monitored(&target, &after));
	if (!CHECK(check, is_same(&alone, &before) || is_same(&alone, &after)))
		fprintf(stderr, "'%s' after %d: %#x %u, %#x %u or %#x %u\n",
			change->topology.name, step, alone.flags, alone.reason,
			before.flags, before.reason, after.flags, after.reason);
	return batches > step ? batches : 0;
}

struct interruption {
	struct check *check;
	const struct change *change;
	int step;
};

static int run_interruption(void *context)
{
	const struct interruption *run = context;

	return interrupt(run->check, run->change, run->step);
}

static void what_changes_meanwhile_is_seen_or_not_yet(struct check *check)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct interruption run = { check, &changes[i], 0 };
		int batches;

		do
			batches = check_on_thread(run_interruption, &run);
		while (batches > 0 && ++run.step < batches);
		if (batches < 0)
			check_skip(check, changes[i].topology.name, batches);
	}
}

/* ---- limits ------------------------------------------------------------ */

static const struct topology plain = { "plain", { CABLE, DEFAULTS } };

/* Whatever it hangs on, a thousand links it does not hang on take no
 * questions. */
static int ask_among_many(void *context)
{
	struct check *check = context;
	struct reach_target target;
	struct reach_state state = { .size = sizeof(state) };
	FILE *batch;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!build(&plain))
		return -EOPNOTSUPP;
	batch = popen("ip -batch -", "w");
	for (int i = 0; batch && i < 1000; i++)
		fprintf(batch, "link add m%d type veth peer name n%d\n", i, i);
	CHECK(check, batch && pclose(batch) == 0);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("192.0.2.1", &target.remote);
	CHECK(check, agrees(&target, 100));
	CHECK(check, ask_stepwise(&target, -1, "", &state) == 2);
	CHECK(check, state.flags == REACH_FLAG_REACHABLE);
	reach_target_init(&target, REACH_TARGET_INTERNET);
	CHECK(check, agrees(&target, 100));
	CHECK(check, ask_stepwise(&target, -1, "", &state) == 2);
	return 0;
}

/* More ports with a link below than are asked for one by one. */
static int ask_for_too_much(void *context)
{
	struct check *check = context;
	struct reach_state state = { .size = sizeof(state) };
	struct reach_state first = { .size = sizeof(first) };
	struct reach_monitor_options options;
	struct reach_target target;
	FILE *batch;

	if (unshare(CLONE_NEWNET))
		return -errno;
	batch = popen("ip -batch -", "w");
	if (batch)
		fputs("link add br0 type bridge\nlink set br0 up\n"
		      "addr add 10.9.0.1/24 dev br0\n",
		      batch);
	for (int i = 0; batch && i < 40; i++)
		fprintf(batch,
			"link add d%d type veth peer name q%d\n"
			"link add v%d link d%d type macvlan\n"
			"link set v%d master br0\n",
			i, i, i, i, i);
	if (!batch || pclose(batch))
		return -EOPNOTSUPP;
	reach_monitor_options_init(&options);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("10.9.0.2", &target.remote);
	CHECK(check, reach_check_alone(&target, &options, &state) == -EAGAIN);
	CHECK(check, reach_check(&target, &options, 0, &state) == 0);
	CHECK(check, monitored(&target, &first) && is_same(&state, &first));
	return 0;
}

/* The raw system call changes the calling thread only. */
static int ask_without_privilege(void *context)
{
	struct check *check = context;
	struct reach_target target;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!build(&plain))
		return -EOPNOTSUPP;
	if (syscall(SYS_setresuid, 65534, 65534, 65534))
		return -errno;
	for (size_t i = 0; i < ASKS; i++) {
		make_target(&asks[i], &target);
		CHECK(check, agrees(&target, 100));
	}
	return 0;
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void no_descriptor_is_left(struct check *check)
{
	const int before = count_descriptors();
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options options;
	struct reach_target target;

	reach_monitor_options_init(&options);
	for (size_t i = 0; i < ASKS; i++) {
		make_target(&asks[i], &target);
		CHECK(check, !reach_check_alone(&target, &options, &state));
	}
	target.name = "a.example";
	CHECK(check, reach_check_alone(&target, &options, &state) == -EAGAIN);
	options.netns_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(check, reach_check_alone(&target, &options, &state) < 0);
	CHECK(check, reach_check(&target, &options, 0, &state) == -EINVAL);
	close(options.netns_fd);
	CHECK(check, reach_check(&target, &options, 0, &state) == -EBADF);
	options.size = 0;
	CHECK(check, reach_check_alone(&target, &options, &state) == -EINVAL);
	CHECK(check, count_descriptors() == before);
}

static void run(struct check *check, int (*work)(void *context),
		const char *what)
{
	int err = check_on_thread(work, check);

	if (err)
		check_skip(check, what, err);
}

void test_answer(struct check *check)
{
	it_is_what_a_monitor_says(check);
	what_changes_meanwhile_is_seen_or_not_yet(check);
	run(check, ask_among_many, "a thousand links");
	run(check, ask_for_too_much, "a bridge of macvlans");
	run(check, ask_without_privilege, "a thread without privilege");
	no_descriptor_is_left(check);
}
