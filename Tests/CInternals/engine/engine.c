/* SPDX-License-Identifier: MIT */
/* An engine: lost answers, invalid input, names, interfaces. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "engine/engine.h"
#include "system/system.h"

#define SECOND INT64_C(1000000000)

static uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
static uint32_t answers[REACH_DATAGRAM_SIZE / sizeof(uint32_t)];

static void answer(struct reach_engine *engine, int fd, size_t size)
{
	ssize_t received;

	if (send(fd, requests, size, 0) < 0) {
		reach_engine_answers_lost(engine);
		return;
	}
	while (reach_engine_pending(engine)) {
		received = recv(fd, answers, sizeof(answers), 0);
		if (received < 0)
			break;
		(void)reach_engine_answers(engine, answers, (size_t)received);
	}
}

/* Answers requests until the engine has none. If @fd is negative, all answers
 * are lost. */
static void pump(struct reach_engine *engine, int fd)
{
	size_t size;

	while (reach_engine_requests(engine, requests, sizeof(requests),
				     &size) == 0 &&
	       size > 0) {
		if (fd < 0)
			reach_engine_answers_lost(engine);
		else
			answer(engine, fd, size);
	}
}

static void losses(struct check *check, struct reach_engine *engine, int fd)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;
	uint64_t id = 0;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("127.0.0.1", &target.remote);
	CHECK(check, reach_engine_add(engine, &target, &id) == 0);
	reach_engine_clock(engine, SECOND);
	pump(engine, -1);
	CHECK(check, reach_engine_state(engine, id, &state) == 0);
	CHECK(check, state.reason == REACH_REASON_REFUSED);
	CHECK(check, reach_engine_interface(engine, 0, &interface) == 0);
	/* Dumps of rules and settings are lost, too. */
	reach_engine_clock(engine, SECOND + SECOND / 1000);
	pump(engine, -1);
	/* A second later, all lookups are repeated. */
	CHECK(check,
	      reach_engine_deadline(engine) == 2 * SECOND + SECOND / 1000);
	reach_engine_clock(engine, reach_engine_deadline(engine));
	pump(engine, fd);
	CHECK(check, reach_engine_state(engine, id, &state) == 0);
	CHECK(check, state.reason != REACH_REASON_REFUSED);
	CHECK(check, reach_engine_interface(engine, 0, &interface) == 1);
	/* So are the dumps, another millisecond later. */
	CHECK(check,
	      reach_engine_deadline(engine) == 2 * SECOND + SECOND / 500);
	reach_engine_clock(engine, 3 * SECOND);
	pump(engine, fd);
	CHECK(check, reach_engine_deadline(engine) == INT64_MAX);
}

/* Members and values to which later versions may give a meaning. */
static void reserved_members(struct check *check, struct reach_engine *engine)
{
	struct reach_address bad = { .family = AF_INET, .bytes = { 1, 1 } };
	struct reach_target target;
	uint64_t id = 0;

	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "name.test";
	CHECK(check, reach_engine_add(engine, &target, &id) == 0);
	CHECK(check, reach_engine_resolved(engine, id, &bad, 1) == 0);
	CHECK(check, reach_engine_set_probes(engine, &bad, 1) == 0);
	bad.reserved = 1;
	CHECK(check, reach_engine_resolved(engine, id, &bad, 1) == -EINVAL);
	CHECK(check, reach_engine_set_probes(engine, &bad, 1) == -EINVAL);
	target.kind = REACH_TARGET_ADDRESS;
	target.remote = bad;
	CHECK(check, reach_engine_add(engine, &target, &id) == -EINVAL);
	target.remote.reserved = 0;
	target.report = REACH_REPORT_PATH + 1;
	CHECK(check, reach_engine_add(engine, &target, &id) == -EINVAL);
}

static void tell_of_link(struct check *check, struct reach_engine *engine,
			 uint16_t type, const char *name, unsigned int flags)
{
	_Alignas(8) uint8_t buffer[256];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *body;

	header->nlmsg_type = type;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifi_index = 4711;
	body->ifi_flags = flags;
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	mnl_attr_put_u8(header, IFLA_OPERSTATE, IF_OPER_DOWN);
	CHECK(check,
	      reach_engine_events(engine, buffer, header->nlmsg_len) == 0);
}

/* A walk meets each interface once, in order of indices, wherever it starts. */
static void interfaces_in_order(struct check *check, int fd)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	struct reach_engine *engine = NULL;
	uint32_t last = 0, after;

	CHECK(check, reach_engine_create(&engine) == 0);
	pump(engine, fd);
	tell_of_link(check, engine, RTM_NEWLINK, "far0", IFF_UP);
	while (reach_engine_interface(engine, last, &interface) == 1) {
		CHECK(check, interface.index > last);
		for (after = last; after < interface.index && after < 4800;
		     after++) {
			struct reach_interface same = interface;

			CHECK(check, reach_engine_interface(engine, after,
							    &same) == 1 &&
					     same.index == interface.index);
		}
		last = interface.index;
	}
	CHECK(check, last >= 4711);
	CHECK(check,
	      reach_engine_interface(engine, UINT32_MAX, &interface) == 0);
	reach_engine_destroy(engine);
}

static void a_user_comes_back(struct check *check, int fd)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_engine *engine = NULL;
	struct reach_target target;
	uint64_t ids[3];
	int users[3], i, taken;

	CHECK(check, reach_engine_create(&engine) == 0);
	for (taken = 0; taken < 2; taken++) {
		for (i = 0; i < 3; i++) {
			reach_target_init(&target, i ? REACH_TARGET_INTERNET
						     : REACH_TARGET_ADDRESS);
			target.remote.family = AF_INET;
			/* The second time no target has a user pointer, though
			 * the engine reuses the first ones' entries. */
			target.user = i == 1 || taken ? NULL : &users[i];
			CHECK(check,
			      reach_engine_add(engine, &target, &ids[i]) == 0);
		}
		pump(engine, fd);
		CHECK(check, reach_engine_publish(engine) == 1);
		while (reach_engine_next(engine, &change) == 1)
			for (i = 0; i < 3; i++)
				if (change.id == ids[i])
					CHECK(check,
					      change.user ==
						      (i == 1 || taken
							       ? NULL
							       : &users[i]));
		for (i = 0; i < 3; i++)
			CHECK(check, reach_engine_remove(engine, ids[i]) == 0);
	}
	reach_engine_destroy(engine);
}

/* Such a name has no address to look up. */
static void an_unresolved_name_follows_its_interface(struct check *check,
						     int fd)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_engine *engine = NULL;
	struct reach_target target;
	uint64_t id = 0;
	int i;

	CHECK(check, reach_engine_create(&engine) == 0);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "name.test";
	target.policy = REACH_NAME_STRICT;
	strcpy(target.interface_name, "later0");
	CHECK(check, reach_engine_add(engine, &target, &id) == 0);
	pump(engine, fd);
	for (i = 0; i < 2; i++) {
		CHECK(check, reach_engine_state(engine, id, &state) == 0);
		CHECK(check, state.reason == REACH_REASON_NO_INTERFACE);
		tell_of_link(check, engine, RTM_NEWLINK, "later0", IFF_UP);
		pump(engine, fd);
		CHECK(check, reach_engine_state(engine, id, &state) == 0);
		CHECK(check, state.reason == REACH_REASON_RESOLVING);
		tell_of_link(check, engine, RTM_DELLINK, "later0", IFF_UP);
		pump(engine, fd);
	}
	reach_engine_destroy(engine);
}

/* Names that no interface can have. */
static void bad_interface_names(struct check *check)
{
	static const char *const names[] = { "a/b", "a:b", "a b", "a\tb",
					     "/",   ".",   "..",  "a\xa0" };
	struct reach_target target;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		reach_target_init(&target, REACH_TARGET_INTERNET);
		strcpy(target.interface_name, names[i]);
		CHECK(check, reach_target_validate(&target) == -EINVAL);
	}
	strcpy(target.interface_name, "...");
	CHECK(check, reach_target_validate(&target) == 0);
	memset(target.interface_name, 'x', sizeof(target.interface_name));
	CHECK(check, reach_target_validate(&target) == -EINVAL);
}

/* Resolves name target @id to @addresses. Returns how many addresses its state
 * has. */
static uint32_t resolve(struct check *check, struct reach_engine *engine,
			uint64_t id, const char *const addresses[], int fd,
			struct reach_state *ret)
{
	struct reach_address list[4];
	size_t count;

	for (count = 0; count < 4 && addresses[count]; count++)
		reach_address_parse(addresses[count], &list[count]);
	CHECK(check, reach_engine_resolved(engine, id, list, count) == 0);
	pump(engine, fd);
	ret->size = sizeof(*ret);
	CHECK(check, reach_engine_state(engine, id, ret) == 0);
	return ret->address_count;
}

static void a_name_of_one_family(struct check *check, int fd)
{
	static const char *const both[] = { "::ffff:192.0.2.1", "2001:db8::1",
					    "192.0.2.2", NULL };
	static const char *const other[] = { "192.0.2.1", NULL };
	struct reach_engine *engine = NULL;
	struct reach_target target;
	struct reach_state state;
	uint64_t any = 0, four = 0, six = 0;

	CHECK(check, reach_engine_create(&engine) == 0);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "name.test";
	CHECK(check, reach_engine_add(engine, &target, &any) == 0);
	target.remote.family = AF_INET;
	CHECK(check, reach_engine_add(engine, &target, &four) == 0);
	target.remote.family = AF_INET6;
	CHECK(check, reach_engine_add(engine, &target, &six) == 0);
	CHECK(check, resolve(check, engine, any, both, fd, &state) == 3);
	CHECK(check, resolve(check, engine, four, both, fd, &state) == 2);
	CHECK(check, state.addresses[0].family == AF_INET);
	CHECK(check, resolve(check, engine, six, both, fd, &state) == 1);
	CHECK(check, state.addresses[0].family == AF_INET6);
	CHECK(check, resolve(check, engine, six, other, fd, &state) == 0);
	CHECK(check, state.reason == REACH_REASON_NO_ADDRESS);
	reach_engine_destroy(engine);
}

static void families_that_cannot_be(struct check *check)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "192.0.2.1";
	target.remote.family = AF_INET;
	CHECK(check, reach_target_validate(&target) == 0);
	target.remote.family = AF_INET6;
	CHECK(check, reach_target_validate(&target) == -EINVAL);
	target.name = "name.test";
	CHECK(check, reach_target_validate(&target) == 0);
	target.remote.family = AF_UNIX;
	CHECK(check, reach_target_validate(&target) == -EAFNOSUPPORT);
	target.kind = REACH_TARGET_INTERNET;
	CHECK(check, reach_target_validate(&target) == -EAFNOSUPPORT);
	target.remote.family = AF_INET6;
	CHECK(check, reach_target_validate(&target) == 0);
}

static void tell_of_address(struct check *check, struct reach_engine *engine)
{
	_Alignas(8) uint8_t buffer[256];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct reach_address address;
	struct ifaddrmsg *body;

	reach_address_parse("2001:db8::1", &address);
	header->nlmsg_type = RTM_NEWADDR;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifa_family = AF_INET6;
	body->ifa_prefixlen = 64;
	body->ifa_flags = IFA_F_PERMANENT;
	body->ifa_index = 4711;
	mnl_attr_put(header, IFA_ADDRESS, 16, address.bytes);
	mnl_attr_put_u32(header, IFA_FLAGS, IFA_F_PERMANENT);
	CHECK(check,
	      reach_engine_events(engine, buffer, header->nlmsg_len) == 0);
}

/* With keep_addr_on_down the address stays while its link is down, but it is
 * tentative and can't be a source. It becomes usable with an RTM_NEWADDR equal
 * to the first. */
static void a_kept_address_is_news_after_its_link_was_down(struct check *check,
							   int fd)
{
	struct reach_engine *engine = NULL;
	struct reach_target target;
	uint64_t id = 0;
	size_t size;

	CHECK(check, reach_engine_create(&engine) == 0);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("2001:db8:1::1", &target.remote);
	CHECK(check, reach_engine_add(engine, &target, &id) == 0);
	pump(engine, fd);
	tell_of_link(check, engine, RTM_NEWLINK, "kept0", IFF_UP);
	tell_of_address(check, engine);
	pump(engine, fd);
	tell_of_address(check, engine);
	CHECK(check, reach_engine_requests(engine, requests, sizeof(requests),
					   &size) == 0 &&
			     size == 0);
	tell_of_link(check, engine, RTM_NEWLINK, "kept0", 0);
	tell_of_link(check, engine, RTM_NEWLINK, "kept0", IFF_UP);
	pump(engine, fd);
	tell_of_address(check, engine);
	CHECK(check, reach_engine_requests(engine, requests, sizeof(requests),
					   &size) == 0 &&
			     size > 0);
	reach_engine_destroy(engine);
}

void test_engine(struct check *check)
{
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct reach_engine *engine = NULL;

	CHECK(check, fd >= 0);
	CHECK(check, reach_engine_create(&engine) == 0);
	losses(check, engine, fd);
	reserved_members(check, engine);
	bad_interface_names(check);
	interfaces_in_order(check, fd);
	a_user_comes_back(check, fd);
	an_unresolved_name_follows_its_interface(check, fd);
	a_kept_address_is_news_after_its_link_was_down(check, fd);
	a_name_of_one_family(check, fd);
	families_that_cannot_be(check);
	reach_engine_destroy(engine);
	close(fd);
}
