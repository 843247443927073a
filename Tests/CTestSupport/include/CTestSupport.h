/* SPDX-License-Identifier: MIT */
/* What the tests need of the kernel and Swift cannot do itself: threads that
 * enter a network namespace, children started there, and packets and netlink
 * messages made by hand. Not part of the package.
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

/* A uid nobody trusts, for what must work without privilege. */
#define TEST_NOBODY 65534

/* Creates a network namespace with lo up. Returns a close-on-exec descriptor
 * that the caller closes; the namespace lives as long. */
int test_netns_create(void);

/* Moves the calling thread into the namespace. */
int test_netns_enter(int netns_fd);

/* Runs work(context) on a thread of its own in the namespace (-1: stays) and,
 * if uid is not 0, as that user without capabilities. Returns its result. */
int test_netns_run(int netns_fd, uid_t uid, int (*work)(void *context),
		   void *context);

/* Makes a sandbox without multicast groups of the calling thread, and of the
 * threads and children that it starts from then on: to join a group of netlink
 * fails with this errno. For a thread that ends soon, as that of
 * test_netns_run(). */
int test_refuse_groups(int error);

/* The same for sockets of netlink: all fail with this errno. */
int test_refuse_netlink(int error);

/* The same for an ioctl() that the kernel has not. */
int test_refuse_ioctl(unsigned int request, int error);

/* The same for systemd's RestrictAddressFamilies= with these families: sockets
 * of all others fail with EAFNOSUPPORT. */
int test_restrict_families(int first, int second, int third);

/* A child process and the ends of its pipes; the descriptors are the
 * caller's. Its standard output and error are one pipe. */
struct test_child {
	pid_t pid;
	int input;
	int output;
};

/* Starts argv in the namespace (-1: stays); argv[0] is looked up in PATH. */
int test_spawn(int netns_fd, char *const argv[], struct test_child *ret);

/* Has a child close all descriptors from 3 on: also the pipe of an exit test,
 * whose end that test waits for on a thread that all tests share. */
void test_close_others(posix_spawn_file_actions_t *actions);

/* fork(), which Swift does not import. */
pid_t test_fork(void);

/* The calling thread has a table of descriptors of its own from then on, a copy
 * of the process's (CLONE_FILES of unshare(2)). 0 or a negative errno. */
int test_unshare_descriptors(void);

/* Waits for a child: its exit status, or 128 and the signal's number. */
int test_wait(pid_t pid);

/* Writes text to a file as seen from the namespace (/proc/sys/net). */
int test_write_file(int netns_fd, const char *path, const char *text);

/* Attaches to the tun device of that name, and creates it if need be. The
 * device goes with the descriptor unless it is persistent. */
int test_tun_open(int netns_fd, const char *name, int persistent);

/* Times in seconds; 0 for a prefix_lifetime leaves 2001:db8:a::/64 out. */
struct test_advertisement {
	uint16_t router_lifetime;
	uint32_t prefix_lifetime;
};

/* Sends a router advertisement to all nodes behind an interface. -EAGAIN or
 * -EADDRNOTAVAIL while that interface has no link-local address. */
int test_send_advertisement(int netns_fd, const char *interface,
			    const struct test_advertisement *advertisement);

/* A UDP socket. */
struct test_socket {
	/* Its peer; an IPv6 one may have a number of a link after a '%'. */
	const char *remote;
	/* What it is bound to, or "". */
	const char *local;
	const char *interface_name;
	/* 0 for none. */
	uint32_t mark;
	/* UINT32_MAX for the caller's. */
	uint32_t uid;
};

/* Connects one of the calling thread's namespace. 0 and the source that it has
 * then, or what bind() or connect() say: a negative errno. -EOPNOTSUPP where
 * the caller may not set the mark, or the user is none of its namespace. */
int test_connect(const struct test_socket *like, char *source,
		 size_t source_size);

/* Port ids of the namespace's rtnetlink sockets that joined a group. */
int test_rtnetlink_ports(int netns_fd, uint32_t *ports, size_t capacity);

/* Sends a forged RTM_DELROUTE of the IPv4 default route, and an RTM_DELLINK
 * of interface index, to a port and a group mask (0 for none). */
int test_spoof(int netns_fd, uint32_t port, uint32_t groups, int index);

/* Sets CLOCK_REALTIME to what it is: cancels timers as a resume does. */
int test_clock_touch(void);

/* A resolver for name targets that tests steer: the addresses of a name are
 * the lines of the file <directory>/<name>; without one it has none; and
 * "hang.test" blocks until the gate opens. It lives as long as the process,
 * since a worker may call it after its monitor was closed. */
struct test_resolver;

struct test_resolver *test_resolver_create(const char *directory);

/* Opens the gate for good. */
void test_resolver_open_gate(struct test_resolver *resolver);

/* Calls begun so far. */
unsigned int test_resolver_calls(const struct test_resolver *resolver);

/* Writes what the name's file says, NUL-terminated, cut to size (above 0): its
 * length, or -ENOENT. Blocks for a name that hangs. Any thread. */
int test_resolver_lookup(struct test_resolver *resolver, const char *name,
			 char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
