/* SPDX-License-Identifier: MIT */
#include "monitor/monitor.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* madvise(2), Linux 4.14; for older headers. */
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Every public function checks for a fork, so the check must be cheap: reading
 * a page that the kernel zeroes in a child takes no system call. getpid() takes
 * one, and is for kernels and sandboxes without MADV_WIPEONFORK. */
void reach_fork_mark(struct reach_fork *fork)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fork->process = getpid();
	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		return;
	}
	fork->is_parent = page;
	*fork->is_parent = true;
}

void reach_fork_unmark(struct reach_fork *fork)
{
	if (fork->is_parent)
		munmap(fork->is_parent, (size_t)sysconf(_SC_PAGESIZE));
	fork->is_parent = NULL;
}

bool reach_fork_is_child(const struct reach_fork *fork)
{
	return fork->is_parent ? !*fork->is_parent : fork->process != getpid();
}
