/* SPDX-License-Identifier: MIT */
/* Each CPU caches one answer per IPv4 next hop, with the type of the first
 * destination that was looked up. So a multicast and a unicast destination over
 * the same gateway can be reported with each other's type (Linux 6.18: routes
 * to 224.0.0.0/4 and to 203.0.113.7 via 10.0.0.4). */

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const uint8_t *type = bytes->context;
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	mnl_attr_put_u32(ret, RTA_OIF, 2);
	bytes_put_address(ret, RTA_GATEWAY, "10.0.0.4");
	/* A FIB match reports the route, whose type is unicast. */
	if (bytes_wants_match(request)) {
		body->rtm_dst_len = 4;
		return 0;
	}
	body->rtm_type = *type;
	mnl_attr_put(ret, RTA_DST, 4, bytes_attribute(request, RTA_DST));
	bytes_put_source(ret);
	return 0;
}

/* @others: further targets. With many targets, only the match is looked up
 * where it suffices. */
static void what_is_kept_decides_nothing(uint8_t type, unsigned int others)
{
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &type };
	uint64_t unicast, multicast;

	bytes_open(&bytes, BYTES_SECOND);
	unicast = bytes_watch(&bytes, "203.0.113.7", 0);
	multicast = bytes_watch(&bytes, "239.1.2.3", 0);
	bytes_watch_many(&bytes, "203.0.112.", others, NULL);
	CHECK(bytes_state(&bytes, unicast).flags == REACH_FLAG_REACHABLE);
	CHECK(bytes_state(&bytes, multicast).flags ==
	      (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT));
}

void test_cached_type(void)
{
	what_is_kept_decides_nothing(RTN_UNICAST, 0);
	what_is_kept_decides_nothing(RTN_MULTICAST, 0);
	what_is_kept_decides_nothing(RTN_UNICAST, 200);
	what_is_kept_decides_nothing(RTN_MULTICAST, 200);
}
