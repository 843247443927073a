/* SPDX-License-Identifier: MIT */
#include "connectivity.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* REACH_ADDRESSES_MAX, the most that a snapshot has. */
#define ADDRESSES_MAX 16
/* Connection Attempt Delay of RFC 8305, section 5; milliseconds. */
#define ATTEMPT_DELAY 250

struct race {
	const struct connectivity_path *path;
	const struct connectivity_address *addresses;
	size_t count;
	uint16_t port;
	/* The source, or NULL. */
	const struct connectivity_address *local;
	/* When the next attempt is due. */
	int64_t next;
	/* Sockets that are connecting, then the cancelling descriptor. */
	struct pollfd fds[ADDRESSES_MAX + 1];
	size_t begun;
	size_t connecting;
	/* Positive errno of the last failed attempt. */
	int error;
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t fill(const struct connectivity_address *from, uint16_t port,
		      union address *to)
{
	memset(to, 0, sizeof(*to));
	if (from->family == AF_INET) {
		to->v4.sin_family = AF_INET;
		to->v4.sin_port = htons(port);
		memcpy(&to->v4.sin_addr, from->bytes, sizeof(to->v4.sin_addr));
		return sizeof(to->v4);
	}
	to->v6.sin6_family = AF_INET6;
	to->v6.sin6_port = htons(port);
	to->v6.sin6_scope_id = from->scope_id;
	memcpy(&to->v6.sin6_addr, from->bytes, sizeof(to->v6.sin6_addr));
	return sizeof(to->v6);
}

/* Binds a socket to the path. A failed interface or mark has its own result,
 * because it says nothing about the path. */
static enum connectivity_result
prepare(const struct connectivity_path *path,
	const struct connectivity_address *local, int socket)
{
	union address address;

	if (path->interface &&
	    setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, path->interface,
		       (socklen_t)strlen(path->interface)) != 0)
		return CONNECTIVITY_INTERFACE;
	if (connectivity_mark(path, socket) != 0)
		return CONNECTIVITY_MARK;
	if (local) {
		socklen_t length = fill(local, 0, &address);

		if (bind(socket, &address.any, length) != 0)
			return CONNECTIVITY_CONNECT;
	}
	return CONNECTIVITY_EXPECTED;
}

/* Starts the next attempt. Returns EXPECTED if it is under way or the next
 * address may be tried, else the result that ends the probe. */
static enum connectivity_result begin(struct race *r)
{
	const struct connectivity_address *to = &r->addresses[r->begun];
	enum connectivity_result result;
	union address address;
	socklen_t length = fill(to, r->port, &address);
	int fd = socket(to->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	r->fds[r->begun++].fd = fd;
	if (fd < 0) {
		r->error = errno;
		return r->error == EAFNOSUPPORT ? CONNECTIVITY_EXPECTED
						: CONNECTIVITY_SYSTEM;
	}
	result = prepare(r->path, r->local, fd);
	if (result == CONNECTIVITY_EXPECTED &&
	    (connect(fd, &address.any, length) == 0 || errno == EINPROGRESS)) {
		r->connecting++;
		return result;
	}
	r->error = errno;
	close(fd);
	r->fds[r->begun - 1].fd = -1;
	return result == CONNECTIVITY_CONNECT ? CONNECTIVITY_EXPECTED : result;
}

/* Returns 1 if the socket is connected. Closes it if it has failed. A failed one
 * may have no error: Linux 6.18 was seen to report POLLERR, and then 0. */
static int look(struct race *r, struct pollfd *entry)
{
	int error = 0;
	socklen_t length = sizeof(error);

	if (entry->fd < 0 || entry->revents == 0)
		return 0;
	getsockopt(entry->fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (error == 0 && !(entry->revents & (POLLERR | POLLHUP)))
		return 1;
	r->error = error != 0 ? error : ENOTCONN;
	close(entry->fd);
	entry->fd = -1;
	r->connecting--;
	return 0;
}

/* Starts the attempts that are due. */
static enum connectivity_result begin_due(struct race *r)
{
	int64_t now = connectivity_now();

	while (r->begun < r->count && (r->connecting == 0 || now >= r->next)) {
		enum connectivity_result result = begin(r);

		if (result != CONNECTIVITY_EXPECTED)
			return result;
		r->next = now + ATTEMPT_DELAY;
	}
	return r->connecting > 0 ? CONNECTIVITY_EXPECTED : CONNECTIVITY_CONNECT;
}

/* Returns 1 if a socket is connected, 0 if none is, or -ECANCELED. */
static int await(struct race *r, int64_t milliseconds)
{
	poll(r->fds, ADDRESSES_MAX + 1,
	     milliseconds > 60000 ? 60000 : (int)milliseconds);
	if (r->fds[ADDRESSES_MAX].revents != 0)
		return -ECANCELED;
	for (size_t i = 0; i < r->begun; i++)
		if (look(r, &r->fds[i]))
			return 1;
	return 0;
}

static enum connectivity_result run(struct race *r)
{
	int64_t end = connectivity_now() + r->path->milliseconds;

	for (;;) {
		enum connectivity_result result = begin_due(r);
		int64_t rest = end - connectivity_now();
		int connected;

		if (result != CONNECTIVITY_EXPECTED)
			return result;
		if (rest <= 0)
			return CONNECTIVITY_TIMEOUT;
		if (r->begun < r->count && r->next < end) {
			rest = r->next - connectivity_now();
			rest = rest > 0 ? rest : 0;
		}
		connected = await(r, rest);
		if (connected < 0)
			return CONNECTIVITY_CANCELLED;
		if (connected > 0)
			return CONNECTIVITY_EXPECTED;
	}
}

void connectivity_probe_tcp(const struct connectivity_path *path,
			    const struct connectivity_address *addresses,
			    size_t count, uint16_t port,
			    const struct connectivity_address *local,
			    struct connectivity_answer *ret)
{
	struct race r = {
		.path = path,
		.addresses = addresses,
		.count = count < ADDRESSES_MAX ? count : ADDRESSES_MAX,
		.port = port,
		.local = local,
	};
	const int64_t begin = connectivity_microseconds();
	enum connectivity_result result;
	int error;

	memset(ret, 0, sizeof(*ret));
	error = connectivity_enter(path);
	if (error != 0) {
		connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, -error, "");
		return;
	}
	for (size_t i = 0; i < ADDRESSES_MAX; i++)
		r.fds[i] = (struct pollfd){ .fd = -1, .events = POLLOUT };
	r.fds[ADDRESSES_MAX] =
		(struct pollfd){ .fd = path->cancel_fd, .events = POLLIN };
	result = run(&r);
	ret->phase = CONNECTIVITY_PHASE_CONNECT;
	if (result == CONNECTIVITY_EXPECTED)
		ret->ends[CONNECTIVITY_PHASE_CONNECT] =
			(uint64_t)(connectivity_microseconds() - begin) + 1;
	connectivity_answer_set(ret, result,
				result == CONNECTIVITY_EXPECTED ||
						result == CONNECTIVITY_TIMEOUT
					? 0
					: r.error,
				"");
	for (size_t i = 0; i < r.begun; i++)
		if (r.fds[i].fd >= 0)
			close(r.fds[i].fd);
}
