/* SPDX-License-Identifier: MIT */
/* The filter in the kernel. Routes are added and deleted in a namespace. Of the
 * events that an unfiltered socket receives, a filtered one must receive
 * exactly those that matter. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "filter/filter_routes.h"

#define ROUTES 4000
/* The events of this many routes fit the default receive buffers. */
#define AT_ONCE 40

struct request {
	struct nlmsghdr header;
	struct rtmsg body;
	struct nlattr attribute;
	uint8_t destination[16];
};

static int open_socket(bool events)
{
	static const int groups[] = { RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
				      RTNLGRP_LINK };
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	size_t i;

	/* A socket without an address of its own gets no events. */
	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		return -errno;
	for (i = 0; events && i < sizeof(groups) / sizeof(*groups); i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
			       &groups[i], sizeof(groups[i])))
			return -errno;
	return fd;
}

/* Adds or deletes a blackhole route, which needs no interface. The kernel has
 * sent the event when send() returns. */
static bool change(int fd, const struct reach_prefix *route, uint16_t type)
{
	const uint16_t size = route->address.family == AF_INET ? 4 : 16;
	struct request request = {
		.header = { .nlmsg_type = type,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE },
		.body = { .rtm_family = (uint8_t)route->address.family,
			  .rtm_dst_len = route->length,
			  .rtm_table = RT_TABLE_MAIN,
			  .rtm_protocol = RTPROT_STATIC,
			  .rtm_scope = RT_SCOPE_UNIVERSE,
			  .rtm_type = RTN_BLACKHOLE },
		.attribute = { (uint16_t)(4 + size), RTA_DST },
	};

	request.header.nlmsg_len =
		(uint32_t)(offsetof(struct request, destination) + size);
	memcpy(request.destination, route->address.bytes, size);
	return send(fd, &request, request.header.nlmsg_len, 0) > 0;
}

/* Receives the next event and its route's prefix; false if there is none. */
static bool next_event(int fd, struct reach_prefix *ret, uint8_t *bytes,
		       ssize_t *size)
{
	const struct nlmsghdr *nlh = (const void *)bytes;
	const struct rtmsg *rtm = (const void *)(nlh + 1);
	const struct nlattr *attr = (const void *)(rtm + 1);
	size_t at = sizeof(*nlh) + sizeof(*rtm);

	*size = recv(fd, bytes, 8192, MSG_DONTWAIT);
	if (*size <= 0)
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->address.family = rtm->rtm_family;
	ret->length = rtm->rtm_dst_len;
	for (; at < (size_t)*size; at += (attr->nla_len + 3u) & ~3u) {
		attr = (const void *)(bytes + at);
		if (attr->nla_type == RTA_DST)
			memcpy(ret->address.bytes, attr + 1,
			       attr->nla_len - sizeof(*attr));
	}
	return true;
}

/* Whether @filtered receives exactly those events of @all that matter. Adds the
 * number of @all's events to @met. */
static bool same_events(int all, int filtered,
			const struct reach_prefix *watched, size_t count,
			bool exact, int *met)
{
	_Alignas(8) uint8_t bytes[8192], other[8192];
	struct reach_prefix route, ignored;
	bool pending = false;
	ssize_t size, length = 0;

	while (next_event(all, &route, bytes, &size)) {
		const bool matters = can_matter(watched, count, &route);

		++*met;
		if (!pending)
			pending =
				next_event(filtered, &ignored, other, &length);
		if (pending && length == size &&
		    memcmp(bytes, other, (size_t)size) == 0) {
			pending = false;
			if (exact && !matters)
				return false;
		} else if (matters) {
			return false;
		}
	}
	return !pending && !next_event(filtered, &ignored, other, &length);
}

struct trial {
	struct check *check;
	uint64_t state;
	size_t count;
};

static struct reach_prefix random_route(struct trial *trial,
					const struct reach_prefix *watched)
{
	struct reach_prefix ret =
		random_prefix(&trial->state, trial->state >> 40 & 1, false);
	size_t bit;

	if (trial->state >> 41 & 1) {
		ret = watched[(trial->state >> 42) % trial->count];
		ret.length = (uint8_t)((trial->state >> 33) % ret.length + 1);
		for (bit = ret.length; bit < 128; bit++)
			ret.address.bytes[bit / 8] &=
				(uint8_t)~(0x80 >> bit % 8);
	}
	return ret;
}

static void run(struct trial *trial, int all, int filtered, int requests)
{
	static struct reach_prefix watched[1000];
	static struct sock_filter program[BPF_MAXINSNS];
	struct sock_fprog attached = { .filter = program };
	const bool exact = trial->count <= 100;
	bool same = true;
	int met = 0, i;
	size_t length, k;

	for (k = 0; k < trial->count; k++)
		watched[k] = random_prefix(&trial->state,
					   trial->state >> 40 & 1, true);
	if (!CHECK(trial->check,
		   build_filter(watched, trial->count,
				trial->count % 3 ? REACH_FILTER_STOCK : 0,
				program, BPF_MAXINSNS, &length) == 0))
		return;
	attached.len = (unsigned short)length;
	if (!CHECK(trial->check,
		   setsockopt(filtered, SOL_SOCKET, SO_ATTACH_FILTER, &attached,
			      sizeof(attached)) == 0))
		return;
	for (i = 0; i < ROUTES && same; i++) {
		const struct reach_prefix route = random_route(trial, watched);

		same = change(requests, &route, RTM_NEWROUTE) &&
		       change(requests, &route, RTM_DELROUTE);
		if (same && i % AT_ONCE == 0)
			same = same_events(all, filtered, watched, trial->count,
					   exact, &met);
	}
	CHECK(trial->check, same);
	CHECK(trial->check,
	      same_events(all, filtered, watched, trial->count, exact, &met));
	CHECK(trial->check, met > ROUTES / 2);
}

static int try_in_namespace(void *context)
{
	static const size_t counts[] = { 1, 10, 100, 400, 1000 };
	struct check *check = context;
	struct trial trial = { .check = check, .state = 5 };
	int all, filtered, requests;
	size_t i;

	all = open_socket(true);
	filtered = open_socket(true);
	requests = open_socket(false);
	if (CHECK(check, all >= 0 && filtered >= 0 && requests >= 0)) {
		for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			trial.count = counts[i];
			run(&trial, all, filtered, requests);
		}
	}
	close(all);
	close(filtered);
	close(requests);
	return 0;
}

void test_filter_kernel(struct check *check)
{
	check_in_netns(check, "the filter in a namespace", try_in_namespace,
		       check);
}
