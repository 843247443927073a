/* SPDX-License-Identifier: MIT */
/*
 * Netlink bytes to decoded messages, beside libmnl, libnl-route-3 and GLib.
 *
 * gcc -std=gnu11 -O2 -Iinclude -ISources/CReach benchmarks/Harness/decode*.c
 *	Sources/CReach/{decode*,layout,address}.c -o /tmp/harness-decode
 *	$(pkg-config --cflags --libs libmnl libnl-route-3.0 gio-2.0) &&
 * /tmp/harness-decode DIRECTORY
 *
 * DIRECTORY holds the recordings of benchmarks/make-corpus.sh. One line a
 * recording and size: nanoseconds a message by libmnl's idiom, and how many
 * times as fast (> 1) or slow (< 1) the others are: the decoder, the walk
 * without memory, libnl, GLib. Readers take turns, and the figures are the
 * least of their rounds, which other work on the machine disturbs least.
 * With --count RECORDING READER (decoder, walk or libmnl) one reader reads
 * once, for valgrind --tool=callgrind.
 */
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode.h"

#define ROUNDS	 15
#define READERS	 5
#define SMALL	 ((size_t)384 << 10)
#define LARGE	 ((size_t)100 << 20)
#define WORK_MIN ((size_t)4 << 20)

static struct reach_decoder *decoder;

static uint64_t read_by_decoder(const struct corpus *corpus)
{
	struct reach_message message = { .size = sizeof(message) };
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < corpus->count; i++) {
		const struct datagram *datagram = &corpus->datagrams[i];
		size_t offset = 0;

		while (reach_decoder_next(
			       decoder, corpus->bytes + datagram->offset,
			       datagram->size, &offset, &message) == 1)
			sum += message.u.route.present;
	}
	return sum;
}

static uint64_t read_by_walk(const struct corpus *corpus)
{
	struct reach_message message = { .size = sizeof(message) };
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < corpus->count; i++) {
		const struct datagram *datagram = &corpus->datagrams[i];
		size_t offset = 0;

		while (reach_message_decode(corpus->bytes + datagram->offset,
					    datagram->size, &offset,
					    &message) == 1)
			sum += message.u.route.present;
	}
	return sum;
}

static const struct {
	const char *name;
	reader *read;
} readers[READERS] = {
	{ "libmnl", read_by_libmnl }, { "decoder", read_by_decoder },
	{ "walk", read_by_walk },     { "libnl", read_by_libnl },
	{ "glib", read_by_glib },
};

static void die(const char *what)
{
	perror(what);
	exit(71);
}

/* Reads a recording: datagrams, each behind its length. */
static struct corpus load(const char *directory, const char *name)
{
	struct corpus ret = { 0 };
	char path[4096];
	uint32_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.dump", directory, name);
	file = fopen(path, "rbe");
	if (!file)
		die(path);
	while (fread(&size, sizeof(size), 1, file) == 1) {
		const size_t step = ((size_t)size + 7) & ~(size_t)7;

		ret.bytes = realloc(ret.bytes, ret.size + step);
		ret.datagrams =
			realloc(ret.datagrams,
				(ret.count + 1) * sizeof(*ret.datagrams));
		if (!ret.bytes || !ret.datagrams ||
		    fread(ret.bytes + ret.size, size, 1, file) != 1)
			die(path);
		ret.datagrams[ret.count++] =
			(struct datagram){ ret.size, size };
		ret.size += step;
	}
	fclose(file);
	return ret;
}

/* @size bytes of @from, cut or repeated. */
static struct corpus resize(const struct corpus *from, size_t size)
{
	struct corpus ret = { .bytes = malloc(size + 65536) };
	size_t i;

	for (i = 0; ret.bytes; i = (i + 1) % from->count) {
		const struct datagram *datagram = &from->datagrams[i];
		const size_t step = (datagram->size + 7) & ~(size_t)7;

		if (ret.size + step > size)
			break;
		if (ret.count % 4096 == 0)
			ret.datagrams = realloc(ret.datagrams,
						(ret.count + 4096) *
							sizeof(*ret.datagrams));
		if (!ret.datagrams)
			break;
		memcpy(ret.bytes + ret.size, from->bytes + datagram->offset,
		       datagram->size);
		ret.datagrams[ret.count++] =
			(struct datagram){ ret.size, datagram->size };
		ret.size += step;
	}
	if (!ret.bytes || !ret.datagrams)
		die("memory");
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
		const struct datagram *datagram = &corpus->datagrams[i];
		const uint8_t *bytes = corpus->bytes + datagram->offset;
		size_t before = 0, at = 0, other = 0;

		while (reach_decoder_next(decoder, bytes, datagram->size, &at,
					  &a) == 1) {
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
	}
	return messages;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(reader *read, const struct corpus *corpus)
{
	const size_t repeats = WORK_MIN / corpus->size + 1;
	volatile uint64_t sum = 0;
	const double start = now();
	size_t i;

	for (i = 0; i < repeats; i++)
		sum += read(corpus);
	return (now() - start) / (double)repeats;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void compare(const char *name, const struct corpus *corpus,
		    const char *size, size_t rounds)
{
	static double times[READERS][ROUNDS];
	const double messages = (double)verify(corpus);
	size_t round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < READERS; i++)
			times[i][round] = measure(readers[i].read, corpus);
	for (i = 0; i < READERS; i++)
		qsort(times[i], rounds, sizeof(double), ascending);
	printf("%-10s %-4s libmnl %6.1f ns", name, size,
	       times[0][0] / messages);
	for (i = 1; i < READERS; i++)
		printf("  %s %5.1f ns (%.2f x)", readers[i].name,
		       times[i][0] / messages, times[0][0] / times[i][0]);
	printf("\n");
}

static int count_only(const char *directory, const char *name,
		      const char *reader_name)
{
	struct corpus corpus = load(directory, name);
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < READERS; i++)
		if (strcmp(readers[i].name, reader_name) == 0)
			sum += readers[i].read(&corpus);
	printf("%zu messages, sum %llu\n", verify(&corpus),
	       (unsigned long long)sum);
	release(&corpus);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "routes4", "routes6", "events",
					     "addresses", "links" };
	size_t i;

	if (argc < 2 || reach_decoder_create(&decoder)) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 64;
	}
	if (argc == 5 && strcmp(argv[2], "--count") == 0)
		return count_only(argv[1], argv[3], argv[4]);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct corpus whole = load(argv[1], names[i]);
		struct corpus small = resize(&whole, SMALL);
		struct corpus large = resize(&whole, LARGE);

		compare(names[i], &small, "L2", ROUNDS);
		compare(names[i], &large, "DRAM", 5);
		release(&whole);
		release(&small);
		release(&large);
	}
	reach_decoder_destroy(decoder);
	return 0;
}
