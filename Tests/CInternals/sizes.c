/* SPDX-License-Identifier: MIT */
/*
 * Structs of programs that are older or newer than the library. Each is in a
 * heap block of its exact size, so that AddressSanitizer reports reads and
 * writes beyond its end.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <reach/internal/engine.h>
#include <reach/reach.h>

#include "base/base.h"
#include "bytes.h"

/* Bytes of members that the library doesn't know. */
#define NEWER 24

static struct reach_monitor *monitor;
static struct reach_engine *engine;
static struct bytes host = { .look_up = bytes_no_route };
static uint64_t id;

struct call {
	/* The struct's size in version 1.0, and its size today. */
	size_t first;
	size_t now;
	int (*call)(void *sized);
	/* Sets the members of an input struct; NULL for an output struct. */
	void (*fill)(void *sized);
};

static int add(void *target)
{
	uint64_t other;
	int err = reach_monitor_add(monitor, target, &other);

	return err ? err : reach_monitor_remove(monitor, other);
}

static int add_to_engine(void *target)
{
	uint64_t other;
	int err = reach_engine_add(engine, target, &other);

	return err ? err : reach_engine_remove(engine, other);
}

static int validate(void *target)
{
	return reach_target_validate(target);
}

static int ask_target(void *target)
{
	struct reach_state state = { .size = sizeof(state) };

	return reach_check(target, NULL, 0, &state);
}

static int check_options(void *options)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);

	return reach_check(&target, options, 0, &state);
}

static int open_monitor(void *options)
{
	struct reach_monitor *opened;
	int err = reach_monitor_open(&opened, options);

	if (!err)
		reach_monitor_close(opened);
	return err;
}

static int set_facts(void *facts)
{
	return reach_monitor_set_facts(monitor, facts, 1);
}

static int next(void *change)
{
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "127.0.0.1");
	uint64_t other;

	if (reach_monitor_add(monitor, &target, &other) ||
	    reach_monitor_dispatch(monitor) != 1)
		return -EBADF;
	return reach_monitor_next(monitor, change);
}

static int state(void *ret)
{
	return reach_monitor_state(monitor, id, ret);
}

static int explain(void *ret)
{
	return reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING, ret);
}

static int interface(void *ret)
{
	return reach_monitor_interface(monitor, 0, ret);
}

static int interface_address(void *ret)
{
	/* The monitor passes @ret to its engine. This host's lo may be down,
	 * without an address. */
	return reach_engine_interface_address(host.engine, 2, 0, ret);
}

static int stats(void *ret)
{
	return reach_monitor_stats(monitor, ret);
}

static int check_state(void *ret)
{
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);

	return reach_check(&target, NULL, 0, ret);
}

static void fill_target(void *target)
{
	reach_target_init(target, REACH_TARGET_INTERNET);
}

static void fill_options(void *options)
{
	reach_monitor_options_init(options);
}

static void fill_nothing(void *sized)
{
	(void)sized;
}

#define TARGET                                                                 \
	REACH_SIZE_TO(struct reach_target, reserved),                          \
		sizeof(struct reach_target)
#define OPTIONS                                                                \
	REACH_SIZE_TO(struct reach_monitor_options, reserved),                 \
		sizeof(struct reach_monitor_options)
#define STATE                                                                  \
	REACH_SIZE_TO(struct reach_state, reserved), sizeof(struct reach_state)

static const struct call calls[] = {
	{ TARGET, add, fill_target },
	{ TARGET, add_to_engine, fill_target },
	{ TARGET, validate, fill_target },
	{ TARGET, ask_target, fill_target },
	{ OPTIONS, check_options, fill_options },
	{ OPTIONS, open_monitor, fill_options },
	{ REACH_SIZE_TO(struct reach_interface_facts, modem),
	  sizeof(struct reach_interface_facts), set_facts, fill_nothing },
	{ STATE, state, NULL },
	{ STATE, check_state, NULL },
	{ offsetof(struct reach_change, state) +
		  REACH_SIZE_TO(struct reach_state, reserved),
	  sizeof(struct reach_change), next, NULL },
	{ REACH_SIZE_TO(struct reach_explanation, is_leak),
	  sizeof(struct reach_explanation), explain, NULL },
	{ REACH_SIZE_TO(struct reach_interface, reserved),
	  sizeof(struct reach_interface), interface, NULL },
	{ REACH_SIZE_TO(struct reach_interface_address, usable),
	  sizeof(struct reach_interface_address), interface_address, NULL },
	{ REACH_SIZE_TO(struct reach_stats, interface_changes),
	  sizeof(struct reach_stats), stats, NULL },
};

/* A struct of @size bytes whose `size` member is @said. The members that the
 * library knows are filled as far as they fit; all bytes after them are
 * @newer. */
static unsigned char *make(const struct call *call, size_t size, size_t said,
			   unsigned char newer)
{
	unsigned char *sized = malloc(size), *whole = calloc(1, call->now);

	if (!sized || !whole)
		abort();
	if (call->fill)
		call->fill(whole);
	memset(sized, newer, size);
	memcpy(sized, whole, size < call->now ? size : call->now);
	memcpy(sized, &said, sizeof(said));
	free(whole);
	return sized;
}

/* The result of a call with such a struct. */
static int returned(const struct call *call, size_t size, size_t said,
		    unsigned char newer)
{
	unsigned char *sized = make(call, size, said, newer);
	const int ret = call->call(sized);

	free(sized);
	return ret;
}

static void a_size(const struct call *call)
{
	static const unsigned char zeros[NEWER];
	const size_t longer = call->now + NEWER;
	unsigned char *sized = make(call, longer, longer, 0xff);
	size_t size;

	CHECK(returned(call, sizeof(size), 0, 0) == -EINVAL);
	CHECK(returned(call, sizeof(size), sizeof(size), 0) == -EINVAL);
	size = call->first - sizeof(size);
	CHECK(returned(call, size, size, 0) == -EINVAL);
	size = SIZE_MAX - sizeof(size) + 1;
	CHECK(returned(call, call->now, size, 0) == -EINVAL);
	/* Inside a member. */
	CHECK(returned(call, longer, call->first + 1, 0) == -EINVAL);
	CHECK(returned(call, longer, call->now + 2, 0) == -EINVAL);
	CHECK(returned(call, call->first, call->first, 0) >= 0);
	CHECK(returned(call, longer, longer, 0) >= 0);
	if (call->fill) {
		CHECK(call->call(sized) == -E2BIG);
	} else {
		CHECK(call->call(sized) >= 0);
		CHECK(!memcmp(sized + call->now, zeros, NEWER));
	}
	memcpy(&size, sized, sizeof(size));
	CHECK(size == longer);
	free(sized);
}

/* A struct that grew in a later version. Most of the library's structs haven't
 * grown yet. */
struct older {
	size_t size;
	uint64_t first;
};

struct newer {
	size_t size;
	uint64_t first;
	uint64_t second;
};

static void a_struct_that_grew(void)
{
	struct older *theirs = malloc(sizeof(*theirs));
	struct newer ours = { .first = 1, .second = 2 };

	if (!theirs)
		abort();
	theirs->size = sizeof(*theirs);
	reach_sized_write(theirs, &ours, sizeof(ours));
	CHECK(theirs->size == sizeof(*theirs) && theirs->first == 1);
	theirs->first = 3;
	CHECK(reach_sized_read(&ours, sizeof(ours), sizeof(*theirs), theirs) ==
	      0);
	CHECK(ours.size == sizeof(ours) && ours.first == 3 && ours.second == 0);
	free(theirs);
}

void test_sizes(void)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "127.0.0.1");
	size_t i;

	a_struct_that_grew();
	if (!CHECK(reach_monitor_open(&monitor, NULL) == 0))
		return;
	bytes_open(&host, BYTES_SECOND);
	bytes_settle(&host);
	CHECK(reach_engine_create(&engine) == 0 &&
	      reach_monitor_add(monitor, &target, &id) == 0 &&
	      reach_monitor_dispatch(monitor) == 1 &&
	      reach_monitor_next(monitor, &change) == 1);
	CHECK(change.state.size == sizeof(change.state));
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		a_size(&calls[i]);
	bytes_close(&host);
	reach_engine_destroy(engine);
	reach_monitor_close(monitor);
}
