/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>

/* Counts a check that fails, and prints its text. */
void check_that(bool holds, const char *file, int line, const char *text);

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

/* All tests. */
/* clang-format off */
#define TESTS(TEST) \
	TEST(addresses) TEST(answers) TEST(connections) TEST(redirects) \
	TEST(requests)
/* clang-format on */

#define TEST_FUNCTION(name) void test_##name(void);
TESTS(TEST_FUNCTION)

/* Another process: sends requests for some time, then exits with status 7. */
_Noreturn void exit_during_requests(char *url, int microseconds);

#endif
