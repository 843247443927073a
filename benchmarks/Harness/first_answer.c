/* SPDX-License-Identifier: MIT */
// Measures the first answer of a process that has just started: from fork() to
// the verdict on a pipe. Runs in a namespace of its own with 10, 100,000, and
// 1,000,000 routes.
//
// This source contains the driver and, with -DRAW, -DLIBRARY, -DGLIB, or
// -DLIBNL, a contender. The driver starts the contenders that are in its own
// directory. benchmarks/harness.sh builds and runs them all, each linked with
// shared libraries.
//
// raw is one RTM_GETROUTE. The contenders take turns. Ratios compare their
// fastest rounds with raw's, since other load on the machine only adds time.
// Medians are shown, too. The time in main() also has a limit for its growth
// with the number of routes. --short leaves out the last table, and runs
// contenders that read tables only with the first one.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#define TARGET "192.0.2.1"

/* The descriptor of a contender's end of the pipe. */
#define REPORT_FD 3

/* A contender's report. */
struct report {
	/* Time in main(), in nanoseconds. */
	int64_t time;
	/* Kilobytes: VmHWM, since ru_maxrss includes the time before exec. */
	int64_t peak;
	int64_t reachable;
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(1);
}

#if defined(RAW) || defined(LIBRARY) || defined(GLIB) || defined(LIBNL)

/* ---- contenders -------------------------------------------------------- */

#ifdef RAW
static bool is_reachable(const char *mode)
{
	struct {
		struct nlmsghdr nlh;
		struct rtmsg rtm;
		struct rtattr attr;
		uint32_t address;
	} request = {
		.nlh = { sizeof(request), RTM_GETROUTE, NLM_F_REQUEST, 0, 0 },
		.rtm = { .rtm_family = AF_INET, .rtm_dst_len = 32 },
		.attr = { RTA_LENGTH(4), RTA_DST },
		.address = inet_addr(TARGET),
	};
	const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct nlmsghdr answer[64];

	(void)mode;
	if (send(fd, &request, sizeof(request), 0) < 0 ||
	    recv(fd, answer, sizeof(answer), 0) < 0)
		die("lookup");
	return answer->nlmsg_type == RTM_NEWROUTE;
}
#endif

#ifdef LIBRARY
#include <reach/reach.h>

static bool is_reachable(const char *mode)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	if (reach_address_parse(*mode == 'a' ? TARGET : "0.0.0.0",
				&target.remote) ||
	    reach_check(&target, NULL, 0, &state))
		die("reach_check");
	return state.flags & REACH_FLAG_REACHABLE;
}
#endif

#ifdef GLIB
#include <gio/gio.h>

static bool is_reachable(const char *mode)
{
	GNetworkMonitor *monitor = g_network_monitor_get_default();
	GSocketConnectable *address;

	(void)mode;
	address = G_SOCKET_CONNECTABLE(
		g_inet_socket_address_new_from_string(TARGET, 80));
	return g_network_monitor_can_reach(monitor, address, NULL, NULL);
}
#endif

#ifdef LIBNL
#include <netlink/route/route.h>

/* The longest prefix of @wanted seen so far, or -1. */
struct best {
	uint32_t wanted;
	int length;
};

static void consider(struct nl_object *object, void *context)
{
	struct nl_addr *address =
		rtnl_route_get_dst((struct rtnl_route *)object);
	struct best *best = context;
	const int length = (int)nl_addr_get_prefixlen(address);
	uint32_t prefix = 0;

	if (nl_addr_get_family(address) != AF_INET || length <= best->length)
		return;
	if (nl_addr_get_len(address) == sizeof(prefix))
		memcpy(&prefix, nl_addr_get_binary_addr(address),
		       sizeof(prefix));
	if (!length ||
	    !((ntohl(prefix) ^ ntohl(best->wanted)) >> (32 - length)))
		best->length = length;
}

static bool is_reachable(const char *mode)
{
	struct best best = { .length = -1, .wanted = inet_addr(TARGET) };
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_cache *cache;

	(void)mode;
	if (nl_connect(sock, NETLINK_ROUTE) < 0 ||
	    rtnl_route_alloc_cache(sock, AF_INET, 0, &cache) < 0)
		die("rtnl_route_alloc_cache");
	nl_cache_foreach(cache, consider, &best);
	return best.length >= 0;
}
#endif

static int64_t peak(void)
{
	const int fd = open("/proc/self/status", O_RDONLY);
	char text[4096] = "";
	const char *line;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		die("/proc/self/status");
	line = strstr(text, "VmHWM:");
	return line ? strtoll(line + 6, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	const int64_t begin = now();
	struct report report;

	(void)argc;
	report.reachable = is_reachable(argv[1]);
	report.time = now() - begin;
	/* The verdict: the driver stops its clock when it arrives. */
	if (write(REPORT_FD, "", 1) < 0)
		die("write");
	report.peak = peak();
	if (write(REPORT_FD, &report, sizeof(report)) < 0)
		die("write");
	return 0;
}

#else

/* ---- driver ------------------------------------------------------------ */

/* Goals: 1.5 times raw, 80 microseconds in main(), 1.6 MiB, and with a million
 * routes 1.2 times the time in main() with ten. On a busy machine, times need
 * room. The time in main() needs most: the caches hold other processes' data,
 * and other processes hold RTNL. */
#define RATIO_MAX   1.5
#define RATIO_ROOM  1.25
#define MAIN_MAX    80.0
#define MAIN_ROOM   1.6
#define PEAK_MAX    1638.0
#define PEAK_ROOM   1.25
#define GROWTH_MAX  1.2
#define GROWTH_ROOM 1.1

#define ROUNDS_MAX 1000

/* A contender whose fastest turn took more microseconds has few turns. */
#define SLOW	   20000

/* Seconds that a contender may take. */
#define PATIENCE   20

struct contender {
	const char *name;
	const char *program;
	const char *mode;
	/* The goals apply to it. */
	bool is_limited;
	/* For contenders that read the table: with more routes, they would not
	 * end. */
	long routes_max;
	int count;
	int64_t wall[ROUNDS_MAX];
	int64_t inside[ROUNDS_MAX];
	int64_t peak;
	/* In main() with the first table, in microseconds. */
	double first;
	bool is_missing;
	bool is_wrong;
};

#define OURS(text, file, what)                                                 \
	{ .name = text, .program = file, .mode = what, .is_limited = true }
#define PEER(text, file, what, most)                                           \
	{ .name = text, .program = file, .mode = what, .routes_max = most }

static struct contender contenders[] = {
	{ .name = "raw", .program = "raw", .mode = "a" },
	OURS("libreach.so, address", "library", "a"),
	OURS("libreach.so, internet", "library", "i"),
	PEER("GLib can_reach", "glib", "a", 1000000),
	PEER("libnl route cache", "libnl", "a", 100000),
};

#define COUNT (sizeof(contenders) / sizeof(*contenders))

static char directory[4096];

static void __attribute__((noreturn)) become(const struct contender *contender,
					     int report)
{
	char path[sizeof(directory) + 16];

	dup2(report, REPORT_FD);
	alarm(PATIENCE);
	snprintf(path, sizeof(path), "%s/%s", directory, contender->program);
	execl(path, contender->program, contender->mode, NULL);
	_exit(127);
}

/* Fills @ret. @return false if the pipe ends before. */
static bool take(int fd, void *ret, size_t size)
{
	size_t used = 0;

	while (used < size) {
		const ssize_t count =
			read(fd, (uint8_t *)ret + used, size - used);

		if (count <= 0)
			return false;
		used += (size_t)count;
	}
	return true;
}

static void run(struct contender *contender)
{
	struct report report = { 0 };
	const int64_t begin = now();
	int64_t wall;
	int ends[2], status;
	char verdict;
	pid_t child;
	bool is_told;

	if (pipe2(ends, O_CLOEXEC))
		die("pipe2");
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0)
		become(contender, ends[1]);
	close(ends[1]);
	is_told = take(ends[0], &verdict, 1);
	wall = now() - begin;
	if (is_told)
		is_told = take(ends[0], &report, sizeof(report));
	close(ends[0]);
	waitpid(child, &status, 0);
	if (!is_told || !report.reachable) {
		contender->is_missing = WIFEXITED(status) &&
					WEXITSTATUS(status) == 127;
		contender->is_wrong = !contender->is_missing;
		return;
	}
	contender->wall[contender->count] = wall;
	contender->inside[contender->count++] = report.time;
	if (report.peak > contender->peak)
		contender->peak = report.peak;
}

static int order(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* One of the sorted values, in microseconds. */
static double at(const int64_t *values, int position)
{
	return (double)values[position] / 1000;
}

/* The text to print instead of figures, or NULL. */
static const char *excuse(const struct contender *contender)
{
	if (contender->is_missing)
		return "not there";
	if (contender->is_wrong)
		return "no right answer in time";
	return contender->count ? NULL : "left out";
}

/* Whether sorted times are within the limits. @raw is the yardstick's time,
 * @growth the ratio to the first table. */
static bool is_fine(const struct contender *c, double raw, double growth)
{
	return !c->is_limited ||
	       (at(c->wall, 0) / raw <= RATIO_MAX * RATIO_ROOM &&
		at(c->inside, 0) <= MAIN_MAX * MAIN_ROOM &&
		growth <= GROWTH_MAX * GROWTH_ROOM &&
		(double)c->peak <= PEAK_MAX * PEAK_ROOM);
}

/* @return whether the contender is within its limits. */
static bool print(struct contender *c, double raw)
{
	const size_t count = (size_t)c->count;
	double growth;
	bool fine;

	/* A peer may be missing, or never end. */
	if (excuse(c)) {
		printf("  %-22s %s\n", c->name, excuse(c));
		return !c->is_limited;
	}
	qsort(c->wall, count, sizeof(*c->wall), order);
	qsort(c->inside, count, sizeof(*c->inside), order);
	if (c->first <= 0)
		c->first = at(c->inside, 0);
	growth = c->first > 0 ? at(c->inside, 0) / c->first : 1;
	fine = is_fine(c, raw, growth);
	printf("  %-22s %9.1f %9.1f %7.2f %9.1f %9.1f %7.2f %7lld%s\n", c->name,
	       at(c->wall, 0), at(c->wall, c->count / 2), at(c->wall, 0) / raw,
	       at(c->inside, 0), at(c->inside, c->count / 2), growth,
	       (long long)c->peak, fine ? "" : "  OVER ITS LIMIT");
	return fine;
}

static double fastest(const struct contender *contender)
{
	int64_t least = INT64_MAX;
	int i;

	for (i = 0; i < contender->count; i++)
		if (contender->wall[i] < least)
			least = contender->wall[i];
	return (double)least / 1000;
}

/* Whether @contender has a turn in @round: slow ones, which read the whole
 * table, have only three. */
static bool takes_part(const struct contender *contender, long routes,
		       int round)
{
	if (contender->is_missing || contender->is_wrong)
		return false;
	if (contender->routes_max && routes > contender->routes_max)
		return false;
	return round < 3 || fastest(contender) <= SLOW;
}

/* All contenders take turns, so that other load affects all of them. */
static bool compare(long routes, int rounds)
{
	bool fine = true;
	double raw;
	size_t i;
	int k;

	for (i = 0; i < COUNT; i++) {
		contenders[i].count = 0;
		contenders[i].peak = 0;
		contenders[i].is_wrong = false;
	}
	for (k = 0; k < rounds; k++)
		for (i = 0; i < COUNT; i++)
			if (takes_part(&contenders[i], routes, k))
				run(&contenders[i]);
	raw = fastest(&contenders[0]);
	printf("%-24ld %9s %9s %7s %9s %9s %7s %7s\n", routes, "wall us",
	       "median", "x raw", "main us", "median", "growth", "KiB");
	for (i = 0; i < COUNT; i++)
		fine &= print(&contenders[i], raw);
	return fine;
}

/* Adds the routes from @from up to @to; none of them covers the target. */
static void add_routes(long from, long to)
{
	FILE *ip = popen("ip -batch -", "w");

	if (!ip)
		die("ip");
	for (; from < to; from++)
		fprintf(ip, "route add 20.%ld.%ld.%ld/32 via 10.9.0.2\n",
			from >> 16 & 255, from >> 8 & 255, from & 255);
	if (pclose(ip))
		die("ip route add");
}

static void prepare(void)
{
	static const char command[] =
		"ip link set lo up && "
		"ip link add v0 type veth peer name v1 && "
		"ip link set v1 up && ip link set v0 up && "
		"ip addr add 10.9.0.1/24 dev v0 && "
		"ip -6 addr add 2001:db8::1/64 dev v0 nodad && "
		"ip route add default via 10.9.0.2 && "
		"ip -6 route add default via 2001:db8::2";

	if (unshare(CLONE_NEWNET))
		die("unshare(CLONE_NEWNET)");
	if (system(command))
		exit(1);
}

int main(int argc, char **argv)
{
	const bool is_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	const long counts[] = { 10, 100000, is_short ? 0 : 1000000 };
	bool fine = true;
	long routes = 0;
	ssize_t length;
	size_t i;

	length = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
	if (length < 0)
		die("/proc/self/exe");
	*strrchr(directory, '/') = '\0';
	prepare();
	/* Without the privilege, fewer rounds are undisturbed. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	for (i = 0; is_short && i < COUNT; i++)
		if (contenders[i].routes_max)
			contenders[i].routes_max = counts[0];
	for (i = 0; i < 3 && counts[i]; i++) {
		add_routes(routes, counts[i]);
		routes = counts[i];
		fine &= compare(routes, is_short ? 100 : 300);
	}
	return fine ? 0 : 1;
}

#endif
