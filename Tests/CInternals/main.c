/* SPDX-License-Identifier: MIT */
// Tests of the library's internal functions:
//
// cc -std=gnu11 -D_GNU_SOURCE -Iinclude -ISources/CReach -ITests/CInternals
//	$(find Tests/CInternals Sources/CReach -name '*.c') -lmnl -lpthread
// ./a.out [TEST...]
//
// Network namespaces and bind mounts require root. Without it, the tests that
// use them report that they are skipped.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "names/names.h"
#include "runner.h"

static int passed, failed, skipped;

bool check_that(bool holds, const char *file, int line, const char *text)
{
	if (holds) {
		passed++;
	} else {
		failed++;
		fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
	}
	return holds;
}

int check_failures(void)
{
	return failed;
}

void check_skip(const char *what, int error)
{
	skipped++;
	fprintf(stderr, "skipped: %s: %s\n", what, strerror(-error));
}

struct reach_address check_address(const char *text)
{
	struct reach_address ret;

	if (reach_address_parse(text, &ret)) {
		fprintf(stderr, "no address: %s\n", text);
		abort();
	}
	return ret;
}

struct reach_target check_target(enum reach_target_kind kind,
				 const char *remote)
{
	struct reach_target ret;

	reach_target_init(&ret, kind);
	if (kind == REACH_TARGET_NAME)
		ret.name = remote;
	else if (remote)
		ret.remote = check_address(remote);
	return ret;
}

uint32_t check_random(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16) % below;
}

bool check_wait(int fd)
{
	const char *patience = getenv("REACH_PATIENCE");
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return poll(&entry, 1, patience ? atoi(patience) : 30000) == 1;
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

static int run_in_netns(void *context)
{
	const struct call *call = context;

	return unshare(CLONE_NEWNET) ? -errno : call->work(call->context);
}

void check_in_netns(const char *what, int (*work)(void *context), void *context)
{
	struct call call = { work, context, 0 };
	const int error = check_on_thread(run_in_netns, &call);

	if (error < 0)
		check_skip(what, error);
}

/* With an RLIMIT_NPROC of 0 only root can start threads. The raw system call
 * changes only the calling thread's uid. */
static int run_limited(void *context)
{
	struct call *call = context;
	struct rlimit before, none;

	if (geteuid() == 0 && syscall(SYS_setresuid, 65534, 65534, 65534))
		return -errno;
	getrlimit(RLIMIT_NPROC, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NPROC, &none);
	call->result = call->work(call->context);
	setrlimit(RLIMIT_NPROC, &before);
	return call->result;
}

int check_without_threads(int (*work)(void *context), void *context)
{
	struct call call = { work, context, 0 };

	return check_on_thread(run_limited, &call);
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
	if (directory)
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

/* Also those of threads that are starting, and have the name of their creator. */
static int taken_slots(void)
{
	int available = 0;

	while (available < REACH_RESOLVER_THREADS && reach_slots_take())
		available++;
	for (int i = 0; i < available; i++)
		reach_slots_give();
	return REACH_RESOLVER_THREADS - available;
}

int check_resolver_threads(void)
{
	const int taken = taken_slots();
	DIR *directory = opendir("/proc/self/task");
	const struct dirent *entry;
	int count = 0;

	while (directory && (entry = readdir(directory)))
		count += is_resolver(entry->d_name);
	if (directory)
		closedir(directory);
	return count > taken ? count : taken;
}

void check_await_threads(void)
{
	while (check_resolver_threads())
		sched_yield();
}

char *check_repeated(const char *start, const char *part, size_t times,
		     const char *end)
{
	const size_t size = strlen(start) + times * strlen(part) + strlen(end);
	char *text = calloc(1, size + 1);
	char *at = text;

	if (!text)
		abort();
	at = stpcpy(at, start);
	while (times--)
		at = stpcpy(at, part);
	strcpy(at, end);
	return text;
}

void check_remove_all(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		abort();
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

/* These tests start threads in a child of fork(). By default, TSan ends such a
 * child. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif
#endif

int main(int argc, char **argv)
{
	const char *seconds = getenv("REACH_ALARM");

	/* Ends a hang. An emulated processor needs more than these 300 s. */
	alarm(seconds ? (unsigned int)atoi(seconds) : 300);
	/* Nothing that happens to the machine's network is an event here. It
	 * takes privileges, as most tests do. */
	(void)unshare(CLONE_NEWNET);
	if (!run_tests(argc, argv))
		return 64;
	printf("%d passed, %d failed", passed, failed);
	if (skipped)
		printf(", %d skipped", skipped);
	printf("\n");
	return failed ? 1 : 0;
}
