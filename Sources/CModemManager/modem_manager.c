/* SPDX-License-Identifier: MIT */
/* The connection to the bus: attempts, time limits and the caller's loop. */
#define _GNU_SOURCE /* secure_getenv() */
#include "modem_manager.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

#define SYSTEM_BUS "unix:path=/run/dbus/system_bus_socket"

#define DEFAULT_RETRY  500
#define DEFAULT_ANSWER 10000
/* Of the first delay: 32 s by default. */
#define MOST_RETRY 64
/* Messages a dispatch; a storm of them must not keep the caller's loop. */
#define BUDGET 512
/* Questions that the bus does not take: sd-bus would keep up to 384 Ki. */
#define MOST_UNWRITTEN 4096

int64_t client_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void client_set_status(struct modem_manager *m,
		       enum modem_manager_status status, int error)
{
	m->is_changed |= m->status != status || m->error != error;
	m->status = status;
	m->error = error;
}

static void disconnect(struct modem_manager *m)
{
	modems_clear(&m->modems);
	client_withdraw(m);
	if (m->bus) {
		/* Without sd_bus_flush(), which blocks. */
		m->api.close(m->bus);
		m->api.unref(m->bus);
	}
	m->bus = NULL;
	m->owner[0] = '\0';
	m->unwritten = 0;
	m->has_failed = false;
}

/* Ends the connection, and sets the time of the next. */
static void fail(struct modem_manager *m, enum modem_manager_status status,
		 int error)
{
	disconnect(m);
	client_set_status(m, status, error);
	m->deadline = client_now() + m->delay;
	if (m->delay < m->options.retry * MOST_RETRY)
		m->delay *= 2;
}

static const char *bus_address(const struct modem_manager *m)
{
	const char *address = m->address;

	if (!address)
		address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
	return address && address[0] ? address : SYSTEM_BUS;
}

/* Other transports block: tcp: resolves a name, unixexec: starts a program. */
static bool is_local(const char *address)
{
	while (strncmp(address, "unix:", 5) == 0) {
		address = strchr(address, ';');
		if (!address)
			return true;
		address++;
	}
	return false;
}

static int start(struct modem_manager *m)
{
	const char *address = bus_address(m);
	int result;

	if (!is_local(address))
		return -EPROTONOSUPPORT;
	result = m->api.new(&m->bus);
	if (result >= 0)
		result = m->api.set_address(m->bus, address);
	if (result >= 0)
		result = m->api.set_bus_client(m->bus, 1);
	if (result >= 0)
		result = m->api.start(m->bus);
	if (result >= 0)
		result = client_subscribe(m);
	return result;
}

static void attempt(struct modem_manager *m)
{
	int result = 0;

	m->deadline = 0;
	if (!m->is_loaded)
		result = sdbus_load(&m->api);
	if (result < 0) {
		fail(m, MODEM_MANAGER_NO_LIBRARY, -result);
		return;
	}
	m->is_loaded = true;
	result = start(m);
	if (result < 0)
		fail(m, MODEM_MANAGER_NO_BUS, -result);
}

int modem_manager_open(struct modem_manager **ret,
		       const struct modem_manager_options *options)
{
	struct modem_manager *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	if (options)
		m->options = *options;
	if (m->options.address) {
		m->address = strdup(m->options.address);
		if (!m->address) {
			free(m);
			return -ENOMEM;
		}
	}
	m->options.address = m->address;
	if (m->options.retry == 0)
		m->options.retry = DEFAULT_RETRY;
	if (m->options.answer == 0)
		m->options.answer = DEFAULT_ANSWER;
	m->process = getpid();
	m->delay = m->options.retry;
	modems_init(&m->modems, &m->api);
	attempt(m);
	/* The first dispatch reports what is known already. */
	m->is_changed = true;
	*ret = m;
	return 0;
}

void modem_manager_close(struct modem_manager *m)
{
	if (!m)
		return;
	/* In a child of fork() the bus object stays behind: releasing it could
	 * write to the connection of the parent. */
	if (m->process == getpid())
		disconnect(m);
	free(m->address);
	free(m);
}

int modem_manager_fd(const struct modem_manager *m)
{
	int fd;

	if (m->process != getpid())
		return -ECHILD;
	fd = m->bus ? m->api.get_fd(m->bus) : -1;
	return fd < 0 ? -1 : fd;
}

short modem_manager_events(const struct modem_manager *m)
{
	int events;

	if (m->process != getpid() || !m->bus)
		return 0;
	events = m->api.get_events(m->bus);
	return (short)(events < 0 ? 0 : events);
}

/* Of sd-bus: rounded up to milliseconds, so that poll() does not spin. */
static int64_t bus_deadline(const struct modem_manager *m)
{
	uint64_t time;

	if (!m->bus || m->api.get_timeout(m->bus, &time) <= 0 ||
	    time == UINT64_MAX)
		return INT64_MAX;
	return (int64_t)(time / 1000 + (time % 1000 != 0));
}

int modem_manager_timeout(const struct modem_manager *m)
{
	int64_t end;
	int64_t rest;

	if (m->process != getpid())
		return -ECHILD;
	if (m->is_changed || m->modems.is_changed)
		return 0;
	end = bus_deadline(m);
	if (m->deadline && m->deadline < end)
		end = m->deadline;
	if (end == INT64_MAX)
		return -1;
	rest = end - client_now();
	return rest < 0 ? 0 : rest > INT_MAX ? INT_MAX : (int)rest;
}

/* Handles what has arrived, a bounded number of messages. */
static void process(struct modem_manager *m)
{
	for (int i = 0; i < BUDGET && m->bus; i++) {
		int result = m->api.process(m->bus, NULL);

		if (result < 0)
			fail(m, MODEM_MANAGER_NO_BUS, -result);
		else if (m->has_failed)
			fail(m, m->failure, m->failure_error);
		if (result == 0)
			return;
	}
}

int modem_manager_dispatch(struct modem_manager *m)
{
	bool has_changed;

	if (m->process != getpid())
		return -ECHILD;
	process(m);
	if (m->bus && !(m->api.get_events(m->bus) & POLLOUT))
		m->unwritten = 0;
	if (m->bus && m->unwritten > MOST_UNWRITTEN)
		fail(m, MODEM_MANAGER_NO_BUS, ENOBUFS);
	if (m->deadline && client_now() >= m->deadline) {
		if (m->bus)
			fail(m,
			     m->api.is_ready(m->bus) > 0 ? MODEM_MANAGER_REFUSED
							 : MODEM_MANAGER_NO_BUS,
			     ETIMEDOUT);
		else
			attempt(m);
	}
	has_changed = m->is_changed || m->modems.is_changed;
	m->is_changed = false;
	m->modems.is_changed = false;
	return has_changed;
}

enum modem_manager_status modem_manager_status(const struct modem_manager *m)
{
	return m->status;
}

int modem_manager_error(const struct modem_manager *m)
{
	return m->error;
}

int modem_manager_modem(const struct modem_manager *m, uint32_t position,
			struct modem_manager_modem *ret)
{
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++) {
		if (!m->modems.all[i].path[0])
			continue;
		if (position-- > 0)
			continue;
		modem_export(&m->modems.all[i], ret);
		return 1;
	}
	return 0;
}
