/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* EAI_NODATA */
#endif

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "names/lookup.h"

static void keep(struct reach_resolved *resolved,
		 const struct reach_address *address)
{
	if (resolved->count == REACH_ADDRESSES_MAX)
		return;
	for (size_t i = 0; i < resolved->count; i++)
		if (!memcmp(&resolved->addresses[i], address, sizeof(*address)))
			return;
	resolved->addresses[resolved->count++] = *address;
}

static int negative_errno(int eai, int error)
{
	switch (eai) {
	case 0:
		return 0;
	case EAI_NONAME:
		/* Without descriptors glibc reads none of its files. */
		return error == EMFILE || error == ENFILE ? -error : -ENOENT;
#ifdef EAI_NODATA
	case EAI_NODATA:
		return -ENODATA;
#endif
	case EAI_AGAIN:
		return -EAGAIN;
	case EAI_MEMORY:
		return -ENOMEM;
	case EAI_SYSTEM:
		return error ? -error : -EIO;
	default:
		return -EIO;
	}
}

/* Whether the kernel has a route to name server @i of this thread. */
static bool has_route(int i)
{
	const struct sockaddr *server =
		(const struct sockaddr *)&_res.nsaddr_list[i];
	socklen_t size = sizeof(struct sockaddr_in);
	bool routed;
	int fd;

#ifdef __GLIBC__
	/* IPv4 leaves it out, IPv6 has only it (resolv/res_init.c). */
	if (server->sa_family == AF_UNSPEC && _res._u._ext.nsaddrs[i]) {
		server = (const struct sockaddr *)_res._u._ext.nsaddrs[i];
		size = sizeof(struct sockaddr_in6);
	}
#endif
	fd = socket(server->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true;
	routed = !connect(fd, server, size) ||
		 (errno != ENETUNREACH && errno != EHOSTUNREACH &&
		  errno != ENETDOWN && errno != EADDRNOTAVAIL);
	close(fd);
	return routed;
}

/* getaddrinfo() says EAI_AGAIN both when no server answers and when none can be
 * asked. It has set up _res, the thread's own, unless another process does its
 * work (nscd, systemd-resolved by NSS); musl keeps nothing there. */
static bool is_cut_off(void)
{
	for (int i = 0; i < _res.nscount; i++)
		if (has_route(i))
			return false;
	return _res.nscount > 0;
}

/* No AI_ADDRCONFIG: it hides what has no route yet, and what has one is the
 * engine's question. resolv.conf is read anew by glibc itself when it changed
 * (since 2.26, resolv/resolv_conf.c), by musl at each call. */
static void by_system(const char *name, struct reach_resolved *resolved)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int eai;

	errno = 0;
	eai = getaddrinfo(name, NULL, &hints, &list);
	resolved->error = negative_errno(eai, errno);
	if (eai == EAI_AGAIN && is_cut_off())
		resolved->error = -ENETUNREACH;
	if (eai)
		return;
	for (const struct addrinfo *i = list; i; i = i->ai_next) {
		struct reach_address address;

		if (!reach_address_from_sockaddr(i->ai_addr, i->ai_addrlen,
						 &address))
			keep(resolved, &address);
	}
	freeaddrinfo(list);
}

static void by_caller(reach_resolve_function resolve, void *context,
		      const char *name, struct reach_resolved *resolved)
{
	struct reach_address addresses[REACH_ADDRESSES_MAX] = { 0 };
	int count = resolve(context, name, addresses, REACH_ADDRESSES_MAX);

	resolved->error = count < 0 ? count : 0;
	for (int i = 0; i < count && i < REACH_ADDRESSES_MAX; i++)
		keep(resolved, &addresses[i]);
}

void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, struct reach_resolved *resolved)
{
	resolved->count = 0;
	if (resolve)
		by_caller(resolve, context, name, resolved);
	else
		by_system(name, resolved);
}
