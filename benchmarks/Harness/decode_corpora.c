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
#include "decode_make.h"

/* As a dump fills them. */
#define DATAGRAM_MAX 16384

/* splitmix64, Steele, Lea and Flood 2014. */
uint32_t make_random(struct maker *maker, uint32_t limit)
{
	uint64_t z = maker->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ (z >> 31)) >> 32) % limit;
}

void *make_begin(struct maker *maker, uint16_t type, size_t fixed)
{
	memset(maker->buffer, 0, 256);
	maker->nlh = mnl_nlmsg_put_header(maker->buffer);
	maker->nlh->nlmsg_type = type;
	maker->nlh->nlmsg_flags = NLM_F_MULTI;
	maker->nlh->nlmsg_seq = 1;
	return mnl_nlmsg_put_extra_header(maker->nlh, fixed);
}

void make_bytes(struct maker *maker, uint16_t type, size_t size)
{
	uint8_t bytes[512];
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)(1 + make_random(maker, 255));
	mnl_attr_put(maker->nlh, type, size, bytes);
}

void make_number(struct maker *maker, uint16_t type, uint32_t limit)
{
	mnl_attr_put_u32(maker->nlh, type, make_random(maker, limit));
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
		make_number(maker, (uint16_t)i, 9);
	mnl_attr_nest_end(maker->nlh, data);
	if (make_random(maker, 3) == 0) {
		mnl_attr_put_strz(maker->nlh, IFLA_INFO_SLAVE_KIND,
				  make_random(maker, 2) ? "bridge" : "bond");
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
	struct ifinfomsg *ifi = make_begin(maker, RTM_NEWLINK, sizeof(*ifi));
	/* The last one is Ethernet, which has no kind. */
	const uint32_t kind = make_random(maker, 12);
	char name[IFNAMSIZ];
	uint16_t i;

	*ifi = (struct ifinfomsg){ .ifi_index =
					   1 + (int)make_random(maker, 4096),
				   .ifi_type = 1,
				   .ifi_flags = make_random(maker, 0x10000) };
	memset(name, 'e', sizeof(name));
	name[2 + kind] = '\0';
	mnl_attr_put_strz(maker->nlh, IFLA_IFNAME, name);
	make_number(maker, IFLA_TXQLEN, 1000);
	make_bytes(maker, IFLA_OPERSTATE, 1);
	make_bytes(maker, IFLA_LINKMODE, 1);
	for (i = 0; i < 6; i++)
		make_number(maker, (uint16_t)(IFLA_GROUP + 10 * (i % 2) + i),
			    1500);
	make_number(maker, IFLA_MTU, 9000);
	if (kind % 3 == 0)
		make_number(maker, IFLA_MASTER, 4096);
	if (kind % 4 == 1)
		make_number(maker, IFLA_LINK, 4096);
	make_bytes(maker, IFLA_CARRIER, 1);
	mnl_attr_put_strz(maker->nlh, IFLA_QDISC, "noqueue");
	make_bytes(maker, IFLA_MAP, sizeof(struct rtnl_link_ifmap));
	if (kind != 9) {
		make_bytes(maker, IFLA_ADDRESS, kind == 7 ? 4 : 6);
		make_bytes(maker, IFLA_BROADCAST, kind == 7 ? 4 : 6);
	}
	make_bytes(maker, IFLA_STATS64, sizeof(struct rtnl_link_stats64));
	make_bytes(maker, IFLA_STATS, sizeof(struct rtnl_link_stats));
	make_bytes(maker, IFLA_XDP, 8);
	if (kind != 11)
		put_info(maker, kind);
	if (kind == 2)
		make_number(maker, IFLA_LINK_NETNSID, 9);
	make_bytes(maker, IFLA_AF_SPEC, 300);
	if (make_random(maker, 4) == 0)
		make_bytes(maker, IFLA_PROP_LIST, 40);
}

static void make_address(struct maker *maker)
{
	struct ifaddrmsg *ifa = make_begin(maker, RTM_NEWADDR, sizeof(*ifa));
	const bool inet = make_random(maker, 2);
	const size_t size = inet ? 4 : 16;

	*ifa = (struct ifaddrmsg){ .ifa_family = inet ? AF_INET : AF_INET6,
				   .ifa_prefixlen = 24,
				   .ifa_index = 1 + make_random(maker, 4096) };
	make_bytes(maker, IFA_ADDRESS, size);
	if (inet || make_random(maker, 4) == 0)
		make_bytes(maker, IFA_LOCAL, size);
	if (inet) {
		make_bytes(maker, IFA_BROADCAST, size);
		mnl_attr_put_strz(maker->nlh, IFA_LABEL, "eth0");
	}
	make_bytes(maker, IFA_CACHEINFO, sizeof(struct ifa_cacheinfo));
	make_number(maker, IFA_FLAGS, 0x1000);
}

static void make_rule(struct maker *maker)
{
	struct fib_rule_hdr *frh = make_begin(maker, RTM_NEWRULE, sizeof(*frh));

	frh->family = AF_INET;
	frh->action = FR_ACT_TO_TBL;
	make_number(maker, FRA_TABLE, 256);
	make_number(maker, FRA_SUPPRESS_PREFIXLEN, 9);
	make_bytes(maker, FRA_PROTOCOL, 1);
	make_number(maker, FRA_PRIORITY, 32768);
	if (make_random(maker, 2)) {
		make_number(maker, FRA_FWMARK, 9);
		make_number(maker, FRA_FWMASK, 9);
	}
}

static void make_nexthop(struct maker *maker)
{
	struct nhmsg *nhm = make_begin(maker, RTM_NEWNEXTHOP, sizeof(*nhm));

	nhm->nh_family = AF_INET;
	make_number(maker, NHA_ID, 99);
	make_number(maker, NHA_OIF, 99);
	make_bytes(maker, NHA_GATEWAY, 4);
}

static void make_netconf(struct maker *maker)
{
	struct netconfmsg *ncm =
		make_begin(maker, RTM_NEWNETCONF, sizeof(*ncm));
	uint16_t i;

	ncm->ncm_family = AF_INET;
	for (i = NETCONFA_IFINDEX; i <= NETCONFA_MAX; i++)
		make_number(maker, i, 2);
}

/* Of no use to the library, but heard with the others. */
static void make_neighbour(struct maker *maker)
{
	struct ndmsg *ndm = make_begin(maker, RTM_NEWNEIGH, sizeof(*ndm));

	ndm->ndm_family = AF_INET;
	make_bytes(maker, NDA_DST, 4);
	make_bytes(maker, NDA_LLADDR, 6);
	make_bytes(maker, NDA_CACHEINFO, sizeof(struct nda_cacheinfo));
}

static void make_any(struct maker *maker)
{
	static make_function *const makers[] = {
		make_some,    make_eight_random, make_multipath, make_link,
		make_address, make_metrics,	 make_rule,	 make_nexthop,
		make_netconf, make_neighbour,	 make_shuffled,	 make_unknown,
	};

	makers[make_random(maker, COUNT(makers))](maker);
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
