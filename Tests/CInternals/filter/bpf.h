/* SPDX-License-Identifier: MIT */
#ifndef BPF_RUN_H
#define BPF_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

/* 1 if the program keeps the datagram, 0 if it drops it. -1 if the kernel would
 * refuse the program, or drop the datagram because of a mistake: a load outside
 * of the datagram, a shift by 32 or more, scratch memory read before it is
 * written. */
int bpf_run(const struct sock_filter *program, size_t length, const void *bytes,
	    size_t size);

#endif
