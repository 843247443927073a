/* SPDX-License-Identifier: MIT */
/* Checks without a monitor: while the network changes, and at their limits. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/query/query.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

/* ---- changes meanwhile ------------------------------------------------- */

static void send_batch(int fd, struct reach_engine *engine, void *buffer,
		       size_t size)
{
	if (send(fd, buffer, size, 0) < 0)
		return;
	while (reach_engine_pending(engine)) {
		const ssize_t length = recv(fd, buffer, REACH_REQUESTS_SIZE, 0);

		if (length > 0)
			reach_engine_answers(engine, buffer, (size_t)length);
	}
}

/* Sends the check's batches of requests one by one, and runs @change after
 * @step of them. Returns the number of batches or a negative errno. */
static int ask_stepwise(const struct reach_target *target, int step,
			const char *change, struct reach_state *ret)
{
	static uint32_t buffer[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
	const int fd = reach_socket_lookups(true);
	struct reach_engine *engine;
	int batches;
	size_t size = 1;
	uint64_t id;

	if (fd < 0 || reach_engine_create_oneshot(&engine))
		return -EIO;
	reach_engine_add(engine, target, &id);
	for (batches = 0;; batches++) {
		if (batches == step)
			answer_ip(change);
		while (reach_engine_wants_evidence(engine))
			continue;
		reach_engine_requests(engine, buffer, sizeof(buffer), &size);
		if (!size)
			break;
		send_batch(fd, engine, buffer, size);
	}
	if (size || !reach_oneshot_is_complete(engine) ||
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

/* @return the number of batches, 0 if there were no more than @step, or a
 * negative errno. */
static int interrupt(struct check *check, const struct change *change, int step)
{
	struct reach_state before = { .size = sizeof(before) };
	struct reach_state after = { .size = sizeof(after) };
	struct reach_state alone = { .size = sizeof(alone) };
	struct reach_target target;
	int batches;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&change->topology))
		return -EOPNOTSUPP;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(change->remote, &target.remote);
	CHECK(check, answer_monitored(&target, &before));
	batches = ask_stepwise(&target, step, change->change, &alone);
	CHECK(check, batches > 0 && answer_monitored(&target, &after));
	if (!CHECK(check, answer_is_same(&alone, &before) ||
				  answer_is_same(&alone, &after)))
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

/* A check that dumps all links and addresses: twice, and again after a change
 * between the dumps. */
static void ask_for_local_wifi(struct check *check)
{
	static const char *const events[] = { "link set e0 down",
					      "addr add 10.7.0.1/24 dev e0" };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_state after = { .size = sizeof(after) };
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_LOCAL_WIFI);
	CHECK(check, answer_agrees(&target));
	CHECK(check,
	      ask_stepwise(&target, 1, "route flush cache", &state) >= 4);
	for (size_t i = 0; i < 2; i++) {
		CHECK(check, ask_stepwise(&target, 3, events[i], &state) >= 6);
		CHECK(check, answer_monitored(&target, &after) &&
				     answer_is_same(&state, &after));
	}
}

/* A thousand links that don't matter to the target cost no requests. */
static int ask_among_many(void *context)
{
	struct check *check = context;
	struct reach_target target;
	struct reach_state state = { .size = sizeof(state) };
	FILE *batch;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&plain))
		return -EOPNOTSUPP;
	batch = popen("ip -batch -", "w");
	for (int i = 0; batch && i < 1000; i++)
		fprintf(batch, "link add m%d type veth peer name n%d\n", i, i);
	CHECK(check, batch && pclose(batch) == 0);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("192.0.2.1", &target.remote);
	CHECK(check, answer_agrees(&target));
	CHECK(check, ask_stepwise(&target, -1, "", &state) == 3);
	CHECK(check, state.flags == REACH_FLAG_REACHABLE);
	reach_target_init(&target, REACH_TARGET_INTERNET);
	CHECK(check, answer_agrees(&target));
	CHECK(check, ask_stepwise(&target, -1, "", &state) == 3);
	ask_for_local_wifi(check);
	return 0;
}

/* A bridge with many ports that each have a lower link: too many for the
 * requests that a check without a monitor makes one by one. */
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
	CHECK(check, answer_monitored(&target, &first) &&
			     answer_is_same(&state, &first));
	return 0;
}

/* The raw system call changes only the calling thread's uid. */
static int ask_without_privilege(void *context)
{
	struct check *check = context;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!answer_build(&plain))
		return -EOPNOTSUPP;
	if (syscall(SYS_setresuid, 65534, 65534, 65534))
		return -errno;
	CHECK(check, answer_all_agree());
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
	reach_target_init(&target, REACH_TARGET_INTERNET);
	CHECK(check, reach_check_alone(&target, &options, &state) == 0);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "a.example";
	CHECK(check, reach_check_alone(&target, &options, &state) == -EAGAIN);
	options.netns_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(check, reach_check_alone(&target, &options, &state) < 0);
	CHECK(check, reach_check(&target, &options, 0, &state) == -EINVAL);
	close(options.netns_fd);
	CHECK(check, reach_check(&target, &options, 0, &state) == -EBADF);
	options.size = 0;
	CHECK(check, reach_check(&target, &options, 0, &state) == -EINVAL);
	CHECK(check, count_descriptors() == before);
}

static void run(struct check *check, int (*work)(void *context),
		const char *what)
{
	int err = check_on_thread(work, check);

	if (err)
		check_skip(check, what, err);
}

void test_answer_limits(struct check *check)
{
	what_changes_meanwhile_is_seen_or_not_yet(check);
	run(check, ask_among_many, "a thousand links");
	run(check, ask_for_too_much, "a bridge of macvlans");
	run(check, ask_without_privilege, "a thread without privilege");
	no_descriptor_is_left(check);
}
