/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>

#include "CTestSupport.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

/* The offset of the lower 32 bits of an argument. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ARGUMENT(n) (offsetof(struct seccomp_data, args[n]) + 4)
#else
#define ARGUMENT(n) offsetof(struct seccomp_data, args[n])
#endif

#define LOAD(at)	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define RETURN(value)	    BPF_STMT(BPF_RET | BPF_K, value)

static int install(struct sock_filter *code, size_t count)
{
	const struct sock_fprog program = {
		.len = (unsigned short)count,
		.filter = code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return -errno;
	return 0;
}

/* Refuses a system call, if its argument of that number is @value. */
static int refuse(unsigned int call, int argument, unsigned int value,
		  int error)
{
	struct sock_filter code[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		UNLESS(call, 3),
		LOAD(ARGUMENT(argument)),
		UNLESS(value, 1),
		RETURN(SECCOMP_RET_ERRNO | (unsigned int)error),
		RETURN(SECCOMP_RET_ALLOW),
	};

	return install(code, sizeof(code) / sizeof(*code));
}

int test_refuse_groups(int error)
{
	struct sock_filter code[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		UNLESS(SYS_setsockopt, 5),
		LOAD(ARGUMENT(1)),
		UNLESS(SOL_NETLINK, 3),
		LOAD(ARGUMENT(2)),
		UNLESS(NETLINK_ADD_MEMBERSHIP, 1),
		RETURN(SECCOMP_RET_ERRNO | (unsigned int)error),
		RETURN(SECCOMP_RET_ALLOW),
	};

	return install(code, sizeof(code) / sizeof(*code));
}

int test_refuse_netlink(int error)
{
	return refuse(SYS_socket, 0, AF_NETLINK, error);
}

int test_refuse_bind(int error)
{
	return refuse(SYS_bind, 2, sizeof(struct sockaddr_nl), error);
}

int test_refuse_ioctl(unsigned int request, int error)
{
	return refuse(SYS_ioctl, 1, request, error);
}

int test_restrict_families(int first, int second, int third)
{
	struct sock_filter code[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		UNLESS(SYS_socket, 5),
		LOAD(ARGUMENT(0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)first, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)second, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)third, 1, 0),
		RETURN(SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		RETURN(SECCOMP_RET_ALLOW),
	};

	return install(code, sizeof(code) / sizeof(*code));
}
