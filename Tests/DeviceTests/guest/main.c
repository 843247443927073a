/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define COMMAND_MAX 512

static unsigned int passed, failed;

bool check_that(bool holds, const char *file, int line, const char *text)
{
	if (holds) {
		passed++;
		return true;
	}
	failed++;
	printf("%s:%d: not true: %s\n", file, line, text);
	return false;
}

void run(const char *format, ...)
{
	char command[COMMAND_MAX];
	va_list arguments;
	int status;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	status = system(command);
	if (!CHECK(status == 0))
		printf("status %#x: %s\n", (unsigned int)status, command);
}

pid_t start(const char *format, ...)
{
	char command[COMMAND_MAX] = "exec >>/run/log 2>&1; exec ";
	const size_t length = strlen(command);
	va_list arguments;
	pid_t pid;

	va_start(arguments, format);
	vsnprintf(command + length, sizeof(command) - length, format,
		  arguments);
	va_end(arguments);
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	CHECK(pid > 0);
	return pid;
}

void join(pid_t pid)
{
	int status = -1;

	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

void stop(pid_t pid)
{
	CHECK(pid > 0 && kill(pid, SIGTERM) == 0);
	CHECK(waitpid(pid, NULL, 0) == pid);
}

void finish(void)
{
	if (failed)
		run("cat /run/log; ip addr; ip -all netns exec ip addr; dmesg "
		    "| tail -n 60");
	printf("%u passed, %u failed\n", passed, failed);
	exit(failed != 0);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*test)(void);
	} tests[] = {
		{ "Wi-Fi", test_wifi },
		{ "radio", test_radio },
		{ "USB modem", test_modem },
		{ "USB tethers", test_tethers },
		{ "bond of a tether and a modem", test_bond },
		{ "team of a tether and a modem", test_team },
		{ "ipvlan and macsec", test_layers },
		{ "wwan core", test_wwan },
		{ "PPP", test_ppp },
		{ "software devices", test_software },
	};

	setlinebuf(stdout);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		printf("--- %s\n", tests[i].name);
		tests[i].test();
	}
	finish();
}
