/* SPDX-License-Identifier: MIT */
/* Runs the tests of a program, which are TESTS of its check.h. */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEST_ROW(name) { #name, test_##name },

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = { TESTS(TEST_ROW) };

static bool is_wanted(char *const *wanted, const char *name)
{
	bool is_any = !*wanted;

	for (; *wanted; wanted++)
		is_any |= !strcmp(*wanted, name);
	return is_any;
}

/* Runs the tests that main()'s arguments name, or all if there are none. Returns
 * their number, or 0 if an argument isn't the name of a test. */
static int run_tests(int argc, char **argv)
{
	int ran = 0;

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (!is_wanted(argv + 1, tests[i].name))
			continue;
		tests[i].run();
		ran++;
	}
	if (argc == 1 || ran == argc - 1)
		return ran;
	fputs("one of the arguments is not the name of a test\n", stderr);
	return 0;
}

#endif
