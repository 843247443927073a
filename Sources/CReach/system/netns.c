/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns() */
#endif

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "system/system.h"

/* Arguments and result of the thread. */
struct visit {
	int netns_fd;
	int (*work)(void *context);
	void *context;
	int result;
};

/* setns(2) moves only the calling thread. Moving back would need CAP_SYS_ADMIN
 * again, and could fail with the caller's thread in the wrong namespace. Hence
 * a thread that ends there. */
static void *enter(void *argument)
{
	struct visit *visit = argument;

	if (setns(visit->netns_fd, CLONE_NEWNET) < 0)
		visit->result = -errno;
	else
		visit->result = visit->work(visit->context);
	return NULL;
}

int reach_netns_run(int netns_fd, int (*work)(void *context), void *context)
{
	struct visit visit = { netns_fd, work, context, 0 };
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (netns_fd == -1)
		return work(context);
	/* The thread inherits the mask, so the program's signal handlers don't
	 * run in another namespace. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, enter, &visit);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return -error;
	pthread_join(thread, NULL);
	return visit.result;
}
