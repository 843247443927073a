/* SPDX-License-Identifier: MIT */
/* Making messages of corpora. */
#ifndef HARNESS_DECODE_MAKE_H
#define HARNESS_DECODE_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#define MESSAGE_MAX  8192
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct maker {
	uint64_t state;
	/* The message that is written. */
	struct nlmsghdr *nlh;
	_Alignas(8) uint8_t buffer[MESSAGE_MAX];
	/* Messages so far. */
	size_t number;
};

typedef void make_function(struct maker *maker);

/* A number less than @limit. */
uint32_t make_random(struct maker *maker, uint32_t limit);

/* Starts a message; its fixed header, all zeros. */
void *make_begin(struct maker *maker, uint16_t type, size_t fixed);

/* Puts an attribute of @size random bytes, or with a number. */
void make_bytes(struct maker *maker, uint16_t type, size_t size);
void make_number(struct maker *maker, uint16_t type, uint32_t limit);

/* Routes: five or eight layouts in turn or at random, all attributes shuffled,
 * some of them, nested metrics, legs, and many that are unknown. */
make_function make_five;
make_function make_eight;
make_function make_five_random;
make_function make_eight_random;
make_function make_shuffled;
make_function make_some;
make_function make_metrics;
make_function make_multipath;
make_function make_unknown;

#endif
