/* SPDX-License-Identifier: MIT */
/* A program of the classic BPF that is being written. */
#ifndef REACH_FILTER_FILTER_EMIT_H
#define REACH_FILTER_FILTER_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

#pragma GCC visibility push(hidden)

/* Bytes to keep of the datagram. */
#define REACH_PROGRAM_PASS UINT32_MAX
#define REACH_PROGRAM_DROP 0

/* The program's memory: of each 32 bit word of an address, the lowest and
 * the highest value that the route's prefix allows. */
#define REACH_PROGRAM_LOW(word)	 (2 * (word))
#define REACH_PROGRAM_HIGH(word) (2 * (word) + 1)
#define REACH_PROGRAM_LENGTH	 8
#define REACH_PROGRAM_ATTRIBUTE	 9
#define REACH_PROGRAM_FREE	 10

struct reach_program {
	struct sock_filter *code;
	size_t capacity;
	size_t length;
	/* REACH_FILTER_STOCK bits. */
	uint8_t stock;
	/* It did not fit; what is written is of no use. */
	bool overflow;
};

/* Adds an instruction; its index. */
size_t reach_program_emit(struct reach_program *program, uint16_t code,
			  uint32_t k, uint8_t jt, uint8_t jf);

#pragma GCC visibility pop

#endif
