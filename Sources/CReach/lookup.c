/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* EAI_NODATA */
#endif

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"
#include "lookup.h"

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
	case EAI_NONAME:
#ifdef EAI_NODATA
	case EAI_NODATA:
#endif
		return 0;
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
