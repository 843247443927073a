/* SPDX-License-Identifier: MIT */
/* Addresses as text and as socket addresses. Tests/FuzzParsers/text.c writes and
 * reads them again, and cuts them. */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "check.h"

static const char *const canonical[][2] = {
	{ "192.0.2.1", "192.0.2.1" },
	{ "127.1", "127.0.0.1" },
	{ "1", "0.0.0.1" },
	{ "0", "0.0.0.0" },
	{ "0x7f.1", "127.0.0.1" },
	{ "017700000001", "127.0.0.1" },
	{ "255.255.255.255", "255.255.255.255" },
	{ "::", "::" },
	{ "2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
	{ "1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8" },
	{ "0:0:0:0:0:0:0:1", "::1" },
	{ "::ffff:192.0.2.1", "::ffff:192.0.2.1" },
	{ "fe80::1", "fe80::1" },
	{ "fe80::1%7", "fe80::1%7" },
	{ "ff02::fb%10", "ff02::fb%10" },
	{ "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295",
	  "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295" },
};

/* No addresses, and scopes that are no interface. */
static const char *const invalid[] = {
	"",
	" ",
	"localhost",
	"256.1.1.1",
	"1.2.3.4.5",
	"1.2.3.4 ",
	" 1.2.3.4",
	"1.2.3.4 x",
	"1.2.3.4\n",
	"1.",
	".1",
	"08",
	"4294967296",
	"1.2.3.4%lo",
	"1.2.3.4:80",
	":",
	":::",
	"1:2:3:4:5:6:7:8:9",
	"1:2:3:4:5:6:7",
	"[::1]",
	"::1 ",
	"::12345",
	"::g",
	"fe80::1%",
	"%lo",
	"2001:db8::1%lo",
	"::1%lo",
	"ff0e::1%lo",
	"::%1",
	"::ffff:192.0.2.1%lo",
	"https://www.example.com/",
};
static const char *const no_device[] = {
	"nosuchdevice",		"0", "-1",  "4294967296",
	"99999999999999999999", "%", "lo ",
};

static int parse_long(const char *start, const char *part, size_t times)
{
	char *text = check_repeated(start, part, times, "");
	struct reach_address address;
	const int result = reach_address_parse(text, &address);

	free(text);
	return result;
}

static void texts(void)
{
	struct reach_address address = { .family = 77 };
	char text[REACH_ADDRESS_TEXT_SIZE];
	size_t i;

	for (i = 0; i < sizeof(invalid) / sizeof(*invalid); i++)
		CHECK(reach_address_parse(invalid[i], &address) == -EINVAL);
	for (i = 0; i < sizeof(no_device) / sizeof(*no_device); i++) {
		snprintf(text, sizeof(text), "fe80::1%%%s", no_device[i]);
		CHECK(reach_address_parse(text, &address) == -ENODEV);
	}
	CHECK(reach_address_parse(NULL, &address) == -EINVAL);
	CHECK(address.family == 77);
	CHECK(parse_long("", "1:", 1000) == -EINVAL);
	CHECK(parse_long("fe80::1%", "x", 5000) == -ENODEV);
	for (i = 0; i < sizeof(canonical) / sizeof(*canonical); i++) {
		CHECK(!reach_address_parse(canonical[i][0], &address));
		CHECK(reach_address_format(&address, text, sizeof(text)) ==
		      strlen(text));
		CHECK(!strcmp(text, canonical[i][1]));
	}
	CHECK(!reach_address_parse("fe80::1%lo", &address));
	CHECK(address.scope_id == if_nametoindex("lo"));
}

/* An address without a known family is an empty text. */
static void no_address(void)
{
	static const uint16_t families[] = { 0, 1, 7, 65535 };
	struct reach_address address = { .scope_id = 3 };
	char text[8];

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		strcpy(text, "x");
		address.family = families[i];
		CHECK(!reach_address_format(&address, text, sizeof(text)));
		CHECK(!text[0]);
	}
}

/* Reads the first @size bytes of @place, which @offset leaves unaligned. The heap
 * block ends behind them. */
static int take(const void *place, size_t size, size_t offset,
		struct reach_address *ret)
{
	uint8_t *copy = malloc(size + offset + !(size + offset));
	int result;

	if (!copy)
		abort();
	memcpy(copy + offset, place, size);
	*ret = (struct reach_address){ .family = 77 };
	result =
		reach_address_from_sockaddr((void *)(copy + offset), size, ret);
	free(copy);
	return result;
}

/* Needs the whole structure, and copies each byte. */
static void sockaddrs(void)
{
	static const struct sockaddr_in in = { .sin_family = AF_INET,
					       .sin_port = 9 };
	const struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_addr.s6_addr = { 0xfe, 0x80, 3, 4, 5, 6, 7, 8, 9, 10, 11,
				       12, 13, 14, 15, 16 },
		.sin6_scope_id = 0x1b1a1918
	};
	uint8_t place[40];
	struct reach_address address;
	size_t size;

	for (size = 0; size <= sizeof(place); size++) {
		memset(place, 0, sizeof(place));
		memcpy(place, &in, sizeof(in));
		memcpy(place + 4, "\001\002\003\004", 4);
		CHECK(take(place, size, size % 4, &address) ==
		      (size >= sizeof(in) ? 0 : -EINVAL));
		CHECK(address.family == (size >= sizeof(in) ? AF_INET : 77));
		if (size >= sizeof(in))
			CHECK(!memcmp(address.bytes, "\001\002\003\004", 5) &&
			      !address.scope_id);
		memcpy(place, &in6, sizeof(in6));
		CHECK(take(place, size, size % 4, &address) ==
		      (size >= sizeof(in6) ? 0 : -EINVAL));
		if (size >= sizeof(in6))
			CHECK(!memcmp(address.bytes, &in6.sin6_addr, 16) &&
			      address.scope_id == 0x1b1a1918);
	}
}

static void other_sockaddrs(void)
{
	static const struct sockaddr_in6 global = { .sin6_family = AF_INET6,
						    .sin6_scope_id = 7 };
	static const uint16_t families[] = { AF_UNIX, AF_UNSPEC, 0xffff };
	struct reach_address address;
	uint16_t place[55] = { 0 };

	/* The kernel ignores the scope of such an address. */
	CHECK(!take(&global, sizeof(global), 0, &address));
	CHECK(!address.scope_id);
	for (size_t i = 0; i < 3; i++) {
		place[0] = families[i];
		CHECK(take(place, i == 2 ? 2 : sizeof(place), 0, &address) ==
		      -EAFNOSUPPORT);
	}
	CHECK(reach_address_from_sockaddr(NULL, 128, &address) == -EINVAL);
}

void test_address(void)
{
	texts();
	no_address();
	sockaddrs();
	other_sockaddrs();
}
