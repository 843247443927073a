/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CTestSupport.h"

/* All resolvers ever created. None is freed, because an abandoned worker may
 * still use it. */
static struct test_resolver *_Atomic resolvers;

struct test_resolver {
	struct test_resolver *next;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool open;
	atomic_uint calls;
	char directory[256];
};

struct test_resolver *test_resolver_create(const char *directory)
{
	struct test_resolver *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	atomic_init(&r->calls, 0);
	snprintf(r->directory, sizeof(r->directory), "%s", directory);
	r->next = atomic_load(&resolvers);
	while (!atomic_compare_exchange_weak(&resolvers, &r->next, r))
		;
	return r;
}

void test_resolver_open_gate(struct test_resolver *r)
{
	pthread_mutex_lock(&r->lock);
	r->open = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

unsigned int test_resolver_calls(const struct test_resolver *r)
{
	return atomic_load(&r->calls);
}

static int read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file)
		return -errno;
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	return (int)length;
}

int test_resolver_lookup(struct test_resolver *r, const char *name, char *text,
			 size_t size)
{
	char path[600];

	pthread_mutex_lock(&r->lock);
	atomic_fetch_add(&r->calls, 1);
	while (!r->open && strcmp(name, "hang.test") == 0)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);

	snprintf(path, sizeof(path), "%s/%s", r->directory, name);
	return read_text(path, text, size);
}
