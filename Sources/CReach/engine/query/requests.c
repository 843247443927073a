/* SPDX-License-Identifier: MIT */
/* Writes requests, and puts the answers to dumps into their tables. */
#include "engine/query/query.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/fib_rules.h>
#include <linux/netconf.h>

#include "base/kernel.h"
#include "engine/invalidate/invalidate.h"
#include "engine/verdict/verdict.h"
#include "message/libmnl.h"

static struct nlmsghdr *begin(void *buffer, uint16_t type, uint16_t flags,
			      uint32_t sequence)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	nlh->nlmsg_seq = sequence;
	return nlh;
}

/* NETLINK_GET_STRICT_CHK requires the whole header of the message type. Each of
 * them begins with the family. */
struct dump {
	uint16_t type;
	uint8_t family;
	uint8_t header_size;
};

size_t reach_request_dump(void *buffer, uint8_t kind, uint32_t sequence)
{
	static const struct dump dumps[] = {
		[REACH_REQUEST_LINKS] = { RTM_GETLINK, AF_UNSPEC,
					  sizeof(struct ifinfomsg) },
		[REACH_REQUEST_ADDRESSES] = { RTM_GETADDR, AF_UNSPEC,
					      sizeof(struct ifaddrmsg) },
		[REACH_REQUEST_POLICY] = { RTM_GETRULE, AF_INET,
					   sizeof(struct fib_rule_hdr) },
		[REACH_REQUEST_POLICY6] = { RTM_GETRULE, AF_INET6,
					    sizeof(struct fib_rule_hdr) },
		[REACH_REQUEST_SETTINGS] = { RTM_GETNETCONF, AF_INET,
					     sizeof(struct netconfmsg) },
		[REACH_REQUEST_SETTINGS6] = { RTM_GETNETCONF, AF_INET6,
					      sizeof(struct netconfmsg) },
		[REACH_REQUEST_DEFAULTS] = { RTM_GETROUTE, AF_INET,
					     sizeof(struct rtmsg) },
	};
	const struct dump *dump = &dumps[kind];
	struct nlmsghdr *nlh = begin(buffer, dump->type, NLM_F_DUMP, sequence);
	uint8_t *header = mnl_nlmsg_put_extra_header(nlh, dump->header_size);

	header[0] = dump->family;
	if (kind == REACH_REQUEST_DEFAULTS)
		header[offsetof(struct rtmsg, rtm_table)] = RT_TABLE_DEFAULT;
	return nlh->nlmsg_len;
}

size_t reach_request_barrier(void *buffer, uint32_t sequence)
{
	struct nlmsghdr *nlh = begin(buffer, RTM_GETSTATS, 0, sequence);
	struct if_stats_msg *stats =
		mnl_nlmsg_put_extra_header(nlh, sizeof(*stats));

	/* No link has this index, so the answer is a short ENODEV
	 * (rtnl_stats_get, net/core/rtnetlink.c), given under RTNL. From Linux
	 * 7.2 on, RTM_GETLINK is answered without RTNL. Before 4.7 RTM_GETSTATS
	 * is unknown. Up to 4.13 rtnetlink_rcv() takes RTNL for every message,
	 * so the refusal is a barrier as well. */
	stats->ifindex = INT_MAX;
	stats->filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
	return nlh->nlmsg_len;
}

static struct nlmsghdr *begin_link(void *buffer, uint16_t flags,
				   uint32_t sequence, uint32_t index)
{
	struct nlmsghdr *nlh = begin(buffer, RTM_GETLINK, flags, sequence);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));

	ifi->ifi_index = (int)index;
	/* The counters of IPv6 would double the size of the answer. */
	mnl_attr_put_u32(nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return nlh;
}

size_t reach_request_link(void *buffer, uint32_t sequence, uint32_t index,
			  const char *name)
{
	struct nlmsghdr *nlh;

	/* libmnl leaves the padding after a text as it is. */
	memset(buffer, 0, REACH_REQUEST_MAX);
	nlh = begin_link(buffer, 0, sequence, index);
	if (!index)
		mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return nlh->nlmsg_len;
}

size_t reach_request_links(void *buffer, uint32_t sequence, uint32_t master)
{
	struct nlmsghdr *nlh = begin_link(buffer, NLM_F_DUMP, sequence, 0);

	if (master)
		mnl_attr_put_u32(nlh, IFLA_MASTER, master);
	return nlh->nlmsg_len;
}

size_t reach_request_addresses(void *buffer, uint32_t sequence, uint8_t family,
			       uint32_t index)
{
	struct nlmsghdr *nlh = begin(buffer, RTM_GETADDR, NLM_F_DUMP, sequence);
	struct ifaddrmsg *ifa = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifa));

	ifa->ifa_family = family;
	ifa->ifa_index = index;
	return nlh->nlmsg_len;
}

/* Attributes that select the route, besides the addresses. @output: interface
 * index or 0. */
static void put_selectors(struct nlmsghdr *nlh,
			  const struct reach_selector_key *key, uint32_t output)
{
	if (output)
		mnl_attr_put_u32(nlh, RTA_OIF, output);
	if (key->mark)
		mnl_attr_put_u32(nlh, RTA_MARK, key->mark);
	/* By default the kernel takes the uid of the sender. */
	if (key->uid != REACH_UID_CALLER)
		mnl_attr_put_u32(nlh, RTA_UID, key->uid);
}

/* Without it, IPv4 looks up for UDP, and IPv6 for no protocol
 * (inet_rtm_getroute(), net/ipv4/route.c). Rules may select by it, and IPv6
 * hashes it to choose among legs. Before Linux 4.17 it is ignored. */
static void put_protocol(struct nlmsghdr *nlh)
{
	const uint8_t tcp = IPPROTO_TCP;

	/* The attribute with its padding, which libmnl leaves as it is. */
	memset((uint8_t *)nlh + nlh->nlmsg_len, 0,
	       sizeof(struct nlattr) + NLA_ALIGNTO);
	mnl_attr_put(nlh, RTA_IP_PROTO, sizeof(tcp), &tcp);
}

size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_selectors *selectors,
			   const struct reach_destination *destination,
			   const struct reach_address *source, uint32_t link,
			   bool match)
{
	const struct reach_selector_key *key = &selectors->key;
	const bool inet = destination->family == AF_INET;
	const size_t size = reach_address_size(destination->family);
	const uint32_t bound = selectors->bound ? selectors->bound
						: key->scope_id;
	struct nlmsghdr *nlh = begin(buffer, RTM_GETROUTE, 0, sequence);
	struct rtmsg *rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));

	rtm->rtm_family = destination->family;
	/* Strict checking refuses an address with a shorter prefix length
	 * (inet_rtm_valid_getroute_req, net/ipv4/route.c). */
	rtm->rtm_dst_len = inet ? 32 : 128;
	if (match)
		rtm->rtm_flags = RTM_F_FIB_MATCH;
	/* Without the flag IPv4 reports RT_TABLE_MAIN, whatever the table is.
	 * IPv6 reports the table anyway, and refuses the flag
	 * (inet6_rtm_valid_getroute_req, net/ipv6/route.c). */
	if (match && inet)
		rtm->rtm_flags |= RTM_F_LOOKUP_TABLE;
	mnl_attr_put(nlh, RTA_DST, size, destination->bytes);
	if (key->with_source && (inet || !link))
		source = &key->local;
	if (source) {
		rtm->rtm_src_len = rtm->rtm_dst_len;
		mnl_attr_put(nlh, RTA_SRC, size, source->bytes);
	}
	put_selectors(nlh, key, link ? link : bound);
	put_protocol(nlh);
	return nlh->nlmsg_len;
}

/* Writes the plain request of a lookup after its match request of @size bytes,
 * from which only the sequence and the flags differ. */
static void repeat_plain(uint8_t *request, size_t size, uint32_t sequence)
{
	struct nlmsghdr *nlh = memcpy(request + size, request, size);
	struct rtmsg *rtm = NLMSG_DATA(nlh);

	nlh->nlmsg_seq = sequence;
	rtm->rtm_flags = 0;
}

size_t reach_lookup_write(struct reach_engine *engine, uint8_t *buffer,
			  uint8_t kind, uint32_t number,
			  const struct reach_address *source, uint32_t link)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, number);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, destination->selectors);
	const uint32_t sequence = reach_batch_add(engine, kind, number);
	const size_t used =
		reach_request_route(buffer, sequence + REACH_REPLY_MATCH,
				    selectors, destination, source, link, true);

	engine->stats.lookups += 2;
	repeat_plain(buffer, used, sequence + REACH_REPLY_PLAIN);
	return 2 * used;
}

/* ---- dumps --------------------------------------------------------------- */

/*
 * At the end of a dump, links and addresses that it didn't show are removed. A
 * change marks all destinations. The kernel flags interrupted dumps of links
 * and addresses (NLM_F_DUMP_INTR), but not those of policy rules and routes
 * (nl_dump_check_consistent, include/net/netlink.h, is not called there): a
 * change during those comes as an event.
 */

void reach_dump_begin(struct reach_engine *engine, uint8_t kind)
{
	if (kind == REACH_REQUEST_LINKS)
		reach_links_dump_begin(&engine->links);
	else if (kind == REACH_REQUEST_ADDRESSES)
		reach_own_addresses_dump_begin(&engine->addresses);
	else
		reach_policy_dump_begin(engine, kind);
	engine->known[kind] = REACH_RUNNING;
	engine->dumps.interrupted = false;
	engine->dumps.changed = false;
	if (kind <= REACH_REQUEST_ADDRESSES)
		engine->stats.dumps++;
}

/* Ends the dump of @kind. @complete: it was neither refused nor cut short.
 * After a refusal (a sandbox may refuse) the table stays as it is. */
static void end_dump(struct reach_engine *engine, uint8_t kind, bool complete)
{
	const bool again = engine->dumps.interrupted &&
			   ++engine->dumps.interruptions < REACH_PATIENCE;

	engine->batch.outstanding = 0;
	/* An interrupted dump may lack links that exist: remove none. */
	if (again) {
		engine->known[kind] = REACH_WANTED;
	} else {
		engine->dumps.interruptions = 0;
		if (kind > REACH_REQUEST_ADDRESSES)
			reach_policy_dump_end(
				engine, kind,
				complete && !engine->dumps.interrupted);
		else if (complete && kind == REACH_REQUEST_LINKS)
			engine->dumps.changed |=
				reach_links_dump_end(&engine->links);
		else if (complete)
			engine->dumps.changed |= reach_own_addresses_dump_end(
				&engine->addresses);
	}
	if (!engine->dumps.changed)
		return;
	/* A dump may show a change that the kernel has not carried out in the
	 * FIB yet. Its event then changes nothing in the table and requests no
	 * barrier, so request it here. */
	engine->dirty.barrier = true;
	reach_recompute_later(engine);
	reach_mark_all(engine);
}

/* Whether the dump ended by @message was complete. */
static bool is_complete(uint8_t kind, const struct reach_message *message)
{
	const int error = message->u.error.error;

	if (message->kind != REACH_MESSAGE_DONE)
		return false;
	/* The kernel creates table default with its first route. */
	if (kind == REACH_REQUEST_DEFAULTS && error == ENOENT)
		return true;
	return kind <= REACH_REQUEST_ADDRESSES || !error;
}

int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message)
{
	int delta;

	if (message->type == RTM_NEWADDR)
		return reach_own_addresses_apply(&engine->addresses,
						 &message->u.address, false);
	if (message->type != RTM_NEWLINK)
		return 0;
	delta = reach_links_apply(&engine->links, &message->u.link, false);
	if (delta > 0 && delta & REACH_LINK_DELTA_IDENTITY)
		reach_want_evidence(engine, message->u.link.index);
	return delta;
}

int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message)
{
	int changed = 0;

	if (message->flags & NLM_F_DUMP_INTR)
		engine->dumps.interrupted = true;
	if (message->kind == REACH_MESSAGE_DONE ||
	    message->kind == REACH_MESSAGE_ERROR)
		end_dump(engine, kind, is_complete(kind, message));
	else if ((message->kind == REACH_MESSAGE_LINK &&
		  kind == REACH_REQUEST_LINKS) ||
		 (message->kind == REACH_MESSAGE_ADDRESS &&
		  kind == REACH_REQUEST_ADDRESSES))
		changed = reach_dump_apply(engine, message);
	else if (kind > REACH_REQUEST_ADDRESSES)
		reach_policy_dump_take(engine, kind, message);
	if (changed > 0)
		engine->dumps.changed = true;
	if (changed >= 0)
		return 0;
	/* Out of memory: a missing link may have no further event, so repeat
	 * the dump. */
	engine->dumps.interrupted = true;
	reach_retry_later(engine);
	return changed;
}
