/* SPDX-License-Identifier: MIT */
/* What the engine wants of its caller beside answers: evidence from sysfs,
 * settings, and sources of sockets. */
#include "monitor/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include "message/libmnl.h"

/* ---- evidence ---------------------------------------------------------- */

/* Whether sysfs describes link @index: not if it was removed meanwhile, or if
 * the mount belongs to another namespace. */
static bool read_link(const struct reach_engine *engine, uint32_t index,
		      const char *root, struct reach_evidence *ret)
{
	const struct reach_link *link = reach_links_find(&engine->links, index);

	return link && *root &&
	       reach_sysfs_read(root, link->name, link->index,
				link->hardware_address,
				link->hardware_address_length, ret) == 0;
}

static void read_evidence(struct reach_engine *engine, const char *root)
{
	uint32_t index;

	while ((index = reach_engine_wants_evidence(engine))) {
		struct reach_evidence evidence = { 0 };
		const bool known = read_link(engine, index, root, &evidence);

		(void)reach_engine_set_evidence(
			engine, index, known ? evidence.devtype : NULL,
			evidence.driver, evidence.wireless);
	}
}

/* ---- settings ---------------------------------------------------------- */

/* Settings in /proc/sys/net, which has the files of the namespace of the
 * reading thread (net_ctl_header_lookup(), net/sysctl_net.c). Read only when an
 * answer depends on them. A file that can't be read counts as 0. */

static unsigned long read_number(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t size;

	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		size = 0;
	text[size] = '\0';
	return strtoul(text, NULL, 0);
}

/* FIB_MULTIPATH_HASH_FIELD_SRC_PORT and _DST_PORT (include/net/ip_fib.h). */
#define PORTS (1 << 4 | 1 << 5)

/* Whether IPv6 hashes a number that each TCP connection chooses, with policy 0
 * (ip6_ecmp_set_mp_hash(), Linux 7.3). */
static bool hashes_connections(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	return !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 7 || (major == 7 && minor >= 3));
}

/* Whether no lookup shows the leg of a socket. 1: addresses and ports; 3: the
 * given fields. With 3, IPv4's lookup has another hash than a socket, whatever
 * the fields: it hashes a packet of its own
 * (fib_multipath_custom_hash_skb(), net/ipv4/route.c). */
static bool hides_legs(bool inet6, unsigned long policy, unsigned long fields)
{
	if (!policy)
		return inet6 && hashes_connections();
	return policy == 1 || (policy == 3 && (!inet6 || fields & PORTS));
}

static int read_settings(void *context)
{
	struct reach_settings *settings = context;

	settings->forwards =
		read_number("/proc/sys/net/ipv6/conf/all/forwarding");
	settings->leaves_legs =
		read_number("/proc/sys/net/ipv4/fib_multipath_use_neigh");
	settings->hides_legs[0] = hides_legs(
		false,
		read_number("/proc/sys/net/ipv4/fib_multipath_hash_policy"), 0);
	settings->hides_legs[1] = hides_legs(
		true,
		read_number("/proc/sys/net/ipv6/fib_multipath_hash_policy"),
		read_number("/proc/sys/net/ipv6/fib_multipath_hash_fields"));
	return 0;
}

/* ---- sources ----------------------------------------------------------- */

/*
 * connect() of an unbound UDP socket takes the same steps as sending: both
 * lookups, and the choice of the source by RFC 6724 and by the host's settings.
 * It sends nothing.
 *
 * A mark without CAP_NET_ADMIN, or another user's uid without CAP_CHOWN, can't
 * be set on the socket. The error then is not one of routing, and the engine
 * keeps its first answer.
 */

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* Any port but 0, which is not valid for all kinds of sockets. */
#define PORT 9

/* Whether both sockets are in one namespace, as far as the kernel can tell
 * (Linux 5.14 or later; true before). Without a namespace to enter, the
 * dispatching thread may be in another namespace than the thread that opened
 * the monitor. The socket would then use the routes of the wrong one. */
static bool are_together(int a, int b)
{
	uint64_t cookies[2] = { 0, 0 };
	socklen_t size = sizeof(*cookies);

	return getsockopt(a, SOL_SOCKET, SO_NETNS_COOKIE, &cookies[0], &size) ||
	       getsockopt(b, SOL_SOCKET, SO_NETNS_COOKIE, &cookies[1], &size) ||
	       cookies[0] == cookies[1];
}

static int open_udp(void *context)
{
	struct reach_input *udp = context;
	const int on = 1;

	udp->fd = socket(udp->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			 0);
	if (udp->fd < 0)
		return -errno;
	(void)setsockopt(udp->fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if (are_together(udp->fd, udp->peer))
		return 0;
	reach_descriptor_close(&udp->fd);
	return -EXDEV;
}

/* Whether the socket gets a property that the next request may not have. */
static bool is_special(const struct reach_source_request *request)
{
	/* A failed connect() leaves the interface of a link-local address on
	 * the socket (sk_bound_dev_if, net/ipv6/datagram.c). */
	return request->mark || request->uid != REACH_UID_CALLER ||
	       request->interface_index || request->destination.scope_id;
}

/* Sets mark, uid, and interface. Fails with an error that no lookup has:
 * fchown() for a user without a mapping in the user namespace fails with
 * EINVAL, like connect() with a blackhole route. */
static int prepare(int fd, const struct reach_source_request *request,
		   const char *name)
{
	if (request->mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &request->mark,
					sizeof(request->mark)))
		return -EOPNOTSUPP;
	/* sk_uid is that of the inode (sockfs_setattr, net/socket.c). */
	if (request->uid != REACH_UID_CALLER &&
	    fchown(fd, request->uid, (gid_t)-1))
		return -EOPNOTSUPP;
	if (name && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name,
			       (socklen_t)strlen(name) + 1))
		return -EOPNOTSUPP;
	return 0;
}

static int read_source(int fd, struct reach_address *ret)
{
	struct sockaddr_storage local;
	socklen_t size = sizeof(local);

	if (getsockname(fd, (struct sockaddr *)&local, &size))
		return -errno;
	return reach_address_from_sockaddr((struct sockaddr *)&local, size,
					   ret);
}

static socklen_t place_of(const struct reach_address *address,
			  struct sockaddr_storage *ret)
{
	struct sockaddr_in *inet = (void *)ret;
	struct sockaddr_in6 *inet6 = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = address->family;
	if (address->family == AF_INET) {
		inet->sin_port = htons(PORT);
		memcpy(&inet->sin_addr, address->bytes, sizeof(inet->sin_addr));
		return sizeof(*inet);
	}
	inet6->sin6_port = htons(PORT);
	inet6->sin6_scope_id = address->scope_id;
	memcpy(&inet6->sin6_addr, address->bytes, sizeof(inet6->sin6_addr));
	return sizeof(*inet6);
}

static int find_source(int fd, const struct reach_source_request *request,
		       struct reach_address *ret)
{
	static const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct sockaddr_storage place;
	const socklen_t size = place_of(&request->destination, &place);
	int err;

	if (connect(fd, (const struct sockaddr *)&place, size))
		return -errno;
	err = read_source(fd, ret);
	/* So that the next connect() chooses a source again. */
	if (connect(fd, &none, sizeof(none)) && !err)
		err = -errno;
	return err;
}

static int answer(struct reach_input *udp, const struct reach_engine *engine,
		  const struct reach_source_request *request,
		  struct reach_address *ret)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, request->interface_index);
	int err;

	if (request->interface_index && !link)
		return -EOPNOTSUPP;
	if (udp->family != request->destination.family)
		reach_descriptor_close(&udp->fd);
	udp->family = request->destination.family;
	if (udp->fd < 0 && reach_netns_run(udp->netns, open_udp, udp))
		return -EOPNOTSUPP;
	err = prepare(udp->fd, request, link ? link->name : NULL);
	if (!err)
		err = find_source(udp->fd, request, ret);
	if (is_special(request))
		reach_descriptor_close(&udp->fd);
	return err;
}

int reach_input_source(const struct reach_input *like,
		       const struct reach_engine *engine,
		       const struct reach_source_request *request,
		       struct reach_address *ret)
{
	struct reach_input udp = {
		.fd = -1,
		.netns = like->netns,
		.peer = like->peer,
	};
	const int err = answer(&udp, engine, request, ret);

	reach_descriptor_close(&udp.fd);
	return err;
}

/* ---- routes by source ------------------------------------------------- */

struct scan {
	int fd;
	/* Routes read so far. */
	size_t count;
	bool found;
	bool done;
};

static int open_lookups(void *context)
{
	struct scan *scan = context;

	scan->fd = reach_socket_lookups(true);
	return scan->fd < 0 ? scan->fd : 0;
}

static int scan_some(struct scan *scan)
{
	_Alignas(4) uint8_t buffer[REACH_REQUESTS_SIZE];
	struct reach_datagram datagram;
	struct reach_message message;
	size_t offset = 0;
	int ret = reach_receive(scan->fd, buffer, sizeof(buffer), &datagram);

	if (ret)
		return ret;
	while ((ret = reach_message_decode(buffer, datagram.size, &offset,
					   &message)) > 0) {
		const bool is_route = message.kind == REACH_MESSAGE_ROUTE;

		scan->count += is_route;
		scan->found |= is_route && message.u.route.source_length;
		scan->done |= message.kind == REACH_MESSAGE_DONE;
	}
	return ret;
}

/* Whether IPv6 has routes by source. With more than @max routes, assume so:
 * reading a million costs more than it saves. */
static bool has_source_routes(int netns, size_t max)
{
	_Alignas(4) uint8_t buffer[NLMSG_HDRLEN + sizeof(struct rtmsg)];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct rtmsg *route = mnl_nlmsg_put_extra_header(nlh, sizeof(*route));
	struct scan scan = { .fd = -1 };
	int err = reach_netns_run(netns, open_lookups, &scan);

	nlh->nlmsg_type = RTM_GETROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	route->rtm_family = AF_INET6;
	if (!err && send(scan.fd, nlh, nlh->nlmsg_len, 0) < 0)
		err = -errno;
	while (!err && !scan.done && !scan.found && scan.count <= max)
		err = scan_some(&scan);
	if (scan.fd >= 0)
		close(scan.fd);
	return err || !scan.done || scan.found;
}

void reach_input_supply(struct reach_input *input, struct reach_engine *engine)
{
	struct reach_source_request request;
	const size_t routes = reach_policy_want_source_routes(engine);

	read_evidence(engine, input->sysfs);
	if (routes)
		reach_policy_set_source_routes(
			engine, has_source_routes(input->netns, routes));
	if (!engine->second_lookups.count)
		return;
	if (reach_engine_wants_settings(engine))
		(void)reach_netns_run(input->netns, read_settings,
				      &engine->settings);
	while (reach_engine_wants_source(engine, &request) == 1) {
		struct reach_address source;
		const int err = answer(input, engine, &request, &source);

		reach_engine_set_source(engine, err ? NULL : &source, err);
	}
}
