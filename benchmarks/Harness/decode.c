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
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "decode.h"

static struct corpus load(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct corpus ret;
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		err(71, "%s", path);
	ret.size = (size_t)status.st_size;
	ret.bytes = mmap(NULL, ret.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (ret.bytes == MAP_FAILED)
		err(71, "%s", path);
	return ret;
}

static size_t count(const struct corpus *corpus)
{
	struct reach_message message;
	size_t at = 0, messages = 0, size;
	const void *datagram;

	while ((datagram = corpus_next(corpus, &at, &size))) {
		size_t offset = 0;

		while (reach_message_decode(datagram, size, &offset,
					    &message) == 1)
			messages++;
	}
	return messages;
}

int main(int argc, char **argv)
{
	uint64_t (*read)(const struct corpus *corpus);
	struct corpus corpus;
	uint64_t sum = 0;
	int i;

	if (argc != 4)
		return 64;
	corpus = load(argv[1]);
	if (read_by_reach(&corpus) != read_by_idiom(&corpus))
		errx(1, "%s: the readers differ", argv[1]);
	read = strcmp(argv[2], "reach") == 0 ? read_by_reach : read_by_idiom;
	for (i = 0; i < atoi(argv[3]); i++)
		sum += read(&corpus);
	printf("%zu messages, sum %llu\n", count(&corpus),
	       (unsigned long long)sum);
	return 0;
}
