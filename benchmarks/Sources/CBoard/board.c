/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include "include/CBoard.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct board {
	/* One more than the verdict; 0 for none. */
	_Atomic int verdict;
	_Atomic int64_t time;
};

int64_t board_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int board_create(void)
{
	const int fd = memfd_create("board", 0);

	if (fd >= 0 && ftruncate(fd, sizeof(struct board))) {
		close(fd);
		return -1;
	}
	return fd;
}

struct board *board_map(int fd)
{
	void *board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);

	return board == MAP_FAILED ? NULL : board;
}

void board_unmap(struct board *board)
{
	munmap(board, sizeof(*board));
}

void board_post(struct board *board, bool reachable)
{
	if (board_verdict(board) == reachable)
		return;
	/* The time must be visible to a reader that sees the verdict. */
	atomic_store(&board->time, board_now());
	atomic_store(&board->verdict, 1 + reachable);
}

int board_verdict(struct board *board)
{
	return atomic_load(&board->verdict) - 1;
}

int64_t board_time(struct board *board)
{
	return atomic_load(&board->time);
}
