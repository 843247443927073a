/* SPDX-License-Identifier: MIT */
/* rtnetlink datagrams. */
#include "Fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* Aligned. */
	uint8_t *copy = fuzz_copy(bytes, size);

	fuzz_decoder(copy, size);
	free(copy);
	return 0;
}
