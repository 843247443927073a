/* SPDX-License-Identifier: MIT */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "names/resolver.h"
#include <stdbool.h>

/* A resolver that does what a name says: "hang" and "wait" until they are let
 * go, "none", "fail", "many", "same", "signals", "stack", "netns"; a number N
 * has 10.x.y.z of N. "hang", "wait" and "same" may go on: names that differ. */
struct script {
	/* One byte lets one "hang" go on. */
	int gate[2];
	/* One byte lets one "wait" go on. */
	int second_gate[2];
	/* One byte for each call that hangs or waits. */
	int hanging[2];
	/* One byte for each worker thread that has ended, and how many there
	 * were whose byte was not taken yet. */
	int ended[2];
	atomic_int workers;
	pthread_key_t key;
	/* The expected namespace of "netns". */
	unsigned long netns;
};

/* Also waits for the worker threads of others to end. */
void script_open(struct script *script);

/* Takes the byte of each worker thread that called it until now; whether they
 * came. */
bool script_all_ended(struct script *script);

/* After that. */
void script_close(struct script *script);

int script_resolve(void *script, const char *name,
		   struct reach_address *addresses, size_t capacity);

struct reach_resolver *script_resolver(struct script *script);

/* Writes @count bytes to @fd, a gate. */
void script_let_go(int fd, int count);

/* Takes @count bytes from @fd as they come; whether they came. */
bool script_await(int fd, int count);

/* The next result, when it is there; false if none comes. */
bool script_result(struct reach_resolver *resolver,
		   struct reach_resolved *result);

/* The number of an address made of a number. */
unsigned int script_number(const struct reach_address *address);

#endif
