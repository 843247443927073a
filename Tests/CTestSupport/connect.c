/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTestSupport.h"

int test_connect(const char *remote, const char *interface, char *source,
		 size_t source_size)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
					.ai_socktype = SOCK_DGRAM };
	const socklen_t length = (socklen_t)strlen(interface);
	struct sockaddr_storage local;
	socklen_t size = sizeof(local);
	struct addrinfo *place;
	int fd, err = 0;

	if (getaddrinfo(remote, "9", &hints, &place))
		return -EINVAL;
	fd = socket(place->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if ((length &&
	     setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, length)) ||
	    connect(fd, place->ai_addr, place->ai_addrlen) ||
	    getsockname(fd, (struct sockaddr *)&local, &size))
		err = -errno;
	freeaddrinfo(place);
	if (fd >= 0)
		close(fd);
	if (!err &&
	    getnameinfo((struct sockaddr *)&local, size, source,
			(socklen_t)source_size, NULL, 0, NI_NUMERICHOST))
		err = -EINVAL;
	return err;
}
