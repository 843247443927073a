/* SPDX-License-Identifier: MIT */
/* malloc() and related functions, which fail when a test tells them to. A
 * program may define its own (glibc's manual, "Replacing malloc"). These call
 * the sanitizer's if it is linked, otherwise the C library's. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "engine/memory.h"

/* Not instrumented: they are called before the sanitizer is initialized. */
#if defined(__clang__)
#define PLAIN __attribute__((disable_sanitizer_instrumentation))
#else
#define PLAIN                                                                  \
	__attribute__((no_sanitize_address, no_sanitize_thread,                \
		       no_sanitize_undefined))
#endif

#define ELSEWHERE(name, ...)                                                   \
	void *__interceptor_##name(__VA_ARGS__) __attribute__((weak));         \
	void *__libc_##name(__VA_ARGS__)

ELSEWHERE(malloc, size_t size);
ELSEWHERE(calloc, size_t count, size_t size);
ELSEWHERE(realloc, void *memory, size_t size);
void *__interceptor_aligned_alloc(size_t alignment, size_t size)
	__attribute__((weak));
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local unsigned int before, failing;
static _Thread_local bool failed;

void memory_fail(unsigned int first, unsigned int count)
{
	before = first;
	failing = count;
	failed = false;
}

bool memory_restore(void)
{
	before = 0;
	return failed;
}

PLAIN static bool fails(void)
{
	if (!before || (before > 1 && before--) || !failing)
		return false;
	failing--;
	failed = true;
	errno = ENOMEM;
	return true;
}

PLAIN void *malloc(size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_malloc ? __interceptor_malloc(size)
				    : __libc_malloc(size);
}

PLAIN void *calloc(size_t count, size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_calloc ? __interceptor_calloc(count, size)
				    : __libc_calloc(count, size);
}

PLAIN void *realloc(void *memory, size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_realloc ? __interceptor_realloc(memory, size)
				     : __libc_realloc(memory, size);
}

PLAIN void *aligned_alloc(size_t alignment, size_t size)
{
	if (fails())
		return NULL;
	return __interceptor_aligned_alloc
		       ? __interceptor_aligned_alloc(alignment, size)
		       : __libc_memalign(alignment, size);
}
