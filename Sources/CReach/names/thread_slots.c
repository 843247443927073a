/* SPDX-License-Identifier: MIT */
/* The limit of resolver threads belongs to the process, not to a monitor, since
 * a closed monitor leaves hanging threads behind. The counters are the only
 * global variable of the library: one atomic word, since both must be tested
 * and changed together. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "names/names.h"

/* Fields of `slots`, from the high bits: process id (32), starved resolvers
 * (24), threads (8). A child of fork() has a copy of the word and none of the
 * threads. Its own process id differs, so it begins with 0. */
#define PROCESS_SHIFT 32
#define STARVED_SHIFT 8
#define STARVED	      (UINT64_C(1) << STARVED_SHIFT)
#define THREADS_MASK  (STARVED - 1)

_Static_assert(REACH_RESOLVER_THREADS < THREADS_MASK, "does not fit");

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

static uint64_t threads(uint64_t value)
{
	return value & THREADS_MASK;
}

static uint64_t starved(uint64_t value)
{
	return (uint32_t)value >> STARVED_SHIFT;
}

bool reach_slots_take(bool is_starved)
{
	uint64_t old = atomic_load(&slots), value;

	do {
		value = current(old);
		if (threads(value) + (is_starved ? 0 : starved(value)) >=
		    REACH_RESOLVER_THREADS)
			return false;
		value += 1;
		if (is_starved)
			value -= STARVED;
	} while (!atomic_compare_exchange_weak(&slots, &old, value));
	return true;
}

static void add(uint64_t difference)
{
	uint64_t old = atomic_load(&slots);

	while (!atomic_compare_exchange_weak(&slots, &old,
					     current(old) + difference))
		;
}

void reach_slots_give(void)
{
	add(-UINT64_C(1));
}

void reach_slots_starve(bool is_starved)
{
	add(is_starved ? STARVED : -STARVED);
}

bool reach_slots_are_wanted(void)
{
	const uint64_t value = current(atomic_load(&slots));

	return threads(value) + starved(value) > REACH_RESOLVER_THREADS;
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
