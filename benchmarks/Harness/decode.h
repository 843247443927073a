/* SPDX-License-Identifier: MIT */
/* What the readers of the decode harness share. */
#ifndef HARNESS_DECODE_H
#define HARNESS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include <reach/message.h>

struct datagram {
	size_t offset;
	size_t size;
};

/* Recorded datagrams, each aligned to 8 bytes. */
struct corpus {
	uint8_t *bytes;
	size_t size;
	struct datagram *datagrams;
	size_t count;
};

/* Reads all of a corpus and returns a sum, so that nothing is left out. */
typedef uint64_t reader(const struct corpus *corpus);

reader read_by_libmnl;
reader read_by_libnl;
reader read_by_glib;

/* What libmnl's reader makes of one message; false where it fails. */
struct nlmsghdr;
int libmnl_message(const struct nlmsghdr *nlh, void *message);

#endif
