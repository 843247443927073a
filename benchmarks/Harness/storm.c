/* SPDX-License-Identifier: MIT */
// Measures what a storm of routes to elsewhere costs a monitor and the writer
// of the routes. In bash with globstar:
//
// cc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach
//	benchmarks/Harness/storm*.c benchmarks/Harness/peer*.c
//	Sources/CReach/**/*.c -lmnl -lpthread
//	$(pkg-config --cflags --libs gio-2.0 libnl-route-3.0) -o storm &&
//	sudo ./storm [--short]
/*
 * Runs in a network namespace of its own. A writer makes route changes, 64 per
 * send. Halfway, the default routes go, and after the storm they come back.
 * One contender at a time runs beside the writer, on the other core: a loop of
 * recvmmsg() that reads only headers, a socket that receives nothing, other
 * libraries, and libreach. With few targets, libreach has the kernel's default
 * receive buffer, which holds 256 events.
 *
 * CPU time is that of the receiver from the first change to the last, and
 * includes the default routes.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "network.h"
#include "storm_contenders.h"

/* Short storms have more rounds. */
#define ROUNDS	     3
#define ROUNDS_SHORT 4

/* As SO_RCVBUF: half of net.core.rmem_default. */
#define DEFAULT_BUFFER 106496
#define LARGE_BUFFER   (32 * 1024 * 1024)

#define CHANGES	      262144
#define CHANGES_SHORT 16384

/* Goals: shares of the raw loop's CPU time, and of the writer's time beside the
 * deaf socket, which is what the kernel charges for any subscriber. The work
 * for the default routes does not shrink with the storm, so a short storm may
 * cost a larger share. It also shows the writer's least time less exactly. With
 * few targets, only one message per default route is delivered, and nothing is
 * dropped. With thousands, the filter's prefixes are so short that the storm's
 * routes pass, and each is decoded and looked up in the index. */
#define FEW_GOAL	  0.01
#define MANY_GOAL	  1.5
#define WRITER_GOAL	  1.05
#define CPU_ROOM	  1.2
#define WRITER_ROOM	  1.1
#define WRITER_ROOM_SHORT 1.25

/* How long the right state may take after the storm, in milliseconds. A peer
 * that has lost a change never recovers it. */
#define PATIENCE      8000
#define PATIENCE_PEER 300

struct figures {
	double cpu;
	double writer;
	uint64_t events;
	uint64_t dropped;
	bool right;
};

struct rival {
	const char *name;
	contender *run;
	struct setup setup;
	/* Family of the storm's routes. */
	enum family storm;
	/* Targets that must become unreachable, and reachable again; 0 for raw
	 * and deaf. */
	int64_t targets;
	/* Whether the limits apply. */
	bool ours;
	struct figures rounds[ROUNDS_SHORT];
};

/* ---- one contender beside the writer ----------------------------------- */

static bool await(const struct rival *rival, struct tally *tally,
		  int64_t wanted)
{
	const int most = rival->ours ? PATIENCE : PATIENCE_PEER;
	int i;

	for (i = 0; i < most && tally->reachable != wanted; i++)
		usleep(1000);
	return tally->reachable == wanted;
}

static pid_t start(const struct rival *rival, struct tally *tally)
{
	const pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		rival->run(&rival->setup, tally);
	}
	while (!tally->ready)
		usleep(1000);
	return child;
}

/* The clock's time once it stands still. */
static double rest(clockid_t clock)
{
	double now = clock_ms(clock), before;

	do {
		before = now;
		usleep(20000);
		now = clock_ms(clock);
	} while (now > before);
	return now;
}

static struct figures measure(const struct rival *rival, struct tally *tally,
			      int fd, clockid_t clock, uint32_t changes)
{
	const double cpu = rest(clock);
	const uint64_t drops = count_drops(), events = tally->events;
	struct figures ret = { .right = true };

	ret.writer = write_storm(fd, rival->storm, changes);
	if (rival->targets)
		ret.right = await(rival, tally, 0);
	ret.cpu = rest(clock) - cpu;
	ret.dropped = count_drops() - drops;
	ret.events = tally->events - events;
	return ret;
}

static struct figures run(const struct rival *rival, int fd, uint32_t changes)
{
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t child = start(rival, tally);
	struct figures ret;
	clockid_t clock;

	clock_getcpuclockid(child, &clock);
	ret = measure(rival, tally, fd, clock, changes);
	change_defaults(fd, rival->storm, true);
	if (rival->targets && ret.right)
		ret.right = await(rival, tally, rival->targets);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(tally, sizeof(*tally));
	return ret;
}

/* ---- results ----------------------------------------------------------- */

/* The least of the rounds' times, since other load only adds time. The sums of
 * all other figures. */
static struct figures summary(const struct rival *rival, int rounds)
{
	struct figures ret = rival->rounds[0];
	int i;

	for (i = 1; i < rounds; i++) {
		const struct figures *round = &rival->rounds[i];

		ret.cpu = round->cpu < ret.cpu ? round->cpu : ret.cpu;
		ret.writer = round->writer < ret.writer ? round->writer
							: ret.writer;
		ret.events += round->events;
		ret.dropped += round->dropped;
		ret.right = ret.right && round->right;
	}
	return ret;
}

/* Whether @rival is within its limits. @all has the figures of @rounds. @cpu is
 * the ratio to the raw loop, @writer to the deaf socket, in the same storm. */
static bool is_good(const struct rival *rival, const struct figures *all,
		    double cpu, double writer, int rounds, uint32_t changes)
{
	const uint64_t defaults = rival->storm == (INET | INET6) ? 2 : 1;
	const double room = changes < CHANGES ? WRITER_ROOM_SHORT : WRITER_ROOM;

	if (!rival->ours)
		return true;
	if (!all->right)
		return false;
	if (rival->targets > 1000)
		return cpu <= MANY_GOAL * CPU_ROOM;
	return all->events == defaults * (uint64_t)rounds && !all->dropped &&
	       cpu <= FEW_GOAL * CPU_ROOM * CHANGES / changes &&
	       writer <= WRITER_GOAL * room;
}

/* The first rivals are the raw loop and the deaf socket, each in the order of
 * enum family. */
#define FAMILIES 3

static bool report(const struct rival *rivals, int at, int rounds,
		   uint32_t changes)
{
	const struct rival *rival = &rivals[at];
	const struct rival *first = &rivals[rival->storm - 1];
	const struct figures all = summary(rival, rounds);
	const struct figures raw = summary(first, rounds);
	const struct figures deaf = summary(first + FAMILIES, rounds);
	const double writer = all.writer / deaf.writer;
	const bool good = is_good(rival, &all, all.cpu / raw.cpu, writer,
				  rounds, changes);

	printf("%-26s %8.4f %8.2f %9.1f %9.1f  %s%s\n", rival->name,
	       all.cpu / raw.cpu, writer, (double)all.events / rounds,
	       (double)all.dropped / rounds,
	       !rival->targets ? "-"
	       : all.right     ? "right"
			       : "WRONG",
	       good ? "" : "  PAST ITS LIMIT");
	return good;
}

#define YARDSTICK(text, who, of)                                               \
	{ .name = text,                                                        \
	  .run = who,                                                          \
	  .setup = { .buffer = LARGE_BUFFER },                                 \
	  .storm = of }
#define PEER(text, who)                                                        \
	{ .name = text, .run = who, .storm = INET, .targets = 1 }
#define LIBREACH(text, bytes, four, six, of)                                   \
	{ .name = text,                                                        \
	  .run = storm_libreach,                                               \
	  .setup = { bytes, four, six },                                       \
	  .storm = of,                                                         \
	  .targets = four + six,                                               \
	  .ours = true }
static struct rival rivals[] = {
	YARDSTICK("raw, v4", storm_raw, INET),
	YARDSTICK("raw, v6", storm_raw, INET6),
	YARDSTICK("raw, both", storm_raw, INET | INET6),
	YARDSTICK("deaf, v4", storm_deaf, INET),
	YARDSTICK("deaf, v6", storm_deaf, INET6),
	YARDSTICK("deaf, both", storm_deaf, INET | INET6),
	LIBREACH("libreach, 1 v4", DEFAULT_BUFFER, 1, 0, INET),
	LIBREACH("libreach, 100 v4", DEFAULT_BUFFER, 100, 0, INET),
	LIBREACH("libreach, 400 v4", DEFAULT_BUFFER, 400, 0, INET),
	LIBREACH("libreach, 400 v6", DEFAULT_BUFFER, 0, 400, INET6),
	LIBREACH("libreach, 200 v4, 200 v6", DEFAULT_BUFFER, 200, 200,
		 INET | INET6),
	LIBREACH("libreach, 10,000 v4", LARGE_BUFFER / 8, 10000, 0, INET),
	LIBREACH("libreach, 10,000 v6", LARGE_BUFFER / 8, 0, 10000, INET6),
	LIBREACH("libreach, 100,000 v4", LARGE_BUFFER / 8, 100000, 0, INET),
	LIBREACH("libreach, 100,000 v6", LARGE_BUFFER / 8, 0, 100000, INET6),
	PEER("libnl, 1 v4", storm_libnl),
	PEER("GLib, 1 v4", storm_glib),
};

int main(int argc, char **argv)
{
	const int count = sizeof(rivals) / sizeof(*rivals);
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
			rivals[i].rounds[k] = run(&rivals[i], fd, changes);
	printf("%u changes\n%-26s %8s %8s %9s %9s  %s\n", changes, "", "CPU",
	       "writer", "messages", "dropped", "final");
	for (i = 0; i < count; i++)
		good = report(rivals, i, rounds, changes) && good;
	return good ? 0 : 1;
}
