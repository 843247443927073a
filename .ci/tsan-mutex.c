/* SPDX-License-Identifier: MIT */
/*
 * Tells ThreadSanitizer about contended locks of Swift's Mutex.
 *
 * The fast path of Mutex is inlined and instrumented. The slow path (a futex)
 * is in libswiftSynchronization, which isn't instrumented, so ThreadSanitizer
 * would report every contended lock as a race. Preload this library:
 *
 *	clang -shared -fPIC tsan-mutex.c -o tsan-mutex.so
 *
 * The symbols belong to _MutexHandle in Synchronization/Mutex/LinuxImpl.swift.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT	   __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))
#define LOCK	   "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK	   "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SWIFT_SELF void *self) __asm__(LOCK);
SWIFT void unlock_slow(SWIFT_SELF void *self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SWIFT_SELF void *self)
{
	SWIFT void (*next)(uint32_t, SWIFT_SELF void *) = (SWIFT void (*)(
		uint32_t, SWIFT_SELF void *))dlsym(RTLD_NEXT, LOCK);

	if (next == NULL)
		abort();
	next(thread, self);
	if (__tsan_acquire != NULL)
		__tsan_acquire(self);
}

SWIFT void unlock_slow(SWIFT_SELF void *self)
{
	SWIFT void (*next)(SWIFT_SELF void *) =
		(SWIFT void (*)(SWIFT_SELF void *))dlsym(RTLD_NEXT, UNLOCK);

	if (next == NULL)
		abort();
	if (__tsan_release != NULL)
		__tsan_release(self);
	next(self);
}
