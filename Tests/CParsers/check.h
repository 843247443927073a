/* SPDX-License-Identifier: MIT */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>

/* Counts a check that fails, and prints its text. */
void check_that(bool holds, const char *file, int line, const char *text);

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

void test_addresses(void);
void test_answers(void);
void test_connections(void);
void test_properties(void);
void test_redirects(void);
void test_requests(void);

/* Another process: sends requests for some time, then exits with status 7. */
_Noreturn void exit_during_requests(char *url, int microseconds);

#endif
