/* SPDX-License-Identifier: MIT */
/*
 * Netlink bytes to decoded messages, beside libmnl, libnl-route-3 and GLib;
 * benchmarks/harness.sh decode builds and runs it.
 *
 *	decode DIRECTORY [--short]
 *	decode DIRECTORY --count CORPUS READER TIMES
 *
 * DIRECTORY holds the recordings of benchmarks/make-corpus.sh. One line a
 * corpus: nanoseconds a message by libmnl's idiom and by the library, every
 * field read by both, their ratio, and those of libnl and of GLib's loop (which
 * reads nothing but routes) where they were given to the compiler. Readers take
 * turns over a part of the corpus that stays in the cache, corpora take turns
 * within a round, and the figures are the least of the rounds in processor
 * time, which other work on the machine disturbs least. Every message is first
 * compared with the fuzzer's reference decoder. Exits 1 if a ratio is past its
 * limit.
 *
 * With --count one reader (reach or libmnl) reads the corpus so many times, for
 * valgrind --tool=callgrind; see benchmarks/instructions.sh.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/netlink.h>

#include "decode.h"
#include "fuzz.h"

/* Half of the second level of cache that is common, and more branches than a
 * processor learns by heart. */
#define SIZE	 ((size_t)512 << 10)
#define WORK_MIN ((size_t)1 << 20)
/* A limit is passed by this part more than it: minima still differ by a tenth
 * from run to run, and a neighbour on the same core costs the library more than
 * libmnl, whose calls leave more of it idle. */
#define ROOM .15
/* Times the rounds that a corpus past its limit gets at most. */
#define ATTEMPTS 4

static uint64_t read_reach(const struct corpus *corpus)
{
	return read_by_reach(corpus).digest;
}

enum {
	LIBMNL,
	REACH,
	LIBNL,
	GLIB,
	READERS
};

static const struct {
	const char *name;
	reader *const *optional;
	reader *read;
} readers[READERS] = {
	[LIBMNL] = { "libmnl", NULL, read_by_idiom },
	[REACH] = { "reach", NULL, read_reach },
	[LIBNL] = { "libnl", &libnl_reader, NULL },
	[GLIB] = { "glib", &glib_reader, NULL },
};

static reader *reader_of(size_t i)
{
	return readers[i].optional ? *readers[i].optional : readers[i].read;
}

static const struct entry {
	const char *name;
	/* Most of what libmnl's idiom takes. */
	double limit;
	/* GLib's loop reads it. */
	bool routes;
} entries[] = {
	/* The usual: dumps and events of one kind each. */
	{ "routes4", .15, true },
	{ "routes6", .15, true },
	{ "events", .15, true },
	{ "addresses", .15, false },
	{ "links", .22, false },
	/* A host with everything, recorded from the kernel. */
	{ "varied-routes4", .40, true },
	{ "varied-routes6", .40, true },
	{ "varied-links", .40, false },
	{ "varied-addresses", .40, false },
	{ "varied-events", .40, false },
	/* Made from seeds: nothing to foresee. */
	{ "five", .40, true },
	{ "five-random", .40, true },
	{ "eight", .40, true },
	{ "eight-random", .40, true },
	{ "shuffled", .40, true },
	{ "subsets", .40, true },
	{ "metrics", .40, true },
	{ "multipath", .40, true },
	{ "unknown", .40, true },
	{ "kinds", .40, false },
	{ "mixed", .40, false },
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(71);
}

static struct corpus load(const char *directory, const char *name)
{
	struct corpus *made = decode_corpus(name, SIZE);
	struct corpus ret;
	char path[4096];
	int err;

	if (made) {
		ret = *made;
		free(made);
		return ret;
	}
	snprintf(path, sizeof(path), "%s/%s.dump", directory, name);
	err = corpus_load(&ret, path);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		exit(71);
	}
	return ret;
}

/* Leaves out what is more than SIZE, evenly. */
static void cut(struct corpus *corpus)
{
	size_t all = 0, kept = 0, count = 0, i;

	for (i = 0; i < corpus->count; i++)
		all += corpus->datagrams[i].size;
	for (i = 0; i < corpus->count; i++) {
		if (kept > SIZE * (i + 1) / corpus->count && all > SIZE)
			continue;
		kept += corpus->datagrams[i].size;
		corpus->datagrams[count++] = corpus->datagrams[i];
	}
	corpus->count = count;
}

/* Each message is what the reference makes of it; the number of them. */
static size_t verify(const struct corpus *corpus)
{
	struct reach_message message = { .size = sizeof(message) };
	size_t messages = 0, i;

	for (i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		const uint8_t *bytes = corpus->bytes + datagram->offset;
		size_t at = 0;

		fuzz_decoder(bytes, datagram->size);
		while (reach_message_decode(bytes, datagram->size, &at,
					    &message) == 1)
			messages++;
		if (at != datagram->size)
			die("a message was refused");
	}
	return messages;
}

/* Of this thread, so that what others do in between does not count. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Reads with the stack @round cache lines lower than it might be: what lies
 * across two pages is slow, and this should not hang on one address. */
static __attribute__((noinline)) uint64_t
read_below(reader *read, const struct corpus *corpus, size_t round)
{
	volatile uint8_t room[64 * (round % 64 + 1)];

	room[0] = 0;
	return read(corpus) + room[0];
}

static double measure(reader *read, const struct corpus *corpus, size_t repeats,
		      size_t round)
{
	volatile uint64_t sum = read_below(read, corpus, round);
	double start = now();
	size_t i;

	for (i = 0; i < repeats; i++)
		sum += read_below(read, corpus, round);
	return (now() - start) / (double)repeats;
}

static struct run {
	struct corpus corpus;
	size_t messages, repeats;
	double least[READERS];
} runs[ENTRIES];

static void prepare(struct run *run, const char *directory, const char *name)
{
	size_t size = 1, i;

	run->corpus = load(directory, name);
	cut(&run->corpus);
	run->messages = verify(&run->corpus);
	for (i = 0; i < run->corpus.count; i++)
		size += run->corpus.datagrams[i].size;
	run->repeats = 1 + WORK_MIN / size;
	for (i = 0; i < READERS; i++)
		run->least[i] = 1e18;
}

/* One round of each reader over one corpus. */
static void take_turns(struct run *run, bool routes, size_t round)
{
	size_t i;

	for (i = 0; i < READERS; i++) {
		double time;

		if (!reader_of(i) || (i == GLIB && !routes))
			continue;
		time = measure(reader_of(i), &run->corpus, run->repeats,
			       round * 5);
		if (time < run->least[i])
			run->least[i] = time;
	}
}

static bool is_met(const struct run *run, const struct entry *entry)
{
	return run->least[REACH] / run->least[LIBMNL] <=
	       entry->limit * (1 + ROOM);
}

static bool report(const struct run *run, const struct entry *entry)
{
	const bool met = is_met(run, entry);
	size_t i;

	printf("%-17s libmnl %7.1f ns  reach %6.1f ns  %.3f (%.2f%s)",
	       entry->name, run->least[LIBMNL] / (double)run->messages,
	       run->least[REACH] / (double)run->messages,
	       run->least[REACH] / run->least[LIBMNL], entry->limit,
	       met ? "" : ", MISSED");
	for (i = LIBNL; i < READERS; i++)
		if (run->least[i] < 1e18)
			printf("  %s %.1f", readers[i].name,
			       run->least[i] / run->least[LIBMNL]);
	puts("");
	return met;
}

/* The machine's slow phases last longer than all rounds of one corpus, so the
 * rounds are outside. Corpora past their limits get more of them. */
static bool compare(const char *directory, size_t rounds)
{
	bool met = true;
	size_t round, i;

	for (i = 0; i < ENTRIES; i++)
		prepare(&runs[i], directory, entries[i].name);
	for (round = 0; round < ATTEMPTS * rounds; round++)
		for (i = 0; i < ENTRIES; i++)
			if (round < rounds || !is_met(&runs[i], &entries[i]))
				take_turns(&runs[i], entries[i].routes, round);
	for (i = 0; i < ENTRIES; i++) {
		met &= report(&runs[i], &entries[i]);
		corpus_free(&runs[i].corpus);
	}
	return met;
}

static int count_only(const char *directory, const char *name,
		      const char *reader_name, int times)
{
	struct corpus corpus = load(directory, name);
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < READERS; i++) {
		int j;

		if (strcmp(readers[i].name, reader_name) != 0)
			continue;
		for (j = 0; j < times; j++)
			sum += reader_of(i)(&corpus);
	}
	printf("%zu messages, sum %llu\n", verify(&corpus),
	       (unsigned long long)sum);
	corpus_free(&corpus);
	return 0;
}

int main(int argc, char **argv)
{
	const bool is_short = argc == 3 && strcmp(argv[2], "--short") == 0;

	if (argc == 6 && strcmp(argv[2], "--count") == 0)
		return count_only(argv[1], argv[3], argv[4], atoi(argv[5]));
	if (argc != 2 && !is_short) {
		fprintf(stderr, "usage: %s DIRECTORY [--short]\n", argv[0]);
		return 64;
	}
	return compare(argv[1], is_short ? 15 : 60) ? 0 : 1;
}
