/* SPDX-License-Identifier: MIT */
/* The yardstick, written like libmnl's examples: mnl_cb_run() calls a callback
 * that has mnl_attr_parse() fill a table, and reads each value from the table
 * where it is used. */
#include <asm/param.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <string.h>

#include <libmnl/libmnl.h>

#include "decode.h"

struct table {
	uint16_t max;
	const struct nlattr **attributes;
};

static int attribute(const struct nlattr *attr, void *context)
{
	const struct table *table = context;

	if (mnl_attr_type_valid(attr, table->max) > 0)
		table->attributes[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static int parse(const struct nlmsghdr *nlh, unsigned int offset, uint16_t max,
		 const struct nlattr **attributes)
{
	struct table table = { max, attributes };

	return mnl_attr_parse(nlh, offset, attribute, &table);
}

static uint64_t number(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
		return 0;
	return mnl_attr_get_u32(attr);
}

static uint64_t byte(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U8) < 0)
		return 0;
	return mnl_attr_get_u8(attr);
}

static uint64_t address(const struct nlattr *attr, uint8_t family)
{
	const uint16_t size = family == AF_INET ? 4 : 16;
	uint64_t words[2] = { 0, 0 };

	if (!attr || mnl_attr_get_payload_len(attr) != size)
		return 0;
	memcpy(words, mnl_attr_get_payload(attr), size);
	return words[0] + words[1] * 3;
}

static uint64_t text(const struct nlattr *attr, size_t size)
{
	char name[64] = "";

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return 0;
	strncpy(name, mnl_attr_get_str(attr), size - 1);
	return (uint64_t)name[0] + (uint64_t)name[3];
}

static uint64_t via(const struct nlattr *attr)
{
	const struct rtvia *via;

	if (!attr || mnl_attr_get_payload_len(attr) < sizeof(*via) + 4)
		return 0;
	via = mnl_attr_get_payload(attr);
	return via->rtvia_family + (uint64_t)via->rtvia_addr[3];
}

/* Like iproute2: macros of rtnetlink.h walk the legs, and libmnl parses their
 * attributes. */
static uint64_t legs(const struct nlattr *multipath, uint8_t family)
{
	const struct rtnexthop *hop = mnl_attr_get_payload(multipath);
	int left = mnl_attr_get_payload_len(multipath);
	uint64_t sum = 0;

	for (; RTNH_OK(hop, left);
	     left -= (int)NLMSG_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop)) {
		const struct nlattr *attributes[RTA_MAX + 1] = { 0 };
		struct table table = { RTA_MAX, attributes };

		if (mnl_attr_parse_payload(hop + 1,
					   hop->rtnh_len - sizeof(*hop),
					   attribute, &table) < 0)
			return 0;
		sum += (uint64_t)hop->rtnh_ifindex + hop->rtnh_flags +
		       hop->rtnh_hops +
		       address(attributes[RTA_GATEWAY], family) +
		       via(attributes[RTA_VIA]);
	}
	return sum;
}

static uint64_t route(const struct nlmsghdr *nlh)
{
	const struct nlattr *table[RTA_MAX + 1] = { 0 };
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	const uint8_t family = rtm->rtm_family;
	uint64_t sum;

	if (parse(nlh, sizeof(*rtm), RTA_MAX, table) < 0)
		return 0;
	sum = family + rtm->rtm_dst_len * 3U + rtm->rtm_src_len + rtm->rtm_tos +
	      rtm->rtm_protocol * 5U + rtm->rtm_scope * 7U +
	      rtm->rtm_type * 11U + rtm->rtm_flags;
	sum += table[RTA_TABLE] ? number(table[RTA_TABLE]) : rtm->rtm_table;
	sum += number(table[RTA_OIF]) * 13 + number(table[RTA_IIF]) +
	       number(table[RTA_PRIORITY]) * 17 + number(table[RTA_NH_ID]) +
	       number(table[RTA_MARK]) + number(table[RTA_UID]);
	sum += address(table[RTA_DST], family) * 19 +
	       address(table[RTA_SRC], family) +
	       address(table[RTA_GATEWAY], family) * 23 +
	       address(table[RTA_PREFSRC], family) * 29 + via(table[RTA_VIA]) +
	       (uint64_t)number(table[RTA_EXPIRES]) * 1000;
	if (table[RTA_MULTIPATH])
		sum += legs(table[RTA_MULTIPATH], family);
	if (table[RTA_CACHEINFO]) {
		const struct rta_cacheinfo *info =
			mnl_attr_get_payload(table[RTA_CACHEINFO]);

		sum += (uint64_t)((int64_t)(int32_t)info->rta_expires *
				  (1000 / HZ));
	}
	return sum;
}

static uint64_t info(const struct nlattr *attr)
{
	const struct nlattr *attributes[IFLA_INFO_MAX + 1] = { 0 };
	const struct nlattr *port[IFLA_BOND_SLAVE_MAX + 1] = { 0 };
	struct table table = { IFLA_INFO_MAX, attributes };
	struct table port_table = { IFLA_BOND_SLAVE_MAX, port };
	const struct nlattr *kind;

	if (!attr || mnl_attr_parse_nested(attr, attribute, &table) < 0)
		return 0;
	kind = attributes[IFLA_INFO_SLAVE_KIND];
	if (kind && mnl_attr_validate(kind, MNL_TYPE_NUL_STRING) >= 0 &&
	    strcmp(mnl_attr_get_str(kind), "bond") == 0 &&
	    attributes[IFLA_INFO_SLAVE_DATA])
		(void)mnl_attr_parse_nested(attributes[IFLA_INFO_SLAVE_DATA],
					    attribute, &port_table);
	return text(attributes[IFLA_INFO_KIND], IFNAMSIZ) +
	       byte(port[IFLA_BOND_SLAVE_STATE]);
}

static uint64_t link_message(const struct nlmsghdr *nlh)
{
	const struct nlattr *table[IFLA_MAX + 1] = { 0 };
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	uint8_t hardware[32] = { 0 };
	uint64_t sum;

	if (parse(nlh, sizeof(*ifi), IFLA_MAX, table) < 0)
		return 0;
	sum = ifi->ifi_family + ifi->ifi_type * 3U +
	      (uint64_t)ifi->ifi_index * 5 + ifi->ifi_flags * 7;
	sum += number(table[IFLA_MTU]) + number(table[IFLA_MASTER]) * 11 +
	       number(table[IFLA_LINK]) * 13 + number(table[IFLA_LINK_NETNSID]);
	sum += byte(table[IFLA_OPERSTATE]) * 17 + byte(table[IFLA_CARRIER]);
	sum += text(table[IFLA_IFNAME], IFNAMSIZ) +
	       (table[IFLA_WIRELESS] != NULL);
	if (table[IFLA_ADDRESS]) {
		const uint16_t size =
			mnl_attr_get_payload_len(table[IFLA_ADDRESS]);

		memcpy(hardware, mnl_attr_get_payload(table[IFLA_ADDRESS]),
		       size < sizeof(hardware) ? size : sizeof(hardware));
		sum += hardware[5];
	}
	sum += info(table[IFLA_LINKINFO]);
	return sum;
}

static uint64_t address_message(const struct nlmsghdr *nlh)
{
	const struct nlattr *table[IFA_MAX + 1] = { 0 };
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	const uint8_t family = ifa->ifa_family;
	uint64_t sum;

	if (parse(nlh, sizeof(*ifa), IFA_MAX, table) < 0)
		return 0;
	sum = family + ifa->ifa_prefixlen * 3U + ifa->ifa_scope * 5U +
	      ifa->ifa_index * (uint64_t)7;
	sum += table[IFA_FLAGS] ? number(table[IFA_FLAGS]) : ifa->ifa_flags;
	sum += address(table[IFA_LOCAL], family) * 11 +
	       address(table[IFA_ADDRESS], family) * 13 +
	       address(table[IFA_BROADCAST], family) * 17;
	return sum;
}

static int read_one(const struct nlmsghdr *nlh, void *context)
{
	uint64_t *sum = context;

	*sum += nlh->nlmsg_type + nlh->nlmsg_flags + nlh->nlmsg_seq +
		(uint64_t)nlh->nlmsg_pid;
	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		*sum += route(nlh);
		break;
	case RTM_NEWLINK:
	case RTM_DELLINK:
		*sum += link_message(nlh);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		*sum += address_message(nlh);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

uint64_t read_by_idiom(const struct corpus *corpus)
{
	const void *datagram;
	size_t at = 0, size;
	uint64_t sum = 0;

	while ((datagram = corpus_next(corpus, &at, &size)))
		(void)mnl_cb_run(datagram, size, 0, 0, read_one, &sum);
	return sum;
}
