/* SPDX-License-Identifier: MIT */
/*
 * Netlink bytes to decoded messages, beside libmnl, libnl-route-3 and GLib.
 *
 * cc -std=gnu11 -O2 -Iinclude -Ibenchmarks/Sources/CWorkloads
 *	-Ibenchmarks/Sources/CWorkloads/include benchmarks/Harness/decode*.c
 *	benchmarks/Sources/CWorkloads/{corpus,idiom,libmnl,reach}.c
 *	Sources/CReach/{decode*,layout*,address}.c -o /tmp/harness-decode
 *	$(pkg-config --cflags --libs libmnl libnl-route-3.0 gio-2.0) &&
 * /tmp/harness-decode DIRECTORY [--short]
 *
 * The last two packages may be left out, and their columns with them.
 * DIRECTORY holds the recordings of benchmarks/make-corpus.sh. One line a
 * recording and size: nanoseconds a message by libmnl's idiom, and how many
 * times as fast (> 1) or slow (< 1) the others are: the decoder, the walk
 * without memory (these three with every field read), libnl, GLib (which reads
 * nothing but routes), and three that decode nothing: following the headers,
 * loading the lines that a checked reader has to load, and of these only the
 * ones that hold what is decoded. Readers take turns over slices of the
 * recording, and the figures are the least of their rounds in processor time,
 * which other work on the machine disturbs least. Exits 1 if the readers find
 * different things, or if a ratio misses its goal by more than the room beside
 * it.
 *
 * With --count RECORDING READER TIMES (decoder, walk or libmnl) one reader
 * reads the recording so many times, for valgrind --tool=callgrind; see
 * benchmarks/instructions.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/netlink.h>

#include "message/decode.h"

#define READERS	 8
#define SMALL	 ((size_t)256 << 10)
#define LARGE	 ((size_t)100 << 20)
#define SLICES	 100
#define WORK_MIN ((size_t)1 << 20)

static uint64_t walk(const struct corpus *corpus)
{
	return read_by_walk(corpus).digest;
}

static uint64_t decode(const struct corpus *corpus)
{
	return read_by_reach(corpus).digest;
}

enum {
	LIBMNL,
	DECODER,
	WALK,
	LIBNL,
	GLIB,
	HEADERS,
	LINES,
	FIELDS
};

static const struct {
	const char *name;
	reader *const *optional;
	reader *read;
} readers[READERS] = {
	[LIBMNL] = { "libmnl", NULL, read_by_idiom },
	[DECODER] = { "decoder", NULL, decode },
	[WALK] = { "walk", NULL, walk },
	[LIBNL] = { "libnl", &libnl_reader, NULL },
	[GLIB] = { "glib", &glib_reader, NULL },
	[HEADERS] = { "headers", NULL, follow_headers },
	[LINES] = { "lines", NULL, touch_lines },
	[FIELDS] = { "fields", NULL, touch_fields },
};

static reader *reader_of(size_t i)
{
	return readers[i].optional ? *readers[i].optional : readers[i].read;
}

static const struct recording {
	const char *name;
	/* GLib's loop reads it. */
	bool routes;
	/* Times as fast as libmnl's idiom from the cache and from memory. */
	double goal[2];
	/* Parts of the goal that noise may take. */
	double room[2];
} recordings[] = {
	/* The ratios of minima still differ by a tenth from run to run, and
	 * AVX2 does less than AVX-512. Of links, memory gives the lines that
	 * hold what is decoded 15 times as fast as libmnl's idiom reads them,
	 * even to a reader that knows where they are and checks nothing
	 * ("fields"), and those that have to be compared 8.5 times ("lines").
	 */
	{ "routes4", true, { 9, 8.5 }, { .2, .25 } },
	{ "routes6", true, { 9.5, 9.5 }, { .2, .25 } },
	{ "events", true, { 7.5, 7.5 }, { .2, .25 } },
	{ "addresses", false, { 7, 7 }, { .2, .25 } },
	{ "links", false, { 24, 7 }, { .3, .35 } },
};

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static struct corpus load(const char *directory, const char *name)
{
	struct corpus ret;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/%s.dump", directory, name);
	err = corpus_load(&ret, path);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		exit(71);
	}
	return ret;
}

/* @size bytes of @from, cut or repeated. The decoder is borrowed. */
static struct corpus resize(const struct corpus *from, size_t size)
{
	struct corpus ret = { .bytes = malloc(size), .decoder = from->decoder };
	size_t used = 0, i;

	for (i = 0; ret.bytes; i = (i + 1) % from->count) {
		const struct corpus_datagram *datagram = &from->datagrams[i];
		const size_t step = (datagram->size + 7) & ~(size_t)7;

		if (used + step > size)
			break;
		if (ret.count % 4096 == 0)
			ret.datagrams = realloc(ret.datagrams,
						(ret.count + 4096) *
							sizeof(*ret.datagrams));
		if (!ret.datagrams)
			break;
		memcpy(ret.bytes + used, from->bytes + datagram->offset,
		       datagram->size);
		ret.datagrams[ret.count++] =
			(struct corpus_datagram){ used, datagram->size };
		used += step;
	}
	if (!ret.bytes || !ret.datagrams)
		die("no memory");
	return ret;
}

static void release(struct corpus *corpus)
{
	free(corpus->bytes);
	free(corpus->datagrams);
}

/* All readers of ours make the same of each message; the number of them. */
static size_t verify(const struct corpus *corpus)
{
	struct reach_message a = { .size = sizeof(a) }, b = a, c = a;
	size_t messages = 0, i;

	for (i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		const uint8_t *bytes = corpus->bytes + datagram->offset;
		size_t before = 0, at = 0, other = 0;

		while (reach_decoder_next(corpus->decoder, bytes,
					  datagram->size, &at, &a) == 1) {
			if (reach_message_decode(bytes, datagram->size, &other,
						 &b) != 1 ||
			    memcmp(&a, &b, sizeof(a)) != 0 || at != other)
				die("decoder and walk differ");
			libmnl_message((const void *)(bytes + before), &c);
			if (a.kind <= REACH_MESSAGE_ROUTE &&
			    memcmp(&a, &c, sizeof(a)) != 0)
				die("walk and libmnl differ");
			before = at;
			messages++;
		}
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

static size_t count_messages(const struct corpus *corpus)
{
	size_t messages = 0, i;

	for (i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		const uint8_t *at = corpus->bytes + datagram->offset;
		const uint8_t *end = at + datagram->size;

		for (; at < end; messages++)
			at += NLMSG_ALIGN(
				((const struct nlmsghdr *)(const void *)at)
					->nlmsg_len);
	}
	return messages;
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

/* Nanoseconds a message, the corpus read once or, if it is to stay in the
 * cache, until time can be told. */
static double measure(reader *read, const struct corpus *corpus, bool cached,
		      size_t round)
{
	const size_t repeats = cached ? WORK_MIN / SMALL : 1;
	volatile uint64_t sum = 0;
	double start, end;
	size_t i;

	if (cached)
		sum += read_below(read, corpus, round);
	start = now();
	for (i = 0; i < repeats; i++)
		sum += read_below(read, corpus, round);
	end = now();
	/* Not before: it brings the headers into the cache. */
	return (end - start) / (double)(count_messages(corpus) * repeats);
}

static struct corpus slice(const struct corpus *corpus, size_t i)
{
	const size_t each = corpus->count / SLICES;
	struct corpus ret = *corpus;

	ret.datagrams += i % SLICES * each;
	ret.count = each;
	return ret;
}

/* The least of @rounds of each reader. From memory, a reader takes a slice
 * that all others have left far behind: between two visits of a slice most of
 * the bytes are read, which no cache holds. */
static void take_turns(const struct corpus *corpus, bool cached, bool routes,
		       size_t rounds, double *least)
{
	size_t round, i;

	for (i = 0; i < READERS; i++)
		least[i] = 1e9;
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < READERS; i++) {
			const struct corpus part =
				cached ? *corpus
				       : slice(corpus,
					       round + i * (SLICES / READERS));
			double time;

			if (!reader_of(i) || (i == GLIB && !routes))
				continue;
			time = measure(reader_of(i), &part, cached, round * 5);
			if (time < least[i])
				least[i] = time;
		}
	}
}

/* Whether the decoder is as far ahead as it has to be. */
static bool judge(const struct recording *recording, const double *least,
		  bool cached)
{
	const size_t which = cached ? 0 : 1;
	const double goal = recording->goal[which];
	const double limit = goal * (1 - recording->room[which]);
	const double ratio = least[LIBMNL] / least[DECODER];
	size_t i;

	printf("  goal %.1f, limit %.1f%s\n", goal, limit,
	       ratio < limit ? "  MISSED" : "");
	for (i = LIBNL; i <= GLIB; i++) {
		if (least[DECODER] < least[i])
			continue;
		printf("%s is ahead  MISSED\n", readers[i].name);
		return false;
	}
	return ratio >= limit;
}

static bool compare(const struct recording *recording,
		    const struct corpus *whole, bool cached, size_t rounds)
{
	struct corpus corpus = resize(whole, cached ? SMALL : LARGE);
	double least[READERS];
	size_t i;

	verify(&corpus);
	take_turns(&corpus, cached, recording->routes, rounds, least);
	release(&corpus);
	printf("%-9s %-6s libmnl %6.1f ns", recording->name,
	       cached ? "cache" : "memory", least[LIBMNL]);
	for (i = DECODER; i < READERS; i++)
		if (least[i] < 1e9)
			printf("  %s %.1f ns (%.2f x)", readers[i].name,
			       least[i], least[LIBMNL] / least[i]);
	return judge(recording, least, cached);
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
	bool met = true;
	size_t i;

	if (argc == 6 && strcmp(argv[2], "--count") == 0)
		return count_only(argv[1], argv[3], argv[4], atoi(argv[5]));
	if (argc != 2 && !is_short) {
		fprintf(stderr, "usage: %s DIRECTORY [--short]\n", argv[0]);
		return 64;
	}
	for (i = 0; i < sizeof(recordings) / sizeof(*recordings); i++) {
		struct corpus whole = load(argv[1], recordings[i].name);

		met &= compare(&recordings[i], &whole, true,
			       is_short ? 15 : 60);
		met &= compare(&recordings[i], &whole, false,
			       is_short ? SLICES / READERS : SLICES);
		corpus_free(&whole);
	}
	return met ? 0 : 1;
}
