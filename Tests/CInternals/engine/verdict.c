/* SPDX-License-Identifier: MIT */
/* The rules of the verdict (engine/verdict/verdict.c): one row per rule. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"
#include "engine/verdict/verdict.h"

/* Links by index. Only TUNNEL has IFF_POINTOPOINT. VRF is down, and PORT its
 * port. BOND has BONDED, which is down. GONE doesn't exist. */
enum {
	LO = 1,
	WIRED,
	WIFI,
	CELLULAR,
	PPP,
	VPN,
	TUNNEL,
	DUMMY,
	IFB,
	VRF,
	PORT,
	BOND,
	BONDED,
	GONE
};

#define DOWN	IFF_UP
#define DORMANT (IFF_UP | IFF_LOWER_UP | IFF_DORMANT)

#define R	REACH_FLAG_REACHABLE
#define L	REACH_FLAG_IS_LOCAL_ADDRESS
#define D	REACH_FLAG_IS_DIRECT
#define W	REACH_FLAG_IS_WWAN
#define T	REACH_FLAG_TRANSIENT_CONNECTION
#define C	REACH_FLAG_CONNECTION_REQUIRED
#define TRAFFIC REACH_FLAG_CONNECTION_ON_TRAFFIC
#define MODEM	(R | W | T | C)

/* An answer of the kernel, and the verdict. Members that are 0 stand for the
 * common case: an IPv4 route to an address of global scope, through a gateway,
 * over a link that is up, with a usable source. */
struct row {
	const char *rule;
	uint32_t output;
	/* IFF_*; 0 for BYTES_UP. */
	uint32_t link;
	/* One more than enum reach_address_scope; 0 for global. */
	uint8_t scope;
	/* RTN_*; 0 for RTN_UNICAST. */
	uint8_t type;
	uint16_t error;
	uint8_t bits;
	/* Of the matched prefix. */
	uint8_t length;
	bool inet6;
	bool direct;
	/* The target is limited to an interface. */
	bool scoped;
	/* The target is limited to the VRF. */
	bool in_vrf;
	bool no_source;
	/* The source is 169.254.7.7, of global scope. */
	bool self_assigned;
	/* A modem is registered and not connected. */
	bool modem;
	uint32_t flags;
	uint32_t reason;
	/* For explanations; 0 if another row has it. */
	enum reach_rule named;
};

#define ON_LINK 1 + REACH_SCOPE_LINK
#define ON_HOST 1 + REACH_SCOPE_HOST

static const struct row rows[] = {
	/* ---- errors ---- */
	{ "ENETUNREACH is no route", .error = ENETUNREACH,
	  .reason = REACH_REASON_NO_ROUTE, .named = REACH_RULE_ERROR },
	{ "EHOSTUNREACH is an unreachable route", .error = EHOSTUNREACH,
	  .reason = REACH_REASON_UNREACHABLE },
	{ "through an interface, IPv4's EHOSTUNREACH is no route",
	  .error = EHOSTUNREACH, .scoped = true,
	  .reason = REACH_REASON_NO_ROUTE },
	{ "through an interface, IPv6's EHOSTUNREACH is an unreachable route",
	  .error = EHOSTUNREACH, .scoped = true, .inet6 = true,
	  .reason = REACH_REASON_UNREACHABLE },
	{ "through a VRF, EHOSTUNREACH is an unreachable route",
	  .error = EHOSTUNREACH, .in_vrf = true,
	  .reason = REACH_REASON_UNREACHABLE },
	{ "EACCES is prohibited", .error = EACCES,
	  .reason = REACH_REASON_PROHIBITED },
	{ "EINVAL is a blackhole", .error = EINVAL,
	  .reason = REACH_REASON_BLACKHOLE },
	{ "ENODEV is no interface", .error = ENODEV,
	  .reason = REACH_REASON_NO_INTERFACE },
	{ "any other error is a refusal", .error = ENOBUFS,
	  .reason = REACH_REASON_REFUSED },
	{ "RTN_UNREACHABLE is an unreachable route", .type = RTN_UNREACHABLE,
	  .reason = REACH_REASON_UNREACHABLE },
	{ "RTN_PROHIBIT is prohibited", .type = RTN_PROHIBIT,
	  .reason = REACH_REASON_PROHIBITED },
	{ "RTN_BLACKHOLE is a blackhole", .type = RTN_BLACKHOLE,
	  .reason = REACH_REASON_BLACKHOLE, .named = REACH_RULE_ERROR },
	{ "RTN_THROW is no route", .type = RTN_THROW,
	  .reason = REACH_REASON_NO_ROUTE },
	{ "a missing interface is no interface", .output = WIRED,
	  .bits = REACH_PATH_NO_INTERFACE,
	  .reason = REACH_REASON_NO_INTERFACE },
	/* ---- own addresses ---- */
	{ "a loopback address is local", .output = LO, .type = RTN_LOCAL,
	  .scope = ON_HOST, .flags = R | L, .named = REACH_RULE_LOOPBACK },
	{ "an own address is local and direct", .output = LO, .type = RTN_LOCAL,
	  .flags = R | L | D, .named = REACH_RULE_LOCAL },
	{ "an own address is lost while lo is down", .output = LO,
	  .link = IFF_LOOPBACK, .type = RTN_LOCAL,
	  .reason = REACH_REASON_LINK_DOWN, .named = REACH_RULE_LOCAL_DOWN },
	{ "an own address is no way for a VRF without a source", .output = LO,
	  .type = RTN_LOCAL, .inet6 = true, .in_vrf = true, .no_source = true,
	  .reason = REACH_REASON_NO_SOURCE },
	/* ---- usable links ---- */
	{ "a gateway isn't direct", .output = WIRED, .flags = R,
	  .named = REACH_RULE_UNICAST },
	{ "a route without a gateway is direct", .output = WIRED,
	  .direct = true, .flags = R | D },
	{ "loopback leads nowhere", .output = LO, .direct = true,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "a cellular link is WWAN, and transient", .output = CELLULAR,
	  .flags = R | W | T, .named = REACH_RULE_CELLULAR },
	{ "a cellular LAN is direct", .output = CELLULAR, .direct = true,
	  .flags = R | W | T | D },
	{ "PPP is transient, not direct", .output = PPP, .direct = true,
	  .flags = R | T, .named = REACH_RULE_POINT_TO_POINT },
	{ "a VPN is transient without IFF_POINTOPOINT, not direct",
	  .output = VPN, .direct = true, .flags = R | T },
	{ "IFF_POINTOPOINT is transient, not direct", .output = TUNNEL,
	  .direct = true, .flags = R | T },
	{ "169.254/16 over Wi-Fi is direct", .output = WIFI, .scope = ON_LINK,
	  .flags = R | D },
	{ "169.254/16 over a wired link is direct", .output = WIRED,
	  .scope = ON_LINK, .flags = R | D },
	{ "169.254/16 over a tunnel isn't direct", .output = VPN,
	  .scope = ON_LINK, .flags = R | T },
	{ "IPv6 with a gateway isn't direct", .output = WIRED, .scope = ON_LINK,
	  .inet6 = true, .flags = R },
	{ "multicast is direct, whatever the link", .output = VPN,
	  .type = RTN_MULTICAST, .bits = REACH_PATH_MULTICAST,
	  .no_source = true, .flags = R | D, .named = REACH_RULE_MULTICAST },
	{ "broadcast is direct", .output = WIRED, .type = RTN_BROADCAST,
	  .bits = REACH_PATH_MULTICAST, .no_source = true, .flags = R | D },
	{ "a group of one interface is never sent", .output = WIRED,
	  .type = RTN_MULTICAST, .scope = ON_HOST, .inet6 = true,
	  .bits = REACH_PATH_MULTICAST, .reason = REACH_REASON_NO_ROUTE },
	/* ---- others ---- */
	{ "a VRF that is down drops the packets of its ports", .output = PORT,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "a VRF that is down lets groups pass", .output = PORT,
	  .type = RTN_MULTICAST, .bits = REACH_PATH_MULTICAST,
	  .no_source = true, .flags = R | D },
	{ "a bond passes nothing without a usable port", .output = BOND,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "a deleted link is down", .output = GONE,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "a link without carrier is down", .output = WIRED, .link = DOWN,
	  .reason = REACH_REASON_LINK_DOWN, .named = REACH_RULE_LINK_DOWN },
	{ "without a source nothing leaves", .output = WIRED, .no_source = true,
	  .reason = REACH_REASON_NO_SOURCE, .named = REACH_RULE_NO_SOURCE },
	{ "a dummy link drops packets", .output = DUMMY,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "an ifb link drops packets", .output = IFB, .direct = true,
	  .reason = REACH_REASON_LINK_DOWN },
	{ "a dormant dummy link drops packets", .output = DUMMY,
	  .link = DORMANT, .reason = REACH_REASON_LINK_DOWN },
	{ "a self-assigned source leads nowhere without a gateway",
	  .output = WIRED, .direct = true, .self_assigned = true,
	  .reason = REACH_REASON_NO_SOURCE },
	{ "a self-assigned source leads to a gateway", .output = WIRED,
	  .self_assigned = true, .flags = R },
	{ "a self-assigned source leads to its link", .output = WIRED,
	  .direct = true, .self_assigned = true, .scope = ON_LINK,
	  .flags = R | D },
	{ "a self-assigned source leads to a neighbor", .output = WIRED,
	  .direct = true, .self_assigned = true, .length = 24, .flags = R | D },
	{ "a self-assigned source leads into a tunnel", .output = TUNNEL,
	  .direct = true, .self_assigned = true, .flags = R | T },
	{ "IPv6 finds a neighbor with a source of the link", .output = WIRED,
	  .inet6 = true, .flags = R },
	{ "IPv6 finds no neighbor without an address on the link",
	  .output = WIFI, .inet6 = true, .reason = REACH_REASON_NO_SOURCE },
	{ "IPv4 finds a neighbor with any source", .output = WIFI, .flags = R },
	{ "IPv6 resolves no neighbor on a tunnel", .output = TUNNEL,
	  .inet6 = true, .flags = R | T },
	{ "a dormant link requires a connection", .output = WIRED,
	  .link = DORMANT, .flags = R | C, .reason = REACH_REASON_DORMANT,
	  .named = REACH_RULE_DORMANT },
	{ "dormant PPP connects on traffic", .output = PPP, .link = DORMANT,
	  .flags = R | C | T | TRAFFIC, .reason = REACH_REASON_DORMANT },
	{ "a dormant modem connects on traffic", .output = CELLULAR,
	  .link = DORMANT, .flags = R | C | T | W | TRAFFIC,
	  .reason = REACH_REASON_DORMANT },
	/* ---- modems ---- */
	{ "a modem helps where there is no route", .error = ENETUNREACH,
	  .modem = true, .flags = MODEM, .reason = REACH_REASON_NOT_CONNECTED,
	  .named = REACH_RULE_MODEM },
	{ "a modem helps if the gateway's link is down", .output = WIRED,
	  .link = DOWN, .modem = true, .flags = MODEM,
	  .reason = REACH_REASON_NOT_CONNECTED },
	{ "a modem helps without a source", .output = WIRED, .no_source = true,
	  .modem = true, .flags = MODEM, .reason = REACH_REASON_NOT_CONNECTED },
	{ "a modem leads to no neighbor", .output = WIRED, .link = DOWN,
	  .direct = true, .modem = true, .reason = REACH_REASON_LINK_DOWN },
	{ "behind a tunnel is no neighbor", .output = TUNNEL, .link = DOWN,
	  .direct = true, .modem = true, .flags = MODEM,
	  .reason = REACH_REASON_NOT_CONNECTED },
	{ "behind a cellular link is no neighbor", .output = CELLULAR,
	  .link = DOWN, .direct = true, .modem = true, .flags = MODEM,
	  .reason = REACH_REASON_NOT_CONNECTED },
	{ "a modem helps where a rule throws", .type = RTN_THROW, .modem = true,
	  .flags = MODEM, .reason = REACH_REASON_NOT_CONNECTED },
	{ "a modem doesn't help against an unreachable route",
	  .error = EHOSTUNREACH, .modem = true,
	  .reason = REACH_REASON_UNREACHABLE },
	{ "a modem doesn't help against a blackhole", .error = EINVAL,
	  .modem = true, .reason = REACH_REASON_BLACKHOLE },
	{ "a modem doesn't help against a refusal", .error = EPERM,
	  .modem = true, .reason = REACH_REASON_REFUSED },
	{ "a modem leads to no loopback address", .error = ENETUNREACH,
	  .scope = ON_HOST, .modem = true, .reason = REACH_REASON_NO_ROUTE },
	{ "a modem doesn't help against an administrator", .error = EACCES,
	  .modem = true, .reason = REACH_REASON_PROHIBITED },
	{ "a modem leads to no own address", .output = LO, .link = IFF_LOOPBACK,
	  .type = RTN_LOCAL, .modem = true, .reason = REACH_REASON_LINK_DOWN },
	{ "a modem leads to no link-local address", .error = ENETUNREACH,
	  .scope = ON_LINK, .modem = true, .reason = REACH_REASON_NO_ROUTE },
	{ "a modem leads to no multicast group", .error = ENETUNREACH,
	  .bits = REACH_PATH_MULTICAST, .modem = true,
	  .reason = REACH_REASON_NO_ROUTE },
	{ "a modem doesn't replace a way", .output = WIRED, .modem = true,
	  .flags = R },
};

static const struct bytes_link links[] = {
	{ .index = LO, .flags = BYTES_UP },
	{ .index = WIRED, .flags = BYTES_UP },
	{ .index = WIFI, .flags = BYTES_UP },
	{ .index = CELLULAR, .flags = BYTES_UP },
	{ .index = PPP, .flags = BYTES_UP, .type = ARPHRD_PPP },
	{ .index = VPN, .flags = BYTES_UP, .kind = "wireguard" },
	{ .index = TUNNEL, .flags = BYTES_UP | IFF_POINTOPOINT },
	{ .index = DUMMY, .flags = BYTES_UP, .kind = "dummy" },
	{ .index = IFB, .flags = BYTES_UP, .kind = "ifb" },
	{ .index = VRF, .kind = "vrf" },
	{ .index = PORT, .flags = BYTES_UP, .master = VRF },
	{ .index = BOND, .flags = BYTES_UP, .kind = "bond" },
	{ .index = BONDED, .flags = DOWN, .master = BOND },
};

static void add_links(struct bytes *bytes)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		bytes_tell_of(bytes, RTM_NEWLINK, &links[i]);
	CHECK(!reach_engine_set_evidence(bytes->engine, WIFI, "", "", true));
	CHECK(!reach_engine_set_evidence(bytes->engine, CELLULAR, "wwan", "",
					 false));
}

static struct reach_path path_of(const struct row *row, uint32_t selectors)
{
	struct reach_path path = {
		.key = {
			.deadline = INT64_MAX,
			.output = row->output,
			.selectors = selectors,
			.error = row->error,
			.family = row->inet6 ? AF_INET6 : AF_INET,
			.type = row->type ? row->type : RTN_UNICAST,
			.destination_scope = row->scope ? row->scope - 1
							: REACH_SCOPE_GLOBAL,
			.bits = row->bits,
			.length = row->length,
			.prefix = { 10, 0, 0, 2 },
		},
	};

	if (row->scope == ON_HOST)
		memcpy(path.key.prefix, (uint8_t[]){ 127, 0, 0, 1 }, 4);
	if (!row->no_source)
		path.key.source = check_address(row->inet6 ? "fd00::2"
						: row->self_assigned
							? "169.254.7.7"
							: "10.0.0.2");
	if (!row->direct)
		path.key.gateway.family = path.key.family;
	return path;
}

static void check_row(struct bytes *bytes, const struct row *row, uint64_t id)
{
	struct reach_engine *engine = bytes->engine;
	const uint32_t number = reach_targets_find(engine, id);
	const struct reach_destination *destination = reach_destination_at(
		&engine->destinations,
		reach_entry_at(&engine->entries, number)->use.destination);
	const struct reach_path path = path_of(row, destination->selectors);
	const struct reach_interface_facts modem = {
		.size = sizeof(modem),
		.modem = REACH_MODEM_REGISTERED,
	};
	struct reach_link *link = NULL;
	struct reach_verdict verdict;
	uint32_t flags = 0;

	CHECK(reach_engine_set_facts(engine, &modem, row->modem) == 0);
	if (row->link && row->output) {
		link = &engine->links.items[row->output - 1];
		flags = link->flags;
		link->flags = row->link | (flags & IFF_POINTOPOINT);
	}
	verdict = reach_path_verdict(engine, &path);
	if (!CHECK(verdict.flags == row->flags &&
		   verdict.reason == row->reason &&
		   (!row->named || verdict.rule == row->named)))
		fprintf(stderr, "%s: %#x, reason %u\n", row->rule,
			verdict.flags, verdict.reason);
	if (link)
		link->flags = flags;
}

void test_verdict(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };
	uint64_t plain, scoped, in_vrf;
	size_t i;

	bytes_open(&bytes, BYTES_SECOND);
	add_links(&bytes);
	bytes_tell_address_of(&bytes, LO, RTM_NEWADDR, "127.0.0.1");
	bytes_tell_address_of(&bytes, WIRED, RTM_NEWADDR, "10.0.0.2");
	bytes_tell_address_of(&bytes, WIRED, RTM_NEWADDR, "169.254.7.7");
	bytes_tell_address_of(&bytes, WIRED, RTM_NEWADDR, "fd00::2");
	plain = bytes_watch(&bytes, "10.0.0.9", 0);
	scoped = bytes_watch(&bytes, "10.0.0.9", WIRED);
	in_vrf = bytes_watch(&bytes, "10.0.0.9", VRF);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(&bytes, &rows[i],
			  rows[i].scoped   ? scoped
			  : rows[i].in_vrf ? in_vrf
					   : plain);
}
