/* SPDX-License-Identifier: MIT */
/*
 * An engine with a simulated kernel, for tests of a program's own logic: no
 * socket, no kernel, no privileges, and a clock that the test sets. The program
 * writes messages of linux/rtnetlink.h into a buffer, and answers the engine's
 * requests with them.
 *
 *	cc simulated.c $(pkg-config --cflags --libs reach) && ./a.out
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include <reach/reach.h>

/* The host: one Ethernet interface with one address. */
#define ETH0 2
static const unsigned char own_address[4] = { 192, 0, 2, 10 };
static const unsigned char gateway[4] = { 192, 0, 2, 1 };

struct host {
	struct reach_engine *engine;
	int has_carrier;
	int has_default_route;
};

/* A buffer for a message, which netlink requires to be aligned to 4 bytes. */
union message {
	struct nlmsghdr header;
	unsigned char bytes[256];
};

/* Begins a message with a zeroed body of @size bytes, and returns the body. */
static void *begin(union message *message, unsigned short type, size_t size)
{
	memset(message, 0, sizeof(*message));
	message->header.nlmsg_type = type;
	message->header.nlmsg_len = (unsigned int)NLMSG_LENGTH(size);
	return NLMSG_DATA(&message->header);
}

static void put(union message *message, unsigned short type, const void *data,
		unsigned short size)
{
	struct rtattr *attribute =
		(struct rtattr *)(message->bytes +
				  NLMSG_ALIGN(message->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), data, size);
	message->header.nlmsg_len = NLMSG_ALIGN(message->header.nlmsg_len) +
				    RTA_ALIGN(attribute->rta_len);
}

static void make_link(const struct host *host, union message *message)
{
	struct ifinfomsg *link = begin(message, RTM_NEWLINK, sizeof(*link));

	link->ifi_index = ETH0;
	link->ifi_type = ARPHRD_ETHER;
	link->ifi_flags = IFF_UP | IFF_BROADCAST;
	if (host->has_carrier)
		link->ifi_flags |= IFF_RUNNING | IFF_LOWER_UP;
	put(message, IFLA_IFNAME, "eth0", sizeof("eth0"));
}

static void make_address(union message *message)
{
	struct ifaddrmsg *address =
		begin(message, RTM_NEWADDR, sizeof(*address));

	address->ifa_family = AF_INET;
	address->ifa_prefixlen = 24;
	address->ifa_index = ETH0;
	put(message, IFA_ADDRESS, own_address, sizeof(own_address));
	put(message, IFA_LOCAL, own_address, sizeof(own_address));
}

/* The default route, as an event or as the answer to a lookup. */
static void make_route(union message *message, unsigned short type)
{
	const unsigned int output = ETH0;
	struct rtmsg *route = begin(message, type, sizeof(*route));

	route->rtm_family = AF_INET;
	route->rtm_table = RT_TABLE_MAIN;
	route->rtm_type = RTN_UNICAST;
	put(message, RTA_OIF, &output, sizeof(output));
	put(message, RTA_GATEWAY, gateway, sizeof(gateway));
	put(message, RTA_PREFSRC, own_address, sizeof(own_address));
}

static void make_error(union message *message, int error)
{
	struct nlmsgerr *body = begin(message, NLMSG_ERROR, sizeof(*body));

	body->error = -error;
}

/* ---- answers ----------------------------------------------------------- */

/* The engine matches answers with requests by their sequence numbers. */
static void answer(struct host *host, const struct nlmsghdr *request,
		   union message *message)
{
	message->header.nlmsg_seq = request->nlmsg_seq;
	reach_engine_answers(host->engine, message, message->header.nlmsg_len);
}

static void answer_dump(struct host *host, const struct nlmsghdr *request)
{
	union message message;

	if (request->nlmsg_type == RTM_GETLINK) {
		make_link(host, &message);
		message.header.nlmsg_flags = NLM_F_MULTI;
		answer(host, request, &message);
	} else if (request->nlmsg_type == RTM_GETADDR) {
		make_address(&message);
		message.header.nlmsg_flags = NLM_F_MULTI;
		answer(host, request, &message);
	}
	begin(&message, NLMSG_DONE, sizeof(int));
	message.header.nlmsg_flags = NLM_F_MULTI;
	answer(host, request, &message);
}

static void answer_request(struct host *host, const struct nlmsghdr *request)
{
	const struct rtmsg *lookup = NLMSG_DATA(request);
	union message message;

	if ((request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP) {
		answer_dump(host, request);
		return;
	}
	if (request->nlmsg_type != RTM_GETROUTE)
		make_error(&message, ENODEV); /* A barrier. */
	else if (lookup->rtm_family == AF_INET && host->has_default_route)
		make_route(&message, RTM_NEWROUTE);
	else
		make_error(&message, ENETUNREACH);
	answer(host, request, &message);
}

/* Answers requests until the engine has none, and prints the changes. */
static void settle(struct host *host)
{
	static union {
		struct nlmsghdr alignment;
		unsigned char bytes[REACH_REQUESTS_SIZE];
	} buffer;
	struct reach_change change = { 0 };
	size_t size, at;

	while (reach_engine_requests(host->engine, &buffer, sizeof(buffer),
				     &size) == 0 &&
	       size > 0) {
		for (at = 0; at < size;) {
			const struct nlmsghdr *request =
				(const void *)&buffer.bytes[at];

			answer_request(host, request);
			at += NLMSG_ALIGN(request->nlmsg_len);
		}
	}
	reach_engine_publish(host->engine);
	change.size = sizeof(change);
	while (reach_engine_next(host->engine, &change) == 1)
		printf("%s %s\n",
		       change.state.flags & REACH_FLAG_REACHABLE
			       ? "reachable"
			       : reach_reason_name(change.state.reason),
		       change.state.interface_name);
}

/* ---- events ------------------------------------------------------------ */

static void tell(struct host *host, const union message *message)
{
	reach_engine_events(host->engine, message, message->header.nlmsg_len);
	settle(host);
}

static void set_carrier(struct host *host, int has_carrier)
{
	union message message;

	host->has_carrier = has_carrier;
	make_link(host, &message);
	tell(host, &message);
}

static void set_default_route(struct host *host, int has_default_route)
{
	union message message;

	host->has_default_route = has_default_route;
	make_route(&message, has_default_route ? RTM_NEWROUTE : RTM_DELROUTE);
	tell(host, &message);
}

int main(void)
{
	struct host host = { 0 };
	struct reach_target target;
	uint64_t id;

	if (reach_engine_create(&host.engine))
		return 1;
	reach_engine_clock(host.engine, 1);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.report = REACH_REPORT_PATH; /* Reasons count as changes too. */
	if (reach_address_parse("198.51.100.1", &target.remote) ||
	    reach_engine_add(host.engine, &target, &id))
		return 1;
	settle(&host);		     /* noRoute */
	set_default_route(&host, 1); /* linkDown: the cable isn't plugged in */
	set_carrier(&host, 1);	     /* reachable */
	set_carrier(&host, 0);	     /* linkDown, although the route stays */
	set_carrier(&host, 1);	     /* reachable */
	set_default_route(&host, 0); /* noRoute */
	reach_engine_destroy(host.engine);
	return 0;
}
