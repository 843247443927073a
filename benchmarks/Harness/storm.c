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
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <reach/reach.h>

#define AT_ONCE	  64
#define BLOCK	  4096
#define DATAGRAMS 64
#define ROUNDS	  5

/* As SO_RCVBUF: half of net.core.rmem_default. */
#define DEFAULT_BUFFER 106496
#define LARGE_BUFFER   (32 * 1024 * 1024)

/* Goals are shares of the raw loop's CPU time, and how much longer the writer
 * takes than alone. What comes beside each change of a default route does not
 * shrink with the storm, so that a short one has more room; the writer's time
 * is as noisy as the machine. */
#define FEW_GOAL    0.01
#define MANY_GOAL   1.0
#define WRITER_GOAL 1.05
#define CPU_ROOM    1.2
#define WRITER_ROOM 1.10

enum family {
	INET = 1,
	INET6 = 2
};

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

static uint32_t interface_index;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double clock_ms(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252U;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* ---- the writer -------------------------------------------------------- */

static size_t put_route(void *buffer, int family, uint16_t type,
			const uint8_t *destination, uint8_t length)
{
	static const uint8_t gateways[2][16] = {
		{ 10, 9, 0, 2 },
		{ 0x20, 1, 0xd, 0xb8, 0, 9, [15] = 2 },
	};
	const size_t size = family == AF_INET ? 4 : 16;
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST |
			      (type == RTM_NEWROUTE ? NLM_F_CREATE : 0);
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = (uint8_t)family;
	body->rtm_dst_len = length;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_type = RTN_UNICAST;
	if (length)
		mnl_attr_put(header, RTA_DST, size, destination);
	mnl_attr_put(header, RTA_GATEWAY, size, gateways[family == AF_INET6]);
	mnl_attr_put_u32(header, RTA_OIF, interface_index);
	return header->nlmsg_len;
}

/* Hosts in 20.0.0.0/8 with an even last byte; networks of 64 bits. */
static size_t put_change(void *buffer, int family, uint32_t number, bool add)
{
	uint8_t inet[16] = { 20, (uint8_t)(number >> 15),
			     (uint8_t)(number >> 7), (uint8_t)(number << 1) };
	uint8_t inet6[16] = { 0x20,
			      1,
			      0xd,
			      0xb8,
			      0x20,
			      (uint8_t)(number >> 16),
			      (uint8_t)(number >> 8),
			      (uint8_t)number };
	const uint16_t type = add ? RTM_NEWROUTE : RTM_DELROUTE;

	return family == AF_INET ? put_route(buffer, family, type, inet, 32)
				 : put_route(buffer, family, type, inet6, 64);
}

static void change_defaults(int fd, enum family families, bool add)
{
	static uint32_t buffer[256];
	const uint16_t type = add ? RTM_NEWROUTE : RTM_DELROUTE;
	size_t size = 0;

	if (families & INET)
		size += put_route(buffer, AF_INET, type, NULL, 0);
	if (families & INET6)
		size += put_route((uint8_t *)buffer + size, AF_INET6, type,
				  NULL, 0);
	if (send(fd, buffer, size, 0) < 0)
		die("send");
}

/* Blocks of routes that come and go, so that the tables stay small. */
static void write_storm(int fd, enum family families, uint32_t changes)
{
	static uint32_t buffer[AT_ONCE * 32];
	uint32_t done, i;

	for (done = 0; done < changes; done += AT_ONCE) {
		const bool add = done / BLOCK % 2 == 0;
		const uint32_t first =
			done / (2 * BLOCK) * BLOCK + done % BLOCK;
		size_t size = 0;

		if (done == changes / 2)
			change_defaults(fd, families, false);
		for (i = 0; i < AT_ONCE; i++) {
			const bool inet6 = families == INET6 ||
					   (families != INET && i % 2);

			size += put_change((uint8_t *)buffer + size,
					   inet6 ? AF_INET6 : AF_INET,
					   first + i, add);
		}
		if (send(fd, buffer, size, 0) < 0)
			die("send");
	}
}

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

/* Hosts with an odd last byte, every other where the storm is. */
static struct reach_address pick(int family, int number)
{
	struct reach_address ret = { .family = (uint16_t)family };
	const uint32_t bits = next_random();
	const bool near = number % 2;

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
		target.remote = pick(family, i);
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
	while (board->reachable < count || poll(&pollfd, 1, 300) == 1);
	atomic_store(&board->ready, true);
	for (;;) {
		poll(&pollfd, 1, -1);
		board->wakeups++;
		take(monitor, board, reachable);
	}
}

/* ---- one against the other --------------------------------------------- */

/* Events that found no room, of all sockets of the namespace. */
static uint64_t count_drops(void)
{
	FILE *file = fopen("/proc/thread-self/net/netlink", "re");
	unsigned long long drops, sum = 0;
	char line[256];

	if (!file)
		die("/proc/thread-self/net/netlink");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %llu",
			   &drops) == 1)
			sum += drops;
	fclose(file);
	return sum;
}

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
	double begin, cpu = 0;
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
	begin = clock_ms(CLOCK_MONOTONIC);
	write_storm(fd, contender->storm, changes);
	ret.writer = clock_ms(CLOCK_MONOTONIC) - begin;
	if (child) {
		/* The raw loop may lose the change, and is not asked. */
		ret.right = !all || await(board, 0);
		usleep(all ? 20000 : 200000);
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

static int order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(*values) * (size_t)count);
	qsort(sorted, (size_t)count, sizeof(*sorted), order);
	return sorted[count / 2];
}

/* Of the writer's time beside @contender to that alone, round by round, or of
 * the CPU times. */
static double ratio(const struct contender *contender,
		    const struct contender *to, int rounds, bool cpu)
{
	double values[ROUNDS];
	int i;

	for (i = 0; i < rounds; i++)
		values[i] = cpu ? contender->rounds[i].cpu / to->rounds[i].cpu
				: contender->rounds[i].writer /
					    to->rounds[i].writer;
	return median(values, rounds);
}

static bool report(const struct contender *contender,
		   const struct contender *alone, const struct contender *raw,
		   int rounds, double cpu_room)
{
	const bool many = contender->inet + contender->inet6 > 1000;
	const bool product = contender->inet || contender->inet6;
	const double cpu = ratio(contender, raw, rounds, true);
	const double writer = ratio(contender, alone, rounds, false);
	const double goal = many ? MANY_GOAL : FEW_GOAL;
	uint64_t wakeups = 0, events = 0, dropped = 0;
	bool right = true, good;
	int i;

	for (i = 0; i < rounds; i++) {
		const struct figures *round = &contender->rounds[i];

		wakeups += round->wakeups;
		events += round->events;
		dropped += round->dropped;
		right = right && round->right;
	}
	good = !product ||
	       (right && cpu <= goal * cpu_room &&
		(many || (writer <= WRITER_GOAL * WRITER_ROOM && !dropped)));
	printf("%-28s %8.4f %8.2f %9.1f %9.1f %9.1f  %s%s\n", contender->name,
	       cpu, writer, (double)wakeups / rounds, (double)events / rounds,
	       (double)dropped / rounds,
	       product ? right ? "right" : "WRONG" : "-",
	       good ? "" : "  PAST ITS LIMIT");
	return good;
}

static void prepare(void)
{
	if (unshare(CLONE_NEWNET))
		die("unshare(CLONE_NEWNET)");
	if (system("sysctl -qw net.ipv6.conf.all.accept_dad=0 "
		   "net.ipv6.conf.default.accept_dad=0 && "
		   "ip link add v0 type veth peer name v1 && "
		   "ip link set v1 up && ip link set v0 up && "
		   "ip addr add 10.9.0.1/24 dev v0 && "
		   "ip addr add 2001:db8:9::1/64 dev v0 nodad && sleep 3"))
		exit(1);
	interface_index = if_nametoindex("v0");
}

int main(int argc, char **argv)
{
	static struct contender contenders[] = {
		{ "alone, v4", 0, 0, 0, INET, { { 0 } } },
		{ "alone, v6", 0, 0, 0, INET6, { { 0 } } },
		{ "alone, both", 0, 0, 0, INET | INET6, { { 0 } } },
		{ "raw, v4", LARGE_BUFFER, 0, 0, INET, { { 0 } } },
		{ "raw, v6", LARGE_BUFFER, 0, 0, INET6, { { 0 } } },
		{ "raw, both", LARGE_BUFFER, 0, 0, INET | INET6, { { 0 } } },
		{ "raw, v4, default buffer",
		  DEFAULT_BUFFER,
		  0,
		  0,
		  INET,
		  { { 0 } } },
		{ "libreach, 1 v4", DEFAULT_BUFFER, 1, 0, INET, { { 0 } } },
		{ "libreach, 100 v4", DEFAULT_BUFFER, 100, 0, INET, { { 0 } } },
		{ "libreach, 400 v4", DEFAULT_BUFFER, 400, 0, INET, { { 0 } } },
		{ "libreach, 400 v6",
		  DEFAULT_BUFFER,
		  0,
		  400,
		  INET6,
		  { { 0 } } },
		{ "libreach, 200 v4, 200 v6",
		  DEFAULT_BUFFER,
		  200,
		  200,
		  INET | INET6,
		  { { 0 } } },
		{ "libreach, 100,000 v4",
		  LARGE_BUFFER / 8,
		  100000,
		  0,
		  INET,
		  { { 0 } } },
	};
	const int count = sizeof(contenders) / sizeof(*contenders);
	const bool brief = argc > 1 && !strcmp(argv[1], "--short");
	const uint32_t changes = brief ? 65536 : 262144;
	const int rounds = brief ? 3 : ROUNDS;
	bool good = true;
	int fd, i, k;

	prepare();
	pin(0);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	change_defaults(fd, INET | INET6, true);
	for (k = 0; k < rounds; k++)
		for (i = 0; i < count; i++)
			contenders[i].rounds[k] =
				run(&contenders[i], fd, changes);
	printf("%u changes\n%-28s %8s %8s %9s %9s %9s  %s\n", changes, "",
	       "CPU", "writer", "wakeups", "messages", "dropped", "final");
	for (i = 3; i < count; i++) {
		const int at = (int)contenders[i].storm - 1;

		good = report(&contenders[i], &contenders[at],
			      &contenders[3 + at], rounds,
			      brief ? CPU_ROOM * 4 : CPU_ROOM) &&
		       good;
	}
	return good ? 0 : 1;
}
