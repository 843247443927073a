/* SPDX-License-Identifier: MIT */
// Change to callback: the default route is toggled by another process, and
// each contender says when it has the new verdict. In a namespace of its own.
//
// gcc -O2 -std=gnu11 -D_GNU_SOURCE -Iinclude benchmarks/Harness/latency.c
//	benchmarks/Harness/latency_contenders.c benchmarks/Sources/CBoard/*.c
//	Sources/CReach/*.c -lmnl -lpthread -o latency
//
// With peers: -DWITH_PEERS benchmarks/Harness/peers.c
//	$(pkg-config --cflags --libs gio-2.0 libnl-route-3.0)
//
// latency [--short] [--routes N] [--blocks N] [--listener PROGRAM]
// latency --changes N [--routes N] [--listener PROGRAM]
//
// raw is a blocking recv() and one RTM_GETROUTE; library is poll(),
// reach_monitor_dispatch() and reach_monitor_next(); the program is the Swift
// listener (LatencyListener of the package in benchmarks). They take turns in
// blocks, and a figure is the median of the blocks'. Ratios are to raw. With
// --changes each but raw and the peers gets so many changes without a pause.
//
// Ends with 1 if a ratio is past its limit, or if the library or the listener
// misses a change.
#include <arpa/inet.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "latency.h"
#include "peers.h"

/* Changes of a block, and those before it that are not counted: a process is
 * slower at first, whoever wrote it. */
#define BLOCK  300
#define WARMUP 20

/* A verdict that takes longer, in nanoseconds, is missed. */
#define PATIENCE INT64_C(2000000000)

/* What shared machines add to a ratio of two medians. */
#define ROOM 1.4

/* Times the blocks that contenders past their limits get at most. */
#define ATTEMPTS 4

/* Contenders before those that are the Swift program. */
#define OWN 4

/* Contenders that are the Swift program. */
#define MODES 3

struct figures {
	double p50;
	double p99;
};

struct contender {
	const char *name;
	/* Both NULL for the program. */
	void (*run)(struct board *board);
	peer *peer;
	/* What the program does: LatencyListener's second argument. */
	const char *mode;
	/* Goal for the ratio of the medians; 0 for none. The 99th percentile
	 * has none: raw's own moved from 88 to 1,826 us between runs. */
	double goal;
	/* Of each block, in microseconds. */
	struct figures *blocks;
	size_t count;
	bool may_miss;
	size_t missed;
	pid_t child;
};

struct options {
	long routes;
	long blocks;
	long changes;
	const char *listener;
};

void latency_die(const char *what)
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

/* What else runs on the machine is not to be measured. */
static void come_first(void)
{
	const struct sched_param priority = { .sched_priority = 10 };

	(void)sched_setscheduler(0, SCHED_FIFO, &priority);
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
		latency_die("change");
}

static void post(void *board, bool reachable)
{
	board_post(board, reachable);
}

static struct board *start(struct contender *contender,
			   const struct options *options)
{
	const int fd = board_create();
	struct board *board = fd < 0 ? NULL : board_map(fd);
	const int64_t begin = board_now();
	char number[16];

	if (!board)
		latency_die("board");
	contender->child = fork();
	if (contender->child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		if (contender->run)
			contender->run(board);
		if (contender->peer)
			contender->peer(BOARD_TARGET, post, board);
		snprintf(number, sizeof(number), "%d", fd);
		execl(options->listener, options->listener, number,
		      contender->mode, NULL);
		latency_die(options->listener);
	}
	close(fd);
	while (board_verdict(board) < 0) {
		if (board_now() - begin > 60 * PATIENCE) {
			fprintf(stderr, "%s: no verdict\n", contender->name);
			exit(1);
		}
		usleep(1000);
	}
	return board;
}

static void stop(struct contender *contender, struct board *board)
{
	int status;

	/* It does not end by itself. */
	if (waitpid(contender->child, &status, WNOHANG) != 0) {
		fprintf(stderr, "%s: ended, status %#x\n", contender->name,
			status);
		exit(1);
	}
	kill(contender->child, SIGKILL);
	waitpid(contender->child, NULL, 0);
	board_unmap(board);
}

/* One change; @return how long the verdict took, or -1 if it was missed. */
static int64_t toggle(struct board *board, int fd, bool add)
{
	const int64_t begin = board_now();

	change_default(fd, add);
	while (board_verdict(board) != add)
		if (board_now() - begin > PATIENCE)
			return -1;
	return board_time(board) - begin;
}

static int order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(double *values, size_t count, double part)
{
	qsort(values, count, sizeof(*values), order);
	return values[(size_t)((double)count * part)];
}

static void run_block(struct contender *contender,
		      const struct options *options, int fd)
{
	struct board *board = start(contender, options);
	double samples[BLOCK];
	size_t count = 0;
	int i;

	for (i = 0; i < WARMUP + BLOCK; i++) {
		/* What was missed before may have made it true already. */
		const bool is_news = board_verdict(board) != i % 2;
		const int64_t time = toggle(board, fd, i % 2);

		if (time < 0)
			contender->missed++;
		else if (i >= WARMUP && is_news)
			samples[count++] = (double)time / 1000;
		/* Idle gaps, so that the contender sleeps: 0.3 to 0.9 ms. */
		usleep(300 + (useconds_t)(rand() % 600));
	}
	if (count)
		contender->blocks[contender->count++] = (struct figures){
			.p50 = quantile(samples, count, 0.5),
			.p99 = quantile(samples, count, 0.99),
		};
	stop(contender, board);
}

static struct figures medians(const struct contender *contender)
{
	double *values = calloc(contender->count + 1, sizeof(*values));
	struct figures ret;
	size_t i;

	if (!values)
		latency_die("calloc");
	for (i = 0; i < contender->count; i++)
		values[i] = contender->blocks[i].p50;
	ret.p50 = quantile(values, contender->count, 0.5);
	for (i = 0; i < contender->count; i++)
		values[i] = contender->blocks[i].p99;
	ret.p99 = quantile(values, contender->count, 0.5);
	free(values);
	return ret;
}

static bool is_met(const struct contender *contender, double raw)
{
	return contender->goal <= 0 ||
	       medians(contender).p50 <= raw * contender->goal * ROOM;
}

static bool are_met(const struct contender *contenders, size_t count)
{
	const double raw = medians(contenders).p50;
	size_t i;

	for (i = 0; i < count; i++)
		if (!is_met(&contenders[i], raw))
			return false;
	return true;
}

static int report(const struct contender *contenders, size_t count)
{
	const struct figures raw = medians(contenders);
	int failed = 0;
	size_t i;

	printf("%-10s %10s %10s %8s %8s %8s\n", "", "p50 us", "p99 us", "x p50",
	       "x p99", "missed");
	for (i = 0; i < count; i++) {
		const struct contender *c = &contenders[i];
		const struct figures own = medians(c);
		const bool bad = !is_met(c, raw.p50) ||
				 (c->missed && !c->may_miss);

		printf("%-10s %10.1f %10.1f %8.3f %8.3f %8zu%s\n", c->name,
		       own.p50, own.p99, own.p50 / raw.p50, own.p99 / raw.p99,
		       c->missed, bad ? " FAILED" : "");
		failed |= bad;
	}
	return failed;
}

static int measure(struct contender *contenders, size_t count,
		   const struct options *options, int fd)
{
	const long most = ATTEMPTS * options->blocks;
	long block;
	size_t i;

	for (i = 0; i < count; i++) {
		contenders[i].blocks =
			calloc((size_t)most, sizeof(*contenders[i].blocks));
		if (!contenders[i].blocks)
			latency_die("calloc");
	}
	for (block = 0; block < most; block++) {
		if (block >= options->blocks && are_met(contenders, count))
			break;
		for (i = 0; i < count; i++)
			run_block(&contenders[i], options, fd);
	}
	return report(contenders, count);
}

/* Changes without a pause: each must be seen. */
static int endure(struct contender *contender, const struct options *options,
		  int fd)
{
	struct board *board = start(contender, options);
	const int64_t begin = board_now();
	bool missed = false;
	long i;

	for (i = 0; i < options->changes && !missed; i++)
		missed = toggle(board, fd, i % 2) < 0;
	printf("%-10s %ld changes in %.1f s, %s\n", contender->name, i,
	       (double)(board_now() - begin) / 1e9,
	       missed ? "the last one missed: FAILED" : "none missed");
	stop(contender, board);
	return missed;
}

static void prepare(long routes)
{
	char command[512];

	if (unshare(CLONE_NEWNET))
		latency_die("unshare(CLONE_NEWNET)");
	snprintf(command, sizeof(command),
		 "ip link add v0 type veth peer name v1 && ip link set v1 up "
		 "&& ip link set v0 up && ip addr add 10.9.0.1/24 dev v0 && "
		 "ip route add default via 10.9.0.2 proto static && "
		 "seq %ld | awk '{printf \"route add 20.%%d.%%d.%%d/32 via "
		 "10.9.0.2\\n\", $1/65536, $1/256%%256, $1%%256}' | "
		 "ip -batch -",
		 routes);
	if (system(command))
		exit(1);
}

static void parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "short", no_argument, NULL, 's' },
		{ "routes", required_argument, NULL, 'r' },
		{ "blocks", required_argument, NULL, 'b' },
		{ "changes", required_argument, NULL, 'c' },
		{ "listener", required_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) >= 0) {
		if (option == 's')
			options->blocks = 5;
		else if (option == 'r')
			options->routes = atol(optarg);
		else if (option == 'b')
			options->blocks = atol(optarg);
		else if (option == 'c')
			options->changes = atol(optarg);
		else if (option == 'l')
			options->listener = optarg;
		else
			exit(64);
	}
}

int main(int argc, char **argv)
{
	struct options options = { .routes = 10, .blocks = 40 };
	struct contender contenders[] = {
		/* A lookup right after a removal may find it not done yet. */
		{ .name = "raw", .run = latency_raw, .may_miss = true },
		{ .name = "library", .run = latency_library, .goal = 1.15 },
		{ .name = "20", .run = latency_library_20, .goal = 1.5 },
		{ .name = "100", .run = latency_library_100, .goal = 1.7 },
		{ .name = "listener", .mode = "listener", .goal = 1.3 },
		{ .name = "two", .mode = "two", .goal = 1.8 },
		{ .name = "sequence", .mode = "sequence", .goal = 1.8 },
#ifdef WITH_PEERS
		{ .name = "libnl", .peer = peer_libnl, .may_miss = true },
		{ .name = "GLib", .peer = peer_glib, .may_miss = true },
#endif
	};
	size_t count = sizeof(contenders) / sizeof(*contenders);
	int fd, failed;

	parse(argc, argv, &options);
	if (!options.listener) {
		count -= MODES;
		memmove(&contenders[OWN], &contenders[OWN + MODES],
			(count - OWN) * sizeof(*contenders));
	}
	prepare(options.routes);
	pin(0);
	come_first();
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (!options.changes)
		return measure(contenders, count, &options, fd);
	failed = endure(&contenders[1], &options, fd);
	if (options.listener)
		failed |= endure(&contenders[OWN], &options, fd);
	return failed;
}
