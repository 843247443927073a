/* SPDX-License-Identifier: MIT */
/* Explanations: the rule that decides each verdict, and its evidence. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "bytes.h"

/* verdict.c has a verdict for each rule. */
static const struct row {
	enum reach_rule rule;
	struct bytes_way way;
	enum reach_source_state source;
	/* A modem is registered and not connected. */
	bool modem;
} rows[] = {
	{ REACH_RULE_ERROR, .way.error = ENETUNREACH },
	{ REACH_RULE_ERROR,
	  .way = { .type = RTN_BLACKHOLE, .sourceless = true } },
	{ REACH_RULE_UNICAST, .source = REACH_SOURCE_USABLE },
	{ REACH_RULE_NO_SOURCE, .way.source = "10.0.0.9",
	  .source = REACH_SOURCE_NOT_OWN },
	{ REACH_RULE_NO_SOURCE, .way.sourceless = true,
	  .source = REACH_SOURCE_MISSING },
	{ REACH_RULE_MODEM, .way.error = ENETUNREACH, .modem = true },
	/* It is the reason for no other verdict. */
	{ REACH_RULE_UNICAST, .modem = true, .source = REACH_SOURCE_USABLE },
};

static void each_verdict_has_its_rule(void)
{
	const struct reach_interface_facts modem = { sizeof(modem), "lo", 0,
						     REACH_MODEM_REGISTERED };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct bytes_way ways[2] = { row->way };
		SCOPED_BYTES bytes = { .look_up = bytes_way, .context = ways };
		struct reach_explanation explanation;
		uint64_t id;

		bytes_open(&bytes, BYTES_SECOND);
		id = bytes_watch(&bytes, "192.0.2.1", 0);
		if (row->modem)
			CHECK(!reach_engine_set_facts(bytes.engine, &modem, 1));
		explanation = bytes_explain(&bytes, id);
		if (!CHECK(explanation.rule == row->rule) ||
		    !CHECK(explanation.source_state == row->source))
			fprintf(stderr, "row %zu: %s, %s\n", i,
				reach_rule_name(explanation.rule),
				reach_source_state_name(
					explanation.source_state));
		CHECK(explanation.address_rule == row->rule);
		CHECK(explanation.flags == bytes_state(&bytes, id).flags);
		CHECK(explanation.error == row->way.error);
		CHECK(explanation.link_count == !row->way.error);
		CHECK(explanation.modem_interface ==
		      (row->rule == REACH_RULE_MODEM));
		CHECK(!explanation.modem_conditions ==
		      (row->rule != REACH_RULE_MODEM));
	}
}

static void aggregates_name_the_address_that_decided(void)
{
	struct bytes_way ways[2] = { { .gateway = "10.0.0.1" },
				     { .error = ENETUNREACH } };
	SCOPED_BYTES bytes = { .look_up = bytes_way, .context = ways };
	const struct reach_address addresses[2] = {
		{ .family = AF_INET, .bytes = { 192, 0, 2, 1 } },
		{ .family = AF_INET, .bytes = { 192, 0, 2, 2 } },
	};
	struct reach_explanation of = { .size = sizeof(of) };
	struct reach_target pair =
		check_target(REACH_TARGET_ADDRESS_PAIR, "192.0.2.1");
	struct reach_target cellular =
		check_target(REACH_TARGET_ADDRESS, "192.0.2.1");
	uint64_t name, internet, foreign, wifi, missing, other;

	bytes_open(&bytes, BYTES_SECOND);
	pair.local = check_address("10.0.0.9");
	cellular.interface_classes = 1U << REACH_INTERFACE_CELLULAR;
	name = bytes_add_new(&bytes, REACH_TARGET_NAME, "www.example.com");
	internet = bytes_add_new(&bytes, REACH_TARGET_INTERNET, NULL);
	foreign = bytes_add(&bytes, &pair);
	wifi = bytes_add_new(&bytes, REACH_TARGET_LOCAL_WIFI, NULL);
	missing = bytes_watch(&bytes, "192.0.2.1", 9);
	other = bytes_add(&bytes, &cellular);
	CHECK(reach_engine_explain(bytes.engine, name, 0, &of) == -EAGAIN);
	of = bytes_explain(&bytes, name);
	CHECK(of.rule == REACH_RULE_UNRESOLVED);
	CHECK(of.position == UINT32_MAX && !of.address.family);
	CHECK(!reach_engine_resolved(bytes.engine, name, addresses, 2));
	of = bytes_explain(&bytes, name);
	CHECK(of.rule == REACH_RULE_UNICAST && of.deciding == 0);
	CHECK(of.address_count == 2 && of.reachable_count == 2);
	CHECK(of.address.bytes[3] == 1 && of.gateway.bytes[3] == 1);
	CHECK(!reach_engine_explain(bytes.engine, name, 1, &of));
	CHECK(of.address.bytes[3] == 2 && of.position == 1);
	CHECK(reach_engine_explain(bytes.engine, name, 2, &of) == -ENOENT);
	of = bytes_explain(&bytes, internet);
	CHECK(of.lookup_count == 3 && of.reachable_count == 3);
	CHECK(of.rule == REACH_RULE_UNICAST);
	of = bytes_explain(&bytes, foreign);
	CHECK(of.rule == REACH_RULE_NOT_LOCAL);
	CHECK(of.address_rule == REACH_RULE_NO_SOURCE);
	of = bytes_explain(&bytes, wifi);
	CHECK(of.rule == REACH_RULE_LOCAL_WIFI && of.link_count == 1);
	CHECK(of.source.family == AF_INET);
	of = bytes_explain(&bytes, missing);
	CHECK(of.rule == REACH_RULE_NO_INTERFACE && !of.link_count);
	of = bytes_explain(&bytes, other);
	CHECK(of.rule == REACH_RULE_OTHER_INTERFACE && !of.flags);
	CHECK(of.address_rule == REACH_RULE_UNICAST);
	CHECK(of.address_count == 1 && !of.reachable_count);
	of.size = sizeof(of) - 1;
	CHECK(reach_engine_explain(bytes.engine, name, 0, &of) == -EINVAL);
	CHECK(reach_engine_explain(bytes.engine, name + 1000, 0, &of) < 0);
}

void test_explain(void)
{
	each_verdict_has_its_rule();
	aggregates_name_the_address_that_decided();
	CHECK(!*reach_rule_name(99) && !*reach_source_state_name(99) &&
	      !*reach_class_basis_name(99));
}
