// SPDX-License-Identifier: MIT
// TCP probes, to this host's loopback.
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CConnectivity/connectivity.h"
#include "check.h"

/* A listener, and the connections that fill its queue. */
struct server {
	int fds[4];
	uint16_t port;
};

static const struct connectivity_address loopback = {
	.family = AF_INET,
	.bytes = { 127, 0, 0, 1 },
};

static int connection(uint16_t port)
{
	const struct sockaddr_in name = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	(void)connect(fd, (const struct sockaddr *)&name, sizeof(name));
	return fd;
}

/* @is_full: the queue is full, so a further connection gets no answer. */
static void open_server(struct server *server, bool is_full)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(name);
	int i;

	server->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(server->fds[0], (struct sockaddr *)&name, size) == 0);
	CHECK(listen(server->fds[0], is_full ? 0 : 8) == 0);
	CHECK(getsockname(server->fds[0], (struct sockaddr *)&name, &size) ==
	      0);
	server->port = ntohs(name.sin_port);
	for (i = 1; i < 4; i++)
		server->fds[i] = is_full ? connection(server->port) : -1;
}

static void close_server(struct server *server)
{
	int i;

	for (i = 0; i < 4; i++)
		if (server->fds[i] >= 0)
			close(server->fds[i]);
}

/* Replaces the C library's: the kernel may lose the error of a connection. */
static bool loses_errors;

int getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	if (!loses_errors || level != SOL_SOCKET || name != SO_ERROR)
		return (int)syscall(SYS_getsockopt, fd, level, name, value,
				    size);
	*(int *)value = 0;
	return 0;
}

static struct connectivity_answer
probe(const struct connectivity_path *path,
      const struct connectivity_address *addresses, size_t count, uint16_t port)
{
	struct connectivity_answer answer;

	connectivity_probe_tcp(path, addresses, count, port, NULL, &answer);
	return answer;
}

static void connects(const struct connectivity_path *path)
{
	/* The first refuses the connection; the second's family is unknown. */
	const struct connectivity_address addresses[] = {
		{ .family = AF_INET, .bytes = { 127, 0, 0, 2 } },
		{ .family = 77 },
		loopback,
	};
	struct connectivity_answer answer;
	struct server server;

	open_server(&server, false);
	answer = probe(path, addresses, 3, server.port);
	CHECK(answer.result == CONNECTIVITY_EXPECTED && answer.error == 0);
	CHECK(answer.ends[CONNECTIVITY_PHASE_CONNECT] > 0);
	answer = probe(path, addresses, 1, server.port);
	CHECK(answer.result == CONNECTIVITY_CONNECT);
	CHECK(answer.error == ECONNREFUSED);
	CHECK(answer.ends[CONNECTIVITY_PHASE_CONNECT] == 0);
	loses_errors = true;
	answer = probe(path, addresses, 1, server.port);
	loses_errors = false;
	CHECK(answer.result == CONNECTIVITY_CONNECT);
	CHECK(answer.error == ENOTCONN);
	close_server(&server);
}

static void ends_without_an_answer(struct connectivity_path path)
{
	struct connectivity_answer answer;
	struct server server;

	open_server(&server, true);
	path.milliseconds = 50;
	answer = probe(&path, &loopback, 1, server.port);
	CHECK(answer.result == CONNECTIVITY_TIMEOUT && answer.error == 0);
	CHECK(answer.phase == CONNECTIVITY_PHASE_CONNECT);
	path.milliseconds = 60000;
	connectivity_cancel(path.cancel_fd);
	answer = probe(&path, &loopback, 1, server.port);
	CHECK(answer.result == CONNECTIVITY_CANCELLED);
	close_server(&server);
}

/* Failures to prepare the socket have results of their own. */
static void fails_before_it_connects(struct connectivity_path path)
{
	struct connectivity_answer answer;
	struct server server;

	open_server(&server, false);
	path.interface = "nosuch0";
	answer = probe(&path, &loopback, 1, server.port);
	CHECK(answer.result == CONNECTIVITY_INTERFACE);
	CHECK(answer.error == ENODEV || answer.error == EPERM);
	path.interface = NULL;
	/* A descriptor that isn't a namespace. */
	path.netns_fd = path.cancel_fd;
	answer = probe(&path, &loopback, 1, server.port);
	CHECK(answer.result == CONNECTIVITY_SYSTEM && answer.error == EINVAL);
	close_server(&server);
}

static void spares_descriptors(void)
{
	struct rlimit limit;
	int fd;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(connectivity_cancel_open((unsigned int)limit.rlim_cur) ==
	      -EMFILE);
	fd = dup(0);
	CHECK(connectivity_spare(fd, (unsigned int)limit.rlim_cur) == -EMFILE);
	/* connectivity_spare() has closed it. */
	CHECK(dup(0) == fd);
	CHECK(connectivity_spare(fd, 1) == fd);
	close(fd);
	CHECK(connectivity_spare(-EMFILE, 1) == -EMFILE);
}

void test_connections(void)
{
	struct connectivity_path path = {
		.netns_fd = -1,
		.cancel_fd = connectivity_cancel_open(1),
		.milliseconds = 60000,
	};

	connects(&path);
	fails_before_it_connects(path);
	ends_without_an_answer(path);
	spares_descriptors();
	close(path.cancel_fd);
}
