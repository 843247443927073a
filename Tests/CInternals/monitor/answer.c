/* SPDX-License-Identifier: MIT */
/* A check without a monitor: its result must equal a new monitor's first
 * state. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/if.h>

#include "engine/engine.h"
#include "host/host.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

/* What the stories of hosts.c and behaviors.c don't have. */
static const struct topology topologies[] = {
	{ "loopback", { "link set lo up" } },
	{ "half of IPv4 and IPv6",
	  { CABLE, "route add 128.0.0.0/1 via 10.9.0.2",
	    "-6 route add default via 2001:db8:9::2" } },
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
	{ "rules",
	  { CABLE, "route add default via 10.9.0.2 table 100",
	    "-6 route add default via 2001:db8:9::2 table 100",
	    "rule add fwmark 7 lookup 100", "-6 rule add fwmark 7 lookup 100",
	    "rule add uidrange 65534-65534 lookup 100" } },
};

/* ---- targets ----------------------------------------------------------- */

/* A target as text. A member that is absent is that of reach_target_init(). */
static const struct ask {
	uint32_t kind;
	const char *remote;
	const char *local;
	const char *interface_name;
	uint32_t interface_index;
	uint32_t mark;
	uint32_t uid;
	uint32_t classes;
} asks[] = {
	{ .kind = REACH_TARGET_INTERNET },
	{ .kind = REACH_TARGET_INTERNET, .remote = "0.0.0.0" },
	{ .kind = REACH_TARGET_INTERNET, .remote = "::" },
	{ .kind = REACH_TARGET_INTERNET,
	  .classes = 1U << REACH_INTERFACE_VIRTUAL },
	{ .kind = REACH_TARGET_INTERNET,
	  .classes = 1U << REACH_INTERFACE_WIFI },
	{ .kind = REACH_TARGET_INTERNET, .mark = 7 },
	{ .kind = REACH_TARGET_INTERNET, .interface_name = "e0" },
	{ .kind = REACH_TARGET_INTERNET, .interface_name = "e1" },
	/* The judge's interfaces come, go, and get other names. */
	{ .kind = REACH_TARGET_INTERNET, .interface_name = "l2" },
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
	{ .remote = "192.0.2.1", .classes = 1U << REACH_INTERFACE_VIRTUAL },
	{ .remote = "192.0.2.1", .classes = 1U << REACH_INTERFACE_WIFI },
	{ .remote = "8.8.8.8" },
	{ .remote = "10.8.0.1" },
	{ .remote = "10.9.0.1" },
	{ .remote = "10.9.0.2" },
	{ .remote = "10.9.0.255" },
	{ .remote = "10.9.1.2", .interface_name = "e1" },
	{ .remote = "127.0.0.1" },
	{ .remote = "127.8.0.1" },
	{ .remote = "169.254.7.7" },
	{ .remote = "192.0.2.1", .interface_name = "l2" },
	{ .remote = "192.0.2.1", .interface_name = "br0" },
	{ .remote = "192.0.2.1", .interface_name = "m0" },
	{ .remote = "224.0.0.1" },
	{ .remote = "::ffff:192.0.2.1" },
	{ .remote = "2600::1" },
	{ .remote = "2600::1", .mark = 7 },
	{ .remote = "2600::1", .interface_name = "e0" },
	{ .remote = "2600::1", .interface_name = "m0" },
	{ .remote = "2001:db8:ffff::1", .interface_name = "l2" },
	{ .remote = "2001:db8:ffff::1", .interface_name = "br0" },
	{ .remote = "2001:db8:9::1" },
	{ .remote = "2001:db8:9::2" },
	{ .remote = "2001:db8:ffff::1" },
	{ .remote = "fe80::7%2" },
	{ .remote = "fe80::7%3" },
	{ .remote = "fe80::7%5" },
	{ .remote = "::1" },
	{ .remote = "ff02::1%3" },
	{ .remote = "ff02::1%7" },
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
	{ .kind = REACH_TARGET_ADDRESS_PAIR,
	  .local = "2001:db8:8::1",
	  .remote = "2001:db8:ffff::1" },
	{ .kind = REACH_TARGET_NAME, .remote = "192.0.2.1" },
};

_Static_assert(sizeof(asks) == ANSWER_TARGETS * sizeof(*asks), "");

void answer_target(size_t i, struct reach_target *ret)
{
	const struct ask *ask = &asks[i];

	*ret = check_target(ask->kind, ask->remote);
	if (ask->local)
		ret->local = check_address(ask->local);
	if (ask->interface_name)
		strcpy(ret->interface_name, ask->interface_name);
	ret->interface_index = ask->interface_index;
	ret->mark = ask->mark;
	ret->interface_classes = ask->classes;
	ret->uid = ask->uid ? ask->uid : REACH_UID_CALLER;
}

/* ---- worlds ------------------------------------------------------------ */

/* Runs ip(8) with @words, and its input from @input, or with nothing on its
 * standard error. */
static bool run_ip(char *const words[], int input)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (input < 0)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
						 "/dev/null", O_WRONLY, 0);
	else
		posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!posix_spawnp(&pid, "ip", &actions, NULL, words, environ))
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	return status == 0;
}

/* Writes a file in /proc/sys/net. */
static bool set(const char *setting)
{
	const char *value = strchr(setting, ' ') + 1;
	char path[128];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "/proc/sys/net/%.*s",
		 (int)(value - setting - 2), setting + 1);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, value, strlen(value)) > 0;
	if (fd >= 0)
		close(fd);
	return done;
}

_Thread_local FILE *answer_log;

/* As a shell takes it. */
static void note(const char *command)
{
	if (!answer_log)
		return;
	if (*command == '=')
		fprintf(answer_log, "sysctl -w net/%s\n", command + 1);
	else
		fprintf(answer_log, "ip %s\n", command);
}

static bool run_words(const char *command)
{
	char line[256], *words[64] = { (char[]){ "ip" } }, *rest = line;
	size_t count = 1;

	snprintf(line, sizeof(line), "%s", command);
	while (count < 63 && (words[count] = strtok_r(rest, " ", &rest)))
		count++;
	return run_ip(words, -1);
}

bool answer_ip(const char *command)
{
	const bool done = *command == '=' ? set(command) : run_words(command);

	if (done)
		note(command);
	return done;
}

bool answer_batch(const char *const *commands, size_t count)
{
	char *const words[] = { (char[]){ "ip" }, (char[]){ "-batch" },
				(char[]){ "-" }, NULL };
	const int input = memfd_create("batch", MFD_CLOEXEC);
	bool done = input >= 0;

	for (size_t i = 0; done && i < count; i++)
		done = dprintf(input, "%s\n", commands[i]) > 0;
	done = done && !lseek(input, 0, SEEK_SET) && run_ip(words, input);
	for (size_t i = 0; done && i < count; i++)
		note(commands[i]);
	close(input);
	return done;
}

bool answer_build(const struct topology *topology)
{
	for (const char *const *command = topology->commands; *command;
	     command++) {
		if (answer_ip(*command))
			continue;
		fprintf(stderr, "in '%s': ip %s\n", topology->name, *command);
		if (strncmp(*command, "link add", 8) != 0)
			abort();
		return false;
	}
	return true;
}

bool answer_all(const char *const *commands, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!answer_ip(commands[i]))
			return false;
	return true;
}

struct work {
	const struct topology *topology;
	void (*work)(void *context);
	void *context;
};

static int build_and_work(void *context)
{
	const struct work *work = context;
	const int before = check_failures();

	if (!answer_build(work->topology))
		return -EOPNOTSUPP;
	work->work(work->context);
	if (check_failures() > before)
		fprintf(stderr, "in '%s'\n", work->topology->name);
	return 0;
}

void answer_in(const struct topology *topology, void (*work)(void *context),
	       void *context)
{
	struct work of = { topology, work, context };

	check_in_netns(topology->name, build_and_work, &of);
}

struct reach_monitor *answer_open(reach_resolve_function resolve, void *context)
{
	struct reach_monitor_options options;
	struct reach_monitor *monitor = NULL;

	reach_monitor_options_init(&options);
	options.resolve = resolve;
	options.resolve_context = context;
	CHECK(!reach_monitor_open(&monitor, &options));
	return monitor;
}

void answer_close(struct reach_monitor **monitor)
{
	reach_monitor_close(*monitor);
}

uint64_t answer_watch(struct reach_monitor *monitor,
		      enum reach_target_kind kind, const char *remote)
{
	const struct reach_target target = check_target(kind, remote);
	uint64_t id = 0;

	CHECK(!reach_monitor_add(monitor, &target, &id));
	return id;
}

uint64_t answer_watch_name(struct reach_monitor *monitor, const char *name)
{
	struct reach_target target = check_target(REACH_TARGET_NAME, name);
	uint64_t id = 0;

	target.policy = REACH_NAME_STRICT;
	CHECK(!reach_monitor_add(monitor, &target, &id));
	return id;
}

struct reach_state answer_state(const struct reach_monitor *monitor,
				uint64_t id)
{
	struct reach_state state = { .size = sizeof(state) };

	(void)reach_monitor_state(monitor, id, &state);
	return state;
}

struct reach_stats answer_stats(const struct reach_monitor *monitor)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	CHECK(!reach_monitor_stats(monitor, &stats));
	return stats;
}

size_t answer_changes(struct reach_monitor *monitor)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t count = 0;

	while (reach_monitor_next(monitor, &change) == 1)
		count++;
	return count;
}

bool answer_step(struct reach_monitor *monitor)
{
	return check_wait(reach_monitor_fd(monitor)) &&
	       reach_monitor_dispatch(monitor) >= 0;
}

bool answer_await_resolved(struct reach_monitor *monitor, uint64_t id)
{
	while (answer_state(monitor, id).resolution != REACH_RESOLUTION_DONE)
		if (!answer_step(monitor))
			return false;
	return true;
}

bool answer_rest(struct reach_monitor *monitor)
{
	while (check_readable(reach_monitor_fd(monitor)))
		if (reach_monitor_dispatch(monitor) < 0)
			return false;
	return true;
}

bool answer_idle(struct reach_monitor *monitor)
{
	while (reach_engine_deadline(monitor->engine) != INT64_MAX)
		if (!answer_step(monitor))
			return false;
	return true;
}

bool answer_confirm(struct reach_monitor *monitor)
{
	struct reach_confirmation *due = &monitor->engine->confirmation;

	if (due->look != INT64_MAX)
		due->look = due->until = 0;
	return !CHECK(reach_monitor_dispatch(monitor) >= 0) ||
	       due->look == INT64_MAX;
}

bool answer_await_reason(struct reach_monitor *monitor, uint64_t id,
			 enum reach_reason reason, struct reach_state *state)
{
	state->size = sizeof(*state);
	do
		if (!answer_step(monitor))
			return false;
	while (reach_monitor_state(monitor, id, state) ||
	       state->reason != reason);
	return true;
}

bool answer_is_since(int version)
{
	struct utsname system;
	int major = 0, minor = 0;

	return !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       major * 100 + minor >= version;
}

bool answer_monitored(const struct reach_target *target,
		      struct reach_state *ret)
{
	SCOPED_MONITOR *monitor = NULL;
	uint64_t id;

	return !reach_monitor_open(&monitor, NULL) &&
	       !reach_monitor_add(monitor, target, &id) &&
	       reach_monitor_dispatch(monitor) >= 0 &&
	       !reach_monitor_state(monitor, id, ret);
}

bool answer_is_same(const struct reach_state *a, const struct reach_state *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool answer_agrees(const struct reach_target *target)
{
	int tries = 100;
	struct reach_state alone = { .size = sizeof(alone) };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options options;
	int err;

	reach_monitor_options_init(&options);
	do {
		err = reach_check_alone(target, &options, &alone);
		if (!answer_monitored(target, &state))
			return false;
	} while ((err || !answer_is_same(&alone, &state)) && --tries);
	if (err || !tries)
		fprintf(stderr, "%d: %#x %u %u, monitored %#x %u %u\n", err,
			alone.flags, alone.reason, alone.interface_index,
			state.flags, state.reason, state.interface_index);
	return tries;
}

static bool is_settled(const struct reach_monitor *monitor, const char *name)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	const struct reach_link *link = NULL;

	while (!link && reach_monitor_interface(monitor, interface.index,
						&interface) == 1)
		if (!strcmp(interface.name, name))
			link = reach_links_find(&monitor->engine->links,
						interface.index);
	return link &&
	       (!(link->flags & IFF_UP) ||
		(reach_link_usable(link) && link->operstate == IF_OPER_UP));
}

bool answer_await_link(struct reach_monitor *monitor, const char *name)
{
	while (!is_settled(monitor, name))
		if (!answer_step(monitor))
			return false;
	return answer_rest(monitor);
}

bool answer_plug_in(void)
{
	static const struct topology topology = {
		"a cable", { PLAIN_CABLE, "addr add 10.9.0.1/24 dev e0" }
	};

	SCOPED_MONITOR *monitor = NULL;

	return answer_build(&topology) && !reach_monitor_open(&monitor, NULL) &&
	       answer_await_link(monitor, "e0");
}

bool answer_all_agree(void)
{
	struct reach_target target;
	bool all = true;

	for (size_t i = 0; i < ANSWER_TARGETS; i++) {
		answer_target(i, &target);
		if (answer_agrees(&target))
			continue;
		fprintf(stderr, "target %zu, %s\n", i,
			asks[i].remote ? asks[i].remote : "");
		all = false;
	}
	return all;
}

static void compare(void *context)
{
	(void)context;
	CHECK(answer_all_agree());
}

void test_answer(void)
{
	for (size_t i = 0; i < sizeof(topologies) / sizeof(*topologies); i++)
		answer_in(&topologies[i], compare, NULL);
}
