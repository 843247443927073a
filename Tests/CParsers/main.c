/* SPDX-License-Identifier: MIT */
// Tests of the parsers of data from servers (Tests/FuzzParsers/bus.c has those of
// data from the system bus):
//
// cc -std=gnu11 -D_GNU_SOURCE -ISources -ISources/CConnectivity/include
//	$(find Tests/CParsers Sources/CConnectivity -name '*.c') -lpthread
// ./a.out [TEST...]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int failed;

void check_that(bool holds, const char *file, int line, const char *text)
{
	if (holds)
		return;
	failed++;
	fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
}

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

int main(int argc, char **argv)
{
	int ran = 0;
	size_t i;

	if (argc == 4 && !strcmp(argv[1], "--exit"))
		exit_during_requests(argv[2], atoi(argv[3]));
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		if (!is_wanted(argv + 1, tests[i].name))
			continue;
		tests[i].run();
		ran++;
	}
	if (argc > 1 && ran != argc - 1) {
		fputs("one of the arguments is not the name of a test\n",
		      stderr);
		return 64;
	}
	printf("%d tests, %d failures\n", ran, failed);
	return failed ? 1 : 0;
}
