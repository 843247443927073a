/* SPDX-License-Identifier: MIT */
/** Visibility and annotation macros of the public headers. */
#ifndef REACH_EXPORT_H
#define REACH_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define REACH_API __attribute__((visibility("default")))
#else
#define REACH_API
#endif

/* Marks an enum whose values are combined with |, for clang's warnings and
 * Swift's importer. */
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(flag_enum)
#define REACH_FLAG_ENUM __attribute__((flag_enum))
#endif
#endif
#ifndef REACH_FLAG_ENUM
#define REACH_FLAG_ENUM
#endif

#endif
