/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTestSupport.h"

/* The address may have a numeric scope after a '%'. */
static socklen_t place_of(const char *address, const char *port,
			  struct sockaddr_storage *ret)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
					.ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	socklen_t size;

	if (getaddrinfo(address, port, &hints, &found))
		return 0;
	size = found->ai_addrlen;
	memcpy(ret, found->ai_addr, size);
	freeaddrinfo(found);
	return size;
}

/* Sets the socket's options. -EOPNOTSUPP if the caller lacks the privilege for
 * the mark or the uid. */
static int prepare(int fd, const struct test_socket *like)
{
	const size_t length = strlen(like->interface_name);
	const int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if ((like->mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &like->mark,
				      sizeof(like->mark))) ||
	    (like->uid != UINT32_MAX && fchown(fd, like->uid, (gid_t)-1)))
		return -EOPNOTSUPP;
	if (length && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE,
				 like->interface_name, (socklen_t)length))
		return -errno;
	return 0;
}

static int connect_by(int fd, const struct test_socket *like,
		      struct sockaddr_storage *ret)
{
	struct sockaddr_storage remote, local;
	const socklen_t size = place_of(like->remote, "9", &remote);
	socklen_t length = place_of(like->local, "0", &local);

	if (length && bind(fd, (struct sockaddr *)&local, length))
		return -errno;
	length = sizeof(*ret);
	return connect(fd, (struct sockaddr *)&remote, size) ||
			       getsockname(fd, (struct sockaddr *)ret, &length)
		       ? -errno
		       : 0;
}

static int write_source(const struct sockaddr_storage *place, char *source,
			size_t source_size)
{
	const struct sockaddr_in6 *inet6 = (const void *)place;
	const struct sockaddr_in *inet = (const void *)place;
	const void *bytes = place->ss_family == AF_INET
				    ? (const void *)&inet->sin_addr
				    : (const void *)&inet6->sin6_addr;

	return inet_ntop(place->ss_family, bytes, source,
			 (socklen_t)source_size)
		       ? 0
		       : -errno;
}

int test_connect(const struct test_socket *like, char *source,
		 size_t source_size)
{
	struct sockaddr_storage place;
	int fd, err;

	if (!place_of(like->remote, "9", &place))
		return -EINVAL;
	fd = socket(place.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = prepare(fd, like);
	if (!err)
		err = connect_by(fd, like, &place);
	if (!err)
		err = write_source(&place, source, source_size);
	close(fd);
	return err;
}
