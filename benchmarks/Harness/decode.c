/* SPDX-License-Identifier: MIT */
/*
 * Reads a recording several times with the library or by libmnl's idiom, and
 * prints its number of messages. benchmarks/instructions.sh counts the
 * instructions.
 *
 *	decode FILE reach|libmnl TIMES
 *
 * Exits with 1 if the two readers find different values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

static size_t count(const struct corpus *corpus)
{
	struct reach_message message;
	size_t messages = 0, i;

	for (i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		size_t at = 0;

		while (reach_message_decode(corpus->bytes + datagram->offset,
					    datagram->size, &at, &message) == 1)
			messages++;
	}
	return messages;
}

int main(int argc, char **argv)
{
	uint64_t (*read)(const struct corpus *corpus);
	struct corpus corpus;
	uint64_t sum = 0;
	int err, i;

	if (argc != 4)
		return 64;
	err = corpus_load(&corpus, argv[1]);
	if (err) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
		return 71;
	}
	if (read_by_reach(&corpus) != read_by_idiom(&corpus)) {
		fprintf(stderr, "%s: the readers differ\n", argv[1]);
		return 1;
	}
	read = strcmp(argv[2], "reach") == 0 ? read_by_reach : read_by_idiom;
	for (i = 0; i < atoi(argv[3]); i++)
		sum += read(&corpus);
	printf("%zu messages, sum %llu\n", count(&corpus),
	       (unsigned long long)sum);
	corpus_free(&corpus);
	return 0;
}
