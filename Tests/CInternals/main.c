/* SPDX-License-Identifier: MIT */
// What the parts of the library that it does not export promise each other:
//
// cc -std=gnu11 -D_GNU_SOURCE -Iinclude -ISources/CReach
//	Tests/CInternals/*.c Sources/CReach/*.c -lmnl -lpthread && ./a.out
//
// Network namespaces and bind mounts need root; without, the tests that use
// them say that they are skipped.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

bool check_that(struct check *check, bool holds, const char *file, int line,
		const char *text)
{
	if (holds) {
		check->passed++;
	} else {
		check->failed++;
		fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
	}
	return holds;
}

void check_skip(struct check *check, const char *what, int error)
{
	check->skipped++;
	fprintf(stderr, "skipped: %s: %s\n", what, strerror(-error));
}

bool check_wait(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, 30000) == 1;
}

bool check_readable(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, 0) == 1;
}

struct call {
	int (*work)(void *context);
	void *context;
	int result;
};

static void *run(void *argument)
{
	struct call *call = argument;

	call->result = call->work(call->context);
	return NULL;
}

int check_on_thread(int (*work)(void *context), void *context)
{
	struct call call = { work, context, 0 };
	pthread_t thread;
	int error = pthread_create(&thread, NULL, run, &call);

	if (error)
		return -error;
	pthread_join(thread, NULL);
	return call.result;
}

/* Of the thread; 0 while its clock goes. */
static _Thread_local struct timespec stopped_at;

void check_stop_clock(void)
{
	clock_gettime(CLOCK_MONOTONIC, &stopped_at);
	stopped_at.tv_sec += 24 * 3600;
}

/* In place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (clock != CLOCK_MONOTONIC || !stopped_at.tv_sec)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	*ret = stopped_at;
	return 0;
}

bool check_signals_blocked(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	return sigismember(&mask, SIGINT) == 1 &&
	       sigismember(&mask, SIGCHLD) == 1 &&
	       sigismember(&mask, SIGRTMAX) == 1;
}

unsigned long check_netns_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? 0 : status.st_ino;
}

unsigned long check_netns(void)
{
	struct stat status;

	return stat("/proc/thread-self/ns/net", &status) ? 0 : status.st_ino;
}

static int leave(void *context)
{
	int fd;

	(void)context;
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int check_new_netns(void)
{
	return check_on_thread(leave, NULL);
}

int check_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (directory && readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static bool is_resolver(const char *task)
{
	char path[64], name[32] = "";
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, name, sizeof(name));
		close(fd);
	}
	return size > 0 && !strcmp(name, "reach-resolver\n");
}

int check_resolver_threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	const struct dirent *entry;
	int count = 0;

	while (directory && (entry = readdir(directory)))
		count += is_resolver(entry->d_name);
	closedir(directory);
	return count;
}

int check_in_child(int (*work)(void *context), void *context)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(work(context));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* A child of fork() starts threads here. */
#if __has_feature(thread_sanitizer)
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif

int main(void)
{
	struct check check = { 0 };

	/* Nothing here takes long; a hang is a failure, not a wait. */
	alarm(300);
	/* Before the process has looked up anything. */
	test_first_lookup(&check);
	test_answer(&check);
	test_answer_limits(&check);
	test_classes(&check);
	test_decoder(&check);
	test_expiry(&check);
	test_fairness(&check);
	test_filter(&check);
	test_filter_kernel(&check);
	test_flags(&check);
	test_dispatch(&check);
	test_attach(&check);
	test_doubt(&check);
	test_engine(&check);
	test_fork(&check);
	test_index(&check);
	test_loopback(&check);
	test_memory(&check);
	test_monitor(&check);
	test_names(&check);
	test_name_failures(&check);
	test_name_targets(&check);
	test_netns(&check);
	test_old_kernel(&check);
	test_cached_type(&check);
	test_watch(&check);
	test_resolver(&check);
	test_resolver_pool(&check);
	test_resolver_limits(&check);
	test_resolver_system(&check);
	test_sources(&check);
	test_twins(&check);
	test_race(&check);
	printf("%d passed, %d failed", check.passed, check.failed);
	if (check.skipped)
		printf(", %d skipped", check.skipped);
	printf("\n");
	return check.failed ? 1 : 0;
}
