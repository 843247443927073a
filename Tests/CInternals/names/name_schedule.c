/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "check.h"
#include "names/names.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

/* The names, indexed by the ids that these tests use, which start at 1. */
static struct reach_scheduled pool[10001];

static struct reach_name_schedule *create(void)
{
	struct reach_name_schedule *names = NULL;

	memset(pool, 0, sizeof(pool));
	return reach_name_schedule_create(&names) ? NULL : names;
}

static void add(struct reach_name_schedule *names, uint64_t id)
{
	reach_name_schedule_add(names, &pool[id]);
}

/* The id of a name that is due at @now; 0 for none. */
static uint64_t due(struct reach_name_schedule *names, int64_t now)
{
	const struct reach_scheduled *name =
		reach_name_schedule_due(names, now);

	return name ? (uint64_t)(name - pool) : 0;
}

static void done(struct reach_name_schedule *names, uint64_t id, bool good,
		 int64_t now)
{
	reach_name_schedule_done(names, &pool[id], good, now);
}

static void new_names_are_due_in_order(struct check *check)
{
	struct reach_name_schedule *names = create();

	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	CHECK(check, !due(names, 5));
	add(names, 1);
	add(names, 2);
	CHECK(check, reach_name_schedule_deadline(names) == 0);
	CHECK(check, due(names, 5) == 1);
	CHECK(check, due(names, 5) == 2);
	CHECK(check, !due(names, 5));
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	reach_name_schedule_destroy(names);
	reach_name_schedule_destroy(NULL);
}

static void failures_back_off(struct check *check)
{
	static const int waits[] = {
		1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300
	};
	struct reach_name_schedule *names = create();
	int64_t now = 7 * SECOND;

	add(names, 1);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		CHECK(check, due(names, now) == 1);
		done(names, 1, false, now);
		CHECK(check, reach_name_schedule_deadline(names) ==
				     now + waits[i] * SECOND);
		now += waits[i] * SECOND;
		CHECK(check, !due(names, now - 1));
	}
	CHECK(check, due(names, now) == 1);
	done(names, 1, true, now);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	CHECK(check, !due(names, INT64_MAX - 1));
	reach_name_schedule_destroy(names);
}

static void a_change_starts_over(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = SECOND;

	add(names, 1);
	add(names, 2);
	done(names, due(names, now), true, now);
	for (int i = 0; i < 5; i++) {
		CHECK(check, due(names, now) == 2);
		done(names, 2, false, now);
		now = reach_name_schedule_deadline(names);
	}
	now -= 10 * SECOND;
	reach_name_schedule_changed(names, now);
	CHECK(check, reach_name_schedule_deadline(names) == now + 100 * MS);
	CHECK(check, !due(names, now + 100 * MS - 1));
	now += 100 * MS;
	CHECK(check, due(names, now) == 1);
	CHECK(check, due(names, now) == 2);
	CHECK(check, !due(names, now));
	done(names, 1, true, now);
	done(names, 2, false, now);
	CHECK(check, reach_name_schedule_deadline(names) == now + SECOND);
	reach_name_schedule_destroy(names);
}

static void a_burst_makes_one_resolution(struct check *check)
{
	struct reach_name_schedule *names = create();
	int asked = 0;

	add(names, 1);
	done(names, due(names, 0), true, 0);
	for (int64_t now = 0; now < 95 * MS; now += MS) {
		reach_name_schedule_changed(names, now);
		asked += due(names, now) == 1;
	}
	CHECK(check, asked == 0);
	CHECK(check, reach_name_schedule_deadline(names) == 100 * MS);
	CHECK(check, due(names, 100 * MS) == 1);
	done(names, 1, true, 101 * MS);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	reach_name_schedule_destroy(names);
}

/* Ten in a row, 100 ms after their change, then one per second. */
static void
endless_changes_ask_ever_less_and_starve_no_name(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = 0, begin = 0;
	size_t asked = 0;

	add(names, 1);
	done(names, due(names, now), true, now);
	for (; now < 60 * SECOND; now += MS) {
		reach_name_schedule_changed(names, now);
		if (!due(names, now))
			continue;
		asked++;
		CHECK(check,
		      now - begin >= 100 * MS && now - begin <= SECOND + MS);
		CHECK(check, asked > 10 || now - begin == 100 * MS);
		done(names, 1, true, now);
		begin = now + MS;
	}
	CHECK(check, asked >= 68 && asked <= 70);

	/* After ten seconds without changes, ten in a row are allowed again. */
	now += 10 * SECOND;
	done(names, due(names, now), true, now);
	for (asked = 0; asked < 10; asked++) {
		reach_name_schedule_changed(names, now);
		CHECK(check,
		      reach_name_schedule_deadline(names) == now + 100 * MS);
		now += 100 * MS;
		done(names, due(names, now), true, now);
	}
	reach_name_schedule_destroy(names);
}

/* The lookup in flight may wait for servers of the previous network. */
static void a_name_in_flight_is_asked_once_more(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = SECOND;

	add(names, 1);
	CHECK(check, due(names, now) == 1);
	reach_name_schedule_changed(names, now);
	reach_name_schedule_changed(names, now + MS);
	CHECK(check, reach_name_schedule_deadline(names) == now + 100 * MS);
	CHECK(check, due(names, now + 100 * MS) == 1);
	CHECK(check, !due(names, now + SECOND));
	done(names, 1, true, now + SECOND);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	reach_name_schedule_destroy(names);
}

static void a_name_in_flight_is_asked_only_once_more(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = SECOND;
	int asked = 0;

	add(names, 1);
	CHECK(check, due(names, now) == 1);
	for (int i = 0; i < 5; i++) {
		now += 20 * SECOND;
		reach_name_schedule_changed(names, now);
		now = reach_name_schedule_deadline(names);
		asked += due(names, now) == 1;
	}
	CHECK(check, asked == 1);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);

	/* The answer is older than the last change, so the name is due at once.
	 * While it is in flight, one more lookup is allowed again. */
	done(names, 1, true, now + SECOND);
	CHECK(check, due(names, now + SECOND) == 1);
	reach_name_schedule_changed(names, now + 20 * SECOND);
	CHECK(check, due(names, now + 21 * SECOND) == 1);
	reach_name_schedule_destroy(names);
}

static void an_answer_before_the_burst_is_over_waits_for_it(struct check *check)
{
	struct reach_name_schedule *names = create();

	add(names, 1);
	CHECK(check, due(names, 0) == 1);
	reach_name_schedule_changed(names, 10 * MS);
	done(names, 1, false, 20 * MS);
	CHECK(check, reach_name_schedule_deadline(names) == 110 * MS);
	CHECK(check, due(names, 110 * MS) == 1);
	done(names, 1, false, 120 * MS);
	CHECK(check, reach_name_schedule_deadline(names) == 120 * MS + SECOND);
	reach_name_schedule_destroy(names);
}

static void a_name_asked_after_the_change_keeps_its_time(struct check *check)
{
	struct reach_name_schedule *names = create();

	/* Without names, changes take no token. */
	for (int i = 0; i < 20; i++)
		reach_name_schedule_changed(names, 0);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	add(names, 1);
	CHECK(check, due(names, 50 * MS) == 1);
	done(names, 1, true, 60 * MS);
	CHECK(check, !due(names, 100 * MS));
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	reach_name_schedule_changed(names, SECOND);
	CHECK(check, reach_name_schedule_deadline(names) == 1100 * MS);
	reach_name_schedule_destroy(names);
}

/* A name that fails is looked up as soon as the network returns, even if the
 * network keeps flapping. */
static void what_fails_is_asked_at_once_on_a_return(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = 0;
	uint64_t id;
	bool asked;

	add(names, 1);
	add(names, 2);
	for (int i = 0; i < 20; i++) {
		/* The network is gone for 3 s. */
		reach_name_schedule_changed(names, now);
		while (reach_name_schedule_deadline(names) < now + 3 * SECOND) {
			const int64_t then =
				reach_name_schedule_deadline(names);

			id = due(names, then);
			if (id)
				done(names, id, id == 1, then);
		}
		now += 3 * SECOND;
		reach_name_schedule_changed(names, now);
		reach_name_schedule_changed(names, now + MS);
		CHECK(check,
		      reach_name_schedule_deadline(names) <= now + 100 * MS);
		now += 100 * MS;
		asked = false;
		while ((id = due(names, now))) {
			asked |= id == 2;
			done(names, id, id == 1, now);
		}
		CHECK(check, asked);
		now += SECOND;
	}
	reach_name_schedule_destroy(names);
}

/* A lookup that started before the network returned fails. It used the previous
 * network, so the name is looked up again. */
static void
a_failure_from_before_a_return_is_asked_for_again(struct check *check)
{
	struct reach_name_schedule *names = create();

	add(names, 1);
	CHECK(check, due(names, 0) == 1);
	reach_name_schedule_changed(names, SECOND);
	done(names, 1, false, SECOND + MS);
	CHECK(check, reach_name_schedule_deadline(names) == SECOND + 100 * MS);
	CHECK(check, due(names, SECOND + 100 * MS) == 1);
	reach_name_schedule_changed(names, 2 * SECOND);
	CHECK(check, due(names, 2 * SECOND + 100 * MS) == 1);
	reach_name_schedule_changed(names, 3 * SECOND);
	/* Two lookups are in flight, which is the limit. */
	CHECK(check, !due(names, 3 * SECOND + 100 * MS));
	done(names, 1, false, 4 * SECOND);
	CHECK(check, due(names, 4 * SECOND) == 1);
	reach_name_schedule_destroy(names);
}

static void removed_names_are_gone(struct check *check)
{
	struct reach_name_schedule *names = create();

	for (uint64_t id = 1; id <= 3; id++)
		add(names, id);
	reach_name_schedule_remove(names, &pool[2]);
	CHECK(check, due(names, 0) == 1);
	reach_name_schedule_remove(names, &pool[1]);
	/* Ignored: the name isn't in flight. */
	done(names, 3, false, 0);
	CHECK(check, due(names, 0) == 3);
	done(names, 3, true, 0);
	done(names, 3, false, 0);
	CHECK(check, reach_name_schedule_deadline(names) == INT64_MAX);
	add(names, 2);
	CHECK(check, due(names, 0) == 2);
	reach_name_schedule_destroy(names);
}

/* Ten thousand names fail at different times, and a third is removed. The rest
 * must become due in order. */
static void many_names_keep_their_order(struct check *check)
{
	struct reach_name_schedule *names = create();
	uint32_t random = 1;
	int64_t previous = 0;
	size_t asked = 0, late = 0;

	for (uint64_t id = 1; id <= 10000; id++)
		add(names, id);
	for (uint64_t id = 1; id <= 10000; id++)
		asked += due(names, 0) == id;
	CHECK(check, asked == 10000);
	for (uint64_t id = 1; id <= 10000; id++) {
		random = random * 1664525 + 1013904223;
		done(names, id, false, random % 1000 * MS);
	}
	for (uint64_t id = 3; id <= 10000; id += 3)
		reach_name_schedule_remove(names, &pool[id]);
	asked = 0;
	for (int64_t now;
	     (now = reach_name_schedule_deadline(names)) != INT64_MAX;) {
		late += now < previous || due(names, now - 1);
		previous = now;
		asked += due(names, now) % 3 != 0;
	}
	CHECK(check, asked == 10000 - 3333 && late == 0);
	reach_name_schedule_destroy(names);
}

static void who_is_due_longest_comes_first(struct check *check)
{
	struct reach_name_schedule *names = create();
	bool asked[10] = { false };
	int64_t now = SECOND;
	uint64_t i, got[3];
	int round;

	for (i = 0; i < 10; i++)
		add(names, 1 + i);
	/* Only three names are resolved between two changes. */
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 3; i++) {
			got[i] = due(names, now);
			CHECK(check, got[i] > 0);
			asked[got[i] - 1] = true;
		}
		for (i = 0; i < 3; i++)
			done(names, got[i], true, now);
		reach_name_schedule_changed(names, now);
		now += 6 * SECOND;
	}
	for (i = 0; i < 10; i++)
		CHECK(check, asked[i]);
	reach_name_schedule_destroy(names);
}

static bool join(struct reach_name_schedule *names, uint64_t id, int64_t now)
{
	return reach_name_schedule_join(names, &pool[id], now);
}

static void who_joins_has_what_is_recent(struct check *check)
{
	struct reach_name_schedule *names = create();
	int64_t now = SECOND;

	add(names, 1);
	/* Due, then in flight. */
	CHECK(check, !join(names, 1, now) && due(names, now) == 1);
	CHECK(check, !join(names, 1, now) && !due(names, now));
	done(names, 1, false, now);
	now += SECOND;
	CHECK(check, join(names, 1, now - 1));
	CHECK(check, reach_name_schedule_deadline(names) == now);
	CHECK(check, due(names, now) == 1);
	done(names, 1, false, now);
	/* The back-off is 2 s now. */
	now += SECOND;
	CHECK(check, !due(names, now));
	CHECK(check, !join(names, 1, now) && due(names, now) == 1);
	done(names, 1, true, now);
	now += 60 * SECOND;
	CHECK(check, join(names, 1, now - 1) && !due(names, now - 1));
	CHECK(check, !join(names, 1, now) && due(names, now) == 1);
	CHECK(check, !join(names, 1, now) && !due(names, now));
	reach_name_schedule_destroy(names);
}

/* A result from before the change is outdated, and a lookup from before it may
 * hang. */
static void who_joins_after_a_change_waits_for_no_burst(struct check *check)
{
	struct reach_name_schedule *names = create();

	add(names, 1);
	CHECK(check, due(names, 0) == 1);
	done(names, 1, true, 0);
	reach_name_schedule_changed(names, MS);
	CHECK(check, !join(names, 1, 2 * MS) && due(names, 2 * MS) == 1);
	reach_name_schedule_changed(names, 3 * MS);
	CHECK(check, !join(names, 1, 4 * MS) && due(names, 4 * MS) == 1);
	/* Two lookups hang, which is the limit. */
	reach_name_schedule_changed(names, 5 * MS);
	CHECK(check, !join(names, 1, 6 * MS) && !due(names, 6 * MS));
	reach_name_schedule_destroy(names);
}

void test_name_schedule(struct check *check)
{
	new_names_are_due_in_order(check);
	failures_back_off(check);
	a_change_starts_over(check);
	a_burst_makes_one_resolution(check);
	endless_changes_ask_ever_less_and_starve_no_name(check);
	a_name_in_flight_is_asked_once_more(check);
	a_name_in_flight_is_asked_only_once_more(check);
	an_answer_before_the_burst_is_over_waits_for_it(check);
	a_name_asked_after_the_change_keeps_its_time(check);
	what_fails_is_asked_at_once_on_a_return(check);
	a_failure_from_before_a_return_is_asked_for_again(check);
	removed_names_are_gone(check);
	many_names_keep_their_order(check);
	who_is_due_longest_comes_first(check);
	who_joins_has_what_is_recent(check);
	who_joins_after_a_change_waits_for_no_burst(check);
}
