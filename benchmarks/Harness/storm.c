/* SPDX-License-Identifier: MIT */
// What a storm of routes to elsewhere costs who watches, and who writes:
//
// cc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude benchmarks/Harness/storm.c
//	Sources/CReach/*.c -lmnl -lpthread -o storm && sudo ./storm [--short]
/*
 * In a network namespace of its own. A writer makes route changes, 64 to a
 * send; half-way the default routes go, and after the storm they come back.
 * Beside it, on the other core, one contender at a time: a loop of recvmmsg()
 * that reads nothing but headers, and libreach with its default settings or
 * (where so many are few) with the kernel's default receive buffer, which holds
 * 256 events. CPU time is that of the receiver from the first change to the
 * last; what becomes of the default routes is part of it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <reach/reach.h>

#include "storm.h"

#define AT_ONCE	     64
#define BLOCK	     4096
#define DATAGRAMS    64
#define ROUNDS	     5
#define ROUNDS_SHORT 1

/* As SO_RCVBUF: half of net.core.rmem_default. */
#define DEFAULT_BUFFER 106496
#define LARGE_BUFFER   (32 * 1024 * 1024)

#define CHANGES	      262144
#define CHANGES_SHORT 32768

/* Goals: shares of the raw loop's CPU time, and what the writer takes more than
 * alone. What is done about the default routes does not shrink with the storm,
 * so that a short one may cost a larger share. A short run has too few blocks
 * for the writer's least time, and only prints it. With few targets a message
 * for each default route is all that is delivered, and nothing is dropped. */
#define FEW_GOAL    0.01
#define MANY_GOAL   1.0
#define WRITER_GOAL 1.05
#define CPU_ROOM    1.2
#define WRITER_ROOM 1.15

/* What the receiver tells, in shared memory. */
struct board {
	_Atomic uint64_t wakeups;
	_Atomic uint64_t events;
	_Atomic int64_t reachable;
	_Atomic bool ready;
};

struct figures {
	double cpu;
	double writer;
	uint64_t wakeups;
	uint64_t events;
	uint64_t dropped;
	bool right;
};

struct contender {
	const char *name;
	/* 0 for none: the writer alone. */
	int buffer;
	/* Targets; none for the raw loop. */
	int inet;
	int inet6;
	/* What the storm is of. */
	enum family storm;
	struct figures rounds[ROUNDS];
};

/* ---- receivers --------------------------------------------------------- */

static void run_raw(const struct contender *contender, struct board *board)
{
	static uint8_t bytes[DATAGRAMS][4096];
	const struct sockaddr_nl groups = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	struct mmsghdr messages[DATAGRAMS] = { 0 };
	struct iovec vectors[DATAGRAMS];
	int i, got;

	for (i = 0; i < DATAGRAMS; i++) {
		vectors[i] = (struct iovec){ bytes[i], sizeof(bytes[i]) };
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &contender->buffer,
		       sizeof(contender->buffer)) ||
	    bind(fd, (const void *)&groups, sizeof(groups)))
		die("raw");
	for (;;) {
		atomic_store(&board->ready, true);
		poll(&pollfd, 1, -1);
		board->wakeups++;
		while ((got = recvmmsg(fd, messages, DATAGRAMS, MSG_DONTWAIT,
				       NULL)) > 0 ||
		       errno == ENOBUFS) {
			for (i = 0; i < got; i++) {
				const struct nlmsghdr *nlh =
					(const void *)bytes[i];
				const struct rtmsg *rtm = NLMSG_DATA(nlh);

				if (!rtm->rtm_dst_len)
					board->reachable = nlh->nlmsg_type ==
							   RTM_NEWROUTE;
			}
			board->events += got > 0 ? (uint64_t)got : 0;
		}
	}
}

/* Hosts with an odd last byte; every other is where the storm is, unless there
 * are so many that they are everywhere. */
static struct reach_address pick(int family, bool near)
{
	struct reach_address ret = { .family = (uint16_t)family };
	const uint32_t bits = next_random();

	if (family == AF_INET) {
		memcpy(ret.bytes, &bits, 4);
		ret.bytes[0] = near ? 20 : (uint8_t)(11 + ret.bytes[0] % 89);
		ret.bytes[1] = near ? ret.bytes[1] % 4 : ret.bytes[1];
		ret.bytes[3] |= 1;
		return ret;
	}
	memcpy(ret.bytes, (uint8_t[4]){ 0x20, 1, 0xd, 0xb8 }, 4);
	ret.bytes[4] = near ? 0x20 : (uint8_t)(0x30 + bits % 0xc0);
	memcpy(ret.bytes + 5, &bits, 3);
	ret.bytes[5] |= 0x80;
	ret.bytes[15] = (uint8_t)(bits >> 24);
	return ret;
}

static void add_targets(struct reach_monitor *monitor, int family, int count)
{
	struct reach_target target;
	uint64_t id;
	int i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (i = 0; i < count; i++) {
		target.remote = pick(family, i % 2 && count < 1000);
		if (reach_monitor_add(monitor, &target, &id))
			die("reach_monitor_add");
	}
}

static void take(struct reach_monitor *monitor, struct board *board,
		 bool *reachable)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_stats stats = { .size = sizeof(stats) };

	if (reach_monitor_dispatch(monitor) < 0)
		die("reach_monitor_dispatch");
	while (reach_monitor_next(monitor, &change) == 1) {
		bool *known = &reachable[(uint32_t)change.target];
		const bool is = change.state.flags & REACH_FLAG_REACHABLE;

		board->reachable += is - *known;
		*known = is;
	}
	reach_monitor_stats(monitor, &stats);
	board->events = stats.events;
}

static void run_libreach(const struct contender *contender, struct board *board)
{
	bool *reachable = calloc(1 << 18, sizeof(*reachable));
	const int64_t count = contender->inet + contender->inet6;
	struct pollfd pollfd = { .events = POLLIN };
	struct reach_monitor_options options;
	struct reach_monitor *monitor;

	reach_monitor_options_init(&options);
	options.receive_buffer = (uint32_t)contender->buffer;
	if (reach_monitor_open(&monitor, &options))
		die("reach_monitor_open");
	add_targets(monitor, AF_INET, contender->inet);
	add_targets(monitor, AF_INET6, contender->inet6);
	pollfd.fd = reach_monitor_fd(monitor);
	/* Until nothing is left to do, the filter included: that is made within
	 * milliseconds of the first answers. */
	do
		take(monitor, board, reachable);
	while (board->reachable < count || poll(&pollfd, 1, 100) == 1);
	atomic_store(&board->ready, true);
	for (;;) {
		poll(&pollfd, 1, -1);
		board->wakeups++;
		take(monitor, board, reachable);
	}
}

/* ---- one against the other --------------------------------------------- */

static bool await(struct board *board, int64_t wanted)
{
	int i;

	for (i = 0; i < 8000 && board->reachable != wanted; i++)
		usleep(1000);
	return board->reachable == wanted;
}

static pid_t start(const struct contender *contender, struct board *board)
{
	const pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		if (contender->inet || contender->inet6)
			run_libreach(contender, board);
		run_raw(contender, board);
	}
	while (!board->ready)
		usleep(1000);
	return child;
}

static struct figures run(const struct contender *contender, int fd,
			  uint32_t changes)
{
	const int64_t all = contender->inet + contender->inet6;
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct figures ret = { .right = true };
	uint64_t drops, wakeups, events;
	double cpu = 0;
	clockid_t clock;
	pid_t child = 0;

	if (contender->buffer) {
		child = start(contender, board);
		clock_getcpuclockid(child, &clock);
		cpu = clock_ms(clock);
	}
	drops = count_drops();
	wakeups = board->wakeups;
	events = board->events;
	ret.writer = write_storm(fd, contender->storm, changes);
	if (child) {
		/* The raw loop may lose the change, and is not asked. */
		ret.right = !all || await(board, 0);
		usleep(all ? 20000 : 50000);
		ret.cpu = clock_ms(clock) - cpu;
	}
	ret.dropped = count_drops() - drops;
	ret.wakeups = board->wakeups - wakeups;
	ret.events = board->events - events;
	change_defaults(fd, contender->storm, true);
	if (all && !await(board, all))
		ret.right = false;
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	munmap(board, sizeof(*board));
	return ret;
}

/* The least of the rounds' values: what else goes on only adds. */
static double least(const struct contender *contender, int rounds, bool cpu)
{
	double ret = 1e12;
	int i;

	for (i = 0; i < rounds; i++) {
		const double value = cpu ? contender->rounds[i].cpu
					 : contender->rounds[i].writer;

		ret = value < ret ? value : ret;
	}
	return ret;
}

/* Of all rounds. */
static struct figures sum(const struct contender *contender, int rounds)
{
	struct figures ret = { .right = true };
	int i;

	for (i = 0; i < rounds; i++) {
		ret.wakeups += contender->rounds[i].wakeups;
		ret.events += contender->rounds[i].events;
		ret.dropped += contender->rounds[i].dropped;
		ret.right = ret.right && contender->rounds[i].right;
	}
	return ret;
}

/* Beside the raw loop for the same storm, and the writer alone. */
static bool is_good(const struct contender *contender, double cpu,
		    double writer, int rounds, uint32_t changes)
{
	const struct figures all = sum(contender, rounds);
	const uint64_t defaults = contender->storm == (INET | INET6) ? 2 : 1;
	const bool many = contender->inet + contender->inet6 > 1000;

	if (!contender->inet && !contender->inet6)
		return true;
	if (!all.right)
		return false;
	if (many)
		return cpu <= MANY_GOAL * CPU_ROOM;
	return all.events == defaults * (uint64_t)rounds && !all.dropped &&
	       cpu <= FEW_GOAL * CPU_ROOM * CHANGES / changes &&
	       (changes < CHANGES || writer <= WRITER_GOAL * WRITER_ROOM);
}

static bool report(const struct contender *contender,
		   const struct contender *alone, const struct contender *raw,
		   int rounds, uint32_t changes)
{
	const double cpu =
		least(contender, rounds, true) / least(raw, rounds, true);
	const double writer =
		least(contender, rounds, false) / least(alone, rounds, false);
	const struct figures all = sum(contender, rounds);
	const bool good = is_good(contender, cpu, writer, rounds, changes);

	printf("%-26s %8.4f %8.2f %9.1f %9.1f %9.1f  %s%s\n", contender->name,
	       cpu, writer, (double)all.wakeups / rounds,
	       (double)all.events / rounds, (double)all.dropped / rounds,
	       all.right ? "right" : "WRONG", good ? "" : "  PAST ITS LIMIT");
	return good;
}

/* First the writer alone and the raw loop, in order of enum family. */
#define RAWS 3
#define LIBREACH(text, bytes, four, six, of)                                   \
	{ .name = text,                                                        \
	  .buffer = bytes,                                                     \
	  .inet = four,                                                        \
	  .inet6 = six,                                                        \
	  .storm = of }
static struct contender contenders[] = {
	{ .name = "alone, v4", .storm = INET },
	{ .name = "alone, v6", .storm = INET6 },
	{ .name = "alone, both", .storm = INET | INET6 },
	{ .name = "raw, v4", .buffer = LARGE_BUFFER, .storm = INET },
	{ .name = "raw, v6", .buffer = LARGE_BUFFER, .storm = INET6 },
	{ .name = "raw, both", .buffer = LARGE_BUFFER, .storm = INET | INET6 },
	{ .name = "raw, v4, default buffer",
	  .buffer = DEFAULT_BUFFER,
	  .storm = INET },
	LIBREACH("libreach, 1 v4", DEFAULT_BUFFER, 1, 0, INET),
	LIBREACH("libreach, 100 v4", DEFAULT_BUFFER, 100, 0, INET),
	LIBREACH("libreach, 400 v4", DEFAULT_BUFFER, 400, 0, INET),
	LIBREACH("libreach, 400 v6", DEFAULT_BUFFER, 0, 400, INET6),
	LIBREACH("libreach, 200 v4, 200 v6", DEFAULT_BUFFER, 200, 200,
		 INET | INET6),
	LIBREACH("libreach, 100,000 v4", LARGE_BUFFER / 8, 100000, 0, INET),
};

int main(int argc, char **argv)
{
	const int count = sizeof(contenders) / sizeof(*contenders);
	const bool brief = argc > 1 && !strcmp(argv[1], "--short");
	const uint32_t changes = brief ? CHANGES_SHORT : CHANGES;
	const int rounds = brief ? ROUNDS_SHORT : ROUNDS;
	bool good = true;
	int fd, i, k;

	enter_namespace();
	pin(0);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	for (k = 0; k < rounds; k++)
		for (i = 0; i < count; i++)
			contenders[i].rounds[k] =
				run(&contenders[i], fd, changes);
	printf("%u changes\n%-26s %8s %8s %9s %9s %9s  %s\n", changes, "",
	       "CPU", "writer", "wakeups", "messages", "dropped", "final");
	for (i = RAWS; i < count; i++) {
		const struct contender *alone =
			&contenders[contenders[i].storm - 1];

		good = report(&contenders[i], alone, alone + RAWS, rounds,
			      changes) &&
		       good;
	}
	return good ? 0 : 1;
}
