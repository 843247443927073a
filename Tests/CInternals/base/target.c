/* SPDX-License-Identifier: MIT */
/* What a target may be, and which addresses a prefix contains. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "check.h"

#define CLASS(name) (1U << REACH_INTERFACE_##name)

static bool is_inside(const char *text, const char *prefix, unsigned int length)
{
	const struct reach_address address = check_address(text);
	const struct reach_address network = check_address(prefix);

	return reach_address_in_prefix(&address, &network, length);
}

static void a_prefix_ends_within_a_byte(void)
{
	CHECK(is_inside("10.1.255.1", "10.1.128.0", 17));
	CHECK(!is_inside("10.1.127.1", "10.1.128.0", 17));
	CHECK(is_inside("2001:db8:8000::1", "2001:db8:8000::", 33));
	CHECK(!is_inside("2001:db8::1", "2001:db8:8000::", 33));
	CHECK(!is_inside("10.1.2.3", "10.1.2.3", 33));
}

/* @labels labels of @size bytes, and ".a". */
static int validated_labels(size_t labels, size_t size)
{
	struct reach_target target;
	char name[512] = "";

	while (labels--) {
		memset(name + strlen(name), 'a', size);
		strcat(name, ".");
	}
	target = check_target(REACH_TARGET_NAME, strcat(name, "a"));
	return reach_target_validate(&target);
}

static void a_name_has_the_syntax_of_a_host(void)
{
	static const struct {
		const char *name;
		int result;
	} rows[] = {
		{ "_dns.a-1.example.", 0 },
		{ NULL, -EINVAL },
		{ "", -EDESTADDRREQ },
		{ "m\xc3\xbcnchen.example", -EILSEQ },
		{ "example.\xff", -EILSEQ },
		{ "www.example.com:80", -EINVAL },
		{ "www example", -EINVAL },
		{ "a..b", -EINVAL },
		{ ".a", -EINVAL },
		{ ".", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct reach_target target =
			check_target(REACH_TARGET_NAME, rows[i].name);

		CHECK(reach_target_validate(&target) == rows[i].result);
	}
	CHECK(validated_labels(1, 63) == 0);
	CHECK(validated_labels(1, 64) == -ENAMETOOLONG);
	CHECK(validated_labels(126, 1) == 0);
	CHECK(validated_labels(127, 1) == -ENAMETOOLONG);
}

static void an_interface_name_is_one_that_a_link_may_have(void)
{
	static const char *const names[] = { "a/b", "a:b", "a b", "a\tb",
					     "/",   ".",   "..",  "a\xa0" };
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		strcpy(target.interface_name, names[i]);
		CHECK(reach_target_validate(&target) == -EINVAL);
	}
	strcpy(target.interface_name, "...");
	CHECK(reach_target_validate(&target) == 0);
	memset(target.interface_name, 'x', sizeof(target.interface_name));
	CHECK(reach_target_validate(&target) == -EINVAL);
}

/* The family that a name or the internet is limited to is that of an unspecified
 * address. */
static void a_limit_is_a_family_or_classes(void)
{
	static const struct {
		/* NULL for the internet. */
		const char *name;
		uint16_t family;
		/* The last byte of the address. */
		uint8_t last;
		uint32_t classes;
		int result;
	} rows[] = {
		{ "192.0.2.1", AF_INET, 0, 0, 0 },
		{ "192.0.2.1", AF_INET6, 0, 0, -EINVAL },
		{ "name.test", AF_INET6, 0, 0, 0 },
		{ "name.test", AF_UNIX, 0, 0, -EAFNOSUPPORT },
		{ NULL, AF_UNIX, 0, 0, -EAFNOSUPPORT },
		{ NULL, AF_INET6, 0, 0, 0 },
		{ NULL, AF_INET6, 1, 0, -EINVAL },
		{ NULL, 0, 0, CLASS(VIRTUAL) | CLASS(OTHER), 0 },
		{ NULL, 0, 0, 2 * CLASS(VIRTUAL), -EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct reach_target target;

		reach_target_init(&target, rows[i].name
						   ? REACH_TARGET_NAME
						   : REACH_TARGET_INTERNET);
		target.name = rows[i].name;
		target.remote.family = rows[i].family;
		target.remote.bytes[15] = rows[i].last;
		target.interface_classes = rows[i].classes;
		CHECK(reach_target_validate(&target) == rows[i].result);
	}
}

/* Members to which a later version may give a meaning are 0. */
static void what_is_reserved_is_zero(void)
{
	struct reach_target target;

	for (int kind = 0; kind <= REACH_TARGET_NAME; kind++) {
		const bool is_family = kind == REACH_TARGET_INTERNET ||
				       kind == REACH_TARGET_NAME;

		reach_target_init(&target, (enum reach_target_kind)kind);
		target.name = "a.example";
		target.remote =
			check_address(is_family ? "0.0.0.0" : "192.0.2.1");
		CHECK(!reach_target_validate(&target));
		target.remote.reserved = 1;
		CHECK(reach_target_validate(&target) == -EINVAL);
		target.remote.reserved = 0;
		target.local.reserved = 1;
		CHECK(reach_target_validate(&target) == -EINVAL);
		target.local.reserved = 0;
		target.reserved = 1;
		CHECK(reach_target_validate(&target) == -EINVAL);
	}
	target = check_target(REACH_TARGET_INTERNET, NULL);
	CHECK(target.report == REACH_REPORT_VERDICT);
	target.report = REACH_REPORT_PATH;
	CHECK(!reach_target_validate(&target));
	target.report++;
	CHECK(reach_target_validate(&target) == -EINVAL);
}

void test_target(void)
{
	a_prefix_ends_within_a_byte();
	a_name_has_the_syntax_of_a_host();
	an_interface_name_is_one_that_a_link_may_have();
	a_limit_is_a_family_or_classes();
	what_is_reserved_is_zero();
}
