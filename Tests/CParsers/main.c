/* SPDX-License-Identifier: MIT */
// Tests of the parsers of data from servers (Tests/FuzzParsers/bus.c has those of
// data from the system bus):
//
// cc -std=gnu11 -D_GNU_SOURCE -ISources -ISources/CConnectivity/include
//	$(find Tests/CParsers Sources/CConnectivity -name '*.c') -lpthread
// ./a.out [TEST...]
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#include "../CInternals/runner.h"

static int failed;

void check_that(bool holds, const char *file, int line, const char *text)
{
	if (holds)
		return;
	failed++;
	fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
}

int main(int argc, char **argv)
{
	int ran;

	if (argc == 4 && !strcmp(argv[1], "--exit"))
		exit_during_requests(argv[2], atoi(argv[3]));
	ran = run_tests(argc, argv);
	if (!ran)
		return 64;
	printf("%d tests, %d failures\n", ran, failed);
	return failed ? 1 : 0;
}
