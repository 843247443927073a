/* SPDX-License-Identifier: MIT */
/*
 * The rules of the verdict. A route alone doesn't mean that a packet can leave.
 * The kernel keeps the routes of a link without carrier, lookups over it
 * succeed, and the chosen source may be unusable. So the answer is joined with
 * the state of the link (UP, RUNNING, LOWER_UP) and with the own addresses.
 */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

static enum reach_reason reason_of_error(int error)
{
	switch (error) {
	case ENETUNREACH:
		return REACH_REASON_NO_ROUTE;
	case EHOSTUNREACH:
		return REACH_REASON_UNREACHABLE;
	case EACCES:
		return REACH_REASON_PROHIBITED;
	case EINVAL:
		return REACH_REASON_BLACKHOLE;
	case ENODEV:
		return REACH_REASON_NO_INTERFACE;
	default:
		return REACH_REASON_REFUSED;
	}
}

/* Whether the link is a transient connection, such as PPP (Apple's
 * kSCNetworkReachabilityFlagsTransientConnection). */
static bool is_transient(const struct reach_link *link,
			 enum reach_interface_class class)
{
	return link->flags & IFF_POINTOPOINT || class == REACH_INTERFACE_PPP ||
	       class == REACH_INTERFACE_VPN;
}

/* A link that is up and waits for an event (RFC 2863, dormant): 802.1X, WPA, or
 * dialling on demand. */
static uint32_t dormant_flags(enum reach_interface_class class)
{
	const uint32_t flags = REACH_FLAG_REACHABLE |
			       REACH_FLAG_CONNECTION_REQUIRED;

	if (class == REACH_INTERFACE_CELLULAR)
		return flags | REACH_FLAG_TRANSIENT_CONNECTION |
		       REACH_FLAG_CONNECTION_ON_TRAFFIC | REACH_FLAG_IS_WWAN;
	if (class == REACH_INTERFACE_PPP)
		return flags | REACH_FLAG_TRANSIENT_CONNECTION |
		       REACH_FLAG_CONNECTION_ON_TRAFFIC;
	return flags;
}

static void compute_unicast(struct reach_verdict *verdict,
			    const struct reach_path *path,
			    const struct reach_link *link,
			    enum reach_interface_class class)
{
	const struct reach_path_key *key = &path->key;
	const bool transient = is_transient(link, class);
	uint32_t flags = REACH_FLAG_REACHABLE;

	verdict->rule = transient ? REACH_RULE_POINT_TO_POINT
				  : REACH_RULE_UNICAST;

	if (reach_path_is_direct(key) && !transient)
		flags |= REACH_FLAG_IS_DIRECT;
	/* 169.254.0.0/16 is on the link (RFC 3927) even if no route says so,
	 * and the answer is the default gateway. */
	if (key->family == AF_INET &&
	    key->destination_scope == REACH_SCOPE_LINK &&
	    (class == REACH_INTERFACE_WIFI ||
	     class == REACH_INTERFACE_WIRED_ETHERNET))
		flags |= REACH_FLAG_IS_DIRECT;
	if (transient)
		flags |= REACH_FLAG_TRANSIENT_CONNECTION;
	if (class == REACH_INTERFACE_CELLULAR) {
		verdict->rule = REACH_RULE_CELLULAR;
		flags |= REACH_FLAG_IS_WWAN | REACH_FLAG_TRANSIENT_CONNECTION;
	}
	verdict->flags = flags;
}

/* RTN_LOCAL: the destination is an own address. The interface reported is the
 * one that has it, although the kernel's oif is lo or the VRF device. */
static struct reach_verdict local_verdict(const struct reach_engine *engine,
					  const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, key->selectors);
	const uint32_t scope_id = selectors->key.scope_id;
	struct reach_address destination =
		reach_address_of(key->family, key->prefix);
	const struct reach_own_address *own;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	struct reach_verdict verdict = {
		.interface_index = key->output,
		.source = *reach_source_of(engine, path),
		.rule = REACH_RULE_LOCAL_DOWN,
		.reason = REACH_REASON_LINK_DOWN,
	};

	/* Packets to an own address pass through the oif and are lost while it
	 * is down. */
	if (!link || !reach_link_usable(link))
		return verdict;
	/* A socket of a VRF takes the source from the links of the VRF. */
	verdict.rule = REACH_RULE_NO_SOURCE;
	verdict.reason = REACH_REASON_NO_SOURCE;
	if (key->family == AF_INET6 && selectors->is_vrf &&
	    !verdict.source.family)
		return verdict;
	verdict.rule = REACH_RULE_LOOPBACK;
	verdict.reason = REACH_REASON_NONE;
	verdict.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS;
	destination.scope_id = scope_id;
	own = reach_own_addresses_find(&engine->addresses, &destination,
				       scope_id);
	if (own)
		verdict.interface_index = own->interface_index;
	link = reach_links_find(&engine->links, verdict.interface_index);
	if (link)
		verdict.interface_class =
			(uint16_t)reach_classify(&engine->links, link);
	if (key->destination_scope != REACH_SCOPE_HOST) {
		verdict.rule = REACH_RULE_LOCAL;
		verdict.flags |= REACH_FLAG_IS_DIRECT;
	}
	return verdict;
}

/* Packets to another host's address come back on lo, where TCP can't answer them
 * from that address, unless the route encapsulates them. A VRF passes groups, and
 * IPv6's link-local addresses, by its ports (vrf_ip_out(), vrf_ip6_out(),
 * drivers/net/vrf.c). */
bool reach_path_passes(const struct reach_engine *engine,
		       const struct reach_path_key *key,
		       const struct reach_link *link)
{
	const bool is_strict = reach_source_is_of_many(key) ||
			       (key->family == AF_INET6 &&
				key->destination_scope != REACH_SCOPE_GLOBAL);

	if (link->flags & IFF_LOOPBACK && key->type == RTN_UNICAST &&
	    !(key->bits & REACH_PATH_INDIRECT))
		return false;
	return reach_links_pass(&engine->links, link, !is_strict);
}

/* Any other type of route: the packet leaves by an interface. */
static struct reach_verdict link_verdict(const struct reach_engine *engine,
					 const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	struct reach_verdict verdict = {
		.interface_index = key->output,
		.source = *reach_source_of(engine, path),
	};
	enum reach_interface_class class;

	if (!reach_path_is_direct(key))
		verdict.gateway = key->gateway;
	/* The link was deleted after the answer. */
	if (!link)
		return reach_verdict_none(REACH_RULE_LINK_DOWN,
					  REACH_REASON_LINK_DOWN, 0);
	verdict.rule = REACH_RULE_LINK_DOWN;
	verdict.reason = REACH_REASON_LINK_DOWN;
	class = reach_classify(&engine->links, link);
	verdict.interface_class = (uint16_t)class;
	if (reach_link_dormant(link)) {
		verdict.flags = dormant_flags(class);
		verdict.rule = REACH_RULE_DORMANT;
		verdict.reason = REACH_REASON_DORMANT;
		return verdict;
	}
	if (!reach_path_passes(engine, key, link))
		return verdict;
	/* Groups of one interface (RFC 4291, 2.7; ip6_finish_output2(),
	 * net/ipv6/ip6_output.c). */
	if (key->family == AF_INET6 && reach_source_is_of_many(key) &&
	    key->destination_scope == REACH_SCOPE_HOST &&
	    !(link->flags & IFF_LOOPBACK))
		return reach_verdict_none(REACH_RULE_MULTICAST,
					  REACH_REASON_NO_ROUTE, 0);
	verdict.rule = REACH_RULE_NO_SOURCE;
	verdict.reason = REACH_REASON_NO_SOURCE;
	if (!reach_source_is_usable(reach_source_judge(engine, path)))
		return verdict;
	verdict.reason = REACH_REASON_NONE;
	if (reach_source_is_of_many(key)) {
		verdict.rule = REACH_RULE_MULTICAST;
		verdict.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT;
	} else {
		compute_unicast(&verdict, path, link, class);
	}
	return verdict;
}

static struct reach_verdict path_verdict(const struct reach_engine *engine,
					 const struct reach_path *path)
{
	const int error = reach_path_error(&path->key);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, path->key.selectors);

	if (path->key.bits & REACH_PATH_NO_INTERFACE)
		return reach_verdict_none(REACH_RULE_NO_INTERFACE,
					  REACH_REASON_NO_INTERFACE, 0);
	/* With an oif in the request IPv4 returns EHOSTUNREACH whenever there
	 * is no route through that interface, whatever the cause; through a
	 * VRF, it returns the cause. */
	if (error == EHOSTUNREACH && path->key.family == AF_INET &&
	    !selectors->is_vrf && reach_selectors_are_bound(selectors))
		return reach_verdict_none(REACH_RULE_ERROR,
					  REACH_REASON_NO_ROUTE, error);
	if (error)
		return reach_verdict_none(REACH_RULE_ERROR,
					  reason_of_error(error), error);
	if (path->key.type == RTN_LOCAL)
		return local_verdict(engine, path);
	return link_verdict(engine, path);
}

/* Whether the destination is on a network of its own, such as a LAN: the route
 * has no gateway, and the link is of a kind whose default route needs one. */
static bool is_neighbor(const struct reach_engine *engine,
			const struct reach_path *path)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, path->key.output);
	enum reach_interface_class class;

	if (!reach_path_is_direct(&path->key) || !link)
		return false;
	class = reach_classify(&engine->links, link);
	return class != REACH_INTERFACE_CELLULAR && !is_transient(link, class);
}

/* Whether a new connection could help: the target has no usable route, and no
 * administrator forbids one. */
static bool lacks_way(const struct reach_engine *engine,
		      const struct reach_path *path, uint32_t reason)
{
	const struct reach_path_key *key = &path->key;

	if (key->type == RTN_LOCAL ||
	    key->destination_scope != REACH_SCOPE_GLOBAL ||
	    key->bits & REACH_PATH_MULTICAST)
		return false;
	return reason == REACH_REASON_NO_ROUTE ||
	       ((reason == REACH_REASON_LINK_DOWN ||
		 reason == REACH_REASON_NO_SOURCE) &&
		!is_neighbor(engine, path));
}

/* Whether the kernel may choose among several routes or legs by their
 * neighbors. For IPv4 these are default routes. */
static bool has_choice(const struct reach_engine *engine,
		       const struct reach_path_key *key)
{
	if (key->family != AF_INET)
		return true;
	if (key->bits & REACH_PATH_LEGS)
		return engine->settings.leaves_legs;
	return reach_path_is_default(key);
}

bool reach_path_may_change_over(const struct reach_engine *engine,
				const struct reach_path_key *key)
{
	const struct reach_selectors *selectors;
	const struct reach_link *link;

	if (!key->gateway.family || key->bits & REACH_PATH_INDIRECT ||
	    key->type != RTN_UNICAST || reach_path_error(key) ||
	    !has_choice(engine, key))
		return false;
	link = reach_links_find(&engine->links, key->output);
	if (!link || !reach_link_is_unplugged(link))
		return false;
	/* With an interface, there is no other. */
	selectors = reach_selectors_at(engine, key->selectors);
	return selectors->is_vrf || !reach_selectors_are_bound(selectors);
}

/* Whether the route rejects all packets, or its link drops them. */
static bool is_last_resort(const struct reach_engine *engine,
			   const struct reach_path_key *key)
{
	const int error = reach_path_error(key);
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);

	if (error)
		return error == EHOSTUNREACH || error == EACCES ||
		       error == EINVAL;
	return link && reach_link_drops(link);
}

/* Whether IPv4 multicast is lost on a link without carrier. It follows the default
 * route, which the kernel leaves once packets to other hosts have found the
 * gateway unreachable (fib_select_default(), net/ipv4/fib_semantics.c). */
static bool is_lost_multicast(const struct reach_engine *engine,
			      const struct reach_path_key *key)
{
	const struct reach_link *link;

	if (key->family != AF_INET || !(key->bits & REACH_PATH_MULTICAST))
		return false;
	link = reach_links_find(&engine->links, key->output);
	return link && reach_link_is_unplugged(link) &&
	       !reach_selectors_are_bound(
		       reach_selectors_at(engine, key->selectors));
}

bool reach_path_is_uncertain(const struct reach_engine *engine,
			     const struct reach_path_key *key)
{
	const struct reach_selectors *selectors;
	size_t i;

	if (key->predicted)
		return true;
	selectors = reach_selectors_at(engine, key->selectors);
	if (key->family == AF_INET6 && is_last_resort(engine, key))
		return selectors->is_vrf ||
		       !reach_selectors_are_bound(selectors);
	if (!reach_path_may_change_over(engine, key) &&
	    !is_lost_multicast(engine, key))
		return false;
	for (i = 0; i < engine->links.count; i++)
		if (reach_link_is_other(&engine->links.items[i],
					selectors->is_vrf ? selectors->bound
							  : 0))
			return true;
	return false;
}

struct reach_verdict reach_path_verdict(const struct reach_engine *engine,
					const struct reach_path *path)
{
	const struct reach_verdict verdict = path_verdict(engine, path);

	if (!engine->facts.count || verdict.flags ||
	    !lacks_way(engine, path, verdict.reason))
		return verdict;
	return reach_verdict_by_modem(engine, path->key.selectors, verdict);
}
