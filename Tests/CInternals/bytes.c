/* SPDX-License-Identifier: MIT */
/* A simulated kernel, which answers an engine's netlink requests. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define MESSAGE_SIZE 512

struct message {
	_Alignas(8) uint8_t bytes[MESSAGE_SIZE];
};

static struct nlmsghdr *begin(struct message *message, uint16_t type,
			      size_t body)
{
	struct nlmsghdr *header;

	memset(message, 0, sizeof(*message));
	header = mnl_nlmsg_put_header(message->bytes);
	header->nlmsg_type = type;
	mnl_nlmsg_put_extra_header(header, body);
	return header;
}

static void put_kind(struct nlmsghdr *header, const char *kind)
{
	struct nlattr *info = mnl_attr_nest_start(header, IFLA_LINKINFO);

	mnl_attr_put_strz(header, IFLA_INFO_KIND, kind);
	mnl_attr_nest_end(header, info);
}

static void put_name(struct nlmsghdr *header, const struct bytes_link *link)
{
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "eth%u", link->index - 2);
	mnl_attr_put_strz(header, IFLA_IFNAME,
			  link->name	     ? link->name
			  : link->index == 1 ? "lo"
					     : name);
}

static struct nlmsghdr *put_link(struct message *message, uint16_t type,
				 const struct bytes_link *link)
{
	struct nlmsghdr *header =
		begin(message, type, sizeof(struct ifinfomsg));
	struct ifinfomsg *body = mnl_nlmsg_get_payload(header);

	body->ifi_family = link->family;
	body->ifi_index = (int)link->index;
	body->ifi_type = link->type	    ? link->type
			 : link->index == 1 ? ARPHRD_LOOPBACK
					    : ARPHRD_ETHER;
	body->ifi_flags = link->flags | (link->index == 1 ? IFF_LOOPBACK : 0);
	put_name(header, link);
	if (link->address)
		mnl_attr_put(header, IFLA_ADDRESS, 6, link->address);
	if (link->master)
		mnl_attr_put_u32(header, IFLA_MASTER, link->master);
	if (link->lower)
		mnl_attr_put_u32(header, IFLA_LINK, link->lower);
	if (link->elsewhere)
		mnl_attr_put_u32(header, IFLA_LINK_NETNSID, 0);
	if (link->kind)
		put_kind(header, link->kind);
	return header;
}

static struct nlmsghdr *put_address(struct message *message, uint16_t type,
				    uint32_t index, const char *text)
{
	struct nlmsghdr *header =
		begin(message, type, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *body = mnl_nlmsg_get_payload(header);
	const struct reach_address address = check_address(text);

	body->ifa_family = (uint8_t)address.family;
	body->ifa_prefixlen = 24;
	body->ifa_flags = IFA_F_PERMANENT;
	/* Tools assign 169.254.0.0/16 with any scope. */
	if (address.family == AF_INET6 &&
	    reach_address_scope(&address) == REACH_SCOPE_LINK)
		body->ifa_scope = RT_SCOPE_LINK;
	body->ifa_index = index;
	bytes_put_address(header, IFA_ADDRESS, text);
	if (address.family == AF_INET)
		bytes_put_address(header, IFA_LOCAL, text);
	return header;
}

static struct nlmsghdr *put_rule(struct message *message, uint8_t family,
				 uint32_t priority, uint8_t table)
{
	struct nlmsghdr *header =
		begin(message, RTM_NEWRULE, sizeof(struct fib_rule_hdr));
	struct fib_rule_hdr *body = mnl_nlmsg_get_payload(header);

	body->family = family;
	body->action = FR_ACT_TO_TBL;
	body->table = table;
	mnl_attr_put_u32(header, FRA_TABLE, table);
	mnl_attr_put_u32(header, FRA_SUPPRESS_PREFIXLEN, UINT32_MAX);
	if (priority)
		mnl_attr_put_u32(header, FRA_PRIORITY, priority);
	return header;
}

/* The engine's result, which may be a lack of memory. */
static void take(const struct bytes *bytes, int result)
{
	if (result && !(bytes->scarce && result == -ENOMEM))
		abort();
}

/* ---- answers ----------------------------------------------------------- */

static void answer(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *header)
{
	header->nlmsg_seq = request->nlmsg_seq;
	if (request->nlmsg_flags & NLM_F_DUMP &&
	    header->nlmsg_type != NLMSG_ERROR)
		header->nlmsg_flags |= NLM_F_MULTI;
	take(bytes,
	     reach_engine_answers(bytes->engine, header, header->nlmsg_len));
}

static void answer_number(struct bytes *bytes, const struct nlmsghdr *request,
			  uint16_t type, int error)
{
	struct message message;
	struct nlmsghdr *header = begin(
		&message, type,
		type == NLMSG_DONE ? sizeof(int32_t) : sizeof(struct nlmsgerr));

	*(int32_t *)mnl_nlmsg_get_payload(header) = -error;
	answer(bytes, request, header);
}

/* The rules that a kernel starts with, and one more in the family `ruled`. */
static void answer_rules(struct bytes *bytes, const struct nlmsghdr *request)
{
	const uint8_t family =
		((const struct rtmsg *)mnl_nlmsg_get_payload(request))
			->rtm_family;
	struct message message;

	answer(bytes, request, put_rule(&message, family, 0, RT_TABLE_LOCAL));
	answer(bytes, request,
	       put_rule(&message, family, 32766, RT_TABLE_MAIN));
	if (family == AF_INET)
		answer(bytes, request,
		       put_rule(&message, family, 32767, RT_TABLE_DEFAULT));
	if (family == bytes->ruled) {
		struct nlmsghdr *header = put_rule(&message, family, 100, 100);

		if (bytes->by_source) {
			((struct fib_rule_hdr *)mnl_nlmsg_get_payload(header))
				->src_len = 32;
			mnl_attr_put_u32(header, FRA_SRC, htonl(0x0a000002));
		}
		answer(bytes, request, header);
	}
}

/* Those of eth0, or of the link that alone is asked for, in one family. */
static void answer_addresses(struct bytes *bytes,
			     const struct nlmsghdr *request)
{
	static const char *const own[] = { "10.0.0.2", "fd00::2" };
	const struct ifaddrmsg *asked = mnl_nlmsg_get_payload(request);
	const bool one = request->nlmsg_len >= mnl_nlmsg_size(sizeof(*asked)) &&
			 asked->ifa_index;
	struct message message;

	for (int i = 0; i < 2; i++)
		if (!one || asked->ifa_family == (i ? AF_INET6 : AF_INET))
			answer(bytes, request,
			       put_address(&message, RTM_NEWADDR,
					   one ? asked->ifa_index : 2, own[i]));
}

static void answer_link(struct bytes *bytes, const struct nlmsghdr *request)
{
	const struct ifinfomsg *asked = mnl_nlmsg_get_payload(request);
	struct bytes_link link = { .index = (uint32_t)asked->ifi_index };
	struct message message;

	link.flags = !bytes->up || link.index == bytes->up ? BYTES_UP : IFF_UP;
	answer(bytes, request, put_link(&message, RTM_NEWLINK, &link));
}

/* Those of the struct, of which an interrupted dump lacks the last. */
static void answer_links(struct bytes *bytes, const struct nlmsghdr *request)
{
	const struct bytes_link links[] = {
		{ .index = 1, .flags = BYTES_UP },
		{ .index = 2,
		  .flags = BYTES_UP,
		  .kind = bytes->vrf ? "vrf" : NULL },
		{ .index = 3, .flags = IFF_UP | IFF_LOWER_UP | IFF_DORMANT },
	};
	const size_t count = bytes->dormant && !bytes->interrupted ? 3 : 2;
	struct message message;

	for (size_t i = 0; i < count; i++) {
		struct nlmsghdr *header =
			put_link(&message, RTM_NEWLINK, &links[i]);

		if (bytes->interrupted)
			header->nlmsg_flags |= NLM_F_DUMP_INTR;
		answer(bytes, request, header);
	}
	bytes->interrupted = false;
}

static bool is_refused(const struct bytes *bytes,
		       const struct nlmsghdr *request)
{
	const struct rtmsg *body = mnl_nlmsg_get_payload(request);

	return bytes->gvisor &&
	       (request->nlmsg_type == RTM_GETRULE ||
		(request->nlmsg_type == RTM_GETROUTE && body->rtm_flags));
}

static void answer_dump(struct bytes *bytes, const struct nlmsghdr *request)
{
	if (request->nlmsg_type == RTM_GETLINK)
		answer_links(bytes, request);
	else if (request->nlmsg_type == RTM_GETADDR && !bytes->bare)
		answer_addresses(bytes, request);
	else if (request->nlmsg_type == RTM_GETRULE)
		answer_rules(bytes, request);
	answer_number(bytes, request, NLMSG_DONE, 0);
}

int bytes_no_route(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *answer)
{
	(void)bytes;
	(void)request;
	(void)answer;
	return ENETUNREACH;
}

int bytes_route(struct bytes *bytes, const struct nlmsghdr *request,
		struct nlmsghdr *answer)
{
	(void)bytes;
	(void)request;
	mnl_attr_put_u32(answer, RTA_OIF, 2);
	bytes_put_source(answer);
	return 0;
}

bool bytes_wants_match(const struct nlmsghdr *request)
{
	const struct rtmsg *body = mnl_nlmsg_get_payload(request);

	return body->rtm_flags & RTM_F_FIB_MATCH;
}

static const struct bytes_way *way_of(const struct bytes *bytes,
				      const struct nlmsghdr *request)
{
	const struct rtmsg *body = mnl_nlmsg_get_payload(request);
	const uint8_t *address = bytes_attribute(request, RTA_DST);
	const struct bytes_way *ways = bytes->context;

	if (body->rtm_family != AF_INET)
		return &ways[1];
	return bytes->more && address[0] == 10 && address[1] == 1 ? &ways[2]
								  : &ways[0];
}

int bytes_way(struct bytes *bytes, const struct nlmsghdr *request,
	      struct nlmsghdr *answer)
{
	struct rtmsg *body = mnl_nlmsg_get_payload(answer);
	const struct bytes_way *way = way_of(bytes, request);

	if (way->error)
		return way->error;
	if (bytes_wants_match(request))
		body->rtm_dst_len = way->length;
	if (way->type)
		body->rtm_type = way->type;
	mnl_attr_put_u32(answer, RTA_OIF, way->output ? way->output : 2);
	if (way->gateway)
		bytes_put_address(answer, RTA_GATEWAY, way->gateway);
	if (way->source)
		bytes_put_address(answer, RTA_PREFSRC, way->source);
	else if (!way->sourceless)
		bytes_put_source(answer);
	return 0;
}

const void *bytes_attribute(const struct nlmsghdr *request, uint16_t type)
{
	const struct nlattr *attribute;

	mnl_attr_for_each(attribute, request, sizeof(struct rtmsg))
	{
		if (mnl_attr_get_type(attribute) == type)
			return mnl_attr_get_payload(attribute);
	}
	return NULL;
}

void bytes_put_address(struct nlmsghdr *answer, uint16_t type, const char *text)
{
	const struct reach_address address = check_address(text);

	mnl_attr_put(answer, type, address.family == AF_INET ? 4 : 16,
		     address.bytes);
}

void bytes_put_source(struct nlmsghdr *answer)
{
	const struct rtmsg *body = mnl_nlmsg_get_payload(answer);

	bytes_put_address(answer, RTA_PREFSRC,
			  body->rtm_family == AF_INET ? "10.0.0.2" : "fd00::2");
}

static void answer_lookup(struct bytes *bytes, const struct nlmsghdr *request)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	struct message message;
	struct nlmsghdr *header =
		begin(&message, RTM_NEWROUTE, sizeof(struct rtmsg));
	struct rtmsg *body = mnl_nlmsg_get_payload(header);
	int error;

	bytes->lookups++;
	body->rtm_family = asked->rtm_family;
	/* The match is a default route. */
	if (!bytes_wants_match(request))
		body->rtm_dst_len = asked->rtm_dst_len;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_type = RTN_UNICAST;
	error = bytes->look_up(bytes, request, header);
	if (error)
		answer_number(bytes, request, NLMSG_ERROR, error);
	else
		answer(bytes, request, header);
}

static void name_sources(struct bytes *bytes)
{
	struct reach_source_request request;

	/* As the monitor does. */
	while (reach_engine_wants_evidence(bytes->engine))
		continue;
	if (reach_policy_want_source_routes(bytes->engine)) {
		bytes->dumps++;
		reach_policy_set_source_routes(bytes->engine,
					       bytes->source_routes);
	}
	while (bytes->name_source &&
	       reach_engine_wants_source(bytes->engine, &request) == 1)
		bytes->name_source(bytes, &request);
}

static _Thread_local _Alignas(8) uint8_t requests[REACH_REQUESTS_SIZE];
static _Thread_local size_t asked;

size_t bytes_ask(struct bytes *bytes)
{
	name_sources(bytes);
	asked = 0;
	take(bytes, reach_engine_requests(bytes->engine, requests,
					  sizeof(requests), &asked));
	return asked;
}

void bytes_reply(struct bytes *bytes)
{
	for (size_t at = 0; at < asked;) {
		const struct nlmsghdr *request = (const void *)&requests[at];

		at += (request->nlmsg_len + 3) & ~(size_t)3;
		if (is_refused(bytes, request)) {
			bytes->refusals++;
			answer_number(bytes, request, NLMSG_ERROR, EOPNOTSUPP);
		} else if (request->nlmsg_flags & NLM_F_DUMP) {
			bytes->dumps++;
			answer_dump(bytes, request);
		} else if (request->nlmsg_type == RTM_GETROUTE) {
			answer_lookup(bytes, request);
		} else if (request->nlmsg_type == RTM_GETLINK) {
			answer_link(bytes, request);
		} else {
			bytes->barriers += request->nlmsg_type == RTM_GETSTATS;
			answer_number(bytes, request, NLMSG_ERROR, ENODEV);
		}
	}
}

void bytes_answer(struct bytes *bytes)
{
	while (bytes_ask(bytes))
		bytes_reply(bytes);
}

/* ------------------------------------------------------------------------ */

void bytes_open(struct bytes *bytes, int64_t now)
{
	if (reach_engine_create(&bytes->engine))
		abort();
	reach_engine_clock(bytes->engine, now);
}

void bytes_close(struct bytes *bytes)
{
	reach_engine_destroy(bytes->engine);
}

uint64_t bytes_add(struct bytes *bytes, const struct reach_target *target)
{
	uint64_t id;

	if (reach_engine_add(bytes->engine, target, &id))
		abort();
	return id;
}

uint64_t bytes_watch(struct bytes *bytes, const char *text,
		     uint32_t interface_index)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, text);

	target.interface_index = interface_index;
	return bytes_add(bytes, &target);
}

void bytes_watch_many(struct bytes *bytes, const char *prefix,
		      unsigned int count, uint64_t *ids)
{
	char text[64];

	for (unsigned int i = 0; i < count; i++) {
		uint64_t id;

		snprintf(text, sizeof(text), "%s%u", prefix, i + 1);
		id = bytes_watch(bytes, text, 0);
		if (ids)
			ids[i] = id;
	}
}

uint64_t bytes_add_new(struct bytes *bytes, enum reach_target_kind kind,
		       const char *remote)
{
	const struct reach_target target = check_target(kind, remote);

	return bytes_add(bytes, &target);
}

uint64_t bytes_begin(struct bytes *bytes, const char *text,
		     uint32_t interface_index)
{
	uint64_t id;

	bytes_open(bytes, BYTES_SECOND);
	id = bytes_watch(bytes, text, interface_index);
	bytes_settle(bytes);
	return id;
}

size_t bytes_settle(struct bytes *bytes)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t count = 0;

	bytes_answer(bytes);
	(void)reach_engine_publish(bytes->engine);
	while (reach_engine_next(bytes->engine, &change) == 1)
		count++;
	return count;
}

void bytes_idle(struct bytes *bytes)
{
	const int64_t now = bytes->engine->clock.now + BYTES_SECOND / 1000;

	(void)bytes_settle(bytes);
	reach_engine_clock(bytes->engine, now);
	if (bytes_settle(bytes))
		abort();
}

struct reach_state bytes_state(struct bytes *bytes, uint64_t id)
{
	struct reach_state state = { .size = sizeof(state) };

	(void)bytes_settle(bytes);
	if (reach_engine_state(bytes->engine, id, &state))
		abort();
	return state;
}

struct reach_explanation bytes_explain(struct bytes *bytes, uint64_t id)
{
	struct reach_explanation ret = { .size = sizeof(ret) };

	(void)bytes_settle(bytes);
	CHECK(!reach_engine_explain(bytes->engine, id, REACH_EXPLAIN_DECIDING,
				    &ret));
	return ret;
}

struct reach_stats bytes_stats(const struct bytes *bytes)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	if (reach_engine_stats(bytes->engine, &stats))
		abort();
	return stats;
}

/* ---- events ------------------------------------------------------------ */

static void tell(struct bytes *bytes, const struct nlmsghdr *header)
{
	take(bytes,
	     reach_engine_events(bytes->engine, header, header->nlmsg_len));
}

void bytes_tell_address_of(struct bytes *bytes, uint32_t index, uint16_t type,
			   const char *text)
{
	struct message message;

	tell(bytes, put_address(&message, type, index, text));
}

void bytes_tell_own(struct bytes *bytes, uint16_t type, const char *text,
		    uint8_t length, uint32_t flags)
{
	struct message message;
	struct nlmsghdr *header = put_address(&message, type, 2, text);
	struct ifaddrmsg *body = mnl_nlmsg_get_payload(header);

	body->ifa_prefixlen = length;
	mnl_attr_put_u32(header, IFA_FLAGS, flags);
	tell(bytes, header);
}

void bytes_tell_address(struct bytes *bytes, uint16_t type, const char *text)
{
	bytes_tell_address_of(bytes, 2, type, text);
}

void bytes_tell_of(struct bytes *bytes, uint16_t type,
		   const struct bytes_link *link)
{
	struct message message;

	tell(bytes, put_link(&message, type, link));
}

void bytes_tell_link(struct bytes *bytes, uint32_t index, bool up)
{
	const struct bytes_link link = { .index = index,
					 .flags = up ? BYTES_UP : 0 };

	bytes_tell_of(bytes, RTM_NEWLINK, &link);
}

void bytes_tell_port(struct bytes *bytes, uint32_t index, uint32_t master)
{
	const struct bytes_link link = { .index = index,
					 .flags = BYTES_UP,
					 .master = master };

	bytes_tell_of(bytes, RTM_NEWLINK, &link);
}

void bytes_tell_neighbor(struct bytes *bytes)
{
	struct message message;
	struct nlmsghdr *header =
		begin(&message, RTM_NEWNEIGH, sizeof(struct ndmsg));

	((struct ndmsg *)mnl_nlmsg_get_payload(header))->ndm_family = AF_INET6;
	tell(bytes, header);
}

void bytes_tell_prefix(struct bytes *bytes, uint16_t type, const char *prefix,
		       uint8_t length)
{
	struct message message;
	struct nlmsghdr *header = begin(&message, type, sizeof(struct rtmsg));
	struct rtmsg *body = mnl_nlmsg_get_payload(header);

	body->rtm_family = (uint8_t)check_address(prefix).family;
	body->rtm_dst_len = length;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_type = RTN_UNICAST;
	if (length)
		bytes_put_address(header, RTA_DST, prefix);
	mnl_attr_put_u32(header, RTA_OIF, 2);
	tell(bytes, header);
}

void bytes_tell_route(struct bytes *bytes, uint16_t type, uint8_t family)
{
	bytes_tell_prefix(bytes, type, family == AF_INET ? "0.0.0.0" : "::", 0);
}

void bytes_tell_more(struct bytes *bytes, uint16_t type)
{
	bytes_tell_prefix(bytes, type, "10.1.0.0", 16);
}

void bytes_tell_rule(struct bytes *bytes, uint16_t type, uint8_t family)
{
	struct message message;
	struct nlmsghdr *header = put_rule(&message, family, 100, 100);

	header->nlmsg_type = type;
	tell(bytes, header);
}
