/* SPDX-License-Identifier: MIT */
// Change to callback: the default route is toggled by another process, and
// each contender says when it has the new verdict. In a namespace of its own.
//
// gcc -O2 -std=gnu11 -Iinclude benchmarks/Harness/latency.c
//	Sources/CReach/*.c -lmnl -lpthread -o latency && ./latency [EVENTS
//[ROUTES]]
//
// raw is a blocking recv() and one RTM_GETROUTE; libreach is poll(),
// reach_monitor_dispatch() and reach_monitor_next(). Ratios are to raw.
#define _GNU_SOURCE
#include <arpa/inet.h>
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

#include <reach/reach.h>

#define TARGET "8.8.8.8"
#define BLOCK  250

/* Between the changer and a contender: the number of verdicts posted, and
 * the last one. */
struct board {
	_Atomic uint32_t posts;
	_Atomic uint32_t reachable;
	_Atomic int64_t at;
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)core, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void post(struct board *board, bool reachable)
{
	if (atomic_load(&board->posts) &&
	    atomic_load(&board->reachable) == reachable)
		return;
	atomic_store(&board->at, now());
	atomic_store(&board->reachable, reachable);
	atomic_fetch_add(&board->posts, 1);
}

static bool raw_lookup(int fd)
{
	uint32_t buffer[2048];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct rtmsg *rtm;

	nlh->nlmsg_type = RTM_GETROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET;
	rtm->rtm_dst_len = 32;
	mnl_attr_put_u32(nlh, RTA_DST, inet_addr(TARGET));
	if (send(fd, nlh, nlh->nlmsg_len, 0) < 0 ||
	    recv(fd, buffer, sizeof(buffer), 0) < 0)
		die("lookup");
	return nlh->nlmsg_type == RTM_NEWROUTE;
}

static void raw(struct board *board)
{
	const struct sockaddr_nl groups = { .nl_family = AF_NETLINK,
					    .nl_groups = RTMGRP_IPV4_ROUTE };
	const int events = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	const int questions = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	static uint32_t buffer[8192];

	if (bind(events, (const void *)&groups, sizeof(groups)))
		die("bind");
	post(board, raw_lookup(questions));
	for (;;) {
		if (recv(events, buffer, sizeof(buffer), 0) < 0 &&
		    errno != ENOBUFS)
			die("recv");
		post(board, raw_lookup(questions));
	}
}

static void libreach(struct board *board)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_monitor *monitor;
	struct reach_target target;
	struct pollfd pollfd = { .events = POLLIN };
	uint64_t id;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(TARGET, &target.remote);
	if (reach_monitor_open(&monitor, NULL) ||
	    reach_monitor_add(monitor, &target, &id))
		die("reach_monitor_open");
	pollfd.fd = reach_monitor_fd(monitor);
	for (;;) {
		if (reach_monitor_dispatch(monitor) < 0)
			die("reach_monitor_dispatch");
		while (reach_monitor_next(monitor, &change) == 1)
			post(board, change.state.flags & REACH_FLAG_REACHABLE);
		poll(&pollfd, 1, -1);
	}
}

static void change_default(int fd, bool add)
{
	uint32_t buffer[2048];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct rtmsg *rtm;

	nlh->nlmsg_type = add ? RTM_NEWROUTE : RTM_DELROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST | (add ? NLM_F_CREATE : 0);
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET;
	rtm->rtm_table = RT_TABLE_MAIN;
	rtm->rtm_protocol = RTPROT_STATIC;
	rtm->rtm_type = RTN_UNICAST;
	mnl_attr_put_u32(nlh, RTA_GATEWAY, inet_addr("10.9.0.2"));
	if (send(fd, nlh, nlh->nlmsg_len, 0) < 0)
		die("change");
}

static int order(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct contender {
	const char *name;
	void (*run)(struct board *board);
	struct board *board;
	int64_t *samples;
	size_t count;
	size_t missed;
	pid_t child;
};

static void start(struct contender *contender)
{
	contender->board = mmap(NULL, sizeof(*contender->board),
				PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	contender->child = fork();
	if (contender->child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		contender->run(contender->board);
	}
	while (!atomic_load(&contender->board->posts))
		usleep(1000);
}

/* One change, once the contender has seen it or 2 s have gone. */
static void toggle(struct contender *contender, int fd, bool add)
{
	const uint32_t posts = atomic_load(&contender->board->posts);
	const int64_t begin = now();

	change_default(fd, add);
	while (atomic_load(&contender->board->posts) == posts &&
	       now() - begin < 2000000000)
		;
	if (atomic_load(&contender->board->reachable) != add)
		contender->missed++;
	contender->samples[contender->count++] =
		atomic_load(&contender->board->at) - begin;
	/* Idle gaps, so that the contender sleeps: 0.3 to 0.9 ms. */
	usleep(300 + (useconds_t)(rand() % 600));
}

static void report(struct contender *contenders, size_t count)
{
	double p50 = 0, p99 = 0;
	size_t i;

	printf("%-10s %10s %10s %8s %8s %8s\n", "", "p50 us", "p99 us", "x p50",
	       "x p99", "missed");
	for (i = 0; i < count; i++) {
		struct contender *c = &contenders[i];
		double median, tail;

		qsort(c->samples, c->count, sizeof(*c->samples), order);
		median = (double)c->samples[c->count / 2] / 1000;
		tail = (double)c->samples[c->count * 99 / 100] / 1000;
		if (i == 0) {
			p50 = median;
			p99 = tail;
		}
		printf("%-10s %10.1f %10.1f %8.2f %8.2f %8zu\n", c->name,
		       median, tail, median / p50, tail / p99, c->missed);
	}
}

static void prepare(long routes)
{
	char command[512];

	if (unshare(CLONE_NEWNET))
		die("unshare(CLONE_NEWNET)");
	snprintf(command, sizeof(command),
		 "ip link add v0 type veth peer name v1 && ip link set v1 up "
		 "&& ip link set v0 up && ip addr add 10.9.0.1/24 dev v0 && "
		 "ip route add default via 10.9.0.2 proto static && "
		 "seq 0 %ld | awk '{printf \"route add 20.%%d.%%d.%%d/32 via "
		 "10.9.0.2\\n\", $1/65536, $1/256%%256, $1%%256}' | "
		 "ip -batch -",
		 routes);
	if (system(command))
		exit(1);
}

int main(int argc, char **argv)
{
	struct contender contenders[] = {
		{ .name = "raw", .run = raw },
		{ .name = "libreach", .run = libreach },
	};
	const size_t count = sizeof(contenders) / sizeof(*contenders);
	const long events = argc > 1 ? atol(argv[1]) : 2000;
	long done;
	size_t i;
	int fd;

	prepare(argc > 2 ? atol(argv[2]) : 10);
	pin(0);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	for (i = 0; i < count; i++)
		contenders[i].samples =
			calloc((size_t)events + BLOCK, sizeof(int64_t));
	for (done = 0; done < events; done += BLOCK)
		for (i = 0; i < count; i++) {
			struct contender *c = &contenders[i];
			int k;

			start(c);
			for (k = 0; k < BLOCK; k++)
				toggle(c, fd, k % 2);
			kill(c->child, SIGKILL);
			waitpid(c->child, NULL, 0);
			munmap(c->board, sizeof(*c->board));
		}
	report(contenders, count);
	return 0;
}
