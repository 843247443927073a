/* SPDX-License-Identifier: MIT */
/* The tests that every input runs through, and their simulated kernel. */
#ifndef REACH_FUZZ_H
#define REACH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <reach/internal/engine.h>
#include <reach/reach.h>

/* A broken promise of the library ends the run, in every build. */
#define PROMISE(condition)                                                     \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: broken promise: %s\n",         \
				__FILE__, __LINE__, #condition);               \
			abort();                                               \
		}                                                              \
	} while (0)

/* A copy in a heap block of the exact size, so that the sanitizer reports reads
 * past its end. The caller frees it. */
static inline void *fuzz_copy(const void *bytes, size_t size)
{
	void *copy = malloc(size > 0 ? size : 1);

	PROMISE(copy != NULL);
	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

/* libFuzzer's entry point: runs one input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Reads the bytes as one datagram. @bytes is aligned to 4. */
void fuzz_decoder(const uint8_t *bytes, size_t size);

/* Runs the bytes as a script of operations on an engine. */
void fuzz_engine(const uint8_t *bytes, size_t size);

/* The rest of a script. Reads beyond its end return zeros. */
struct script {
	const uint8_t *bytes;
	size_t size;
};

uint8_t script_byte(struct script *script);
uint32_t script_word(struct script *script);

/* Reads a length of 16 bits and the datagram that follows. Returns the datagram
 * as fuzz_copy() does. */
uint8_t *script_datagram(struct script *script, size_t *size);

/* The next address, sometimes of an unknown family. */
struct reach_address script_address(struct script *script);

/* An engine's requests that haven't been answered yet. */
struct outstanding {
	size_t count;
	uint32_t size;
	_Alignas(8) uint8_t bytes[REACH_REQUESTS_SIZE];
};

/* Takes the next requests. While answers are pending, it checks that there are
 * none. */
void kernel_ask(struct reach_engine *engine, struct outstanding *requests);

/* Answers every request as a kernel could. @mood chooses the kernel's
 * tables. */
void kernel_answer(struct reach_engine *engine, struct outstanding *requests,
		   uint8_t mood);

/* Sets the sequence numbers of a datagram's messages to those of requests. */
void kernel_patch(const struct outstanding *requests, uint8_t *bytes,
		  size_t size);

#endif
