/* SPDX-License-Identifier: MIT */
/* What every input is put through. */
#ifndef REACH_FUZZ_H
#define REACH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Reads the bytes as one datagram, with the library and with libmnl, and
 * compares the two. @bytes is aligned to 4. */
void fuzz_decoder(const uint8_t *bytes, size_t size);

/* Reads the bytes as a script of what happens to an engine. */
void fuzz_engine(const uint8_t *bytes, size_t size);

/* Bytes of a script that was not used up; reads of what is not there give
 * zeros. */
struct script {
	const uint8_t *bytes;
	size_t size;
};

uint8_t script_byte(struct script *script);
uint32_t script_word(struct script *script);

/* The next datagram (its length is a 16 bit word) in a heap copy of its own,
 * so that a read past its end is seen. Free it. */
uint8_t *script_datagram(struct script *script, size_t *size);

/* Mostly of a family that exists. */
struct reach_address script_address(struct script *script);

/* Requests of an engine that were not answered yet. */
struct outstanding {
	size_t count;
	uint32_t size;
	_Alignas(8) uint8_t bytes[REACH_REQUESTS_SIZE];
};

/* Checks that what the engine wrote is whole, aligned requests. */
void kernel_take(struct outstanding *requests, size_t written);

/* Answers every request as a kernel could; @mood picks its tables. */
void kernel_answer(struct reach_engine *engine, struct outstanding *requests,
		   uint8_t mood);

/* Gives the messages of a datagram the sequence numbers of requests. */
void kernel_patch(const struct outstanding *requests, uint8_t *bytes,
		  size_t size);

#endif
