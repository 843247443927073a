/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "names/names.h"
#include "names/script.h"

static void put(int fd)
{
	if (write(fd, "", 1) != 1)
		perror("write");
}

static void thread_ended(void *value)
{
	struct script *script = value;

	put(script->ended[1]);
}

void script_open(struct script *script)
{
	memset(script, 0, sizeof(*script));
	check_await_threads();
	if (pipe2(script->gate, O_CLOEXEC) ||
	    pipe2(script->second_gate, O_CLOEXEC) ||
	    pipe2(script->hanging, O_CLOEXEC) ||
	    pipe2(script->ended, O_CLOEXEC) ||
	    pthread_key_create(&script->key, thread_ended)) {
		perror("script_open");
		abort();
	}
}

void script_close(struct script *script)
{
	int *const pipes[] = { script->gate, script->second_gate,
			       script->hanging, script->ended };

	CHECK(script_all_ended(script));
	for (size_t i = 0; i < sizeof(pipes) / sizeof(*pipes); i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	pthread_key_delete(script->key);
}

struct reach_resolver *script_resolver(struct script *script)
{
	struct reach_resolver *resolver = NULL;

	if (reach_resolver_create(&resolver, -1, script_resolve, script))
		abort();
	return resolver;
}

struct reach_resolver *script_begin(struct script *script)
{
	script_open(script);
	return script_resolver(script);
}

void script_end(struct script *script, struct reach_resolver *resolver)
{
	reach_resolver_release(resolver);
	script_close(script);
}

struct reach_monitor *script_watch(struct script *script)
{
	script_open(script);
	return answer_open(script_resolve, script);
}

void script_leave(struct script *script, struct reach_monitor *monitor)
{
	reach_monitor_close(monitor);
	script_close(script);
}

void script_submit(struct reach_resolver *resolver, uint64_t first,
		   uint64_t last, const char *name)
{
	for (uint64_t id = first; id <= last; id++)
		CHECK(!reach_resolver_submit(resolver, id, name, 0));
}

static struct reach_address number(unsigned int n)
{
	struct reach_address address = { .family = AF_INET };

	address.bytes[0] = 10;
	address.bytes[1] = (uint8_t)(n >> 16);
	address.bytes[2] = (uint8_t)(n >> 8);
	address.bytes[3] = (uint8_t)n;
	return address;
}

unsigned int script_number(const struct reach_address *address)
{
	return (unsigned int)address->bytes[1] << 16 |
	       (unsigned int)address->bytes[2] << 8 | address->bytes[3];
}

static size_t stack_size(void)
{
	pthread_attr_t attributes;
	size_t size = SIZE_MAX;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return size;
	pthread_attr_getstacksize(&attributes, &size);
	pthread_attr_destroy(&attributes);
	return size;
}

static int named(const struct script *script, const char *name, size_t capacity,
		 struct reach_address *addresses)
{
	if (!strcmp(name, "none"))
		return 0;
	if (!strcmp(name, "fail"))
		return -EHOSTDOWN;
	if (!strcmp(name, "signals"))
		return check_signals_blocked() ? 0 : -EINTR;
	if (!strcmp(name, "stack"))
		return stack_size() <= 512 * 1024 ? 0 : -E2BIG;
	if (!strcmp(name, "netns"))
		return check_netns() == script->netns ? 0 : -ENONET;
	for (size_t i = 0; i < capacity; i++)
		addresses[i] = number(!strncmp(name, "same", 4)
					      ? (unsigned int)(i % 3)
					      : (unsigned int)i);
	/* Returns the count it would have with more room, like snprintf(). */
	return (int)capacity + 5;
}

int script_resolve(void *context, const char *name,
		   struct reach_address *addresses, size_t capacity)
{
	struct script *script = context;
	char byte;
	int gate;

	if (!pthread_getspecific(script->key)) {
		pthread_setspecific(script->key, script);
		script->workers++;
	}
	if (name[0] >= '0' && name[0] <= '9') {
		addresses[0] = number((unsigned int)atoi(name));
		return 1;
	}
	if (strncmp(name, "hang", 4) && strncmp(name, "wait", 4))
		return named(script, name, capacity, addresses);
	gate = name[0] == 'h' ? script->gate[0] : script->second_gate[0];
	put(script->hanging[1]);
	while (read(gate, &byte, 1) < 0 && errno == EINTR)
		;
	addresses[0] = number(77);
	return 1;
}

struct script_server script_server;

int script_serve(void *context, const char *name,
		 struct reach_address *addresses, size_t capacity)
{
	(void)context;
	(void)name;
	(void)capacity;
	script_server.calls++;
	addresses[0] = check_address("10.9.0.0");
	addresses[0].bytes[3] = (uint8_t)script_server.last;
	addresses[1] = check_address("2001:db8:9::");
	addresses[1].bytes[15] = (uint8_t)script_server.last;
	return script_server.answer;
}

void script_let_go(int fd, int count)
{
	while (count-- > 0)
		put(fd);
}

bool script_await(int fd, int count)
{
	char byte;

	while (count-- > 0)
		if (!check_wait(fd) || read(fd, &byte, 1) != 1)
			return false;
	return true;
}

bool script_all_ended(struct script *script)
{
	return script_await(script->ended[0],
			    atomic_exchange(&script->workers, 0));
}

bool script_result(struct reach_resolver *resolver,
		   struct reach_resolved *result)
{
	while (!reach_resolver_next(resolver, result))
		if (!check_wait(reach_resolver_fd(resolver)))
			return false;
	return true;
}
