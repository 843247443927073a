/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTestSupport.h"

static socklen_t place_of(const char *address, struct sockaddr_storage *ret)
{
	struct sockaddr_in *inet = (void *)ret;
	struct sockaddr_in6 *inet6 = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	inet->sin_port = htons(9);
	if (inet_pton(AF_INET, address, &inet->sin_addr) == 1) {
		inet->sin_family = AF_INET;
		return sizeof(*inet);
	}
	memset(ret, 0, sizeof(*ret));
	inet6->sin6_port = htons(9);
	if (inet_pton(AF_INET6, address, &inet6->sin6_addr) != 1)
		return 0;
	inet6->sin6_family = AF_INET6;
	return sizeof(*inet6);
}

static int connect_by(int fd, const struct sockaddr_storage *place,
		      socklen_t size, char *source, socklen_t source_size)
{
	const struct sockaddr_in6 *inet6;
	const struct sockaddr_in *inet;
	struct sockaddr_storage local;
	socklen_t length = sizeof(local);
	const int on = 1;
	const void *bytes;

	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if (connect(fd, (const struct sockaddr *)place, size) ||
	    getsockname(fd, (struct sockaddr *)&local, &length))
		return -errno;
	inet = (const void *)&local;
	inet6 = (const void *)&local;
	bytes = local.ss_family == AF_INET ? (const void *)&inet->sin_addr
					   : (const void *)&inet6->sin6_addr;
	return inet_ntop(local.ss_family, bytes, source, source_size) ? 0
								      : -errno;
}

int test_connect(const char *address, uint32_t mark, uint32_t uid, char *source,
		 size_t source_size)
{
	struct sockaddr_storage place;
	const socklen_t size = place_of(address, &place);
	int fd, err = 0;

	if (!size)
		return -EINVAL;
	fd = socket(place.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if ((mark &&
	     setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark))) ||
	    (uid != UINT32_MAX && fchown(fd, uid, (gid_t)-1)))
		err = -EOPNOTSUPP;
	if (!err)
		err = connect_by(fd, &place, size, source,
				 (socklen_t)source_size);
	close(fd);
	return err;
}
