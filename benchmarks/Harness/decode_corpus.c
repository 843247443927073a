/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

static int append(struct corpus *corpus, FILE *file, uint32_t size,
		  size_t *used)
{
	/* Rounded up to 8 bytes, so that the next datagram is aligned. */
	size_t step = ((size_t)size + 7) & ~(size_t)7;
	void *bytes = realloc(corpus->bytes, *used + step);
	void *datagrams;

	if (bytes == NULL)
		return -ENOMEM;
	corpus->bytes = bytes;
	datagrams = realloc(corpus->datagrams,
			    (corpus->count + 1) * sizeof(*corpus->datagrams));
	if (datagrams == NULL)
		return -ENOMEM;
	corpus->datagrams = datagrams;
	if (fread(corpus->bytes + *used, 1, size, file) != size)
		return -EBADMSG;
	corpus->datagrams[corpus->count++] =
		(struct corpus_datagram){ *used, size };
	*used += step;
	return 0;
}

int corpus_load(struct corpus *ret, const char *path)
{
	struct corpus corpus = { 0 };
	FILE *file = fopen(path, "rbe");
	uint32_t size;
	size_t used = 0;
	int result = 0;

	if (file == NULL)
		return -errno;
	while (result == 0 && fread(&size, sizeof(size), 1, file) == 1)
		result = append(&corpus, file, size, &used);
	fclose(file);
	if (result == 0 && corpus.count == 0)
		result = -ENODATA;
	if (result < 0)
		corpus_free(&corpus);
	else
		*ret = corpus;
	return result;
}

void corpus_free(struct corpus *corpus)
{
	free(corpus->bytes);
	free(corpus->datagrams);
	*corpus = (struct corpus){ 0 };
}
