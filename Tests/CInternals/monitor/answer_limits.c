/* SPDX-License-Identifier: MIT */
/* Checks without a monitor, at their limits. engine/oneshot.c has changes
 * between their passes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* ---- limits ------------------------------------------------------------ */

static const struct topology plain = { "plain", { CABLE, DEFAULTS } };

/* A check that dumps all links and addresses: twice, and again after a change
 * between the dumps. */
static void ask_for_local_wifi(void)
{
	static const char *const events[] = { "link set e0 down",
					      "addr add 10.7.0.1/24 dev e0" };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_state after = { .size = sizeof(after) };
	struct reach_target target =
		check_target(REACH_TARGET_LOCAL_WIFI, NULL);

	CHECK(answer_agrees(&target));
	CHECK(ask_stepwise(&target, 1, "route flush cache", &state) >= 4);
	for (size_t i = 0; i < 2; i++) {
		CHECK(ask_stepwise(&target, 3, events[i], &state) >= 6);
		CHECK(answer_monitored(&target, &after) &&
		      answer_is_same(&state, &after));
	}
}

/* A thousand links that don't matter to the target cost no requests. */
static void ask_among_many(void *context)
{
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "192.0.2.1");
	struct reach_state state = { .size = sizeof(state) };
	FILE *batch;

	(void)context;
	batch = popen("ip -batch -", "w");
	for (int i = 0; batch && i < 1000; i++)
		fprintf(batch, "link add m%d type veth peer name n%d\n", i, i);
	CHECK(batch && pclose(batch) == 0);
	CHECK(answer_agrees(&target));
	CHECK(ask_stepwise(&target, -1, "", &state) == 3);
	CHECK(state.flags == REACH_FLAG_REACHABLE);
	target = check_target(REACH_TARGET_INTERNET, NULL);
	CHECK(answer_agrees(&target));
	CHECK(ask_stepwise(&target, -1, "", &state) == 3);
	ask_for_local_wifi();
}

/* A bridge with many ports that each have a lower link: too many for the
 * requests that a check without a monitor makes one by one. */
static int ask_for_too_much(void *context)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_state first = { .size = sizeof(first) };
	struct reach_monitor_options options;
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "10.9.0.2");
	FILE *batch;

	(void)context;
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
	CHECK(reach_check_alone(&target, &options, &state) == -EAGAIN);
	CHECK(reach_check(&target, &options, 0, &state) == 0);
	CHECK(answer_monitored(&target, &first) &&
	      answer_is_same(&state, &first));
	return 0;
}

/* The raw system call changes only the calling thread's uid. */
static void ask_without_privilege(void *context)
{
	(void)context;
	CHECK(!syscall(SYS_setresuid, 65534, 65534, 65534));
	CHECK(answer_all_agree());
}

static void no_descriptor_is_left(void)
{
	const int before = check_descriptors();
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor_options options;
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);

	reach_monitor_options_init(&options);
	CHECK(reach_check_alone(&target, &options, &state) == 0);
	target = check_target(REACH_TARGET_NAME, "a.example");
	CHECK(reach_check_alone(&target, &options, &state) == -EAGAIN);
	options.netns_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(reach_check_alone(&target, &options, &state) < 0);
	CHECK(reach_check(&target, &options, 0, &state) == -EINVAL);
	close(options.netns_fd);
	CHECK(reach_check(&target, &options, 0, &state) == -EBADF);
	options.size = 0;
	CHECK(reach_check(&target, &options, 0, &state) == -EINVAL);
	CHECK(check_descriptors() == before);
}

void test_answer_limits(void)
{
	answer_in(&plain, ask_among_many, NULL);
	check_in_netns("a bridge of macvlans", ask_for_too_much, NULL);
	answer_in(&plain, ask_without_privilege, NULL);
	no_descriptor_is_left();
}
