/* SPDX-License-Identifier: MIT */
/* The test program of the virtual machine. It configures real drivers with the
 * system's tools, and checks every state that the library reports. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <reach/reach.h>

/* Counts a check, and prints @text if it failed. Returns @holds. */
bool check_that(bool holds, const char *file, int line, const char *text);

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

/* Prints the counts and ends the program. Called at the end, and after a wait
 * that timed out, because all later checks would fail too. */
void finish(void) __attribute__((noreturn));

/* Checks that a shell command succeeds. */
void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Starts a program in the background. If a check fails, finish() prints its
 * output. */
pid_t start(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits until a started program ends, and checks that it succeeded. Use start()
 * and join() for a command whose effects must be watched while it runs. */
void join(pid_t pid);

/* Sends SIGTERM to a started program and waits until it has ended. */
void stop(pid_t pid);

/*
 * After each dispatch, a target's state is recorded as a letter if the letter
 * has changed:
 *
 *	0   nothing is reachable:	n  no route
 *					x  the link is down or has no carrier
 *					s  no address to send from
 *					i  no such interface
 *	r   Reachable			d  ... and IsDirect
 *	t   Reachable, Transient	w  ... and IsWWAN
 *	W   w and IsDirect
 *	q   Reachable, ConnectionRequired
 *	Q   ... and Transient, OnTraffic, IsWWAN
 *	?   anything else
 */
#define SEEN_MAX    64
#define TARGETS_MAX 8

struct watch;

struct seen {
	struct watch *watch;
	uint64_t id;
	struct reach_target target;
	const char *text;
	struct reach_state state;
	/* The flags and the interface of the last change reported. */
	uint32_t published_flags;
	uint32_t published_index;
	char letters[SEEN_MAX + 1];
	size_t count;
};

struct watch {
	struct reach_monitor *monitor;
	/* The monitor is in the program's namespace, like its sockets. */
	bool is_own;
	struct seen targets[TARGETS_MAX];
	size_t count;
};

/* Opens a monitor in the namespace of that name; NULL: the program's own. */
void watch_open(struct watch *watch, const char *netns);
void watch_close(struct watch *watch);

/* Adds an address target, limited to @interface if that isn't NULL, and waits
 * for its first state. The strings must outlive @watch. */
struct seen *watch_add(struct watch *watch, const char *address,
		       const char *interface);

/* Dispatches until the state is @letter. If it isn't reachable, a socket must
 * get an error too. */
void await(struct seen *seen, char letter);

/* Like join(), but dispatches while it waits. */
void join_watching(struct watch *watch, pid_t pid);

/* Matches the states since the last call, starting with the state at that time,
 * against an extended regular expression. */
void expect(struct seen *seen, const char *pattern);

/* await(), then expect(). */
void await_through(struct seen *seen, char letter, const char *pattern);

/* Checks the interface of a stable state. A new monitor and a socket must agree
 * with the monitor that has followed the events. */
void expect_over(struct seen *seen, const char *name,
		 enum reach_interface_class class);

/* Dispatches until there is an interface of that name and class. */
void await_class(struct watch *watch, const char *name,
		 enum reach_interface_class class);

/* Dispatches until an interface is running, then checks whether the library
 * considers it usable, as @usable says. */
void await_running(struct watch *watch, const char *name, bool usable);

/* Dispatches until there is no interface of that name. */
void await_absence(struct watch *watch, const char *name);

/*
 * The kernel's events for a link, recorded without the library, as the letters
 * of `struct seen` for a neighbor on that link:
 *
 *	d   up, running, with carrier	q  with carrier, dormant
 *	x   up				n  down
 */
struct announced {
	struct mnl_socket *socket;
	unsigned int index;
	uint8_t operstate;
	char letters[SEEN_MAX + 1];
	size_t count;
};

/* Records events of the interface of @seen's state, from its last letter on. */
void announced_open(struct announced *announced, const struct seen *seen);
void announced_close(struct announced *announced);

/* Checks that the states recorded since the last check were all announced by
 * the kernel, in that order, and that the last ones are the same. */
void expect_announced(struct seen *seen, struct announced *announced);

/* A gadget's function, vendor id, and product id. The driver treats
 * Huawei's devices as modems (drivers/net/usb/cdc_ether.c). */
#define MODEM  "ecm 0x12d1 0x15c1"
#define TETHER "ecm 0x1d6b 0x0104"

/* Plugs in a USB device that appears as @name. The device's own side is moved
 * to the namespace "far", as gadgetN for port N. */
void plug(struct watch *watch, int port, const char *what, const char *name,
	  enum reach_interface_class class);
void unplug(struct watch *watch, int port, const char *name);

void test_wifi(void);
void test_radio(void);
void test_modem(void);
void test_tethers(void);
void test_bond(void);
void test_team(void);
void test_layers(void);
void test_wwan(void);
void test_ppp(void);
void test_software(void);

#endif
