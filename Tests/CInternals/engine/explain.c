/* SPDX-License-Identifier: MIT */
/* Explanations: the rule that decides each verdict, and its evidence. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

struct answer {
	int error;
	uint8_t type;
	const char *source;
	uint8_t output;
	uint8_t length;
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct answer *answer = bytes->context;
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	(void)request;
	if (answer->error)
		return answer->error;
	if (body->rtm_family == AF_INET6)
		return ENETUNREACH;
	body->rtm_dst_len = answer->length;
	if (answer->type)
		body->rtm_type = answer->type;
	mnl_attr_put_u32(ret, RTA_OIF, answer->output ? answer->output : 2);
	if (answer->source)
		bytes_put_address(ret, RTA_PREFSRC, answer->source);
	if (!answer->type)
		bytes_put_address(ret, RTA_GATEWAY, "10.0.0.1");
	return 0;
}

enum doing {
	NOTHING,
	WWAN,
	PPP,
	DOWN,
	LO_DOWN,
	DORMANT,
	MODEM
};

static const struct row {
	const char *address;
	struct answer answer;
	enum doing doing;
	enum reach_rule rule;
	enum reach_source_state source;
} rows[] = {
	{ .address = "192.0.2.1",
	  .answer = { .error = ENETUNREACH },
	  .rule = REACH_RULE_ERROR },
	{ .address = "192.0.2.1",
	  .answer = { .type = RTN_BLACKHOLE },
	  .rule = REACH_RULE_ERROR },
	{ .address = "127.0.0.1",
	  .answer = { .type = RTN_LOCAL, .output = 1 },
	  .rule = REACH_RULE_LOOPBACK },
	{ .address = "127.0.0.1",
	  .answer = { .type = RTN_LOCAL, .output = 1 },
	  .doing = LO_DOWN,
	  .rule = REACH_RULE_LOCAL_DOWN },
	{ .address = "10.0.0.2",
	  .answer = { .type = RTN_LOCAL, .output = 1 },
	  .rule = REACH_RULE_LOCAL },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.2" },
	  .rule = REACH_RULE_UNICAST,
	  .source = REACH_SOURCE_USABLE },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.2" },
	  .doing = WWAN,
	  .rule = REACH_RULE_CELLULAR,
	  .source = REACH_SOURCE_USABLE },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.2" },
	  .doing = PPP,
	  .rule = REACH_RULE_POINT_TO_POINT,
	  .source = REACH_SOURCE_USABLE },
	{ .address = "224.0.0.9",
	  .answer = { .type = RTN_MULTICAST },
	  .rule = REACH_RULE_MULTICAST },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.2" },
	  .doing = DORMANT,
	  .rule = REACH_RULE_DORMANT,
	  .source = REACH_SOURCE_USABLE },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.2" },
	  .doing = DOWN,
	  .rule = REACH_RULE_LINK_DOWN,
	  .source = REACH_SOURCE_USABLE },
	{ .address = "192.0.2.1",
	  .answer = { .source = "10.0.0.9" },
	  .rule = REACH_RULE_NO_SOURCE,
	  .source = REACH_SOURCE_NOT_OWN },
	{ .address = "192.0.2.1",
	  .rule = REACH_RULE_NO_SOURCE,
	  .source = REACH_SOURCE_MISSING },
	{ .address = "192.0.2.1",
	  .answer = { .error = ENETUNREACH },
	  .doing = MODEM,
	  .rule = REACH_RULE_MODEM },
};

static void make_dormant(struct bytes *bytes)
{
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *body;

	header->nlmsg_type = RTM_NEWLINK;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifi_index = 2;
	body->ifi_type = ARPHRD_ETHER;
	body->ifi_flags = IFF_UP | IFF_LOWER_UP | IFF_DORMANT;
	mnl_attr_put_strz(header, IFLA_IFNAME, "eth0");
	mnl_attr_put_u8(header, IFLA_OPERSTATE, IF_OPER_DORMANT);
	(void)reach_engine_events(bytes->engine, header, header->nlmsg_len);
}

static void prepare(struct bytes *bytes, enum doing doing)
{
	const struct reach_interface_facts modem = { sizeof(modem), "lo", 0,
						     REACH_MODEM_REGISTERED };

	if (doing == DOWN || doing == LO_DOWN)
		bytes_tell_link(bytes, doing == DOWN ? 2 : 1, false);
	else if (doing == DORMANT)
		make_dormant(bytes);
	else if (doing == WWAN || doing == PPP)
		(void)reach_engine_set_evidence(bytes->engine, 2,
						doing == WWAN ? "wwan" : "ppp",
						"", 0);
	else if (doing == MODEM)
		(void)reach_engine_set_facts(bytes->engine, &modem, 1);
	bytes_settle(bytes);
}

static struct reach_explanation explain(const struct bytes *bytes, uint64_t id)
{
	struct reach_explanation ret = { .size = sizeof(ret) };

	if (reach_engine_explain(bytes->engine, id, REACH_EXPLAIN_DECIDING,
				 &ret))
		memset(&ret, 0, sizeof(ret));
	return ret;
}

static void each_verdict_has_its_rule(struct check *check)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct answer answer = row->answer;
		struct bytes bytes = { .look_up = look_up, .context = &answer };
		struct reach_explanation explanation;
		uint64_t id;

		bytes_open(&bytes, BYTES_SECOND);
		id = bytes_watch(&bytes, row->address, 0);
		bytes_settle(&bytes);
		prepare(&bytes, row->doing);
		explanation = explain(&bytes, id);
		if (!CHECK(check, explanation.rule == row->rule) ||
		    !CHECK(check, explanation.source_state == row->source))
			fprintf(stderr, "row %zu: %s, %s\n", i,
				reach_rule_name(explanation.rule),
				reach_source_state_name(
					explanation.source_state));
		CHECK(check, explanation.address_rule == row->rule);
		CHECK(check,
		      explanation.flags == bytes_state(&bytes, id).flags);
		CHECK(check, explanation.error == answer.error);
		CHECK(check, explanation.link_count == !answer.error);
		CHECK(check, explanation.modem_interface ==
				     (row->doing == MODEM ? 1 : 0));
		bytes_close(&bytes);
	}
}

static uint64_t watch(struct bytes *bytes, enum reach_target_kind kind,
		      const char *local, uint32_t interface_index)
{
	struct reach_target target;

	reach_target_init(&target, kind);
	target.name = "www.example.com";
	target.interface_index = interface_index;
	(void)reach_address_parse(local, &target.local);
	if (kind <= REACH_TARGET_ADDRESS_PAIR)
		(void)reach_address_parse("192.0.2.1", &target.remote);
	return bytes_add(bytes, &target);
}

static uint64_t watch_cellular(struct bytes *bytes)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.interface_classes = 1U << REACH_INTERFACE_CELLULAR;
	(void)reach_address_parse("192.0.2.1", &target.remote);
	return bytes_add(bytes, &target);
}

static void aggregates_name_the_address_that_decided(struct check *check)
{
	struct answer answer = { .source = "10.0.0.2" };
	struct bytes bytes = { .look_up = look_up, .context = &answer };
	const struct reach_address addresses[2] = {
		{ .family = AF_INET, .bytes = { 192, 0, 2, 1 } },
		{ .family = AF_INET, .bytes = { 192, 0, 2, 2 } },
	};
	struct reach_explanation of = { .size = sizeof(of) };
	uint64_t name, internet, foreign, wifi, missing, other;

	bytes_open(&bytes, BYTES_SECOND);
	name = watch(&bytes, REACH_TARGET_NAME, "", 0);
	internet = watch(&bytes, REACH_TARGET_INTERNET, "", 0);
	foreign = watch(&bytes, REACH_TARGET_ADDRESS_PAIR, "10.0.0.9", 0);
	wifi = watch(&bytes, REACH_TARGET_LOCAL_WIFI, "", 0);
	missing = watch(&bytes, REACH_TARGET_ADDRESS, "", 9);
	other = watch_cellular(&bytes);
	CHECK(check,
	      reach_engine_explain(bytes.engine, name, 0, &of) == -EAGAIN);
	bytes_settle(&bytes);
	of = explain(&bytes, name);
	CHECK(check, of.rule == REACH_RULE_UNRESOLVED);
	CHECK(check, of.position == UINT32_MAX && !of.address.family);
	CHECK(check, !reach_engine_resolved(bytes.engine, name, addresses, 2));
	bytes_settle(&bytes);
	of = explain(&bytes, name);
	CHECK(check, of.rule == REACH_RULE_UNICAST && of.deciding == 0);
	CHECK(check, of.address_count == 2 && of.reachable_count == 2);
	CHECK(check, of.address.bytes[3] == 1 && of.gateway.bytes[3] == 1);
	CHECK(check, !reach_engine_explain(bytes.engine, name, 1, &of));
	CHECK(check, of.address.bytes[3] == 2 && of.position == 1);
	CHECK(check,
	      reach_engine_explain(bytes.engine, name, 2, &of) == -ENOENT);
	of = explain(&bytes, internet);
	CHECK(check, of.lookup_count == 3 && of.reachable_count == 3);
	CHECK(check, of.rule == REACH_RULE_UNICAST);
	of = explain(&bytes, foreign);
	CHECK(check, of.rule == REACH_RULE_NOT_LOCAL);
	CHECK(check, of.address_rule == REACH_RULE_NO_SOURCE);
	of = explain(&bytes, wifi);
	CHECK(check, of.rule == REACH_RULE_LOCAL_WIFI && of.link_count == 1);
	CHECK(check, of.source.family == AF_INET);
	of = explain(&bytes, missing);
	CHECK(check, of.rule == REACH_RULE_NO_INTERFACE && !of.link_count);
	of = explain(&bytes, other);
	CHECK(check, of.rule == REACH_RULE_OTHER_INTERFACE && !of.flags);
	CHECK(check, of.address_rule == REACH_RULE_UNICAST);
	CHECK(check, of.address_count == 1 && !of.reachable_count);
	of.size = sizeof(of) - 1;
	CHECK(check,
	      reach_engine_explain(bytes.engine, name, 0, &of) == -EINVAL);
	CHECK(check,
	      reach_engine_explain(bytes.engine, name + 1000, 0, &of) < 0);
	bytes_close(&bytes);
}

void test_explain(struct check *check)
{
	each_verdict_has_its_rule(check);
	aggregates_name_the_address_that_decided(check);
	CHECK(check, !*reach_rule_name(99) && !*reach_source_state_name(99) &&
			     !*reach_class_basis_name(99));
}
