/* SPDX-License-Identifier: MIT */
/* Modems: a modem that could connect changes the verdicts of targets that have
 * no usable path. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define WAITS                                                                  \
	(REACH_FLAG_REACHABLE | REACH_FLAG_TRANSIENT_CONNECTION |              \
	 REACH_FLAG_CONNECTION_REQUIRED | REACH_FLAG_IS_WWAN)
#define DIALS  (WAITS | REACH_FLAG_CONNECTION_ON_TRAFFIC)
#define LOCKED (WAITS | REACH_FLAG_INTERVENTION_REQUIRED)

/* The kernel's answer to every lookup. */
struct answer {
	/* A positive errno. */
	int error;
	/* If not 0, destinations whose first byte is this or higher have a
	 * route despite `error`. */
	uint8_t half;
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct answer *answer = bytes->context;
	const uint8_t *destination = bytes_attribute(request, RTA_DST);
	const struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	if (!answer->half || *destination < answer->half)
		return answer->error;
	bytes_put_address(ret, RTA_GATEWAY,
			  body->rtm_family == AF_INET ? "10.0.0.1" : "fd00::1");
	return bytes_route(bytes, request, ret);
}

/* Sets the only modem. Returns the number of changes, or a negative errno. */
static int set(struct bytes *bytes, const char *name, uint32_t conditions)
{
	struct reach_interface_facts modem = { .size = sizeof(modem),
					       .modem = conditions };
	int err;

	strcpy(modem.interface_name, name);
	err = reach_engine_set_facts(bytes->engine, &modem, 1);
	return err ? err : (int)bytes_settle(bytes);
}

static const struct row {
	const char *name;
	/* The conditions of the first modem, and of the second. */
	uint32_t conditions;
	uint32_t others;
	uint32_t flags;
	enum reach_reason reason;
} rows[] = {
	{ "registered", REACH_MODEM_REGISTERED, 0, WAITS,
	  REACH_REASON_NOT_CONNECTED },
	{ "on demand", REACH_MODEM_REGISTERED | REACH_MODEM_ON_TRAFFIC, 0,
	  DIALS, REACH_REASON_NOT_CONNECTED },
	{ "locked", REACH_MODEM_LOCKED, 0, LOCKED, REACH_REASON_LOCKED_SIM },
	{ "traffic unlocks nothing",
	  REACH_MODEM_LOCKED | REACH_MODEM_ON_TRAFFIC, 0, LOCKED,
	  REACH_REASON_LOCKED_SIM },
	{ "registered, whatever is locked",
	  REACH_MODEM_LOCKED | REACH_MODEM_REGISTERED, 0, WAITS,
	  REACH_REASON_NOT_CONNECTED },
	{ "connected", REACH_MODEM_REGISTERED | REACH_MODEM_CONNECTED, 0, 0,
	  REACH_REASON_NO_ROUTE },
	{ "searching", 0, 0, 0, REACH_REASON_NO_ROUTE },
	{ "no SIM on demand", REACH_MODEM_ON_TRAFFIC, 0, 0,
	  REACH_REASON_NO_ROUTE },
	{ "registered beats locked", REACH_MODEM_LOCKED, REACH_MODEM_REGISTERED,
	  WAITS, REACH_REASON_NOT_CONNECTED },
	{ "on demand beats registered", REACH_MODEM_REGISTERED,
	  REACH_MODEM_REGISTERED | REACH_MODEM_ON_TRAFFIC, DIALS,
	  REACH_REASON_NOT_CONNECTED },
	{ "locked beats connected", REACH_MODEM_CONNECTED, REACH_MODEM_LOCKED,
	  LOCKED, REACH_REASON_LOCKED_SIM },
};

static void conditions_make_the_flags(void)
{
	struct answer none = { .error = ENETUNREACH };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &none };
	struct reach_state state;
	size_t i;
	uint64_t id = bytes_begin(&bytes, "192.0.2.1", 0);

	bytes.lookups = 0;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct reach_interface_facts modems[2] = {
			{ sizeof(*modems), "", 0, rows[i].conditions },
			{ sizeof(*modems), "", 0, rows[i].others },
		};

		CHECK(reach_engine_set_facts(bytes.engine, modems, 2) == 0);
		state = bytes_state(&bytes, id);
		if (!CHECK(state.flags == rows[i].flags) ||
		    !CHECK(state.reason == rows[i].reason))
			fprintf(stderr, "row: %s\n", rows[i].name);
		CHECK(state.error == ENETUNREACH);
	}
	CHECK(bytes.lookups == 0);
	CHECK(reach_engine_set_facts(bytes.engine, NULL, 0) == 0);
	CHECK(bytes_settle(&bytes) == 1);
	CHECK(bytes_state(&bytes, id).flags == 0);
}

static void a_bound_target_heeds_the_modem_of_its_interface(void)
{
	struct answer none = { .error = EHOSTUNREACH };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &none };
	uint64_t bound, gone;

	bytes_open(&bytes, BYTES_SECOND);
	bound = bytes_watch(&bytes, "192.0.2.1", 2);
	gone = bytes_watch(&bytes, "192.0.2.1", 9);
	CHECK(set(&bytes, "eth0", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, bound).flags == WAITS);
	CHECK(set(&bytes, "lo", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, bound).flags == 0);
	CHECK(set(&bytes, "", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, bound).flags == 0);
	CHECK(set(&bytes, "wwan9", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, gone).reason == REACH_REASON_NO_INTERFACE);
}

/* The modem's interface appears after the modem. */
static void a_modem_may_precede_its_interface(void)
{
	struct answer none = { .error = ENETUNREACH };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &none };
	uint64_t id, bound;

	bytes_open(&bytes, BYTES_SECOND);
	id = bytes_watch(&bytes, "192.0.2.1", 0);
	bound = bytes_watch(&bytes, "192.0.2.2", 3);
	CHECK(set(&bytes, "eth1", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, id).flags == WAITS);
	CHECK(bytes_state(&bytes, id).interface_index == 0);
	CHECK(bytes_state(&bytes, bound).flags == 0);
	bytes_tell_link(&bytes, 3, false);
	CHECK(bytes_state(&bytes, id).flags == WAITS);
	CHECK(bytes_state(&bytes, id).interface_index == 3);
	CHECK(bytes_state(&bytes, bound).flags == WAITS);
}

/* 192.0.2.1 from @local. */
static uint64_t watch_pair(struct bytes *bytes, const char *local)
{
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS_PAIR, "192.0.2.1");

	target.local = check_address(local);
	return bytes_add(bytes, &target);
}

static void kinds_of_target(void)
{
	struct answer none = { .error = ENETUNREACH };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &none };
	uint64_t internet, wifi, name, unknown, pair, foreign;
	const struct reach_address address = check_address("192.0.2.1");

	bytes_open(&bytes, BYTES_SECOND);
	internet = bytes_add_new(&bytes, REACH_TARGET_INTERNET, NULL);
	wifi = bytes_add_new(&bytes, REACH_TARGET_LOCAL_WIFI, NULL);
	name = bytes_add_new(&bytes, REACH_TARGET_NAME, "www.example.com");
	unknown = bytes_add_new(&bytes, REACH_TARGET_NAME, "www.example.com");
	pair = watch_pair(&bytes, "10.0.0.2");
	foreign = watch_pair(&bytes, "10.0.0.9");
	bytes_settle(&bytes);
	CHECK(!reach_engine_resolved(bytes.engine, name, &address, 1));
	CHECK(!reach_engine_resolution_failed(bytes.engine, unknown,
					      -ENETUNREACH));
	bytes_tell_link(&bytes, 2, false);
	CHECK(bytes_state(&bytes, unknown).reason == REACH_REASON_NO_NETWORK);
	CHECK(set(&bytes, "", REACH_MODEM_REGISTERED) == 4);
	CHECK(bytes_state(&bytes, internet).flags == WAITS);
	CHECK(bytes_state(&bytes, wifi).flags == 0);
	CHECK(bytes_state(&bytes, name).flags == WAITS);
	CHECK(bytes_state(&bytes, name).address_count == 1);
	CHECK(bytes_state(&bytes, unknown).flags == WAITS);
	CHECK(bytes_state(&bytes, pair).flags == WAITS);
	CHECK(bytes_state(&bytes, foreign).reason == REACH_REASON_NOT_LOCAL);
	CHECK(set(&bytes, "", 0) == 4);
}

/* Half of the internet has a route. The other half would need the modem. */
static void half_the_internet_is_not_connected(void)
{
	struct answer half = { .error = ENETUNREACH, .half = 128 };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &half };
	uint64_t internet;

	bytes_open(&bytes, BYTES_SECOND);
	internet = bytes_add_new(&bytes, REACH_TARGET_INTERNET, NULL);
	CHECK(bytes_state(&bytes, internet).flags == 0);
	CHECK(set(&bytes, "", REACH_MODEM_REGISTERED) >= 0);
	CHECK(bytes_state(&bytes, internet).flags == WAITS);
	half.half = 1;
	reach_engine_refresh(bytes.engine);
	CHECK(bytes_state(&bytes, internet).flags == REACH_FLAG_REACHABLE);
}

void test_modems(void)
{
	conditions_make_the_flags();
	a_bound_target_heeds_the_modem_of_its_interface();
	a_modem_may_precede_its_interface();
	kinds_of_target();
	half_the_internet_is_not_connected();
}
