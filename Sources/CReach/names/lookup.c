/* SPDX-License-Identifier: MIT */
/* The resolution itself, and the translation of getaddrinfo()'s errors: the
 * engine distinguishes a name that does not exist, one without addresses, a
 * failure of the servers, and no route to them. */
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

#include "names/names.h"

/* Appends an address. getaddrinfo() returns duplicates, for example of a host
 * that /etc/hosts lists twice. */
static void append(struct reach_resolved *resolved,
		   const struct reach_address *address)
{
	if (resolved->count == REACH_ADDRESSES_MAX)
		return;
	for (size_t i = 0; i < resolved->count; i++)
		if (!memcmp(&resolved->addresses[i], address, sizeof(*address)))
			return;
	resolved->addresses[resolved->count++] = *address;
}

/* Maps @eai of getaddrinfo() and the errno that it left to a negative errno. */
static int negative_errno(int eai, int error)
{
	switch (eai) {
	case 0:
		return 0;
	case EAI_NONAME:
		return -ENOENT;
#ifdef EAI_NODATA
	case EAI_NODATA:
#endif
#ifdef EAI_ADDRFAMILY
	case EAI_ADDRFAMILY:
#endif
#if defined(EAI_NODATA) || defined(EAI_ADDRFAMILY)
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

/* EMFILE or ENFILE if a failed getaddrinfo() lacked descriptors, otherwise 0.
 * Without them the C library can read no file and open no socket, and returns any
 * failure, even "no such name", and any @error: of libnss-mdns, say. */
static int lack_of_descriptors(int error)
{
	int fd;

	if (error == EMFILE || error == ENFILE)
		return error;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? errno : 0;
	close(fd);
	return 0;
}

/* Whether the kernel has a route to name server @i of this thread: connect() of
 * a datagram socket is a route lookup. True if no socket can be opened. */
static bool has_route(int i)
{
	const struct sockaddr *server =
		(const struct sockaddr *)&_res.nsaddr_list[i];
	socklen_t size = sizeof(struct sockaddr_in);
	bool routed;
	int fd;

#ifdef __GLIBC__
	/* glibc keeps IPv6 servers in nsaddrs, with AF_UNSPEC in nsaddr_list
	 * (resolv/res_init.c). */
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

/* Whether there is no route to any name server. getaddrinfo() returns EAI_AGAIN
 * both when no server answers and when none can be reached. It has initialized
 * _res of this thread, with two exceptions: another process resolves (nscd,
 * systemd-resolved by NSS), or libc is musl, which leaves it empty. */
static bool has_no_server(void)
{
	for (int i = 0; i < _res.nscount; i++)
		if (has_route(i))
			return false;
	return _res.nscount > 0;
}

/* No AI_ADDRCONFIG: it hides a family in which the host has no address, but the
 * engine must look up those addresses itself. glibc reads a changed resolv.conf
 * again (since 2.26, resolv/resolv_conf.c), musl reads it at each call. */
static void by_system(const char *name, int family,
		      struct reach_resolved *resolved)
{
	const struct addrinfo hints = { .ai_family = family,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int eai, error, lack;

	errno = 0;
	eai = getaddrinfo(name, NULL, &hints, &list);
	error = errno;
	lack = eai ? lack_of_descriptors(error) : 0;
	resolved->error = lack ? -lack : negative_errno(eai, error);
	if (resolved->error == -EAGAIN && has_no_server())
		resolved->error = -ENETUNREACH;
	if (eai)
		return;
	for (const struct addrinfo *i = list; i; i = i->ai_next) {
		struct reach_address address;

		if (!reach_address_from_sockaddr(i->ai_addr, i->ai_addrlen,
						 &address))
			append(resolved, &address);
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
		append(resolved, &addresses[i]);
}

void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, int family, struct reach_resolved *resolved)
{
	resolved->count = 0;
	if (resolve)
		by_caller(resolve, context, name, resolved);
	else
		by_system(name, family, resolved);
}
