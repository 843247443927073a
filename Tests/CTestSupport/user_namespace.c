/* SPDX-License-Identifier: MIT */
/*
 * Lets an ordinary user create network namespaces, inside a user namespace.
 *
 * A process can enter a user namespace only while it has one thread, so this
 * happens before main(). A child tries first, because an error would leave this
 * process without its user: a chroot, a sysctl, or AppArmor may forbid the last
 * step. Then nothing changes, and tests that need a namespace are skipped.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "CTestSupport.h"

/* Like `unshare -Ur`: this user is root of a new user namespace. */
static int enter_user_namespace(void)
{
	char users[32];
	char groups[32];

	snprintf(users, sizeof(users), "0 %u 1", geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", getegid());
	if (unshare(CLONE_NEWUSER) ||
	    test_write_file("/proc/self/setgroups", "deny") ||
	    test_write_file("/proc/self/uid_map", users))
		return -1;
	return test_write_file("/proc/self/gid_map", groups);
}

__attribute__((constructor)) static void prepare(void)
{
	enum {
		PRIVILEGED,
		POSSIBLE,
		IMPOSSIBLE
	};
	pid_t child = fork();

	if (child == 0) {
		if (unshare(CLONE_NEWNET) == 0)
			_exit(PRIVILEGED);
		if (enter_user_namespace() || unshare(CLONE_NEWNET))
			_exit(IMPOSSIBLE);
		_exit(POSSIBLE);
	}
	if (child > 0 && test_wait(child) == POSSIBLE)
		enter_user_namespace();
}
