/* SPDX-License-Identifier: MIT */
/* Corpora for which no reader can foresee the next attribute, made from seeds.
 * What the kernel sends is recorded by make-corpus.sh. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "decode.h"

#define MESSAGE_MAX 8192
/* As a dump fills them. */
#define DATAGRAM_MAX 16384
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct maker {
	uint64_t state;
	/* The message that is written. */
	struct nlmsghdr *nlh;
	_Alignas(8) uint8_t buffer[MESSAGE_MAX];
	/* Messages so far. */
	size_t number;
};

typedef void make_function(struct maker *maker);

/* splitmix64, Steele, Lea and Flood 2014. */
static uint32_t below(struct maker *maker, uint32_t limit)
{
	uint64_t z = maker->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ (z >> 31)) >> 32) % limit;
}

static void *begin(struct maker *maker, uint16_t type, size_t fixed)
{
	memset(maker->buffer, 0, 256);
	maker->nlh = mnl_nlmsg_put_header(maker->buffer);
	maker->nlh->nlmsg_type = type;
	maker->nlh->nlmsg_flags = NLM_F_MULTI;
	maker->nlh->nlmsg_seq = 1;
	return mnl_nlmsg_put_extra_header(maker->nlh, fixed);
}

static void put(struct maker *maker, uint16_t type, size_t size)
{
	uint8_t bytes[512];
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)(1 + below(maker, 255));
	mnl_attr_put(maker->nlh, type, size, bytes);
}

static void put_number(struct maker *maker, uint16_t type, uint32_t limit)
{
	mnl_attr_put_u32(maker->nlh, type, below(maker, limit));
}

static void put_legs(struct maker *maker, size_t address, uint32_t count)
{
	struct nlattr *nest = mnl_attr_nest_start(maker->nlh, RTA_MULTIPATH);

	while (count--) {
		struct rtnexthop *hop = mnl_nlmsg_get_payload_tail(maker->nlh);

		*hop = (struct rtnexthop){ .rtnh_ifindex =
						   1 + (int)below(maker, 99) };
		maker->nlh->nlmsg_len += sizeof(*hop);
		put(maker, RTA_GATEWAY, address);
		hop->rtnh_len =
			(uint16_t)((uint8_t *)mnl_nlmsg_get_payload_tail(
					   maker->nlh) -
				   (uint8_t *)hop);
	}
	mnl_attr_nest_end(maker->nlh, nest);
}

static void put_metrics(struct maker *maker)
{
	struct nlattr *nest = mnl_attr_nest_start(maker->nlh, RTA_METRICS);
	uint32_t i;

	for (i = 1 + below(maker, 5); i; i--)
		put_number(maker, (uint16_t)(1 + below(maker, RTAX_MAX)), 9000);
	mnl_attr_nest_end(maker->nlh, nest);
}

static void put_route_attribute(struct maker *maker, size_t address,
				uint16_t type)
{
	switch (type) {
	case RTA_DST:
	case RTA_SRC:
	case RTA_GATEWAY:
	case RTA_PREFSRC:
		put(maker, type, address);
		break;
	case RTA_CACHEINFO:
		put(maker, type, sizeof(struct rta_cacheinfo));
		break;
	case RTA_METRICS:
		put_metrics(maker);
		break;
	case RTA_MULTIPATH:
		put_legs(maker, address, 2 + below(maker, 7));
		break;
	case RTA_PREF:
		put(maker, type, 1);
		break;
	default:
		put_number(maker, type, UINT32_MAX);
		break;
	}
}

/* The size of its addresses. */
static size_t begin_route(struct maker *maker, uint8_t family)
{
	struct rtmsg *rtm = begin(maker, RTM_NEWROUTE, sizeof(*rtm));

	*rtm = (struct rtmsg){ .rtm_family = family,
			       .rtm_dst_len = (uint8_t)below(maker, 33),
			       .rtm_table = RT_TABLE_MAIN,
			       .rtm_protocol = RTPROT_STATIC,
			       .rtm_type = RTN_UNICAST };
	return family == AF_INET ? 4 : 16;
}

static uint8_t any_family(struct maker *maker)
{
	return below(maker, 2) ? AF_INET : AF_INET6;
}

static const struct layout {
	uint8_t family;
	uint16_t types[8];
} layouts[] = {
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF,
	    RTA_CACHEINFO, RTA_PREF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_PREFSRC, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_OIF, RTA_CACHEINFO,
	    RTA_PREF } },
	{ AF_INET, { RTA_TABLE, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_NH_ID, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_METRICS, RTA_PREFSRC, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PREFSRC, RTA_PRIORITY, RTA_METRICS,
	    RTA_GATEWAY, RTA_OIF, RTA_CACHEINFO } },
};

static void make_layout(struct maker *maker, size_t which)
{
	const struct layout *layout = &layouts[which];
	const size_t address = begin_route(maker, layout->family);
	size_t i;

	for (i = 0; i < COUNT(layout->types) && layout->types[i]; i++)
		put_route_attribute(maker, address, layout->types[i]);
}

static void make_five(struct maker *maker)
{
	make_layout(maker, maker->number % 5);
}

static void make_eight(struct maker *maker)
{
	make_layout(maker, maker->number % 8);
}

static void make_five_random(struct maker *maker)
{
	make_layout(maker, below(maker, 5));
}

static void make_eight_random(struct maker *maker)
{
	make_layout(maker, below(maker, 8));
}

/* Each attribute with a chance of @percent, in any order if @shuffled. */
static void make_subset(struct maker *maker, uint32_t percent, bool shuffled)
{
	uint16_t types[] = { RTA_TABLE,	  RTA_DST,	 RTA_PRIORITY,
			     RTA_GATEWAY, RTA_OIF,	 RTA_PREFSRC,
			     RTA_METRICS, RTA_CACHEINFO, RTA_PREF,
			     RTA_MARK,	  RTA_UID,	 RTA_FLOW };
	const size_t address = begin_route(maker, any_family(maker));
	uint32_t i;

	for (i = COUNT(types) - 1; shuffled && i; i--) {
		const uint32_t j = below(maker, i + 1);
		const uint16_t type = types[i];

		types[i] = types[j];
		types[j] = type;
	}
	for (i = 0; i < COUNT(types); i++)
		if (below(maker, 100) < percent)
			put_route_attribute(maker, address, types[i]);
}

static void make_shuffled(struct maker *maker)
{
	make_subset(maker, 100, true);
}

static void make_some(struct maker *maker)
{
	make_subset(maker, 50, false);
}

static void make_metrics(struct maker *maker)
{
	static const uint16_t types[] = { RTA_TABLE,   RTA_DST,
					  RTA_METRICS, RTA_PRIORITY,
					  RTA_GATEWAY, RTA_OIF };
	const size_t address = begin_route(maker, any_family(maker));
	size_t i;

	for (i = 0; i < COUNT(types); i++)
		put_route_attribute(maker, address, types[i]);
}

static void make_multipath(struct maker *maker)
{
	const size_t address = begin_route(maker, any_family(maker));

	put_route_attribute(maker, address, RTA_TABLE);
	put_route_attribute(maker, address, RTA_DST);
	put_route_attribute(maker, address, RTA_MULTIPATH);
}

static void make_unknown(struct maker *maker)
{
	const size_t address = begin_route(maker, any_family(maker));
	uint32_t i;

	put_route_attribute(maker, address, RTA_DST);
	for (i = 8 + below(maker, 17); i; i--)
		put(maker, (uint16_t)(RTA_MAX + 1 + below(maker, 200)),
		    below(maker, 9));
	put_route_attribute(maker, address, RTA_OIF);
}

/* IFLA_LINKINFO: the kind and what a port's master says. */
static void put_info(struct maker *maker, uint32_t kind)
{
	static const char *const kinds[] = { "bridge", "vlan",	"veth",
					     "bond",   "dummy", "macvlan",
					     "vxlan",  "gre",	"wireguard",
					     "tun",    "ipvlan" };
	struct nlattr *nest = mnl_attr_nest_start(maker->nlh, IFLA_LINKINFO);
	struct nlattr *data;
	uint32_t i;

	mnl_attr_put_strz(maker->nlh, IFLA_INFO_KIND, kinds[kind]);
	data = mnl_attr_nest_start(maker->nlh, IFLA_INFO_DATA);
	for (i = kind * 3; i; i--)
		put_number(maker, (uint16_t)i, 9);
	mnl_attr_nest_end(maker->nlh, data);
	if (below(maker, 3) == 0) {
		mnl_attr_put_strz(maker->nlh, IFLA_INFO_SLAVE_KIND,
				  below(maker, 2) ? "bridge" : "bond");
		data = mnl_attr_nest_start(maker->nlh, IFLA_INFO_SLAVE_DATA);
		for (i = 1; i < 7; i++)
			mnl_attr_put_u8(maker->nlh, (uint16_t)i, 1);
		mnl_attr_nest_end(maker->nlh, data);
	}
	mnl_attr_nest_end(maker->nlh, nest);
}

/* In the order of rtnl_fill_ifinfo(), net/core/rtnetlink.c. */
static void make_link(struct maker *maker)
{
	struct ifinfomsg *ifi = begin(maker, RTM_NEWLINK, sizeof(*ifi));
	/* The last one is Ethernet, which has no kind. */
	const uint32_t kind = below(maker, 12);
	char name[IFNAMSIZ];
	uint16_t i;

	*ifi = (struct ifinfomsg){ .ifi_index = 1 + (int)below(maker, 4096),
				   .ifi_type = 1,
				   .ifi_flags = below(maker, 0x10000) };
	memset(name, 'e', sizeof(name));
	name[2 + kind] = '\0';
	mnl_attr_put_strz(maker->nlh, IFLA_IFNAME, name);
	put_number(maker, IFLA_TXQLEN, 1000);
	put(maker, IFLA_OPERSTATE, 1);
	put(maker, IFLA_LINKMODE, 1);
	for (i = 0; i < 6; i++)
		put_number(maker, (uint16_t)(IFLA_GROUP + 10 * (i % 2) + i),
			   1500);
	put_number(maker, IFLA_MTU, 9000);
	if (kind % 3 == 0)
		put_number(maker, IFLA_MASTER, 4096);
	if (kind % 4 == 1)
		put_number(maker, IFLA_LINK, 4096);
	put(maker, IFLA_CARRIER, 1);
	mnl_attr_put_strz(maker->nlh, IFLA_QDISC, "noqueue");
	put(maker, IFLA_MAP, sizeof(struct rtnl_link_ifmap));
	if (kind != 9) {
		put(maker, IFLA_ADDRESS, kind == 7 ? 4 : 6);
		put(maker, IFLA_BROADCAST, kind == 7 ? 4 : 6);
	}
	put(maker, IFLA_STATS64, sizeof(struct rtnl_link_stats64));
	put(maker, IFLA_STATS, sizeof(struct rtnl_link_stats));
	put(maker, IFLA_XDP, 8);
	if (kind != 11)
		put_info(maker, kind);
	if (kind == 2)
		put_number(maker, IFLA_LINK_NETNSID, 9);
	put(maker, IFLA_AF_SPEC, 300);
	if (below(maker, 4) == 0)
		put(maker, IFLA_PROP_LIST, 40);
}

static void make_address(struct maker *maker)
{
	struct ifaddrmsg *ifa = begin(maker, RTM_NEWADDR, sizeof(*ifa));
	const bool inet = below(maker, 2);
	const size_t size = inet ? 4 : 16;

	*ifa = (struct ifaddrmsg){ .ifa_family = inet ? AF_INET : AF_INET6,
				   .ifa_prefixlen = 24,
				   .ifa_index = 1 + below(maker, 4096) };
	put(maker, IFA_ADDRESS, size);
	if (inet || below(maker, 4) == 0)
		put(maker, IFA_LOCAL, size);
	if (inet) {
		put(maker, IFA_BROADCAST, size);
		mnl_attr_put_strz(maker->nlh, IFA_LABEL, "eth0");
	}
	put(maker, IFA_CACHEINFO, sizeof(struct ifa_cacheinfo));
	put_number(maker, IFA_FLAGS, 0x1000);
}

static void make_rule(struct maker *maker)
{
	struct fib_rule_hdr *frh = begin(maker, RTM_NEWRULE, sizeof(*frh));

	frh->family = AF_INET;
	frh->action = FR_ACT_TO_TBL;
	put_number(maker, FRA_TABLE, 256);
	put_number(maker, FRA_SUPPRESS_PREFIXLEN, 9);
	put(maker, FRA_PROTOCOL, 1);
	put_number(maker, FRA_PRIORITY, 32768);
	if (below(maker, 2)) {
		put_number(maker, FRA_FWMARK, 9);
		put_number(maker, FRA_FWMASK, 9);
	}
}

static void make_nexthop(struct maker *maker)
{
	struct nhmsg *nhm = begin(maker, RTM_NEWNEXTHOP, sizeof(*nhm));

	nhm->nh_family = AF_INET;
	put_number(maker, NHA_ID, 99);
	put_number(maker, NHA_OIF, 99);
	put(maker, NHA_GATEWAY, 4);
}

static void make_netconf(struct maker *maker)
{
	struct netconfmsg *ncm = begin(maker, RTM_NEWNETCONF, sizeof(*ncm));
	uint16_t i;

	ncm->ncm_family = AF_INET;
	for (i = NETCONFA_IFINDEX; i <= NETCONFA_MAX; i++)
		put_number(maker, i, 2);
}

/* Of no use to the library, but heard with the others. */
static void make_neighbour(struct maker *maker)
{
	struct ndmsg *ndm = begin(maker, RTM_NEWNEIGH, sizeof(*ndm));

	ndm->ndm_family = AF_INET;
	put(maker, NDA_DST, 4);
	put(maker, NDA_LLADDR, 6);
	put(maker, NDA_CACHEINFO, sizeof(struct nda_cacheinfo));
}

static void make_any(struct maker *maker)
{
	static make_function *const makers[] = {
		make_some,    make_eight_random, make_multipath, make_link,
		make_address, make_metrics,	 make_rule,	 make_nexthop,
		make_netconf, make_neighbour,	 make_shuffled,	 make_unknown,
	};

	makers[below(maker, COUNT(makers))](maker);
}

static const struct {
	const char *name;
	make_function *make;
	/* One message a datagram, as events come. */
	bool alone;
} corpora[] = {
	{ "five", make_five, false },
	{ "eight", make_eight, false },
	{ "five-random", make_five_random, false },
	{ "eight-random", make_eight_random, false },
	{ "shuffled", make_shuffled, false },
	{ "subsets", make_some, false },
	{ "metrics", make_metrics, false },
	{ "multipath", make_multipath, false },
	{ "unknown", make_unknown, false },
	{ "kinds", make_link, false },
	{ "mixed", make_any, true },
};

static struct corpus *fill(make_function *make, bool alone, size_t size)
{
	static struct maker maker;
	struct corpus *ret = calloc(1, sizeof(*ret));
	struct corpus_datagram *last = NULL;
	size_t used = 0;

	if (!ret)
		return NULL;
	ret->bytes = malloc(size);
	ret->datagrams = calloc(size / NLMSG_HDRLEN, sizeof(*ret->datagrams));
	maker.state = 1;
	for (maker.number = 0; ret->bytes && ret->datagrams; maker.number++) {
		make(&maker);
		if (used + maker.nlh->nlmsg_len + 8 > size)
			return ret;
		if (alone || !last ||
		    last->size + maker.nlh->nlmsg_len > DATAGRAM_MAX) {
			used = (used + 7) & ~(size_t)7;
			last = &ret->datagrams[ret->count++];
			*last = (struct corpus_datagram){ .offset = used };
		}
		memcpy(ret->bytes + used, maker.buffer, maker.nlh->nlmsg_len);
		used += maker.nlh->nlmsg_len;
		last->size += maker.nlh->nlmsg_len;
	}
	corpus_free(ret);
	free(ret);
	return NULL;
}

struct corpus *decode_corpus(const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < COUNT(corpora); i++)
		if (strcmp(corpora[i].name, name) == 0)
			return fill(corpora[i].make, corpora[i].alone, size);
	return NULL;
}
