/* SPDX-License-Identifier: MIT */
/* The limit of resolver threads belongs to the process, not to a monitor, since
 * a closed monitor leaves hanging threads behind. The counter is the only global
 * variable of the library. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "names/names.h"

/* Process id in the upper half of `slots`, threads in the lower. A child of fork()
 * has a copy of the word and none of the threads. Its own process id differs, so
 * it begins with 0. */
#define PROCESS_SHIFT 32

/* Stack of a resolver thread in bytes. The default of 8 MiB would be 192 MiB
 * for all threads in a process that has locked its memory (mlockall(2)). */
#define STACK_SIZE (512 * 1024)

static _Atomic uint64_t slots;

/* @value if it is this process's, else a word without threads. */
static uint64_t current(uint64_t value)
{
	const uint64_t process = (uint64_t)getpid() << PROCESS_SHIFT;

	return value >> PROCESS_SHIFT == process >> PROCESS_SHIFT ? value
								  : process;
}

bool reach_slots_take(void)
{
	uint64_t old = atomic_load(&slots), value;

	do {
		value = current(old);
		if ((uint32_t)value >= REACH_RESOLVER_THREADS)
			return false;
	} while (!atomic_compare_exchange_weak(&slots, &old, value + 1));
	return true;
}

void reach_slots_give(void)
{
	atomic_fetch_sub(&slots, 1);
}

/* Starts a detached thread with a stack of @stack bytes, 0 for the default.
 * @return 0 or a positive errno. */
static int detach(void *(*work)(void *argument), void *argument, size_t stack)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	error = pthread_create(&thread, &attributes, work, argument);
	pthread_attr_destroy(&attributes);
	return error;
}

int reach_slots_run(void *(*work)(void *argument), void *argument)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = detach(work, argument, STACK_SIZE);
	/* glibc places the program's static thread-local data on the stack;
	 * EINVAL if it does not fit. */
	if (error == EINVAL)
		error = detach(work, argument, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		reach_slots_give();
	return -error;
}
