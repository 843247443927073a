/* SPDX-License-Identifier: MIT */
/* The connection to the bus: attempts, time limits and the caller's loop. */
#define _GNU_SOURCE /* secure_getenv() */
#include "system_bus.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "bus.h"

#define SYSTEM_BUS "unix:path=/run/dbus/system_bus_socket"

#define DEFAULT_RETRY  500
#define DEFAULT_ANSWER 10000
/* The longest delay, as a multiple of the first: 32 s by default. */
#define MOST_RETRY 64
/* A bus that ends may accept one more connection. One that ends each would be
 * asked without end. */
#define MOST_AWAITS 3
/* Messages per dispatch, so that a storm doesn't block the caller's loop. */
#define BUDGET 512
/* Limit of messages that the bus has not taken. sd-bus would queue 384 Ki. */
#define MOST_UNWRITTEN 4096

static void disconnect(struct system_bus *b)
{
	struct connection *c = &b->connection;

	/* Not sd_bus_flush(), which blocks. */
	if (c->bus)
		c->api.close(c->bus);
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		system_bus_service_stop(b->services[i]);
	if (c->bus)
		c->api.unref(c->bus);
	c->bus = NULL;
	c->unwritten = 0;
	c->error = 0;
	b->is_awaiting = false;
}

static const char *bus_address(const struct system_bus *b)
{
	const char *address = b->address;

	if (!address)
		address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
	return address && address[0] ? address : SYSTEM_BUS;
}

/* Whether all addresses are Unix sockets. Other transports block: tcp: resolves
 * a name, and unixexec: starts a program. */
static bool is_local(const char *address)
{
	while (strncmp(address, "unix:", 5) == 0) {
		address = strchr(address, ';');
		if (!address || address[1] == '\0')
			return true;
		address++;
	}
	return false;
}

static int connect_to(struct connection *c, const char *address, bool awaits)
{
	int result;

	if (!is_local(address))
		return -EPROTONOSUPPORT;
	result = c->api.new(&c->bus);
	if (result >= 0)
		result = c->api.set_address(c->bus, address);
	if (result >= 0)
		result = c->api.set_bus_client(c->bus, 1);
	if (result >= 0)
		result = c->api.set_watch_bind(c->bus, awaits);
	if (result >= 0)
		result = c->api.start(c->bus);
	return result;
}

/* Waits for the socket, if it is missing. sd-bus doesn't notice one that appears
 * with a mount, so the next attempt stays due. */
static void await(struct system_bus *b)
{
	b->is_awaiting = true;
	b->awaits++;
	if (connect_to(&b->connection, bus_address(b), true) < 0)
		disconnect(b);
}

/* Closes the connection, and sets the time of the next attempt. */
static void fail(struct system_bus *b, enum system_bus_status status, int error)
{
	disconnect(b);
	b->status = status;
	b->error = error;
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		if (b->services[i]->is_watched)
			system_bus_service_set_status(b->services[i], status,
						      error);
	b->deadline = system_bus_service_now() + b->delay;
	if (b->delay < b->connection.retry * MOST_RETRY)
		b->delay *= 2;
	if (status == SYSTEM_BUS_NO_BUS && b->awaits < MOST_AWAITS)
		await(b);
}

static void start_services(struct system_bus *b)
{
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		if (b->services[i]->is_watched)
			system_bus_service_start(b->services[i]);
}

/* Connects, and asks the watched services for their objects. */
static void attempt(struct system_bus *b)
{
	struct connection *c = &b->connection;
	int result = 0;

	disconnect(b);
	b->deadline = 0;
	b->awaits = 0;
	if (!b->is_loaded)
		result = system_bus_sdbus_load(&c->api);
	if (result < 0) {
		fail(b, SYSTEM_BUS_NO_LIBRARY, -result);
		return;
	}
	b->is_loaded = true;
	result = connect_to(c, bus_address(b), false);
	if (result >= 0) {
		start_services(b);
		result = -c->error;
	}
	if (result < 0)
		fail(b, SYSTEM_BUS_NO_BUS, -result);
}

int system_bus_open(struct system_bus **ret,
		    const struct system_bus_options *options)
{
	struct system_bus *b = calloc(1, sizeof(*b));
	struct connection *c;

	if (!b)
		return -ENOMEM;
	c = &b->connection;
	c->retry = options->retry ? options->retry : DEFAULT_RETRY;
	c->answer = options->answer ? options->answer : DEFAULT_ANSWER;
	if (options->address) {
		b->address = strdup(options->address);
		if (!b->address) {
			free(b);
			return -ENOMEM;
		}
	}
	b->modems.type = &system_bus_modems;
	b->network.service.type = &system_bus_network;
	b->services[SYSTEM_BUS_MODEM_MANAGER] = &b->modems;
	b->services[SYSTEM_BUS_NETWORK_MANAGER] = &b->network.service;
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		b->services[i]->connection = c;
	*ret = b;
	return 0;
}

void system_bus_close(struct system_bus *b)
{
	disconnect(b);
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		system_bus_service_free(b->services[i]);
	free(b->address);
	free(b);
}

/* Starts or stops watching a service. */
static void set_watched(struct system_bus *b, struct service *s,
			bool is_watched)
{
	s->is_watched = is_watched;
	if (!is_watched) {
		system_bus_service_stop(s);
		system_bus_service_set_status(s, SYSTEM_BUS_CONNECTING, 0);
		s->is_changed = false;
		return;
	}
	s->delay = b->connection.retry;
	/* Let the next dispatch report the current state. */
	s->is_changed = true;
	if (b->connection.bus && !b->is_awaiting)
		system_bus_service_start(s);
	else if (b->deadline)
		system_bus_service_set_status(s, b->status, b->error);
}

void system_bus_watch(struct system_bus *b, unsigned int services)
{
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++) {
		bool is_watched = services >> i & 1;

		if (b->services[i]->is_watched != is_watched)
			set_watched(b, b->services[i], is_watched);
	}
	if (!services) {
		disconnect(b);
		b->deadline = 0;
	} else if (!b->connection.bus && !b->deadline) {
		b->delay = b->connection.retry;
		attempt(b);
	}
}

int system_bus_fd(const struct system_bus *b)
{
	int fd = b->connection.bus ? b->connection.api.get_fd(b->connection.bus)
				   : -1;

	return fd < 0 ? -1 : fd;
}

short system_bus_events(const struct system_bus *b)
{
	int events;

	if (!b->connection.bus)
		return POLLIN;
	events = b->connection.api.get_events(b->connection.bus);
	return (short)(events < 0 ? 0 : events);
}

/* sd-bus's deadline in milliseconds, rounded up so that poll() doesn't spin. */
static int64_t bus_deadline(const struct connection *c)
{
	uint64_t time;

	if (!c->bus || c->api.get_timeout(c->bus, &time) <= 0 ||
	    time == UINT64_MAX)
		return INT64_MAX;
	return (int64_t)(time / 1000 + (time % 1000 != 0));
}

int system_bus_timeout(const struct system_bus *b)
{
	int64_t end = bus_deadline(&b->connection);
	int64_t rest;

	if (b->deadline && b->deadline < end)
		end = b->deadline;
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++) {
		const struct service *s = b->services[i];

		if (s->is_changed)
			return 0;
		if (s->deadline && s->deadline < end)
			end = s->deadline;
	}
	if (end == INT64_MAX)
		return -1;
	rest = end - system_bus_service_now();
	return rest < 0 ? 0 : rest > INT_MAX ? INT_MAX : (int)rest;
}

/* Handles at most BUDGET messages. */
static void process(struct system_bus *b)
{
	struct connection *c = &b->connection;

	for (int i = 0; i < BUDGET && c->bus; i++) {
		int result = c->api.process(c->bus, NULL);

		if (result < 0)
			fail(b, SYSTEM_BUS_NO_BUS, -result);
		if (result <= 0)
			return;
	}
}

/* Connects if an attempt is due or the socket has appeared. */
static void reconnect(struct system_bus *b)
{
	const struct connection *c = &b->connection;

	if (b->is_awaiting && c->api.is_ready(c->bus) > 0) {
		b->is_awaiting = false;
		b->awaits = 0;
		b->deadline = 0;
		start_services(b);
	} else if (b->deadline && system_bus_service_now() >= b->deadline) {
		attempt(b);
	}
}

/* Handles deadlines, and failures noticed while messages were read. */
static void work(struct system_bus *b)
{
	struct connection *c = &b->connection;

	if (!(c->api.get_events(c->bus) & POLLOUT))
		c->unwritten = 0;
	if (c->unwritten > MOST_UNWRITTEN)
		c->error = ENOBUFS;
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++) {
		struct service *s = b->services[i];

		/* If the bus has not answered Hello, the bus is at fault. */
		if (s->deadline && system_bus_service_now() >= s->deadline &&
		    c->api.is_ready(c->bus) <= 0)
			c->error = ETIMEDOUT;
		else
			system_bus_service_work(s);
		/* Any later status shows that the connection works. */
		if (s->status >= SYSTEM_BUS_NO_DAEMON)
			b->delay = c->retry;
	}
	if (c->error)
		fail(b, SYSTEM_BUS_NO_BUS, c->error);
}

int system_bus_dispatch(struct system_bus *b)
{
	int changed = 0;

	process(b);
	if (!b->connection.bus || b->is_awaiting)
		reconnect(b);
	if (b->connection.bus && !b->is_awaiting)
		work(b);
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++) {
		if (b->services[i]->is_changed)
			changed |= 1 << i;
		b->services[i]->is_changed = false;
	}
	return changed;
}

enum system_bus_status system_bus_status(const struct system_bus *b,
					 enum system_bus_service service)
{
	return b->services[service]->status;
}

int system_bus_error(const struct system_bus *b,
		     enum system_bus_service service)
{
	return b->services[service]->error;
}
