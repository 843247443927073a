/* SPDX-License-Identifier: MIT */
/** What the other headers need: types of the C library, and annotations. With
 * REACH_CDEF defined, a preprocessor reduces the headers to plain declarations,
 * for tools that parse those, such as Python's cffi:
 *
 *	cpp -P -DREACH_CDEF /usr/local/include/reach/reach.h
 */
#ifndef REACH_EXPORT_H
#define REACH_EXPORT_H

#ifndef __linux__
#error "libreach needs Linux's rtnetlink. In a manifest, give the product condition: .when(platforms: [.linux])"
#endif

#ifndef REACH_CDEF
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#if defined(__cplusplus)
#define REACH_BEGIN_DECLS extern "C" {
#define REACH_END_DECLS	  }
#else
#define REACH_BEGIN_DECLS
#define REACH_END_DECLS
#endif

#if defined(__GNUC__) && !defined(REACH_CDEF)
#define REACH_API __attribute__((visibility("default")))
#else
#define REACH_API
#endif

/* Marks an enum whose values are combined with |, for clang's warnings and
 * Swift's importer. */
#if defined(__clang__) && !defined(REACH_CDEF)
#define REACH_FLAG_ENUM __attribute__((flag_enum))
#else
#define REACH_FLAG_ENUM
#endif

#endif
