/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct check {
	int passed;
	int failed;
	int skipped;
};

/* Counts a check, and prints @text if it failed. Returns @holds. */
bool check_that(struct check *check, bool holds, const char *file, int line,
		const char *text);

/* Counts a skipped test, and prints its name and the reason, a negative
 * errno. */
void check_skip(struct check *check, const char *what, int error);

#define CHECK(check, condition)                                                \
	check_that(check, condition, __FILE__, __LINE__, #condition)

/* Waits up to 30 s for @fd to become readable, or REACH_PATIENCE milliseconds,
 * if the environment has it. Returns whether it is. */
bool check_wait(int fd);

/* Whether @fd is readable now. */
bool check_readable(int fd);

/* Runs @work(@context) on a thread of its own and returns its result. */
int check_on_thread(int (*work)(void *context), void *context);

/* Runs @work(@context) on a thread in a network namespace of its own. If there
 * can be none, or @work returns a negative errno, skips @what. */
void check_in_netns(struct check *check, const char *what,
		    int (*work)(void *context), void *context);

/* Runs @work(@context) on a thread of nobody's, which can't start threads.
 * Returns its result, or a negative errno. */
int check_without_threads(int (*work)(void *context), void *context);

/* Stops CLOCK_MONOTONIC one day ahead for the calling thread, until it exits.
 * Timers that the thread sets by this clock don't expire. */
void check_stop_clock(void);
/* Sets the stopped clock to @now, in nanoseconds. */
void check_set_clock(int64_t now);

/* Whether the calling thread blocks all signals. */
bool check_signals_blocked(void);

/* Network namespaces: the inode of the calling thread's, a descriptor of a new
 * one (or a negative errno), and the inode of the one behind @fd. */
unsigned long check_netns(void);
int check_new_netns(void);
unsigned long check_netns_of(int fd);

/* The number of open descriptors, and of resolver threads, of the process. */
int check_descriptors(void);
int check_resolver_threads(void);

/* Runs @work(@context) in a child of fork(). Returns its result, 0 to 127, or a
 * negative errno. */
int check_in_child(int (*work)(void *context), void *context);

void test_address(struct check *check);
void test_answer(struct check *check);
void test_answer_limits(struct check *check);
void test_behaviors(struct check *check);
void test_bounds(struct check *check);
void test_classes(struct check *check);
void test_event_filter(struct check *check);
void test_equivalence(struct check *check);
void test_decoder(struct check *check);
void test_devices(struct check *check);
void test_overrun(struct check *check);
void test_rare(struct check *check);
void test_resolved(struct check *check);
void test_expiry(struct check *check);
void test_explain(struct check *check);
void test_explain_legs(struct check *check);
void test_explain_ports(struct check *check);
void test_explain_rules(struct check *check);
void test_fairness(struct check *check);
void test_filter(struct check *check);
void test_filter_kernel(struct check *check);
void test_flags(struct check *check);
void test_flaps(struct check *check);
void test_verdict(struct check *check);
void test_idle(struct check *check);
void test_dispatch(struct check *check);
void test_confirmation(struct check *check);
void test_engine(struct check *check);
void test_fork(struct check *check);
void test_groups(struct check *check);
void test_in_between(struct check *check);
void test_hosts(struct check *check);
void test_index(struct check *check);
void test_loopback(struct check *check);
void test_local_wifi(struct check *check);
void test_uplinks(struct check *check);
void test_legs(struct check *check);
void test_memory(struct check *check);
void test_input(struct check *check);
void test_metered(struct check *check);
void test_tunnels(struct check *check);
void test_modems(struct check *check);
void test_monitor(struct check *check);
void test_name_failures(struct check *check);
void test_name_targets(struct check *check);
void test_name_schedule(struct check *check);
void test_netns(struct check *check);
void test_old_kernel(struct check *check);
void test_oneshot(struct check *check);
void test_netns_replaced(struct check *check);
void test_qemu_user(struct check *check);
void test_network_changes(struct check *check);
void test_own_addresses(struct check *check);
void test_first_lookup(struct check *check);
void test_cached_type(struct check *check);
void test_requests(struct check *check);
void test_recheck(struct check *check);
void test_race(struct check *check);
void test_judge(struct check *check);
void test_second_lookup(struct check *check);
void test_probes(struct check *check);
void test_restrictions(struct check *check);
void test_shared_names(struct check *check);
void test_sizes(struct check *check);
void test_sources(struct check *check);
void test_sysfs(struct check *check);
void test_duplicates(struct check *check);
void test_resolver_files(struct check *check);
void test_resolver(struct check *check);
void test_resolver_pool(struct check *check);
void test_resolver_limits(struct check *check);
void test_resolver_system(struct check *check);

#endif
