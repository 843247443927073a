/* SPDX-License-Identifier: MIT */
/* libnl-route-3 and GLib reading the same bytes into what they make of them.
 * Their headers are found only where pkg-config's flags were given. */
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "decode.h"

#if __has_include(<netlink/route/route.h>)
#include <netlink/msg.h>
#include <netlink/route/route.h>

static void take_object(struct nl_object *object, void *context)
{
	*(uint64_t *)context += (uint64_t)nl_object_get_msgtype(object);
}

/* Routes by the parser itself; other messages as libnl's caches read them,
 * which is the only way that it offers. */
static void libnl_message(struct nlmsghdr *nlh, uint64_t *sum)
{
	struct rtnl_route *route;
	struct nl_msg *message;

	if (nlh->nlmsg_type == RTM_NEWROUTE ||
	    nlh->nlmsg_type == RTM_DELROUTE) {
		if (rtnl_route_parse(nlh, &route))
			return;
		*sum += rtnl_route_get_protocol(route);
		rtnl_route_put(route);
		return;
	}
	message = nlmsg_convert(nlh);
	if (!message)
		return;
	nlmsg_set_proto(message, NETLINK_ROUTE);
	nl_msg_parse(message, take_object, sum);
	nlmsg_free(message);
}

static uint64_t read_by_libnl(const struct corpus *corpus)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < corpus->count; i++) {
		void *at = corpus->bytes + corpus->datagrams[i].offset;
		int left = (int)corpus->datagrams[i].size;
		struct nlmsghdr *nlh = at;

		for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left))
			libnl_message(nlh, &sum);
	}
	return sum;
}

reader *const libnl_reader = read_by_libnl;
#else
reader *const libnl_reader;
#endif

#if __has_include(<gio/gio.h>)
#include <gio/gio.h>

/* The loop of GLib 2.74's gnetworkmonitornetlink.c, which reads the
 * destination, gateway and interface of a route and makes a GInetAddressMask
 * of it; here it is dropped at once, there it goes into a hash. */
static void glib_route(const struct nlmsghdr *nlh, uint64_t *sum)
{
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	const bool inet = rtm->rtm_family == AF_INET;
	const struct rtattr *attr = RTM_RTA(rtm);
	int left = (int)RTM_PAYLOAD(nlh);
	const guint8 *destination = NULL;
	bool usable = false;
	GInetAddress *address;
	GInetAddressMask *mask;

	if (rtm->rtm_type == RTN_UNREACHABLE)
		return;
	for (; RTA_OK(attr, left);
	     left -= (int)RTA_ALIGN(attr->rta_len),
	     attr = (const void *)((const guint8 *)attr +
				   RTA_ALIGN(attr->rta_len))) {
		if (attr->rta_type == RTA_DST)
			destination = RTA_DATA(attr);
		else if (attr->rta_type == RTA_GATEWAY ||
			 attr->rta_type == RTA_OIF)
			usable = true;
	}
	if (!usable)
		return;
	address = destination
			  ? g_inet_address_new_from_bytes(
				    destination, inet ? G_SOCKET_FAMILY_IPV4
						      : G_SOCKET_FAMILY_IPV6)
			  : g_inet_address_new_any(inet ? G_SOCKET_FAMILY_IPV4
							: G_SOCKET_FAMILY_IPV6);
	mask = g_inet_address_mask_new(address, rtm->rtm_dst_len, NULL);
	g_object_unref(address);
	if (!mask)
		return;
	*sum += g_inet_address_mask_get_length(mask);
	g_object_unref(mask);
}

static uint64_t read_by_glib(const struct corpus *corpus)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < corpus->count; i++) {
		const void *at = corpus->bytes + corpus->datagrams[i].offset;
		unsigned int left = (unsigned int)corpus->datagrams[i].size;
		const struct nlmsghdr *nlh = at;

		for (; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left))
			if (nlh->nlmsg_type == RTM_NEWROUTE ||
			    nlh->nlmsg_type == RTM_DELROUTE)
				glib_route(nlh, &sum);
	}
	return sum;
}

reader *const glib_reader = read_by_glib;
#else
reader *const glib_reader;
#endif
