/* SPDX-License-Identifier: MIT */
#include "monitor/judge_watch.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))
/* Targets that are checked without a monitor at a time. */
#define CHECKED 8

static const char *const remotes[] = {
	"192.0.2.1",
	"192.0.2.200",
	"198.51.100.1",
	"10.9.0.2",
	"10.8.0.2",
	"10.9.0.1",
	"10.8.0.1",
	"2001:db8:ffff::1",
	"2001:db8:aaaa::1",
	"2001:db8:9::2",
	"2001:db8:8::2",
	"2001:db8:8::1",
	"2001:db8:bbbb:1::1",
	"10.9.0.255",
	"224.0.0.251",
	"2001:db8:7:1::1",
	"203.0.113.1",
	"2001:db8:dddd::1",
	"fe80::77",
	"ff02::fb",
	"ff05::fb",
	"ff0e::fb",
	"8.8.8.1",
	"8.8.8.2",
	"8.8.8.3",
	"8.8.8.4",
	"8.8.8.5",
	"2600::1",
	"2600::2",
	"2600::3",
	"2600::4",
	"2600::5",
};

/* The properties of the socket, besides the address. */
static const struct variant {
	const char *interface_name;
	uint32_t mark;
	uint32_t uid;
} variants[] = {
	{ "", 0, REACH_UID_CALLER },
	{ "", 7, REACH_UID_CALLER },
	{ "", 0, 1000 },
	{ "e0", 0, REACH_UID_CALLER },
	{ "e1", 0, REACH_UID_CALLER },
	{ "e2", 0, REACH_UID_CALLER },
	{ "lo", 0, REACH_UID_CALLER },
	{ "v0", 0, REACH_UID_CALLER },
};

_Static_assert(COUNT(remotes) * COUNT(variants) == JUDGE_TARGETS, "");

size_t judge_count(const struct judge_host *host)
{
	return JUDGE_FIXED + host->crowd_count;
}

void judge_target(const struct judge_host *host, size_t i,
		  struct reach_target *ret)
{
	const struct variant *variant = &variants[i % COUNT(variants)];

	if (i >= JUDGE_FIXED) {
		reach_target_init(ret, REACH_TARGET_ADDRESS);
		ret->remote = host->crowd[i - JUDGE_FIXED];
	} else if (i >= JUDGE_TARGETS) {
		answer_target(i - JUDGE_TARGETS, ret);
	} else {
		reach_target_init(ret, REACH_TARGET_ADDRESS);
		ret->remote = check_address(remotes[i / COUNT(variants)]);
		strcpy(ret->interface_name, variant->interface_name);
		ret->mark = variant->mark;
		ret->uid = variant->uid;
		ret->report = REACH_REPORT_PATH;
	}
}

static bool add(struct judge_watch *watch, size_t i)
{
	struct reach_target target;

	judge_target(watch->host, i, &target);
	target.user = &watch->reported[i];
	watch->reported[i].size = 0;
	return !reach_monitor_add(watch->monitor, &target, &watch->ids[i]);
}

bool judge_watch_open(struct judge_watch *watch, const struct judge_host *host,
		      uint32_t receive_buffer)
{
	struct reach_monitor_options options;
	bool added;

	reach_monitor_options_init(&options);
	options.receive_buffer = receive_buffer;
	watch->host = host;
	watch->monitor = NULL;
	added = !reach_monitor_open(&watch->monitor, &options);
	for (size_t i = 0; added && i < judge_count(host); i++)
		added = add(watch, i);
	return added;
}

/* Whether @now must be reported after @last. Only the first targets report
 * their paths; of others the interface counts while they are reachable. */
static bool is_change(bool is_path, const struct reach_state *last,
		      const struct reach_state *now)
{
	if (!last->size)
		return true;
	if (is_path)
		return !answer_is_same(last, now);
	return last->flags != now->flags ||
	       (now->flags && last->interface_index != now->interface_index);
}

bool judge_watch_dispatch(struct judge_watch *watch)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_state *reported;

	if (reach_monitor_dispatch(watch->monitor) < 0)
		return false;
	while (reach_monitor_next(watch->monitor, &change) == 1) {
		reported = change.user;
		watch->is_repeated |=
			!is_change(reported - watch->reported < JUDGE_TARGETS,
				   reported, &change.state);
		*reported = change.state;
	}
	return true;
}

bool judge_watch_state(struct judge_watch *watch, size_t i,
		       struct reach_state *ret)
{
	return judge_watch_dispatch(watch) &&
	       !reach_monitor_state(watch->monitor, watch->ids[i], ret);
}

bool judge_watch_exchange(struct judge_watch *watch, size_t i)
{
	return !reach_monitor_remove(watch->monitor, watch->ids[i]) &&
	       add(watch, i);
}

void judge_tell_state(const struct judge_host *host, size_t i, const char *who,
		      const struct reach_state *state)
{
	char text[4][REACH_ADDRESS_TEXT_SIZE] = { "", "", "", "" };
	struct reach_target target;

	judge_target(host, i, &target);
	(void)reach_address_format(&target.remote, text[0], sizeof(*text));
	(void)reach_address_format(&target.local, text[1], sizeof(*text));
	(void)reach_address_format(&state->source, text[2], sizeof(*text));
	(void)reach_address_format(&state->gateway, text[3], sizeof(*text));
	fprintf(stderr,
		"target %zu, kind %u, to '%s' from '%s' interface '%s' mark %u "
		"uid %d, %s: flags %#x reason %u error %d by '%s' (%u) from %s "
		"via '%s', %u of %u next hops\n",
		i, target.kind, text[0], text[1], target.interface_name,
		target.mark, (int)target.uid, who, state->flags, state->reason,
		state->error, state->interface_name, state->interface_index,
		text[2], text[3], state->usable_next_hops, state->next_hops);
}

/* ---- a new monitor ----------------------------------------------------- */

/* Dispatches until there is nothing to do. */
static bool rest(struct judge_watch *watch)
{
	bool fine = judge_watch_dispatch(watch);

	while (fine && check_readable(reach_monitor_fd(watch->monitor)))
		fine = judge_watch_dispatch(watch);
	return fine;
}

/* Gets the state of target @i from reach_check(). */
static bool is_checked(const struct judge_host *host, size_t i,
		       const struct reach_state *state,
		       struct reach_state *checked)
{
	struct reach_target target;

	judge_target(host, i, &target);
	return !reach_check(&target, NULL, -1, checked) &&
	       answer_is_same(checked, state);
}

static bool compare(struct judge_watch *watch, const struct judge_watch *fresh,
		    size_t i, bool check, bool tell)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_state other = { .size = sizeof(other) };
	const char *who = "reported";

	(void)reach_monitor_state(watch->monitor, watch->ids[i], &state);
	(void)reach_monitor_state(fresh->monitor, fresh->ids[i], &other);
	if (!answer_is_same(&state, &other)) {
		who = "of a new monitor";
	} else if (check && !is_checked(watch->host, i, &state, &other)) {
		who = "checked";
	} else {
		other = watch->reported[i];
		if (!is_change(i < JUDGE_TARGETS, &other, &state) &&
		    other.size && !watch->is_repeated)
			return true;
	}
	if (tell) {
		judge_tell(watch->host);
		judge_tell_state(watch->host, i, "watched", &state);
		judge_tell_state(watch->host, i, who, &other);
	}
	return false;
}

bool judge_watch_is_fresh(struct judge_watch *watch, size_t first, bool tell)
{
	static struct judge_watch fresh;
	const size_t count = judge_count(watch->host);
	bool same = rest(watch);

	same = judge_watch_open(&fresh, watch->host, 0) && same && rest(&fresh);
	for (size_t n = 0; same && n < count; n++)
		same = compare(watch, &fresh, (first + n) % count, n < CHECKED,
			       tell);
	reach_monitor_close(fresh.monitor);
	return same;
}
