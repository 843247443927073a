/* SPDX-License-Identifier: MIT */
/* Limits of messages, prefixes and names. Each message is in a heap block of
 * its exact size, so that AddressSanitizer reports a read beyond its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rtnetlink.h>

#include <reach/internal/message.h>
#include <reach/target.h>

#include "base/base.h"
#include "check.h"

static bool is_inside(const char *text, const char *prefix, unsigned int length)
{
	struct reach_address address, network;

	return !reach_address_parse(text, &address) &&
	       !reach_address_parse(prefix, &network) &&
	       reach_address_in_prefix(&address, &network, length);
}

static void a_prefix_ends_within_a_byte(void)
{
	CHECK(is_inside("10.1.255.1", "10.1.128.0", 17));
	CHECK(!is_inside("10.1.127.1", "10.1.128.0", 17));
	CHECK(is_inside("2001:db8:8000::1", "2001:db8:8000::", 33));
	CHECK(!is_inside("2001:db8::1", "2001:db8:8000::", 33));
	CHECK(!is_inside("10.1.2.3", "10.1.2.3", 33));
}

/* Decodes @size bytes whose header claims a length of @said. Returns the
 * result. */
static int decoded(size_t size, uint32_t said)
{
	struct reach_message message;
	const struct nlmsghdr header = { .nlmsg_len = said,
					 .nlmsg_type = RTM_NEWROUTE };
	uint8_t *bytes = malloc(size);
	size_t offset = 0;
	int ret;

	if (!bytes)
		abort();
	memset(bytes, 0, size);
	memcpy(bytes, &header, size < sizeof(header) ? size : sizeof(header));
	ret = reach_message_decode(bytes, size, &offset, &message);
	free(bytes);
	return ret;
}

static void a_message_ends_where_its_datagram_does(void)
{
	const uint32_t whole = sizeof(struct nlmsghdr) + sizeof(struct rtmsg);

	CHECK(decoded(whole, whole) == 1);
	CHECK(decoded(whole, whole + 4) == -EBADMSG);
	CHECK(decoded(whole, sizeof(struct nlmsghdr) - 1) == -EBADMSG);
	CHECK(decoded(8, 8) == -EBADMSG);
	CHECK(decoded(8, whole) == -EBADMSG);
	CHECK(decoded(2, whole) == -EBADMSG);
}

static int validated(const char *name)
{
	struct reach_target target = check_target(REACH_TARGET_NAME, name);

	return reach_target_validate(&target);
}

/* @labels labels of @size bytes, and ".a". */
static int validated_labels(size_t labels, size_t size)
{
	char name[512] = "";

	while (labels--) {
		memset(name + strlen(name), 'a', size);
		strcat(name, ".");
	}
	return validated(strcat(name, "a"));
}

static void a_name_has_the_syntax_of_a_host(void)
{
	CHECK(validated("_dns.a-1.example.") == 0);
	CHECK(validated(NULL) == -EINVAL);
	CHECK(validated("") == -EDESTADDRREQ);
	CHECK(validated("m\xc3\xbcnchen.example") == -EILSEQ);
	CHECK(validated("example.\xff") == -EILSEQ);
	CHECK(validated("www.example.com:80") == -EINVAL);
	CHECK(validated("www example") == -EINVAL);
	CHECK(validated("a..b") == -EINVAL);
	CHECK(validated(".a") == -EINVAL);
	CHECK(validated(".") == -EINVAL);
	CHECK(validated_labels(1, 63) == 0);
	CHECK(validated_labels(1, 64) == -ENAMETOOLONG);
	CHECK(validated_labels(126, 1) == 0);
	CHECK(validated_labels(127, 1) == -ENAMETOOLONG);
}

void test_bounds(void)
{
	a_prefix_ends_within_a_byte();
	a_message_ends_where_its_datagram_does();
	a_name_has_the_syntax_of_a_host();
}
