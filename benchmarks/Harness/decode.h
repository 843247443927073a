/* SPDX-License-Identifier: MIT */
/* The readers of the decode harness that are not the library's. */
#ifndef HARNESS_DECODE_H
#define HARNESS_DECODE_H

#include "CWorkloads.h"

/* Each reads all of a corpus; the sum keeps anything from being left out. */
typedef uint64_t reader(const struct corpus *corpus);

/* NULL where the peer was not given to the compiler. */
extern reader *const libnl_reader;
extern reader *const glib_reader;

/* What any reader must do at the least: go from header to header. */
reader follow_headers;
/* The same, and load a word of each cache line that holds an attribute's
 * header: what a reader must do that checks a message whole. */
reader touch_lines;
/* The same, but only of those attributes that are decoded: what a reader must
 * do that knows where they are and checks nothing. */
reader touch_fields;

#endif
