/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "check.h"
#include "names/names.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

/* The names, indexed by the ids that these tests use, which start at 1. */
static struct reach_scheduled pool[10001];

/* The schedule of the running test. */
static struct reach_name_schedule *names;

static void add(uint64_t id)
{
	reach_name_schedule_add(names, &pool[id]);
}

static void take_out(uint64_t id)
{
	reach_name_schedule_remove(names, &pool[id]);
}

static int64_t deadline(void)
{
	return reach_name_schedule_deadline(names);
}

static void changed(int64_t now)
{
	reach_name_schedule_changed(names, now);
}

/* The id of a name that is due at @now; 0 for none. */
static uint64_t due(int64_t now)
{
	const struct reach_scheduled *name =
		reach_name_schedule_due(names, now);

	return name ? (uint64_t)(name - pool) : 0;
}

static void done(uint64_t id, bool good, int64_t now)
{
	reach_name_schedule_done(names, &pool[id], good, now);
}

/* The name is due, and its lookup ends at once. */
static void ask(uint64_t id, bool good, int64_t now)
{
	CHECK(due(now) == id);
	done(id, good, now);
}

static void failures_back_off(void)
{
	static const int waits[] = {
		1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300
	};
	int64_t now = 7 * SECOND;

	add(1);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		ask(1, false, now);
		CHECK(deadline() == now + waits[i] * SECOND);
		now += waits[i] * SECOND;
		CHECK(!due(now - 1));
	}
	ask(1, true, now);
	CHECK(deadline() == INT64_MAX);
	CHECK(!due(INT64_MAX - 1));
}

static void a_change_starts_over(void)
{
	int64_t now = SECOND;

	add(1);
	add(2);
	done(due(now), true, now);
	for (int i = 0; i < 5; i++) {
		ask(2, false, now);
		now = deadline();
	}
	now -= 10 * SECOND;
	changed(now);
	CHECK(deadline() == now + 100 * MS);
	CHECK(!due(now + 100 * MS - 1));
	now += 100 * MS;
	CHECK(due(now) == 1);
	CHECK(due(now) == 2);
	CHECK(!due(now));
	done(1, true, now);
	done(2, false, now);
	CHECK(deadline() == now + SECOND);
}

/* Ten in a row, 100 ms after their change, then one per second. */
static void endless_changes_ask_ever_less_and_starve_no_name(void)
{
	int64_t now = 0, begin = 0;
	size_t asked = 0;

	add(1);
	done(due(now), true, now);
	for (; now < 60 * SECOND; now += MS) {
		changed(now);
		if (!due(now))
			continue;
		asked++;
		CHECK(now - begin >= 100 * MS && now - begin <= SECOND + MS);
		CHECK(asked > 10 || now - begin == 100 * MS);
		done(1, true, now);
		begin = now + MS;
	}
	CHECK(asked >= 68 && asked <= 70);

	/* After ten seconds without changes, or more, ten in a row are allowed
	 * again, and one for the second that they take. */
	for (size_t i = 0; i < 2; i++) {
		now += i ? 100 * SECOND : 10 * SECOND;
		done(due(now), true, now);
		for (asked = 0; asked < 11; asked++) {
			changed(now);
			CHECK(deadline() == now + 100 * MS);
			now += 100 * MS;
			done(due(now), true, now);
		}
		changed(now);
		CHECK(deadline() > now + 100 * MS);
	}
}

/* The lookup in flight may wait for servers of the previous network. */
static void a_name_in_flight_is_asked_only_once_more(void)
{
	int64_t now = SECOND;
	int asked = 0;

	add(1);
	CHECK(due(now) == 1);
	for (int i = 0; i < 5; i++) {
		now += 20 * SECOND;
		changed(now);
		now = deadline();
		asked += due(now) == 1;
	}
	CHECK(asked == 1);
	CHECK(deadline() == INT64_MAX);

	/* The answer is older than the last change, so the name is due at once.
	 * While it is in flight, one more lookup is allowed again. */
	done(1, true, now + SECOND);
	CHECK(due(now + SECOND) == 1);
	changed(now + 20 * SECOND);
	CHECK(due(now + 21 * SECOND) == 1);
}

static void an_answer_before_the_burst_is_over_waits_for_it(void)
{
	add(1);
	CHECK(due(0) == 1);
	changed(10 * MS);
	done(1, false, 20 * MS);
	CHECK(deadline() == 110 * MS);
	CHECK(due(110 * MS) == 1);
	done(1, false, 120 * MS);
	CHECK(deadline() == 120 * MS + SECOND);
}

static void a_name_asked_after_the_change_keeps_its_time(void)
{
	add(1);
	changed(0);
	CHECK(due(50 * MS) == 1);
	done(1, true, 60 * MS);
	CHECK(!due(100 * MS) && deadline() == INT64_MAX);
}

static void removed_names_are_gone(void)
{
	for (uint64_t id = 1; id <= 3; id++)
		add(id);
	take_out(2);
	CHECK(due(0) == 1);
	take_out(1);
	/* Ignored: the name isn't in flight. */
	done(3, false, 0);
	ask(3, true, 0);
	done(3, false, 0);
	CHECK(deadline() == INT64_MAX);
	add(2);
	CHECK(due(0) == 2);
}

/* Ten thousand names fail at different times, and a third is removed. The rest
 * must become due in order. */
static void many_names_keep_their_order(void)
{
	uint64_t random = 1;
	int64_t previous = 0;
	size_t asked = 0, late = 0;

	CHECK(deadline() == INT64_MAX && !due(0));
	for (uint64_t id = 1; id <= 10000; id++)
		add(id);
	CHECK(deadline() == 0);
	for (uint64_t id = 1; id <= 10000; id++)
		asked += due(0) == id;
	CHECK(asked == 10000);
	for (uint64_t id = 1; id <= 10000; id++)
		done(id, false, check_random(&random, 1000) * MS);
	for (uint64_t id = 3; id <= 10000; id += 3)
		take_out(id);
	asked = 0;
	for (int64_t now; (now = deadline()) != INT64_MAX;) {
		late += now < previous || due(now - 1);
		previous = now;
		asked += due(now) % 3 != 0;
	}
	CHECK(asked == 10000 - 3333 && late == 0);
}

static void who_is_due_longest_comes_first(void)
{
	bool asked[10] = { false };
	int64_t now = SECOND;
	uint64_t i, got[3];
	int round;

	for (i = 0; i < 10; i++)
		add(1 + i);
	/* Only three names are resolved between two changes. */
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 3; i++) {
			got[i] = due(now);
			CHECK(got[i] > 0);
			asked[got[i] - 1] = true;
		}
		for (i = 0; i < 3; i++)
			done(got[i], true, now);
		changed(now);
		now += 6 * SECOND;
	}
	for (i = 0; i < 10; i++)
		CHECK(asked[i]);
}

static bool join(uint64_t id, int64_t now)
{
	return reach_name_schedule_join(names, &pool[id], now);
}

static void who_joins_has_what_is_recent(void)
{
	int64_t now = SECOND;

	add(1);
	/* Due, then in flight. */
	CHECK(!join(1, now) && due(now) == 1);
	CHECK(!join(1, now) && !due(now));
	done(1, false, now);
	now += SECOND;
	CHECK(join(1, now - 1));
	CHECK(deadline() == now);
	ask(1, false, now);
	/* The back-off is 2 s now. */
	now += SECOND;
	CHECK(!due(now));
	CHECK(!join(1, now) && due(now) == 1);
	done(1, true, now);
	now += 60 * SECOND;
	CHECK(join(1, now - 1) && !due(now - 1));
	CHECK(!join(1, now) && due(now) == 1);
	CHECK(!join(1, now) && !due(now));
}

/* A result from before the change is outdated, and a lookup from before it may
 * hang. */
static void who_joins_after_a_change_waits_for_no_burst(void)
{
	add(1);
	ask(1, true, 0);
	changed(MS);
	CHECK(!join(1, 2 * MS) && due(2 * MS) == 1);
	changed(3 * MS);
	CHECK(!join(1, 4 * MS) && due(4 * MS) == 1);
	/* Two lookups hang, which is the limit. */
	changed(5 * MS);
	CHECK(!join(1, 6 * MS) && !due(6 * MS));
}

void test_name_schedule(void)
{
	static void (*const tests[])(void) = {
		failures_back_off,
		a_change_starts_over,
		endless_changes_ask_ever_less_and_starve_no_name,
		a_name_in_flight_is_asked_only_once_more,
		an_answer_before_the_burst_is_over_waits_for_it,
		a_name_asked_after_the_change_keeps_its_time,
		removed_names_are_gone,
		many_names_keep_their_order,
		who_is_due_longest_comes_first,
		who_joins_has_what_is_recent,
		who_joins_after_a_change_waits_for_no_burst,
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		memset(pool, 0, sizeof(pool));
		if (!CHECK(!reach_name_schedule_create(&names)))
			return;
		tests[i]();
		reach_name_schedule_destroy(names);
	}
	reach_name_schedule_destroy(NULL);
}
