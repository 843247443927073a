/* SPDX-License-Identifier: MIT */
#ifndef BPF_RUN_H
#define BPF_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

/* 1 if the program keeps the datagram, 0 if it drops it, -1 if it does what
 * the kernel would refuse or what would drop by accident: a load outside of
 * the datagram, a shift by 32 and more, memory that was not written. */
int bpf_run(const struct sock_filter *program, size_t length, const void *bytes,
	    size_t size);

#endif
