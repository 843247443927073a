/* SPDX-License-Identifier: MIT */
/* The decoder that remembers gives what the walk without memory gives. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <reach/message.h>

#include "check.h"
#include "decoder_forms.h"

#define POOL		 48
#define MESSAGES	 200000
#define SIZE_MAX_MESSAGE 1024

struct sample {
	_Alignas(8) uint8_t bytes[SIZE_MAX_MESSAGE];
	uint32_t size;
};

static uint64_t state;

static uint32_t below(uint32_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % limit;
}

static void put(struct sample *sample, const void *bytes, size_t size)
{
	const uint32_t step = ((uint32_t)size + 3) & ~3u;

	if (sample->size + step > sizeof(sample->bytes))
		return;
	memset(sample->bytes + sample->size, 0, step);
	memcpy(sample->bytes + sample->size, bytes, size);
	sample->size += step;
}

/* An attribute of @size bytes: zeros, or mostly letters. */
static void put_attribute(struct sample *sample, uint16_t type, uint16_t size)
{
	uint8_t bytes[4 + 255];
	const struct nlattr header = { (uint16_t)(4 + size), type };
	const bool empty = below(2);
	uint16_t i;

	memcpy(bytes, &header, sizeof(header));
	memset(bytes + 4, 0, size);
	for (i = 0; i < size && !empty; i++)
		bytes[4 + i] = (uint8_t)(below(3) ? 'a' + below(20) : below(4));
	put(sample, bytes, (size_t)4 + size);
}

/* A text as the kernel sends it, with its NUL and nothing behind. */
static void put_text(struct sample *sample, uint16_t type)
{
	struct {
		struct nlattr header;
		char text[20];
	} attr = { { 0, type }, "" };
	const uint32_t length = below(sizeof(attr.text));
	uint32_t i;

	for (i = 0; i < length; i++)
		attr.text[i] = (char)('a' + below(20));
	attr.header.nla_len = (uint16_t)(sizeof(attr.header) + length + 1);
	put(sample, &attr, attr.header.nla_len);
}

/* IFLA_LINKINFO with a kind, and at times with that of a port and data that
 * is read if the port is a bond's. */
static void put_info(struct sample *sample)
{
	static const struct {
		struct nlattr header;
		char text[8];
	} kinds[] = {
		{ { 9, IFLA_INFO_SLAVE_KIND }, "bond" },
		{ { 9, IFLA_INFO_SLAVE_KIND }, "bonc" },
		{ { 11, IFLA_INFO_SLAVE_KIND }, "bridge" },
	};
	static const struct {
		struct nlattr header;
		struct nlattr state;
		uint8_t value;
	} data = { { 9, IFLA_INFO_SLAVE_DATA },
		   { 5, IFLA_BOND_SLAVE_STATE },
		   1 };
	const uint32_t start = sample->size, kind = below(3);
	const struct nlattr empty = { 0, IFLA_LINKINFO };
	uint16_t length;

	put(sample, &empty, sizeof(empty));
	if (below(2))
		put_text(sample, IFLA_INFO_KIND);
	else
		put_attribute(sample, IFLA_INFO_KIND,
			      (uint16_t)(1 + below(12)));
	if (below(2)) {
		put(sample, &kinds[kind], kinds[kind].header.nla_len);
		put(sample, &data, data.header.nla_len);
	}
	length = (uint16_t)(sample->size - start);
	memcpy(sample->bytes + start, &length, sizeof(length));
}

/* A port of something else becomes a bond's. */
static void make_bond(struct sample *sample)
{
	uint8_t *kind = memmem(sample->bytes, sample->size, "bonc", 4);

	if (kind)
		kind[3] = 'd';
}

static bool is_address(uint16_t type, bool route)
{
	if (!route)
		return type == IFA_ADDRESS || type == IFA_LOCAL ||
		       type == IFA_BROADCAST;
	return type == RTA_DST || type == RTA_SRC || type == RTA_GATEWAY ||
	       type == RTA_PREFSRC;
}

/* Sizes by which a family's attributes are sound most of the time. */
static uint16_t size_of(uint16_t type, bool inet, bool route)
{
	if (below(40) == 0)
		return (uint16_t)below(40);
	if (type == (route ? RTA_CACHEINFO : IFA_CACHEINFO))
		return route ? sizeof(struct rta_cacheinfo)
			     : sizeof(struct ifa_cacheinfo);
	if (is_address(type, route))
		return inet ? 4 : 16;
	return 4;
}

static void make_route(struct sample *sample, bool inet)
{
	const struct rtmsg rtm = { .rtm_family = inet ? AF_INET : AF_INET6,
				   .rtm_dst_len = (uint8_t)below(33),
				   .rtm_table = (uint8_t)below(256),
				   .rtm_flags = below(1000) };
	uint32_t i, count = below(8);

	put(sample, &rtm, sizeof(rtm));
	for (i = 0; i < count; i++) {
		const uint16_t type = (uint16_t)(1 + below(31));

		put_attribute(sample, type, size_of(type, inet, true));
	}
}

static void make_address(struct sample *sample, bool inet)
{
	const struct ifaddrmsg ifa = { .ifa_family = inet ? AF_INET : AF_INET6,
				       .ifa_flags = (uint8_t)below(256),
				       .ifa_index = below(9) };
	uint32_t i, count = below(7);

	put(sample, &ifa, sizeof(ifa));
	for (i = 0; i < count; i++) {
		const uint16_t type = (uint16_t)(1 + below(10));

		put_attribute(sample, type, size_of(type, inet, false));
	}
}

/* As long as those of the kernel are, or with more headers far apart than any
 * layout has windows for. */
static void put_specs(struct sample *sample)
{
	const uint32_t way = below(8);
	uint32_t i;

	for (i = 0; way < 4 && i < 3; i++)
		put_attribute(sample, IFLA_AF_SPEC, 200);
	for (i = 0; way == 4 && i < 13; i++)
		put_attribute(sample, IFLA_AF_SPEC, 60);
}

static void make_link(struct sample *sample)
{
	static const uint16_t types[] = {
		IFLA_ADDRESS, IFLA_IFNAME,    IFLA_MTU,	    IFLA_LINK,
		IFLA_MASTER,  IFLA_OPERSTATE, IFLA_CARRIER, IFLA_LINK_NETNSID,
		IFLA_TXQLEN,  IFLA_WIRELESS,  IFLA_GROUP,   IFLA_STATS64,
	};
	const struct ifinfomsg ifi = { .ifi_index = (int)below(9),
				       .ifi_flags = below(1000) };
	const uint32_t info = below(12), again = below(40);
	/* Some are shorter than the widest register. */
	const uint32_t count = below(4) ? 12 : below(4);
	uint32_t i;

	put(sample, &ifi, sizeof(ifi));
	for (i = 0; i < count; i++) {
		const uint16_t type = types[again < 12 ? again : i];

		if (i == info)
			put_info(sample);
		if (type == IFLA_IFNAME && below(2))
			put_text(sample, type);
		else if (below(3))
			put_attribute(sample, type,
				      type == IFLA_IFNAME ? (uint16_t)below(20)
				      : type == IFLA_ADDRESS
					      ? (uint16_t)below(34)
					      : 4);
	}
	if (count == 12)
		put_specs(sample);
}

static void make(struct sample *sample)
{
	static const uint16_t types[] = { RTM_NEWROUTE, RTM_NEWADDR,
					  RTM_NEWLINK, RTM_NEWRULE };
	const uint32_t kind = below(16) ? below(3) : 3;
	struct nlmsghdr *nlh = (void *)sample->bytes;

	sample->size = 0;
	put(sample,
	    &(struct nlmsghdr){ .nlmsg_type =
					(uint16_t)(types[kind] + below(2)),
				.nlmsg_flags = (uint16_t)below(4),
				.nlmsg_seq = below(9) },
	    sizeof(*nlh));
	if (kind == 0)
		make_route(sample, below(2));
	else if (kind == 1)
		make_address(sample, below(2));
	else if (kind == 2)
		make_link(sample);
	else
		put(sample, &(struct rtmsg){ .rtm_family = AF_INET },
		    sizeof(struct rtmsg));
	nlh->nlmsg_len = sample->size;
}

/* The bytes that count are compared: what is behind the members of a kind,
 * and legs that are not there, is whatever it was. */
static bool same(const struct reach_message *a, const struct reach_message *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Reads the datagram both ways; whether all results were the same. */
static bool read_twice(struct reach_decoder *decoder, const uint8_t *bytes,
		       size_t size, int *decoded)
{
	struct reach_message a, b;
	size_t left = 0, right = 0;
	int mine, theirs;

	do {
		/* What was there before must not show through. */
		memset(&a, 0xa5, sizeof(a));
		a.size = sizeof(a);
		b = a;
		mine = reach_decoder_next(decoder, bytes, size, &left, &a);
		theirs = reach_message_decode(bytes, size, &right, &b);
		if (mine != theirs || left != right)
			return false;
		if (mine == 1 && !same(&a, &b))
			return false;
		*decoded += mine == 1;
	} while (mine == 1 || (mine == -EBADMSG && left < size));
	return true;
}

/* A copy that ends where the memory ends for the sanitizer. */
static bool read_copy(struct reach_decoder *decoder, const uint8_t *bytes,
		      size_t size, int *decoded)
{
	uint8_t *copy = malloc(size ? size : 1);
	bool ret;

	if (!copy)
		return false;
	memcpy(copy, bytes, size);
	ret = read_twice(decoder, copy, size, decoded);
	free(copy);
	return ret;
}

/* No arrangement has to come several times to be learnt. */
static void learn_all(struct reach_decoder *decoder)
{
	memset(decoder->candidates, 0, sizeof(decoder->candidates));
}

/* One in three messages differs from its sample in a byte or two, and one in
 * thirty is cut short; the lengths in it may lie. */
static void check_random(struct check *check, struct reach_decoder *decoder)
{
	static struct sample pool[POOL];
	struct sample sample;
	int decoded = 0, i;

	for (i = 0; i < MESSAGES; i++) {
		struct sample *origin = &pool[below(POOL)];
		uint32_t changes = below(3) ? 0 : 1 + below(2);

		if (!origin->size || below(300) == 0)
			make(origin);
		sample = *origin;
		for (; changes; changes--)
			sample.bytes[below(sample.size)] =
				(uint8_t)(below(2) ? below(256) : 0);
		if (below(4) == 0)
			make_bond(&sample);
		if (below(30) == 0)
			sample.size = below(sample.size + 1);
		learn_all(decoder);
		if (!CHECK(check, read_copy(decoder, sample.bytes, sample.size,
					    &decoded)))
			return;
	}
	CHECK(check, decoded > MESSAGES / 4);
}

/* Two samples in turn in one datagram, or one several times, and bytes behind
 * that are no message. */
static void check_datagrams(struct check *check, struct reach_decoder *decoder)
{
	struct sample samples[2];
	uint8_t bytes[5 * SIZE_MAX_MESSAGE + 8];
	int decoded = 0, i;

	for (i = 0; i < 2000; i++) {
		const uint32_t kinds = 1 + below(2);
		size_t size = 0, j;

		memset(bytes, 0, sizeof(bytes));
		make(&samples[0]);
		make(&samples[1]);
		for (j = 0; j < 5; j++) {
			const struct sample *sample = &samples[j % kinds];

			memcpy(bytes + size, sample->bytes, sample->size);
			size += sample->size;
		}
		size += below(8);
		learn_all(decoder);
		if (!CHECK(check, read_copy(decoder, bytes, size, &decoded)) ||
		    !CHECK(check, read_copy(decoder, bytes, size, &decoded)))
			return;
	}
}

static void check_calls(struct check *check, struct reach_decoder *decoder)
{
	_Alignas(8) uint8_t bytes[64] = { 0 };
	struct reach_message message = { .size = sizeof(message) - 1 };
	size_t offset = 0;

	CHECK(check, reach_decoder_next(decoder, bytes, 32, &offset,
					&message) == -EINVAL);
	CHECK(check, reach_decoder_next(decoder, bytes, 0, &offset, &message) ==
			     -EINVAL);
	message.size = sizeof(message);
	CHECK(check, reach_decoder_next(decoder, bytes + 1, 32, &offset,
					&message) == -EINVAL);
	CHECK(check, reach_decoder_next(decoder, bytes, (size_t)INT32_MAX + 1,
					&offset, &message) == -EINVAL);
	CHECK(check,
	      reach_decoder_next(decoder, bytes, 0, &offset, &message) == 0);
	/* A header of zeros is like nothing that was learnt. */
	CHECK(check, reach_decoder_next(decoder, bytes, 32, &offset,
					&message) == -EBADMSG);
	CHECK(check, offset == 32);
	offset = 33;
	CHECK(check, reach_decoder_next(decoder, bytes, 32, &offset,
					&message) == -EINVAL);
	offset = 2;
	CHECK(check, reach_decoder_next(decoder, bytes, 32, &offset,
					&message) == -EINVAL);
	CHECK(check, offset == 2);
	reach_decoder_destroy(NULL);
}

static void check_form(struct check *check,
		       const struct reach_decoder_form *form)
{
	struct reach_decoder *decoder;

	state = 7;
	if (!CHECK(check, reach_decoder_create(&decoder) == 0))
		return;
	decoder->next = form->next;
	check_calls(check, decoder);
	check_random(check, decoder);
	check_datagrams(check, decoder);
	reach_decoder_destroy(decoder);
}

void test_decoder(struct check *check)
{
	size_t i;

	for (i = 0; i < reach_decoder_form_count; i++)
		if (reach_decoder_forms[i].is_supported())
			check_form(check, &reach_decoder_forms[i]);
}
