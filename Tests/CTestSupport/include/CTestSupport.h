/* SPDX-License-Identifier: MIT */
/* Functions that Swift can't provide to the tests: threads that enter a network
 * namespace, child processes started there, and hand-made packets and netlink
 * messages. Not part of the package.
 *
 * Errors are negative errno values. */
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The uid of nobody, for tests without privileges. */
#define TEST_NOBODY 65534

/* Creates a network namespace with lo up. Returns a close-on-exec descriptor.
 * The namespace lives until the caller closes it. */
int test_netns_create(void);

/* Moves the calling thread into the namespace. */
int test_netns_enter(int netns_fd);

/* Runs work(context) on a new thread in the namespace (-1: the caller's). If
 * uid isn't 0, the thread runs as that user, without capabilities. Returns the
 * result of work(). */
int test_netns_run(int netns_fd, uid_t uid, int (*work)(void *context),
		   void *context);

/* Sandboxes the calling thread, and the threads and children that it starts
 * from then on: joining a netlink group fails with this errno. The sandbox
 * can't be left, so use a short-lived thread, such as test_netns_run()'s. */
int test_refuse_groups(int error);

/* The same for netlink sockets: opening one fails with this errno. */
int test_refuse_netlink(int error);

/* The same for bind() of a netlink socket. */
int test_refuse_bind(int error);

/* The same for an ioctl() request, as if the kernel didn't have it. */
int test_refuse_ioctl(unsigned int request, int error);

/* The same as systemd's RestrictAddressFamilies= with these families: opening a
 * socket of any other family fails with EAFNOSUPPORT. */
int test_restrict_families(int first, int second, int third);

/* A child process and the caller's ends of its pipes, which the caller closes.
 * Standard output and standard error share a pipe. */
struct test_child {
	pid_t pid;
	int input;
	int output;
};

/* Starts argv in the namespace (-1: the caller's). Searches PATH for
 * argv[0]. */
int test_spawn(int netns_fd, char *const argv[], struct test_child *ret);

/* Waits until all other threads of the process sleep. None of them then holds a
 * lock of Swift's runtime, for which a child of fork() would wait for ever. */
void test_await_rest(void);

/* fork(), which Swift doesn't import. */
pid_t test_fork(void);

/* Gives the calling thread its own copy of the process's descriptor table
 * (CLONE_FILES in unshare(2)). Returns 0 or a negative errno. */
int test_unshare_descriptors(void);

/* Waits for a child. Returns its exit status, or 128 plus the signal's
 * number. */
int test_wait(pid_t pid);

/* The functions from here on act in the namespace of the calling thread. */

/* Writes text to a file, such as one in /proc/sys/net. */
int test_write_file(const char *path, const char *text);

/* Creates a tun device. Closing the descriptor removes it. */
int test_tun_open(const char *name);

/* Sends a router advertisement, with the router's lifetime in seconds, to all
 * nodes behind an interface. -EAGAIN or -EADDRNOTAVAIL while that interface has
 * no link-local address. */
int test_send_advertisement(const char *interface, uint16_t lifetime);

/* Connects a UDP socket that is bound to an interface, or to none if that is "".
 * Returns 0 and the socket's source, or a negative errno. */
int test_connect(const char *remote, const char *interface, char *source,
		 size_t source_size);

/* Gets the port ids of the rtnetlink sockets that have joined a group. Returns
 * their number. */
int test_rtnetlink_ports(uint32_t *ports, size_t capacity);

/* Sends a forged RTM_DELROUTE of the IPv4 default route, and an RTM_DELLINK
 * of interface index, to a port and a group mask (0 for none). */
int test_spoof(uint32_t port, uint32_t groups, int index);

#ifdef __cplusplus
}
#endif

#endif
