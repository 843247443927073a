/* SPDX-License-Identifier: MIT */
/* A classic BPF program under construction, and its use of the scratch
 * memory. */
#ifndef REACH_FILTER_FILTER_BUFFER_H
#define REACH_FILTER_FILTER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

#pragma GCC visibility push(hidden)

/* Operands of BPF_RET: bytes of the datagram to queue. */
#define REACH_PROGRAM_PASS UINT32_MAX
#define REACH_PROGRAM_DROP 0

/* Slots of the scratch memory M[] (BPF_MEMWORDS, 16). The route's prefix is
 * kept as a range of addresses: the lowest and highest value per 32-bit
 * word. */
#define REACH_PROGRAM_LOW(word)	 (2 * (word))
#define REACH_PROGRAM_HIGH(word) (2 * (word) + 1)
/* Length of the route's prefix in bits. */
#define REACH_PROGRAM_LENGTH 8
/* Offset of RTA_DST in the datagram. */
#define REACH_PROGRAM_ATTRIBUTE 9
/* Mask of the host bits in the current word. */
#define REACH_PROGRAM_FREE 10

struct reach_program {
	/* Room for `capacity` instructions, `length` of them written. Borrowed.
	 */
	struct sock_filter *code;
	size_t capacity;
	size_t length;
	/* REACH_FILTER_STOCK bits of reach_filter_build(). */
	uint8_t stock;
	/* More instructions than `capacity` were emitted: `code` is unusable.
	 */
	bool overflow;
};

/* Appends the instruction { @code, @jt, @jf, @k }. @return its index, or 0
 * after setting `overflow`. */
size_t reach_program_emit(struct reach_program *program, uint16_t code,
			  uint32_t k, uint8_t jt, uint8_t jf);

#pragma GCC visibility pop

#endif
