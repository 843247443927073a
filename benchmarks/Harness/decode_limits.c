/* SPDX-License-Identifier: MIT */
/* The least that memory allows: loads that no checked decoder can leave out. */
#include <stdbool.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "message/decode.h"

#define LINE	  64
#define LINES_MAX 64

/* Lines of one arrangement; the next message of that length has the same. */
struct lines {
	/* Only those of values that are decoded, not of every header. */
	bool decoded;
	uint32_t length;
	uint32_t count;
	uint16_t at[LINES_MAX];
};

static size_t align(size_t size)
{
	return (size + NLMSG_ALIGNTO - 1) & ~((size_t)NLMSG_ALIGNTO - 1);
}

static size_t fixed_size(const struct nlmsghdr *nlh)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return sizeof(struct ifinfomsg);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return sizeof(struct ifaddrmsg);
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return sizeof(struct rtmsg);
	default:
		return nlh->nlmsg_len;
	}
}

/* Whether a reader needs the attribute, if it knows by itself what the others
 * are. Nearly all of routes and addresses is decoded. */
static bool is_decoded(const struct nlmsghdr *nlh, unsigned int type)
{
	if (nlh->nlmsg_type != RTM_NEWLINK && nlh->nlmsg_type != RTM_DELLINK)
		return true;
	return type == IFLA_IFNAME || type == IFLA_ADDRESS ||
	       type == IFLA_LINKINFO || type == IFLA_MTU ||
	       type == IFLA_MASTER || type == IFLA_LINK ||
	       type == IFLA_LINK_NETNSID || type == IFLA_OPERSTATE ||
	       type == IFLA_CARRIER;
}

/* An offset each 64 bytes at most: a message does not start with a line. */
static void find_lines(const struct nlmsghdr *nlh, struct lines *ret)
{
	size_t at = sizeof(*nlh) + fixed_size(nlh), last = 0;

	ret->length = nlh->nlmsg_len;
	ret->count = 0;
	while (at + sizeof(struct nlattr) <= nlh->nlmsg_len &&
	       ret->count < LINES_MAX) {
		const struct nlattr *attr =
			(const void *)((const uint8_t *)nlh + at);

		if (at >= last + LINE &&
		    (!ret->decoded || is_decoded(nlh, attr->nla_type))) {
			ret->at[ret->count++] = (uint16_t)at;
			last = at;
		}
		at += align(attr->nla_len ? attr->nla_len : LINE);
	}
}

static uint64_t touch(const struct nlmsghdr *nlh, struct lines *lines)
{
	uint64_t sum = nlh->nlmsg_type;
	uint32_t i;

	if (nlh->nlmsg_len != lines->length)
		find_lines(nlh, lines);
	for (i = 0; i < lines->count; i++)
		sum += *(const uint32_t *)(const void *)((const uint8_t *)nlh +
							 lines->at[i]);
	return sum;
}

static inline uint64_t read_by(const struct corpus *corpus, struct lines *lines)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < corpus->count; i++) {
		const uint8_t *bytes =
			corpus->bytes + corpus->datagrams[i].offset;
		const uint8_t *end = bytes + corpus->datagrams[i].size;

		while (bytes + sizeof(struct nlmsghdr) <= end) {
			const struct nlmsghdr *nlh = (const void *)bytes;

			sum += lines ? touch(nlh, lines) : nlh->nlmsg_type;
			bytes += align(nlh->nlmsg_len);
		}
	}
	return sum;
}

uint64_t follow_headers(const struct corpus *corpus)
{
	return read_by(corpus, NULL);
}

uint64_t touch_fields(const struct corpus *corpus)
{
	struct lines lines = { .decoded = true };

	return read_by(corpus, &lines);
}

uint64_t touch_lines(const struct corpus *corpus)
{
	struct lines lines = { 0 };

	return read_by(corpus, &lines);
}
