/* SPDX-License-Identifier: MIT */
/*
 * A judge that doesn't ask what the library asks: `ip route get` and the
 * library both send RTM_GETROUTE. This test builds random hosts that offer the
 * kernel a choice (judge_host.c), changes them, and connects a socket per
 * target. A verdict is right if it names the link, the source, and the next hop
 * of the packet that comes out (judge_wire.c). If none does, "unreachable" is
 * right. All states must also be those of a new monitor, and those that the
 * monitor has reported (judge_watch.c). Some hosts have thousands of targets
 * that come and go, or a receive buffer that overruns.
 *
 * REACH_JUDGE is the number of hosts, REACH_JUDGE_SEED the first one's seed. Each
 * host is compared after every change, of which it has REACH_JUDGE_STEPS; every
 * second one at the end alone, after a burst of changes, REACH_JUDGE_SECONDS
 * long. REACH_JUDGE_CROWD is the number of targets where these are many.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/judge_watch.h"

/* Two of each theme. */
#define HOSTS 20
#define STEPS 16
#define BURST 60
/* Targets that are compared after a step. */
#define SAMPLE 40
/* With ten seconds for changes that the kernel announces late. */
#define TRIES  200
#define TRY_MS 50
/* A machine under load may need longer than a neighbor has. */
#define FEW_TRIES 3
#define SETTLE_MS 700
/* The longest time that a packet takes from a link to its peer, and how long
 * to wait for one that may have been sent to a neighbor that fails. */
#define PACKET_MS      1000
#define LATE_PACKET_MS 20
#define ROUTER_TRIES   3
/* More targets, which most hosts have. */
#define FEW 80
/* Packets that show whether any leg is usable, under hashing by port. */
#define LEG_TRIES 16

struct judge {
	struct judge_host host;
	struct judge_watch watch;
	/* Compares at the end alone. */
	bool is_burst;
};

/* ---- verdicts --------------------------------------------------------- */

/* Whether the source is missing, its scope is less than global, or the host
 * doesn't have it: IPv6 keeps a route's source whose link went down
 * (fib6_remove_prefsrc(), net/ipv6/route.c). */
static bool is_unusable(const uint8_t *source, uint16_t family)
{
	struct reach_address address = { .family = family };

	memcpy(address.bytes, source, sizeof(address.bytes));
	return reach_address_is_any(&address) ||
	       reach_address_scope(&address) != REACH_SCOPE_GLOBAL ||
	       !judge_is_own(&address);
}

/* Whether @state is direct if @way shows that. It shows neither a tunnel nor the
 * VRF that a route leads to. Packets that lo takes go nowhere, unless they are
 * for a group. */
static bool is_direct(const struct judge *judge,
		      const struct reach_target *target,
		      const struct reach_state *state)
{
	const bool is_far = state->gateway.family ||
			    (strcmp(state->interface_name, "lo") == 0 &&
			     !judge_is_group(&target->remote));

	if (state->flags & REACH_FLAG_IS_DIRECT)
		return !is_far;
	return is_far || judge_has_taken(&judge->host, "encap") ||
	       judge_has_taken(&judge->host, "dev v0");
}

/* RTM_GETROUTE with a source may answer for another link than that of a bound
 * IPv6 socket (any_src, ip6_route_output_flags_noref(), net/ipv6/route.c). Then
 * the state has no gateway, and isn't direct. */
static bool lacks_next_hop(const struct reach_target *target,
			   const struct reach_state *state)
{
	return target->remote.family == AF_INET6 && target->interface_name[0] &&
	       !state->gateway.family && !(state->flags & REACH_FLAG_IS_DIRECT);
}

/* For an own address, the state names the interface that has it, but packets
 * pass lo or the VRF. */
static bool is_way(const struct judge *judge, const struct reach_target *target,
		   const struct judge_way *way, const struct reach_state *state)
{
	if (memcmp(way->source, state->source.bytes, 16) != 0)
		return false;
	if (state->flags & REACH_FLAG_IS_LOCAL_ADDRESS)
		return way->link >= JUDGE_CABLES &&
		       state->flags & REACH_FLAG_IS_DIRECT &&
		       !state->gateway.family;
	return strcmp(judge_links[way->link], state->interface_name) == 0 &&
	       (lacks_next_hop(target, state) ||
		(judge_leads_to(way, state->gateway.family ? &state->gateway
							   : &target->remote) &&
		 is_direct(judge, target, state)));
}

/* A packet with an unusable source leaves, and gets no answer. If there is no
 * route, a bound IPv4 socket takes every destination to be on the link
 * (ip_route_output_key_hash_rcu, net/ipv4/route.c). */
static bool may_leave(const struct reach_target *target,
		      const struct judge_way *way,
		      const struct reach_state *state)
{
	if (state->reason == REACH_REASON_NO_SOURCE)
		return is_unusable(way->source, target->remote.family);
	return state->reason == REACH_REASON_NO_ROUTE &&
	       target->remote.family == AF_INET && target->interface_name[0] &&
	       judge_leads_to(way, &target->remote);
}

/* Where links come and go, a socket shows its source, and what routes and rules
 * refuse. A dormant link may get its addresses with the connection. */
static bool is_of_socket(const struct reach_target *target,
			 const struct judge_trace *trace,
			 const struct reach_state *state)
{
	if (state->reason == REACH_REASON_DORMANT &&
	    trace->error == EADDRNOTAVAIL)
		return true;
	if (state->flags)
		return !trace->error &&
		       memcmp(trace->source, state->source.bytes, 16) == 0;
	return trace->error || state->reason > REACH_REASON_BLACKHOLE ||
	       (state->reason == REACH_REASON_NO_ROUTE &&
		target->remote.family == AF_INET && target->interface_name[0]);
}

static bool is_right(const struct judge *judge,
		     const struct reach_target *target,
		     const struct judge_trace *trace,
		     const struct reach_state *state)
{
	if (judge->host.is_unseen)
		return is_of_socket(target, trace, state);
	if (!state->flags && !trace->count)
		return true;
	for (size_t i = 0; i < trace->count; i++)
		if (state->flags ? is_way(judge, target, &trace->ways[i], state)
				 : may_leave(target, &trace->ways[i], state))
			return true;
	return false;
}

/* Whether no lookup shows the leg: it depends on ports, or, since Linux 7.3, each
 * TCP connection of IPv6 has one of its own (ip6_ecmp_set_mp_hash(),
 * include/net/ipv6.h). */
static bool is_hidden(const struct judge *judge,
		      const struct reach_target *target)
{
	return judge->host.hashes_ports ||
	       (target->remote.family == AF_INET6 && answer_is_since(703));
}

/* If any socket gets out, the target is reachable, and by a leg that some
 * sockets take. Where no leg has carrier, a rule by the source of one that isn't
 * shown may yet send its sockets elsewhere. */
static bool is_any_leg(struct judge *judge, const struct reach_target *target,
		       const struct reach_state *state)
{
	bool right = !state->flags;

	for (int i = 0; i < LEG_TRIES; i++) {
		const struct judge_trace trace =
			judge_send(&judge->host.wire, target, 0);

		if (is_right(judge, target, &trace, state) != right &&
		    (state->reason != REACH_REASON_LINK_DOWN ||
		     state->usable_next_hops || state->next_hops < 2 ||
		     !judge_has_taken(&judge->host, "rule add from") ||
		     !memcmp(trace.ways->source, state->source.bytes, 16)))
			return !right;
	}
	return right;
}

/* What may have kept a packet from leaving: neighbors, addresses under duplicate
 * address detection, carriers, and the counters of what the kernel dropped. */
static void tell_losses(void)
{
	static const char command[] =
		"exec >&2; ip -s neigh; ip -s addr; "
		"grep -Ehv '(:|[^0-9]) *0$' /proc/net/snmp6 "
		"/proc/net/stat/ndisc_cache; "
		"cat /proc/net/snmp";

	fprintf(stderr, "no packet; the host is as follows\n");
	if (system(command))
		fprintf(stderr, "and some of it is unknown\n");
}

static void tell(const struct judge *judge, const char *who, size_t i,
		 const struct judge_trace *trace,
		 const struct reach_state *state)
{
	char text[REACH_ADDRESS_TEXT_SIZE];
	struct reach_target target;
	const uint8_t *mac;

	judge_tell(&judge->host);
	judge_tell_state(&judge->host, i, who, state);
	fprintf(stderr, "socket: %s\n", strerror(trace->error));
	if (state->flags && !trace->count)
		tell_losses();
	judge_target(&judge->host, i, &target);
	for (size_t n = 0; n < trace->count; n++) {
		struct reach_address source = { .family =
							target.remote.family };

		memcpy(source.bytes, trace->ways[n].source, 16);
		(void)reach_address_format(&source, text, sizeof(text));
		mac = trace->ways[n].next_hop;
		fprintf(stderr, "a packet: by %s from %s to %x.%x.%x.%x\n",
			judge_links[trace->ways[n].link], text, mac[2], mac[3],
			mac[4], mac[5]);
	}
}

/* Sends as a client that tries again: the kernel leaves a router that doesn't
 * answer only after somebody has sent, and its neighbor entry failed. On a
 * machine under load, the judge may answer for a neighbor too late. */
static struct judge_trace
send_again(struct judge *judge, const struct reach_target *target, int patience)
{
	struct judge_trace trace = { .count = 0 };

	for (int i = 0; i < ROUTER_TRIES && !trace.count; i++) {
		(void)poll(NULL, 0, LATE_PACKET_MS);
		trace = judge_send(&judge->host.wire, target, patience);
	}
	return trace;
}

/* Whether the kernel may announce a step's change late, or not at all before
 * somebody sends: carriers within a second (linkwatch, net/core/link_watch.c),
 * routes of IPv6 addresses and the end of their detection (addrconf_dad_work,
 * net/ipv6/addrconf.c), failed neighbors, settings. */
static bool is_late(const struct judge *judge)
{
	static const char *const late[] = { "link", "-6 addr", "=",
					    "!",    "+",       "*" };

	for (size_t i = 0; i < sizeof(late) / sizeof(*late); i++)
		if (judge_has_taken(&judge->host, late[i]))
			return true;
	return false;
}

/* Whether a rule may be the reason of the verdict, or of the error that the
 * socket got: it forbids a source, or leads that source to a link without
 * carrier, while the other source is sent to a router that doesn't answer. */
static bool is_of_a_rule(const struct judge *judge,
			 const struct judge_trace *trace,
			 const struct reach_state *state)
{
	if (state->flags)
		return trace->error == EACCES || trace->error == ENETUNREACH;
	return state->reason == REACH_REASON_PROHIBITED ||
	       state->reason == REACH_REASON_NO_ROUTE ||
	       (state->reason == REACH_REASON_LINK_DOWN &&
		judge->host.wire.silent_count);
}

/* Whether a rule forbids the source of one of two IPv4 routers, or legs, which
 * the kernel chooses by their neighbor entries, or by ports. Between routers
 * that don't answer, it takes turns (fib_select_default(),
 * net/ipv4/fib_semantics.c). */
static bool is_forbidden_router(const struct judge *judge,
				const struct judge_trace *trace,
				const struct reach_state *state)
{
	if (judge->host.hashes_ports &&
	    judge_has_taken(&judge->host, "rule add from 10.9.9.9") &&
	    (state->flags ? trace->error == EHOSTUNREACH
			  : state->reason == REACH_REASON_UNREACHABLE))
		return true;
	return (strstr(judge_theme(judge->host.theme), "two IPv4") ||
		judge->host.hashes_ports) &&
	       judge_has_taken(&judge->host, "rule add from 10.9.0.") &&
	       is_of_a_rule(judge, trace, state);
}

/* A choice among routers by their neighbor entries is no event, so the verdict
 * names one of them, and the socket another. A router that doesn't answer gets
 * no packet, and the library doesn't know that. */
static bool is_other_router(const struct judge *judge,
			    const struct judge_trace *trace,
			    const struct reach_state *state)
{
	if (is_forbidden_router(judge, trace, state))
		return true;
	if (!state->flags || !state->gateway.family)
		return false;
	return judge_is_silent(&judge->host.wire, &state->gateway) ||
	       (trace->count && judge_has_taken(&judge->host, "!"));
}

static bool is_of_vrf(const char *interface_name)
{
	return strcmp(interface_name, "e1") == 0 ||
	       strcmp(interface_name, "v0") == 0;
}

/* Up to Linux 5.17, a socket bound to a VRF, or to a port of one, falls back to
 * table main if the VRF's table has no route. Its packets then leave through
 * interfaces outside the VRF (l3mdev_update_flow, net/l3mdev/l3mdev.c).
 * connect(), send(), and RTM_GETROUTE disagree about which interface. */
static bool is_leaky(const struct judge *judge,
		     const struct reach_target *target)
{
	return judge->host.has_vrf && is_of_vrf(target->interface_name) &&
	       !answer_is_since(518);
}

/* A packet to an own address in a VRF is routed again when the VRF's device
 * sends it, without the socket's interface (vrf_process_v4_outbound(),
 * drivers/net/vrf.c). A rule by source may then send it out over another link,
 * which connect() and RTM_GETROUTE don't see. Such a rule precedes the VRF's
 * own rule, as rules of ip-rule(8) without a preference do. */
static bool is_routed_again(const struct judge *judge,
			    const struct reach_target *target)
{
	const struct reach_address own[] = { check_address("10.8.0.1"),
					     check_address("2001:db8:8::1") };

	if (!judge->host.has_vrf ||
	    (!reach_address_equal(&target->remote, &own[0]) &&
	     !reach_address_equal(&target->remote, &own[1])))
		return false;
	return judge_has_taken(&judge->host, "rule add from") ||
	       judge_has_taken(&judge->host, "rule add not from");
}

/* After an error, the library takes the source of an IPv6 socket from a UDP
 * socket. Rules by protocol may refuse one, and not the other. */
static bool is_of_udp(const struct judge *judge,
		      const struct reach_target *target)
{
	return judge_is_group(&target->remote) ||
	       (target->remote.family == AF_INET6 &&
		(target->interface_name[0] ||
		 judge_has_taken(&judge->host, "default from") ||
		 judge_has_taken(&judge->host, "-6 rule add from")));
}

/* Nothing is compared that the library promises nothing for: datagrams under
 * rules by protocol or hashing by port, and multicast by a default route whose
 * router the kernel may leave (of a nexthop group, nexthop_select_path() in
 * net/ipv4/nexthop.c). */
static bool is_excepted(const struct judge *judge, size_t i)
{
	const char *theme = judge_theme(judge->host.theme);
	struct reach_target target;

	judge_target(&judge->host, i, &target);
	if (strstr(theme, "protocol") && is_of_udp(judge, &target))
		return true;
	return is_leaky(judge, &target) || is_routed_again(judge, &target) ||
	       (judge_is_group(&target.remote) &&
		(strstr(theme, "two IPv4") || strstr(theme, "nexthop") ||
		 judge->host.hashes_ports));
}

/* Sends, and again if nothing is seen that @state promises, or if the kernel may
 * have another router. */
static struct judge_trace send_to(struct judge *judge, size_t i,
				  const struct reach_target *target,
				  const struct reach_state *state)
{
	const int patience = is_late(judge) ? LATE_PACKET_MS : PACKET_MS;
	const bool waits = state->flags && !judge->host.is_unseen;
	struct judge_trace trace =
		judge_send(&judge->host.wire, target, waits ? patience : 0);

	if (trace.count || judge->host.is_unseen)
		return trace;
	if (state->reason == REACH_REASON_LINK_DOWN && i % 4 == 0 &&
	    judge_has_routers(&judge->host))
		trace = send_again(judge, target, 0);
	else if (state->flags && !trace.error && patience == PACKET_MS)
		trace = send_again(judge, target, patience);
	return trace;
}

/* Neighbor entries go with the carrier of their link. Of two IPv4 routes of one
 * metric, the kernel takes the first one again once its router is asked for, so
 * a socket has another router than the verdict. That is right as long as a socket
 * on the verdict's link has the verdict's. */
static bool is_former_router(struct judge *judge,
			     const struct reach_target *target,
			     const struct reach_state *state)
{
	struct reach_target bound = *target;
	struct judge_trace trace;

	if (!state->flags || !judge_has_taken(&judge->host, "link set p") ||
	    !strstr(judge_theme(judge->host.theme), "two IPv4"))
		return false;
	memcpy(bound.interface_name, state->interface_name,
	       sizeof(bound.interface_name));
	trace = judge_send(&judge->host.wire, &bound, PACKET_MS);
	return trace.count && is_right(judge, &bound, &trace, state);
}

/* Whether the verdict on target @i is right now. Sets @trace and @state. */
static bool is_right_now(struct judge *judge, size_t i, bool watch,
			 struct judge_trace *trace, struct reach_state *state)
{
	struct reach_target target;
	bool known;

	judge_target(&judge->host, i, &target);
	known = watch ? judge_watch_state(&judge->watch, i, state)
		      : !reach_check(&target, NULL, -1, state);
	*trace = send_to(judge, i, &target, state);
	if (!known)
		return false;
	if (is_hidden(judge, &target) ? is_any_leg(judge, &target, state)
				      : is_right(judge, &target, trace, state))
		return true;
	return judge->host.hashes_ports
		       ? is_forbidden_router(judge, trace, state)
		       : is_other_router(judge, trace, state) ||
				 is_former_router(judge, &target, state);
}

/* Lets the kernel ask again for neighbors that have failed, and that would
 * answer. IPv6 chooses among routes by such entries (rt6_check_neigh(),
 * net/ipv6/route.c), and asks for one that it avoids once per minute only
 * (rt6_probe()). While cables are out, all may fail. Otherwise, the judge has
 * answered too late, as on a machine under load. */
static void ask_neighbors_again(const struct judge *judge, int tries)
{
	if (judge_has_taken(&judge->host, "link set p")
		    ? tries % (4 * FEW_TRIES) == FEW_TRIES
		    : !judge->host.wire.silent_count)
		(void)answer_ip("neigh flush nud failed");
}

static bool agrees(struct judge *judge, size_t i, bool watch)
{
	struct reach_state state = { .size = sizeof(state) };
	struct pollfd pollfd = { .fd = reach_monitor_fd(judge->watch.monitor),
				 .events = POLLIN };
	const int most = is_late(judge) ? TRIES : FEW_TRIES;
	struct judge_trace trace;

	if (is_excepted(judge, i))
		return true;
	for (int tries = 0; tries < most; tries++) {
		if (is_right_now(judge, i, watch, &trace, &state))
			return true;
		ask_neighbors_again(judge, tries);
		(void)poll(&pollfd, 1, TRY_MS);
	}
	tell(judge, watch ? "watched" : "asked", i, &trace, &state);
	return false;
}

/* ---- hosts ------------------------------------------------------------ */

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

/* Chooses how many addresses are watched besides, so that the engine has many,
 * and opens the monitor, with a receive buffer that overruns or a large one. */
static bool open_watch(struct judge *judge)
{
	struct judge_host *host = &judge->host;
	const unsigned long most = setting("REACH_JUDGE_CROWD", 3000);

	host->crowd_count =
		(const size_t[]){ 0, FEW, FEW, most }[judge_random(host, 4)];
	if (host->crowd_count > JUDGE_CROWD)
		host->crowd_count = JUDGE_CROWD;
	for (size_t i = 0; i < host->crowd_count; i++)
		host->crowd[i] = judge_address(host);
	return judge_watch_open(&judge->watch, host,
				judge_random(host, 3) ? 0 : 4096);
}

/* Removes targets, and adds the same, or others of the crowd. */
static bool exchange(struct judge *judge)
{
	struct judge_host *host = &judge->host;
	const size_t fixed = judge_count(host) - host->crowd_count;
	const size_t crowd = judge_random(host, 4) ? 0 : host->crowd_count / 2;
	bool done = true;

	if (judge_random(host, 8) == 0)
		done = judge_watch_exchange(
			&judge->watch, judge_random(host, (uint32_t)fixed));
	for (size_t i = 0; done && i < crowd; i++) {
		const size_t n =
			judge_random(host, (uint32_t)host->crowd_count);

		host->crowd[n] = judge_address(host);
		done = judge_watch_exchange(&judge->watch, fixed + n);
	}
	return done;
}

/* Lets the monitor's confirming lookups pass. */
static void settle(struct judge *judge)
{
	for (int i = 0; i < SETTLE_MS; i += TRY_MS) {
		(void)poll(NULL, 0, TRY_MS);
		(void)judge_watch_dispatch(&judge->watch);
	}
}

/* Whether answers may change without an event: the kernel chooses routers and
 * IPv6's legs by their neighbors, and those of nexthop groups
 * (nexthop_select_path(), net/ipv4/nexthop.c), after an error the source of an
 * IPv6 socket is that of UDP only until the rules are known, a tentative
 * address becomes optimistic (inet6_addr_modify(), net/ipv6/addrconf.c), and
 * without nexthop_compat_mode no route shows its legs (fib_dump_info(),
 * net/ipv4/fib_semantics.c). */
static bool changes_silently(const struct judge *judge)
{
	const char *theme = judge_theme(judge->host.theme);

	return strncmp(theme, "two ", 4) == 0 || strstr(theme, "protocol") ||
	       (judge_has_taken(&judge->host, "link set p") &&
		(!judge->host.is_router || strstr(theme, "nexthop"))) ||
	       (judge_has_taken(&judge->host, "compat_mode 0") &&
		strstr(theme, "nexthop")) ||
	       judge_has_taken(&judge->host, "dev e2 optimistic");
}

/* Whether all states are those of a new monitor. */
static bool equals_new(struct judge *judge)
{
	struct pollfd pollfd = { .fd = reach_monitor_fd(judge->watch.monitor),
				 .events = POLLIN };
	const size_t first =
		judge_random(&judge->host, (uint32_t)judge_count(&judge->host));
	const int most = is_late(judge) ? TRIES : FEW_TRIES;

	if (changes_silently(judge))
		return true;
	for (int tries = 0; tries < most; tries++) {
		if (judge_watch_is_fresh(&judge->watch, first,
					 tries + 1 == most))
			return true;
		(void)poll(&pollfd, 1, TRY_MS);
	}
	return false;
}

/* Compares @count of the crowd, at most. */
static bool agree_about_crowd(struct judge *judge, size_t count)
{
	struct judge_host *host = &judge->host;
	const uint32_t crowd = (uint32_t)host->crowd_count;
	const size_t fixed = judge_count(host) - crowd;

	for (size_t n = 0; n < count && n < crowd; n++)
		if (!agrees(judge, fixed + judge_random(host, crowd), true))
			return false;
	return true;
}

/* Compares @count targets, each with the watch's verdict or a check's. */
static bool compare(struct judge *judge, size_t count, bool watch)
{
	/* An address that nobody answers for costs 10 ms. */
	const size_t stride = judge->host.wire.silent_count ? 5 : 1;
	const size_t first = judge_random(&judge->host, JUDGE_TARGETS);
	/* Prime to the number of targets. */
	const size_t next = count < JUDGE_TARGETS ? 101 : 1;

	if (watch && judge_has_routers(&judge->host))
		settle(judge);
	for (size_t n = 0; n < count; n += stride)
		if (!agrees(judge, (first + n * next) % JUDGE_TARGETS, watch))
			return false;
	return !watch ||
	       (agree_about_crowd(judge, count / 4) && equals_new(judge));
}

/* Changes the host while the monitor works, and compares nothing. */
static bool burst(struct judge *judge)
{
	const time_t end =
		time(NULL) + (time_t)setting("REACH_JUDGE_SECONDS", 0);
	bool known = true;

	for (int i = 0; known && (i < BURST || time(NULL) < end); i++) {
		(void)judge_step(&judge->host);
		if (judge_random(&judge->host, 4) == 0)
			known = judge_watch_dispatch(&judge->watch) &&
				exchange(judge);
	}
	return known;
}

/* Takes up to three steps at once. Returns whether one changed something. */
static bool change(struct judge *judge)
{
	bool changed = judge_step(&judge->host);

	for (uint32_t more = judge_random(&judge->host, 5); more > 2; more--)
		changed |= judge_step(&judge->host);
	return changed;
}

/* Whether the end of a route, which the kernel doesn't announce, is seen. Without
 * packets, nothing else waits. */
static bool sees_expiry(struct judge *judge)
{
	if (!judge->host.is_unseen ||
	    !strstr(judge_last(&judge->host), "expires"))
		return true;
	settle(judge);
	settle(judge);
	return equals_new(judge);
}

/* Changes the host, and compares after each change. */
static bool compare_each(struct judge *judge)
{
	/* Those whose packets nobody sees take no time. */
	const unsigned long steps = setting("REACH_JUDGE_STEPS", STEPS) *
				    (judge->host.is_unseen ? 5 : 1);
	bool right = true;

	for (unsigned long i = 0; right && i < steps; i++) {
		/* Otherwise, the lookups that confirm the previous step's
		 * verdicts would mend this one's. */
		if (!judge->host.is_unseen &&
		    judge_random(&judge->host, 6) == 0)
			settle(judge);
		right = exchange(judge) &&
			(!change(judge) || compare(judge, SAMPLE, true)) &&
			sees_expiry(judge);
	}
	return right;
}

static bool judge_changes(struct judge *judge)
{
	const bool is_burst = judge->is_burst && !judge->host.is_unseen;

	return open_watch(judge) &&
	       (is_burst ? burst(judge) : compare_each(judge)) &&
	       compare(judge, JUDGE_TARGETS, true) &&
	       compare(judge, JUDGE_TARGETS, false);
}

/* Whether each answer that has changed was marked by an event. A confirming
 * lookup may see the end of a route just before the monitor's timer does. */
static bool needs_no_correction(struct judge *judge)
{
	const struct reach_stats stats = answer_stats(judge->watch.monitor);

	if (!stats.corrections || changes_silently(judge) ||
	    judge_has_taken(&judge->host, "link set p") ||
	    judge_has_taken(&judge->host, "expires"))
		return true;
	judge_tell(&judge->host);
	fprintf(stderr, "%lu corrections\n", (unsigned long)stats.corrections);
	return false;
}

static int judge_one(void *context)
{
	struct judge *judge = context;
	int ret;

	if (unshare(CLONE_NEWNET))
		return -errno;
	ret = judge_build(&judge->host);
	if (!ret) {
		ret = judge_changes(judge) && needs_no_correction(judge);
		reach_monitor_close(judge->watch.monitor);
		judge_wire_close(&judge->host.wire);
	}
	judge_forget(&judge->host);
	return ret;
}

void test_judge(void)
{
	static struct judge judge;
	const unsigned long count = setting("REACH_JUDGE", HOSTS);
	const unsigned long first = setting("REACH_JUDGE_SEED", 0);
	unsigned long vrfs = 0;

	/* The timeout of all tests (main.c), and 2 s per host. */
	alarm((unsigned int)(setting("REACH_ALARM", 300) +
			     (2 + setting("REACH_JUDGE_SECONDS", 0)) * count));
	fprintf(stderr, "judge: %lu hosts from seed %lu\n", count, first);
	for (unsigned long seed = first; seed < first + count; seed++) {
		int ret;

		memset(&judge, 0, sizeof(judge));
		judge_choose(&judge.host, seed);
		judge.is_burst = judge_random(&judge.host, 2);
		ret = check_on_thread(judge_one, &judge);
		if (ret == -EPERM || ret == -EOPNOTSUPP) {
			check_skip("judge", ret);
			return;
		}
		vrfs += judge.host.has_vrf;
		if (!CHECK(ret == 1))
			fprintf(stderr,
				"REACH_JUDGE=1 REACH_JUDGE_SEED=%lu (%s)\n",
				seed, judge_theme(judge.host.theme));
	}
	/* Not every kernel has VRFs, but those of DeviceTests do. */
	fprintf(stderr, "judge: %lu of them with a VRF\n", vrfs);
}
