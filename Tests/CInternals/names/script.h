/* SPDX-License-Identifier: MIT */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "names/names.h"
#include <stdbool.h>

/* A resolver whose names are commands. "hang" and "wait" block until they are
 * let go. "none", "fail", "many", and "same" return the results that they name.
 * "signals", "stack", and "netns" check the worker thread. A number N resolves
 * to 10.x.y.z, where x.y.z is N. "hang", "wait", and "same" may have a suffix,
 * to make names that differ. */
struct script {
	/* One byte lets one "hang" go on. */
	int gate[2];
	/* One byte lets one "wait" go on. */
	int second_gate[2];
	/* One byte for each call that hangs or waits. */
	int hanging[2];
	/* One byte per worker thread that has ended, and the number of worker
	 * threads whose byte hasn't been taken yet. */
	int ended[2];
	atomic_int workers;
	pthread_key_t key;
	/* The expected namespace of "netns". */
	unsigned long netns;
};

/* Also waits until all worker threads of earlier tests have ended. */
void script_open(struct script *script);

/* Waits until all worker threads that have called the resolver have ended.
 * Returns whether they did. */
bool script_all_ended(struct script *script);

/* The same, which it checks. Closes the script. */
void script_close(struct script *script);

int script_resolve(void *script, const char *name,
		   struct reach_address *addresses, size_t capacity);

struct reach_resolver *script_resolver(struct script *script);

/* script_open() and script_resolver(). script_end() releases the resolver and
 * closes the script. */
struct reach_resolver *script_begin(struct script *script);
void script_end(struct script *script, struct reach_resolver *resolver);

/* The same for a monitor that resolves by the script. */
struct reach_monitor *script_watch(struct script *script);
void script_leave(struct script *script, struct reach_monitor *monitor);

/* Submits @name with the ids from @first to @last. */
void script_submit(struct reach_resolver *resolver, uint64_t first,
		   uint64_t last, const char *name);

/* Writes @count bytes to @fd, the write end of a gate. */
void script_let_go(int fd, int count);

/* Waits for @count bytes from @fd. Returns whether they came. */
bool script_await(int fd, int count);

/* Waits for the next result; false if none comes. */
bool script_result(struct reach_resolver *resolver,
		   struct reach_resolved *result);

/* A resolver with the same answer for all names. Static, because worker threads
 * may use it after a test has ended. */
extern struct script_server {
	/* A negative errno, or the number of addresses. */
	atomic_int answer;
	/* The last byte of 10.9.0.1, the first address, and of 2001:db8:9::1,
	 * the second. */
	atomic_int last;
	atomic_int calls;
} script_server;

int script_serve(void *context, const char *name,
		 struct reach_address *addresses, size_t capacity);

/* The number that @address was made from. */
unsigned int script_number(const struct reach_address *address);

#endif
