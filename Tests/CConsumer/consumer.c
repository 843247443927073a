/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the installed library: strict C99 that is also valid
 * C++17, built with the flags of pkg-config. It calls every public function at
 * least once. It needs no privileges, and no network except loopback.
 */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <reach/reach.h>

static int failures;

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__,     \
				__LINE__, #condition);                         \
			failures++;                                            \
		}                                                              \
	} while (0)

#define WAIT_MS 10000

static void check_flags(void)
{
	const uint32_t flags = REACH_FLAG_REACHABLE |
			       REACH_FLAG_TRANSIENT_CONNECTION |
			       REACH_FLAG_IS_WWAN;
	const uint32_t words[3] = { 0, REACH_FLAG_REACHABLE, flags };
	int8_t statuses[3];
	char text[REACH_FLAGS_WORDS_SIZE];

	CHECK(reach_flags_words(0, text, sizeof(text)) == strlen(text));
	CHECK(strcmp(text, "Not Reachable") == 0);
	CHECK(reach_flags_words(flags, NULL, 0) > 0);
	CHECK(reach_status_from_flags(flags) ==
	      REACH_STATUS_REACHABLE_VIA_WWAN);
	reach_statuses_from_flags(words, statuses, 3);
	CHECK(statuses[0] == 0 && statuses[1] == 2 && statuses[2] == 1);
	CHECK(strcmp(reach_interface_class_name(REACH_INTERFACE_LOOPBACK),
		     "loopback") == 0);
	CHECK(strcmp(reach_reason_name(REACH_REASON_NO_ROUTE), "noRoute") == 0);
}

static void check_addresses(void)
{
	struct reach_address address;
	struct sockaddr_in in;
	char text[REACH_ADDRESS_TEXT_SIZE];

	CHECK(reach_address_parse("2001:db8::1", &address) == 0);
	CHECK(reach_address_format(&address, text, sizeof(text)) == 11);
	CHECK(strcmp(text, "2001:db8::1") == 0);
	CHECK(reach_address_parse("no address", &address) == -EINVAL);
	CHECK(address.bytes[0] == 0x20);
	memset(&in, 0, sizeof(in));
	in.sin_family = AF_INET;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(reach_address_from_sockaddr((const struct sockaddr *)&in,
					  sizeof(in), &address) == 0);
	CHECK(reach_address_format(&address, text, sizeof(text)) == 9);
	CHECK(strcmp(text, "127.0.0.1") == 0);
}

static struct reach_target loopback_target(void)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	CHECK(reach_address_parse("127.0.0.1", &target.remote) == 0);
	CHECK(reach_target_validate(&target) == 0);
	return target;
}

static int resolve(void *context, const char *name,
		   struct reach_address *addresses, size_t capacity)
{
	(void)context;
	(void)name;
	return capacity > 0 && reach_address_parse("::1", addresses) == 0;
}

/* Dispatches until there is a change of @id. Returns 1, 0 on timeout, or a
 * negative errno. */
static int wait_change(struct reach_monitor *monitor, uint64_t id,
		       struct reach_change *change)
{
	struct pollfd descriptor;

	memset(&descriptor, 0, sizeof(descriptor));
	descriptor.fd = reach_monitor_fd(monitor);
	descriptor.events = POLLIN;
	while (poll(&descriptor, 1, WAIT_MS) == 1) {
		int result = reach_monitor_dispatch(monitor);

		if (result < 0)
			return result;
		while (reach_monitor_next(monitor, change) == 1)
			if (change->id == id)
				return 1;
	}
	return 0;
}

static void check_monitor_reads(struct reach_monitor *monitor, uint64_t id)
{
	struct reach_state state;
	struct reach_interface interface;
	struct reach_interface_address address;
	struct reach_stats stats;
	struct reach_explanation explanation;

	memset(&state, 0, sizeof(state));
	state.size = sizeof(state);
	CHECK(reach_monitor_state(monitor, id, &state) == 0);
	CHECK(state.flags & REACH_FLAG_IS_LOCAL_ADDRESS);
	memset(&interface, 0, sizeof(interface));
	interface.size = sizeof(interface);
	CHECK(reach_monitor_interface(monitor, 0, &interface) == 1);
	memset(&address, 0, sizeof(address));
	address.size = sizeof(address);
	CHECK(reach_monitor_interface_address(monitor, UINT32_MAX, 0,
					      &address) == 0);
	CHECK(interface.name[0] != '\0');
	memset(&stats, 0, sizeof(stats));
	stats.size = sizeof(stats);
	CHECK(reach_monitor_stats(monitor, &stats) == 0);
	CHECK(stats.lookups > 0);
	reach_monitor_refresh(monitor);
	CHECK(reach_monitor_set_facts(monitor, NULL, 0) == 0);
	memset(&explanation, 0, sizeof(explanation));
	explanation.size = sizeof(explanation);
	CHECK(reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
				    &explanation) == 0);
	CHECK(explanation.flags & REACH_FLAG_IS_LOCAL_ADDRESS);
	CHECK(strcmp(reach_rule_name(REACH_RULE_ERROR), "error") == 0);
	CHECK(strcmp(reach_class_basis_name(REACH_CLASS_BASIS_KIND), "kind") ==
	      0);
	CHECK(strcmp(reach_source_state_name(REACH_SOURCE_USABLE), "usable") ==
	      0);
	CHECK(reach_monitor_dispatch(monitor) >= 0);
}

static void check_monitor(void)
{
	struct reach_monitor_options options;
	struct reach_monitor *monitor = NULL;
	struct reach_target target = loopback_target();
	struct reach_change change;
	uint64_t address_id = 0;
	uint64_t name_id = 0;

	reach_monitor_options_init(&options);
	options.resolve = resolve;
	CHECK(reach_monitor_open(&monitor, &options) == 0);
	if (monitor == NULL)
		return;
	memset(&change, 0, sizeof(change));
	change.size = sizeof(change);
	target.user = &failures;
	target.report = REACH_REPORT_PATH;
	CHECK(reach_monitor_add(monitor, &target, &address_id) == 0);
	CHECK(wait_change(monitor, address_id, &change) == 1);
	CHECK(change.user == &failures);
	CHECK(change.state.flags & REACH_FLAG_REACHABLE);
	check_monitor_reads(monitor, address_id);

	reach_target_init(&target, REACH_TARGET_NAME);
	target.policy = REACH_NAME_STRICT;
	target.name = "localhost.example";
	CHECK(reach_monitor_add(monitor, &target, &name_id) == 0);
	do
		CHECK(wait_change(monitor, name_id, &change) == 1);
	while (failures == 0 &&
	       change.state.resolution != REACH_RESOLUTION_DONE);
	CHECK(change.state.address_count == 1);
	CHECK(reach_monitor_remove(monitor, name_id) == 0);
	CHECK(reach_monitor_remove(monitor, name_id) == -ENOENT);
	reach_monitor_close(monitor);
	reach_monitor_close(NULL);
}

/* Invalid input fails with the errors that the manual documents. */
static void check_refusals(void)
{
	struct reach_monitor_options options;
	struct reach_monitor *monitor = NULL;
	struct reach_address probe;
	struct reach_target target;

	reach_monitor_options_init(&options);
	options.netns_fd = INT_MAX;
	CHECK(reach_monitor_open(&monitor, &options) == -EBADF);
	options.netns_fd = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(reach_monitor_open(&monitor, &options) == -EINVAL);
	close(options.netns_fd);
	memset(&probe, 0, sizeof(probe));
	reach_monitor_options_init(&options);
	options.probe_count = 1;
	CHECK(reach_monitor_open(&monitor, &options) == -EINVAL);
	options.probes = &probe;
	CHECK(reach_monitor_open(&monitor, &options) == -EAFNOSUPPORT);
	CHECK(monitor == NULL);

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	CHECK(reach_target_validate(&target) == -EINVAL);
	reach_target_init(&target, REACH_TARGET_NAME);
	CHECK(target.policy == REACH_NAME_STRICT);
	target.name = "fe80::1%no-such-link";
	CHECK(reach_target_validate(&target) == -ENODEV);
	target = loopback_target();
	CHECK(reach_target_validate(&target) == 0);
	target.policy = 2;
	CHECK(reach_target_validate(&target) == -EINVAL);
}

static void check_once(void)
{
	struct reach_target target = loopback_target();
	struct reach_state state;

	memset(&state, 0, sizeof(state));
	state.size = sizeof(state);
	CHECK(reach_check(&target, NULL, WAIT_MS, &state) == 0);
	CHECK(state.status == REACH_STATUS_REACHABLE_VIA_WIFI);
}

int main(void)
{
	CHECK(reach_version() == REACH_VERSION);
	check_flags();
	check_addresses();
	check_monitor();
	check_refusals();
	check_once();
	return failures != 0;
}
