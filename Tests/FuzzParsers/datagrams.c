/* SPDX-License-Identifier: MIT */
/* rtnetlink datagrams. */
#include <string.h>

#include "Fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* A copy that is aligned, and has no readable byte behind it. */
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, bytes, size);
	fuzz_decoder(copy, size);
	free(copy);
	return 0;
}
