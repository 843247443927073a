/* SPDX-License-Identifier: MIT */
/* Whether the process is a child of the one that opened a monitor. */
#include "monitor/monitor_internal.h"

#include <sys/mman.h>
#include <unistd.h>

/* Linux 4.14; older headers need not have it. */
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* A page that the kernel clears in a child tells it without a system call. A
 * kernel that has none, or a sandbox, leaves the process id, which costs one.
 */
void reach_fork_mark(struct reach_monitor *monitor)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	monitor->process = getpid();
	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		return;
	}
	monitor->own = page;
	*monitor->own = true;
}

void reach_fork_unmark(struct reach_monitor *monitor)
{
	if (monitor->own)
		munmap(monitor->own, (size_t)sysconf(_SC_PAGESIZE));
	monitor->own = NULL;
}

bool reach_fork_is_child(const struct reach_monitor *monitor)
{
	return monitor->own ? !*monitor->own : monitor->process != getpid();
}
