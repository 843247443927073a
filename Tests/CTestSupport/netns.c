/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CTestSupport.h"

struct job {
	int netns_fd;
	uid_t uid;
	int (*work)(void *context);
	void *context;
	int result;
};

/* Raw system calls, because glibc's functions change every thread. */
static int become(uid_t uid)
{
	if (uid == 0)
		return 0;
	if (syscall(SYS_setgroups, 0, NULL) != 0 ||
	    syscall(SYS_setresgid, uid, uid, uid) != 0 ||
	    syscall(SYS_setresuid, uid, uid, uid) != 0)
		return -errno;
	return 0;
}

static void *run_job(void *argument)
{
	struct job *job = argument;

	if (job->netns_fd >= 0 && setns(job->netns_fd, CLONE_NEWNET) != 0) {
		job->result = -errno;
		return NULL;
	}
	job->result = become(job->uid);
	if (job->result == 0)
		job->result = job->work(job->context);
	return NULL;
}

int test_netns_run(int netns_fd, uid_t uid, int (*work)(void *context),
		   void *context)
{
	struct job job = {
		.netns_fd = netns_fd,
		.uid = uid,
		.work = work,
		.context = context,
	};
	pthread_t thread;
	int error = pthread_create(&thread, NULL, run_job, &job);

	if (error != 0)
		return -error;
	pthread_join(thread, NULL);
	return job.result;
}

/* Gets or sets the flags of lo. */
static int loopback(unsigned long call, struct ifreq *request)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = 0;

	strcpy(request->ifr_name, "lo");
	if (fd < 0 || ioctl(fd, call, request) != 0)
		result = -errno;
	if (fd >= 0)
		close(fd);
	return result;
}

static int loopback_up(void)
{
	struct ifreq request = { .ifr_flags = IFF_UP };

	return loopback(SIOCSIFFLAGS, &request);
}

static bool loopback_is_up(void)
{
	struct ifreq request = { 0 };

	return loopback(SIOCGIFFLAGS, &request) == 0 &&
	       (request.ifr_flags & IFF_UP) != 0;
}

/* Many tests watch loopback addresses in the process's namespace. If lo is down
 * there (as after `unshare -n`), the tests move to a new namespace with lo up,
 * and leave the other one unchanged. unshare() moves only the calling thread,
 * so this is a constructor: it runs before there is a second thread. */
__attribute__((constructor)) static void leave_namespace_without_loopback(void)
{
	if (!loopback_is_up() && unshare(CLONE_NEWNET) == 0)
		loopback_up();
}

static int create(void *context)
{
	int fd;
	int result;

	(void)context;
	if (unshare(CLONE_NEWNET) != 0)
		return -errno;
	result = loopback_up();
	if (result != 0)
		return result;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int test_netns_create(void)
{
	return test_netns_run(-1, 0, create, NULL);
}

int test_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		result = -errno;
	close(fd);
	return result;
}

int test_netns_enter(int netns_fd)
{
	return setns(netns_fd, CLONE_NEWNET) < 0 ? -errno : 0;
}
