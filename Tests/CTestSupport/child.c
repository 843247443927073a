/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CTestSupport.h"

extern char **environ;

struct start {
	char *const *argv;
	int input;
	int output;
	pid_t pid;
};

/* A child inherits the namespace of the thread that starts it. */
static int start(void *context)
{
	struct start *s = context;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t standard;
	int error;

	sigemptyset(&none);
	/* A child inherits ignored signals. The tests ignore SIGPIPE, a shell
	 * without job control makes its background jobs ignore SIGINT and
	 * SIGQUIT, and nohup(1) its command SIGHUP. */
	sigfillset(&standard);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, s->input, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, s->output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, s->output, STDERR_FILENO);
	/* Among the other descriptors may be the pipe of an exit test. While a
	 * child holds it open, that test blocks a thread that all tests
	 * share. */
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &standard);
	posix_spawnattr_setsigmask(&attributes, &none);
	error = posix_spawnp(&s->pid, s->argv[0], &actions, &attributes,
			     s->argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

int test_spawn(int netns_fd, char *const argv[], struct test_child *ret)
{
	struct start s = { .argv = argv };
	int to_child[2];
	int from_child[2];
	int result;

	if (pipe2(to_child, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(from_child, O_CLOEXEC) != 0) {
		result = -errno;
		close(to_child[0]);
		close(to_child[1]);
		return result;
	}
	s.input = to_child[0];
	s.output = from_child[1];
	result = test_netns_run(netns_fd, 0, start, &s);
	close(to_child[0]);
	close(from_child[1]);
	if (result != 0) {
		close(to_child[1]);
		close(from_child[0]);
		return result;
	}
	ret->pid = s.pid;
	ret->input = to_child[1];
	ret->output = from_child[0];
	return 0;
}

int test_unshare_descriptors(void)
{
	return unshare(CLONE_FILES) == 0 ? 0 : -errno;
}

/* Whether the thread runs, or waits for a disk (proc_pid_stat(5)). */
static bool runs(const char *tid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	/* The state follows the name, which is in parentheses. */
	state = strrchr(line, ')');
	return state && strlen(state) > 2 && strchr("RD", state[2]);
}

void test_await_rest(void)
{
	bool others;

	do {
		DIR *tasks = opendir("/proc/self/task");
		const struct dirent *task;

		others = false;
		while (tasks && (task = readdir(tasks)))
			if (task->d_name[0] != '.' &&
			    atoi(task->d_name) != gettid())
				others |= runs(task->d_name);
		if (tasks)
			closedir(tasks);
	} while (others && sched_yield() == 0);
}

pid_t test_fork(void)
{
	const pid_t child = fork();
	sigset_t set;

	/* A thread of libdispatch blocks all signals. */
	if (!child) {
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	return child;
}

int test_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
