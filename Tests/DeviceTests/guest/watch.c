/* SPDX-License-Identifier: MIT */
/* Follows targets, and records their states. */
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CTestSupport.h"
#include "guest.h"

/* An emulated machine on a busy host is slow. */
#define WAIT_MS 60000

static const struct {
	uint32_t flags;
	char letter;
} letters[] = {
#define REACHABLE REACH_FLAG_REACHABLE
#define REQUIRED  REACH_FLAG_REACHABLE | REACH_FLAG_CONNECTION_REQUIRED
#define WWAN	  REACH_FLAG_TRANSIENT_CONNECTION | REACH_FLAG_IS_WWAN
	{ REACHABLE, 'r' },
	{ REACHABLE | REACH_FLAG_IS_DIRECT, 'd' },
	{ REACHABLE | REACH_FLAG_TRANSIENT_CONNECTION, 't' },
	{ REACHABLE | WWAN, 'w' },
	{ REACHABLE | WWAN | REACH_FLAG_IS_DIRECT, 'W' },
	{ REQUIRED, 'q' },
	{ REQUIRED | WWAN | REACH_FLAG_CONNECTION_ON_TRAFFIC, 'Q' },
};

static char letter_of(const struct reach_state *state)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].flags == state->flags)
			return letters[i].letter;
	if (state->flags)
		return '?';
	switch (state->reason) {
	case REACH_REASON_NO_ROUTE:
		return 'n';
	case REACH_REASON_LINK_DOWN:
		return 'x';
	case REACH_REASON_NO_SOURCE:
		return 's';
	case REACH_REASON_NO_INTERFACE:
		return 'i';
	default:
		return '?';
	}
}

static char last_letter(const struct seen *seen)
{
	return seen->count ? seen->letters[seen->count - 1] : '\0';
}

static void record(const struct watch *watch, struct seen *seen)
{
	char letter;

	seen->state.size = sizeof(seen->state);
	if (reach_monitor_state(watch->monitor, seen->id, &seen->state) != 0)
		return;
	CHECK(seen->published_flags == seen->state.flags);
	CHECK(!seen->state.flags ||
	      seen->published_index == seen->state.interface_index);
	letter = letter_of(&seen->state);
	if (letter == last_letter(seen) || seen->count == SEEN_MAX)
		return;
	if (letter == '?')
		printf("%s: flags %#x, reason %s\n", seen->text,
		       seen->state.flags,
		       reach_reason_name(seen->state.reason));
	seen->letters[seen->count++] = letter;
	seen->letters[seen->count] = '\0';
}

static void note(struct watch *watch, const struct reach_change *change)
{
	for (size_t i = 0; i < watch->count; i++) {
		struct seen *seen = &watch->targets[i];

		if (seen->id != change->id)
			continue;
		seen->published_flags = change->state.flags;
		seen->published_index = change->state.interface_index;
	}
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Waits for events until @end, and processes them; false if none came, or on
 * an error. */
static bool follow(struct watch *watch, int64_t end)
{
	struct reach_change change = { .size = sizeof(change) };
	struct pollfd descriptor = {
		.fd = reach_monitor_fd(watch->monitor),
		.events = POLLIN,
	};
	const int64_t left = end - milliseconds();

	if (left <= 0 || poll(&descriptor, 1, (int)left) != 1)
		return false;
	if (!CHECK(reach_monitor_dispatch(watch->monitor) >= 0))
		return false;
	while (reach_monitor_next(watch->monitor, &change) == 1)
		note(watch, &change);
	for (size_t i = 0; i < watch->count; i++)
		record(watch, &watch->targets[i]);
	return true;
}

void watch_open(struct watch *watch, const char *netns)
{
	struct reach_monitor_options options;
	char path[64];

	memset(watch, 0, sizeof(*watch));
	watch->is_own = !netns;
	reach_monitor_options_init(&options);
	if (netns) {
		snprintf(path, sizeof(path), "/run/netns/%s", netns);
		options.netns_fd = open(path, O_RDONLY | O_CLOEXEC);
		CHECK(options.netns_fd >= 0);
	}
	CHECK(reach_monitor_open(&watch->monitor, &options) == 0);
	if (netns)
		close(options.netns_fd);
	CHECK(reach_monitor_dispatch(watch->monitor) >= 0);
}

void watch_close(struct watch *watch)
{
	reach_monitor_close(watch->monitor);
}

struct seen *watch_add(struct watch *watch, const char *address,
		       const char *interface)
{
	const int64_t end = milliseconds() + WAIT_MS;
	struct seen *seen = &watch->targets[watch->count];

	CHECK(watch->count++ < TARGETS_MAX);
	seen->watch = watch;
	seen->text = address;
	reach_target_init(&seen->target, REACH_TARGET_ADDRESS);
	CHECK(reach_address_parse(address, &seen->target.remote) == 0);
	if (interface)
		snprintf(seen->target.interface_name,
			 sizeof(seen->target.interface_name), "%s", interface);
	CHECK(reach_monitor_add(watch->monitor, &seen->target, &seen->id) == 0);
	while (!seen->count && follow(watch, end))
		;
	CHECK(seen->count);
	return seen;
}

/* Whether a socket, for which the kernel does its own lookup, agrees with the
 * state. connect() ignores the state of links.
 * Without a route, a bound IPv4 socket treats every destination as on the link.
 * No socket can connect to the internet target or the local Wi-Fi. */
static bool agrees_with_socket(const struct seen *seen)
{
	const struct reach_state *state = &seen->state;
	char source[REACH_ADDRESS_TEXT_SIZE], own[REACH_ADDRESS_TEXT_SIZE];
	int err;

	if (!seen->watch->is_own || strcmp(seen->text, "0.0.0.0") == 0 ||
	    strcmp(seen->text, "169.254.0.0") == 0)
		return true;
	err = test_connect(seen->text, seen->target.interface_name, source,
			   sizeof(source));
	reach_address_format(&state->source, own, sizeof(own));
	if (state->flags & REACH_FLAG_REACHABLE)
		return !err && strcmp(source, own) == 0;
	return err || state->reason == REACH_REASON_LINK_DOWN ||
	       state->reason == REACH_REASON_NO_SOURCE ||
	       (state->reason == REACH_REASON_NO_ROUTE &&
		seen->target.remote.family == AF_INET &&
		seen->target.interface_name[0]);
}

/* Waits until the state and a socket agree: addresses may still come. */
static void expect_socket(struct seen *seen)
{
	const int64_t end = milliseconds() + WAIT_MS;

	while (!agrees_with_socket(seen) && follow(seen->watch, end))
		;
	CHECK(agrees_with_socket(seen));
}

void await(struct seen *seen, char letter)
{
	const int64_t end = milliseconds() + WAIT_MS;

	while (last_letter(seen) != letter && follow(seen->watch, end))
		;
	if (CHECK(last_letter(seen) == letter)) {
		/* A reachable state may already be over. */
		if (!seen->state.flags)
			expect_socket(seen);
		return;
	}
	printf("%s: waited for %c, saw %s\n", seen->text, letter,
	       seen->letters);
	finish();
}

void join_watching(struct watch *watch, pid_t pid)
{
	int status = -1;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0)
		follow(watch, milliseconds() + 10);
	CHECK(ended == pid && status == 0);
}

void expect(struct seen *seen, const char *pattern)
{
	regex_t expression;

	CHECK(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) == 0);
	printf("%s: %s, allowed %s\n", seen->text, seen->letters, pattern);
	CHECK(regexec(&expression, seen->letters, 0, NULL, 0) == 0);
	regfree(&expression);
	seen->letters[0] = last_letter(seen);
	seen->letters[1] = '\0';
	seen->count = 1;
}

void await_through(struct seen *seen, char letter, const char *pattern)
{
	await(seen, letter);
	expect(seen, pattern);
}

void expect_over(struct seen *seen, const char *name,
		 enum reach_interface_class class)
{
	struct reach_state fresh = { .size = sizeof(fresh) };

	CHECK(strcmp(seen->state.interface_name, name) == 0);
	CHECK(seen->state.interface_class == class);
	CHECK(reach_check(&seen->target, NULL, WAIT_MS, &fresh) == 0);
	CHECK(fresh.flags == seen->state.flags);
	CHECK(fresh.interface_index == seen->state.interface_index);
	CHECK(fresh.interface_class == seen->state.interface_class);
	expect_socket(seen);
}

static bool find(const struct watch *watch, const char *name,
		 struct reach_interface *ret)
{
	uint32_t after = 0;

	ret->size = sizeof(*ret);
	while (reach_monitor_interface(watch->monitor, after, ret) == 1) {
		if (strcmp(ret->name, name) == 0)
			return true;
		after = ret->index;
	}
	return false;
}

void await_class(struct watch *watch, const char *name,
		 enum reach_interface_class class)
{
	const int64_t end = milliseconds() + WAIT_MS;
	struct reach_interface found = { .interface_class = UINT32_MAX };

	while (!(find(watch, name, &found) && found.interface_class == class) &&
	       follow(watch, end))
		;
	printf("%s: %s, expected %s\n", name,
	       reach_interface_class_name(found.interface_class),
	       reach_interface_class_name(class));
	if (!CHECK(strcmp(found.name, name) == 0 &&
		   found.interface_class == class))
		finish();
}

void await_running(struct watch *watch, const char *name, bool usable)
{
	const int64_t end = milliseconds() + WAIT_MS;
	struct reach_interface found = { .state = 0 };

	while (!(find(watch, name, &found) &&
		 found.state & REACH_INTERFACE_RUNNING) &&
	       follow(watch, end))
		;
	CHECK(found.state & REACH_INTERFACE_RUNNING);
	CHECK(!(found.state & REACH_INTERFACE_USABLE) == !usable);
}

void await_absence(struct watch *watch, const char *name)
{
	const int64_t end = milliseconds() + WAIT_MS;
	struct reach_interface found;

	while (find(watch, name, &found) && follow(watch, end))
		;
	if (!CHECK(!find(watch, name, &found)))
		finish();
}
