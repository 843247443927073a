/* SPDX-License-Identifier: MIT */
/* What the decode benchmark reads, and the readers beside the library's. */
#ifndef HARNESS_DECODE_H
#define HARNESS_DECODE_H

#include "CWorkloads.h"

/* Each reads all of a corpus; the sum keeps anything from being left out. */
typedef uint64_t reader(const struct corpus *corpus);

/* NULL where the peer was not given to the compiler. */
extern reader *const libnl_reader;
extern reader *const glib_reader;

/* A corpus of @size bytes at most that is the same in every run; NULL if no
 * one has that name. */
struct corpus *decode_corpus(const char *name, size_t size);

#endif
