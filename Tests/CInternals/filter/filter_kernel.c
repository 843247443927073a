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
#include "monitor/request.h"

#define ROUTES 4000
/* The events of this many routes fit the default receive buffers. */
#define AT_ONCE 40

/* A socket that gets events. */
static int open_events(void)
{
	static const int groups[] = { RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
				      RTNLGRP_LINK };
	const int fd = request_open();

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
			       &groups[i], sizeof(groups[i])))
			return -errno;
	return fd;
}

/* Adds or deletes a blackhole route, which needs no interface. */
static bool change(int fd, const struct reach_prefix *prefix, bool there)
{
	const struct request_route route = {
		.destination = prefix->address,
		.length = prefix->length,
		.type = RTN_BLACKHOLE,
	};

	return !request_set_route(fd, &route, there);
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
	if (!CHECK(build_filter(watched, trial->count,
				trial->count % 3 ? REACH_FILTER_STOCK : 0,
				program, BPF_MAXINSNS, &length) == 0))
		return;
	attached.len = (unsigned short)length;
	if (!CHECK(setsockopt(filtered, SOL_SOCKET, SO_ATTACH_FILTER, &attached,
			      sizeof(attached)) == 0))
		return;
	for (i = 0; i < ROUTES && same; i++) {
		const struct reach_prefix route = random_route(trial, watched);

		same = change(requests, &route, true) &&
		       change(requests, &route, false);
		if (same && i % AT_ONCE == 0)
			same = same_events(all, filtered, watched, trial->count,
					   exact, &met);
	}
	CHECK(same);
	CHECK(same_events(all, filtered, watched, trial->count, exact, &met));
	CHECK(met > ROUTES / 2);
}

static int try_in_namespace(void *context)
{
	static const size_t counts[] = { 1, 10, 100, 400, 1000 };
	struct trial trial = { .state = 5 };
	int all, filtered, requests;
	size_t i;

	(void)context;
	all = open_events();
	filtered = open_events();
	requests = request_open();
	if (CHECK(all >= 0 && filtered >= 0 && requests >= 0)) {
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

void test_filter_kernel(void)
{
	check_in_netns("the filter in a namespace", try_in_namespace, NULL);
}
