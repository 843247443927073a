/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_tun.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/judge_host.h"
#include "monitor/story.h"

#define ARROW "-> "
#define WORD  48

static const struct kind {
	const char *name;
	uint32_t flags;
	enum reach_reason reason;
} kinds[] = {
	{ "far", REACH_FLAG_REACHABLE, 0 },
	{ "direct", REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT, 0 },
	{ "own",
	  REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT |
		  REACH_FLAG_IS_LOCAL_ADDRESS,
	  0 },
	{ "loopback", REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS, 0 },
	{ "tunnel", REACH_FLAG_REACHABLE | REACH_FLAG_TRANSIENT_CONNECTION, 0 },
	{ "dormant", REACH_FLAG_REACHABLE | REACH_FLAG_CONNECTION_REQUIRED,
	  REACH_REASON_DORMANT },
};

struct expectation {
	struct reach_target target;
	uint32_t flags;
	enum reach_reason reason;
	char link[WORD];
	struct reach_address gateway;
	/* Any, if it has no family. */
	struct reach_address source;
};

struct trial {
	const struct story *story;
	struct judge_wire wire;
	struct reach_monitor *monitor;
	/* The targets of the steps that have one. */
	uint64_t ids[STORY_STEPS];
};

/* ---- words ------------------------------------------------------------- */

/* Copies the word after @key, if @text has it. */
static bool word_after(const char *text, const char *key, char ret[WORD])
{
	const char *at = strstr(text, key);

	return at && sscanf(at + strlen(key), "%47s", ret) == 1;
}

static void address_after(const char *text, const char *key,
			  struct reach_address *ret)
{
	char word[WORD];

	if (word_after(text, key, word) && reach_address_parse(word, ret))
		abort();
}

static void read_target(const char *text, struct reach_target *ret)
{
	const bool is_pair = strstr(text, " from ");
	char word[WORD];

	(void)word_after(text, "", word);
	if (strcmp(word, "internet") == 0) {
		reach_target_init(ret, REACH_TARGET_INTERNET);
		return;
	}
	reach_target_init(ret, is_pair ? REACH_TARGET_ADDRESS_PAIR
				       : REACH_TARGET_ADDRESS);
	address_after(text, "", &ret->remote);
	address_after(text, " from ", &ret->local);
	if (word_after(text, " in ", word))
		strcpy(ret->interface_name, word);
	if (word_after(text, " mark ", word))
		ret->mark = (uint32_t)atoi(word);
	if (word_after(text, " uid ", word))
		ret->uid = (uint32_t)atoi(word);
}

static void read_verdict(const char *text, struct expectation *ret)
{
	const size_t count = sizeof(kinds) / sizeof(*kinds);
	uint32_t reason = 0;
	char word[WORD];
	size_t i = 0;

	(void)word_after(text, "", word);
	while (i < count && strcmp(kinds[i].name, word) != 0)
		i++;
	if (i < count) {
		ret->flags = kinds[i].flags;
		ret->reason = kinds[i].reason;
		(void)word_after(text, " ", ret->link);
		address_after(text, " via ", &ret->gateway);
		address_after(text, " source ", &ret->source);
		return;
	}
	while (reason < 32 && strcmp(reach_reason_name(reason), word) != 0)
		reason++;
	if (reason == 32)
		abort();
	ret->reason = reason;
}

static void read_expectation(const char *step, struct expectation *ret)
{
	const char *arrow = strstr(step, ARROW);
	char target[2 * WORD];

	*ret = (struct expectation){ .flags = 0 };
	snprintf(target, sizeof(target), "%.*s", (int)(arrow - step), step);
	read_target(target, &ret->target);
	read_verdict(arrow + strlen(ARROW), ret);
}

/* Whether the step is a target and its verdict. */
static bool has_target(const char *step)
{
	return strstr(step, ARROW) && strncmp(step, ARROW, 3) != 0;
}

static bool is_command(const char *step)
{
	return step && *step && !strstr(step, ARROW);
}

/* ---- verdicts ---------------------------------------------------------- */

static bool is_as_expected(const struct expectation *expected,
			   const struct reach_state *state)
{
	if (state->reason == REACH_REASON_LINK_DOWN && state->next_hops < 2 &&
	    state->usable_next_hops)
		return false;
	return state->flags == expected->flags &&
	       state->reason == expected->reason &&
	       (!expected->flags ||
		(strcmp(state->interface_name, expected->link) == 0 &&
		 reach_address_equal(&state->gateway, &expected->gateway) &&
		 (!expected->source.family ||
		  reach_address_equal(&state->source, &expected->source))));
}

static bool is_cable(const char *link)
{
	for (size_t i = 0; i < JUDGE_LINKS; i++)
		if (strcmp(judge_links[i], link) == 0)
			return true;
	return false;
}

/* Whether packets leave through the ports of @link. */
static bool has_ports(const char *link)
{
	return strcmp(link, "br0") == 0 || strcmp(link, "b0") == 0;
}

/* Connects until the packet is seen: before linkwatch has noticed a carrier,
 * packets are lost. On a machine under load, a neighbor is answered for later
 * than it has time, and IPv6 leaves a router that failed for any other route, if
 * it rejects (rt6_check_neigh(), net/ipv6/route.c). Once per minute it would ask
 * for it again. */
static struct judge_trace send_until_seen(struct trial *trial,
					  const struct reach_target *target,
					  const struct reach_state *state)
{
	const char *link = state->interface_name;
	const bool waits = state->flags && (is_cable(link) || has_ports(link));
	struct judge_trace trace = judge_send(&trial->wire, target, 0);

	for (int i = 0; i < 40 && waits && !trace.count; i++) {
		(void)answer_ip("neigh flush nud failed");
		trace = judge_send(&trial->wire, target, 50);
	}
	return trace;
}

/* A packet without a usable source leaves, and gets no answer. Without a route,
 * IPv4 takes every destination of a bound socket to be on its link. Packets to
 * another host that lo takes go nowhere. */
static bool may_leave(const struct reach_target *target,
		      const struct judge_trace *trace,
		      const struct reach_state *state)
{
	if (state->reason == REACH_REASON_LINK_DOWN)
		return trace->ways->link >= JUDGE_CABLES;
	return state->reason == REACH_REASON_NO_SOURCE ||
	       (state->reason == REACH_REASON_NO_ROUTE &&
		target->interface_name[0] && target->remote.family == AF_INET);
}

/* Whether a packet took the state's way over a cable, lo, or a VRF. */
static bool is_way(const struct judge_way *way,
		   const struct reach_target *target,
		   const struct reach_state *state)
{
	if (memcmp(way->source, state->source.bytes, 16) != 0)
		return false;
	if (state->flags & REACH_FLAG_IS_LOCAL_ADDRESS)
		return way->link >= JUDGE_CABLES;
	if (has_ports(state->interface_name))
		return true;
	return strcmp(judge_links[way->link], state->interface_name) == 0 &&
	       judge_leads_to(way, state->gateway.family ? &state->gateway
							 : &target->remote);
}

/* Whether a connection takes the state's way. Nobody sees the packets of a
 * tunnel, or of a link over another one. */
static bool connects(struct trial *trial, const struct reach_target *target,
		     const struct reach_state *state)
{
	const struct judge_trace trace = send_until_seen(trial, target, state);
	const char *link = state->interface_name;

	if (!state->flags)
		return !trace.count || may_leave(target, &trace, state);
	if (!is_cable(link) && !has_ports(link))
		return !trace.error;
	return (trace.count == 1 || (trace.count && has_ports(link))) &&
	       is_way(trace.ways, target, state);
}

/* Dispatches until the state of @id is as expected. */
static bool await(struct reach_monitor *monitor, uint64_t id,
		  const struct expectation *expected, struct reach_state *state)
{
	while (reach_monitor_dispatch(monitor) >= 0 &&
	       !reach_monitor_state(monitor, id, state) &&
	       !is_as_expected(expected, state) &&
	       check_wait(reach_monitor_fd(monitor)))
		;
	return is_as_expected(expected, state);
}

bool story_await(struct reach_monitor *monitor, uint64_t id,
		 const char *verdict)
{
	struct reach_state state = { .size = sizeof(state) };
	struct expectation expected = { .flags = 0 };

	read_verdict(verdict, &expected);
	return await(monitor, id, &expected, &state);
}

static void verify(struct trial *trial, size_t step)
{
	const char *text = trial->story->steps[step];
	struct reach_state state = { .size = sizeof(state) };
	struct expectation expected;
	struct reach_target *target = &expected.target;

	read_expectation(text, &expected);
	if (CHECK(await(trial->monitor, trial->ids[step], &expected, &state)) &&
	    CHECK(answer_agrees(target))) {
		reach_target_normalize(target);
		if (CHECK(target->kind != REACH_TARGET_ADDRESS ||
			  connects(trial, target, &state)))
			return;
	}
	fprintf(stderr, "%s: %s, but %#x, reason %u, by '%s'\n",
		trial->story->name, text, state.flags, state.reason,
		state.interface_name);
}

/* Lets the monitor dump rules and settings: before it knows them, it looks up
 * more than it has to. And has answers confirmed. What follows a second after an
 * answer was lost would hide missed events, too. Then waits for @more ms. */
static void let_idle(struct trial *trial, int more)
{
	struct reach_engine *engine = trial->monitor->engine;
	struct pollfd pollfd = { .fd = reach_monitor_fd(trial->monitor),
				 .events = POLLIN };
	bool idle;

	do {
		idle = answer_confirm(trial->monitor) &&
		       engine->clock.policy == INT64_MAX &&
		       engine->clock.retry == INT64_MAX;
	} while (poll(&pollfd, 1, idle ? more : 20) == 1 || !idle);
}

/* ---- steps ------------------------------------------------------------- */

/* Runs the commands from @step on. Returns the number of the step after. */
static size_t run(struct trial *trial, size_t step)
{
	const char *const *steps = trial->story->steps;
	size_t end = step;
	bool done;

	while (is_command(steps[end]) && !strchr("-=", *steps[end]))
		end++;
	done = end == step || answer_batch(&steps[step], end - step);
	for (; is_command(steps[end]); end++)
		done = done && answer_ip(steps[end]);
	if (!CHECK(done))
		fprintf(stderr, "%s: a step from '%s' to '%s' is refused\n",
			trial->story->name, steps[step], steps[end - 1]);
	return end;
}

static void add_target(struct trial *trial, size_t step)
{
	const char *const *steps = trial->story->steps;
	const char *text = steps[step];
	const size_t size = (size_t)(strstr(text, ARROW) + 1 - text);
	struct expectation expected;

	for (size_t i = 0; i < step; i++)
		if (has_target(steps[i]) && !strncmp(steps[i], text, size)) {
			trial->ids[step] = trial->ids[i];
			return;
		}
	read_expectation(text, &expected);
	CHECK(!reach_monitor_add(trial->monitor, &expected.target,
				 &trial->ids[step]));
}

static void watch(struct trial *trial, size_t step)
{
	const char *const *steps = trial->story->steps;
	size_t i;

	for (i = step; i < STORY_STEPS && steps[i]; i++)
		if (has_target(steps[i]))
			add_target(trial, i);
	while (step < STORY_STEPS && steps[step]) {
		const char *text = steps[step];

		if (has_target(text)) {
			verify(trial, step++);
			(void)answer_changes(trial->monitor);
			continue;
		}
		let_idle(trial, is_command(text) ? 0 : 20);
		if (is_command(text)) {
			step = run(trial, step);
			continue;
		}
		if (*text && !CHECK(!answer_changes(trial->monitor)))
			fprintf(stderr, "changes in '%s'\n",
				trial->story->name);
		step++;
	}
	CHECK(!answer_stats(trial->monitor).corrections);
}

/* Adds the story's device. */
static bool is_supported(const struct story *story)
{
	char command[96];

	if (!answer_is_since(story->since))
		return false;
	if (!story->device)
		return true;
	snprintf(command, sizeof(command), "link add %s", story->device);
	return answer_ip(command);
}

/* Attaches to a new tun device, which has a carrier until @fd is closed. */
static bool open_tun(const char *name, int *fd)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };

	strcpy(request.ifr_name, name);
	*fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	return *fd >= 0 && !ioctl(*fd, TUNSETIFF, &request);
}

static int build_and_watch(void *context)
{
	struct trial *trial = context;
	const struct story *story = trial->story;
	size_t step;
	int tun = -1;

	if (story->tun && !open_tun(story->tun, &tun))
		return -errno;
	CHECK(judge_lay_cables());
	if (!is_supported(story))
		return -EOPNOTSUPP;
	step = run(trial, 0);

	if (CHECK(judge_wire_open(&trial->wire, false) &&
		  !reach_monitor_open(&trial->monitor, NULL))) {
		watch(trial, step);
		CHECK(answer_all_agree());
		reach_monitor_close(trial->monitor);
		judge_wire_close(&trial->wire);
	}
	if (tun >= 0)
		close(tun);
	return 0;
}

void story_play(const struct story *story)
{
	struct trial trial = { .story = story };
	check_in_netns(story->name, build_and_watch, &trial);
}
