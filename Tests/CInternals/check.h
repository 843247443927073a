/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

/* Counts a check, and prints @text if it failed. Returns @holds. */
bool check_that(bool holds, const char *file, int line, const char *text);

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

/* The number of checks that failed so far. */
int check_failures(void);

/* Counts a skipped test, and prints its name and the reason, a negative
 * errno. */
void check_skip(const char *what, int error);

/* The address @text. A text that is none ends the process. */
struct reach_address check_address(const char *text);

/* A target for @remote: an address, or a name if @kind is REACH_TARGET_NAME; NULL
 * for none. */
struct reach_target check_target(enum reach_target_kind kind,
				 const char *remote);

/* Waits up to 30 s for @fd to become readable, or REACH_PATIENCE milliseconds,
 * if the environment has it. Returns whether it is. */
bool check_wait(int fd);

/* Whether @fd is readable now. */
bool check_readable(int fd);

/* Runs @work(@context) on a thread of its own and returns its result. */
int check_on_thread(int (*work)(void *context), void *context);

/* Runs @work(@context) on a thread in a network namespace of its own. If there
 * can be none, or @work returns a negative errno, skips @what. */
void check_in_netns(const char *what, int (*work)(void *context),
		    void *context);

/* Runs @work(@context) on a thread of nobody's, which can't start threads.
 * Returns its result, or a negative errno. */
int check_without_threads(int (*work)(void *context), void *context);

/* Whether the calling thread blocks all signals. */
bool check_signals_blocked(void);

/* Network namespaces: the inode of the calling thread's, a descriptor of a new
 * one (or a negative errno), and the inode of the one behind @fd. */
unsigned long check_netns(void);
int check_new_netns(void);
unsigned long check_netns_of(int fd);

/* A number below @below, from a generator whose state isn't 0. */
uint32_t check_random(uint64_t *state, uint32_t below);

/* The number of open descriptors, and of resolver threads, of the process. */
int check_descriptors(void);
int check_resolver_threads(void);
/* Waits until no resolver thread is left. */
void check_await_threads(void);

/* @start, @times @part, and @end, in a heap block. */
char *check_repeated(const char *start, const char *part, size_t times,
		     const char *end);

/* Deletes @folder, with what is in it. */
void check_remove_all(const char *folder);

/* Runs @work(@context) in a child of fork(). Returns its result, 0 to 127, or a
 * negative errno. */
int check_in_child(int (*work)(void *context), void *context);

/* All tests in their order. The first lookup must precede every other one of the
 * process. */
/* clang-format off */
#define TESTS(TEST) \
	TEST(first_lookup) TEST(answer) TEST(answer_limits) TEST(behaviors) \
	TEST(target) TEST(decoder) TEST(requests) \
	TEST(expiry) TEST(explain) TEST(explain_ports) TEST(explain_rules) \
	TEST(fairness) TEST(filter) TEST(flags) \
	TEST(flaps) TEST(verdict) TEST(idle) TEST(groups) TEST(dispatch) \
	TEST(event_filter) TEST(confirmation) TEST(engine) TEST(fork) \
	TEST(in_between) TEST(index) TEST(memory) TEST(input) \
	TEST(metered) TEST(modems) TEST(monitor) TEST(name_schedule) \
	TEST(name_failures) TEST(name_targets) TEST(netns) TEST(old_kernel) \
	TEST(oneshot) TEST(netns_replaced) TEST(qemu_user) \
	TEST(network_changes) TEST(own_addresses) TEST(cached_type) \
	TEST(resolver_files) TEST(resolver) TEST(resolver_pool) \
	TEST(resolver_limits) TEST(resolver_system) TEST(judge) TEST(uplinks) \
	TEST(legs) TEST(second_lookup) TEST(probes) TEST(overrun) \
	TEST(restrictions) TEST(shared_names) TEST(sizes) \
	TEST(duplicates) TEST(recheck) TEST(race) TEST(hosts) \
	TEST(explain_legs) TEST(tunnels) TEST(address) TEST(classes) \
	TEST(devices) TEST(local_wifi) TEST(sysfs)
/* clang-format on */

#define TEST_FUNCTION(name) void test_##name(void);
TESTS(TEST_FUNCTION)

#endif
