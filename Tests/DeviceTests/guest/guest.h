/* SPDX-License-Identifier: MIT */
/* What the parts of the program share that runs in the virtual machine. It
 * works on real drivers with the system's tools, and checks what the library
 * says at every moment. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <reach/reach.h>

/* Counts, and tells of what does not hold. */
bool check_that(bool holds, const char *file, int line, const char *text);

#define CHECK(condition) check_that(condition, __FILE__, __LINE__, #condition)

/* Tells the counts and ends the program: what was waited for in vain would be
 * missed by all that follows. */
void finish(void) __attribute__((noreturn));

/* Checks that a shell command succeeds. */
void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Starts a program that goes on; its output is shown if anything fails. */
pid_t start(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits for one that ends by itself, and checks that it succeeded. A command is
 * started and joined where what it causes passes before it has ended. */
void join(pid_t pid);

/* Ends it with SIGTERM and waits for that. */
void stop(pid_t pid);

/*
 * A target's states are recorded, a letter each, whenever a dispatch left
 * another one:
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
	/* As the last change of it told. */
	uint32_t published_flags;
	uint32_t published_index;
	char letters[SEEN_MAX + 1];
	size_t count;
};

struct watch {
	struct reach_monitor *monitor;
	/* In the program's own namespace, as its sockets are. */
	bool is_own;
	struct seen targets[TARGETS_MAX];
	size_t count;
};

/* In the namespace of that name, or the program's own for NULL. */
void watch_open(struct watch *watch, const char *netns);
void watch_close(struct watch *watch);

/* Adds an address, asked through @interface if that is not NULL, and waits for
 * its first state. The texts stay the caller's. */
struct seen *watch_add(struct watch *watch, const char *address,
		       const char *interface);

/* Dispatches until @seen is at @letter; if that is an error, a socket has to
 * meet one, too. */
void await(struct watch *watch, struct seen *seen, char letter);

/* As join(), and dispatches until then. */
void join_watching(struct watch *watch, pid_t pid);

/* Checks what was recorded since the last call, with the state it began in,
 * against an extended regular expression. */
void expect(struct seen *seen, const char *pattern);

/* Waits for @letter, then checks what was recorded. */
void await_through(struct watch *watch, struct seen *seen, char letter,
		   const char *pattern);

/* Checks the interface of a state that stays, and that a monitor which only
 * read the kernel's tables, and a socket, say the same as the one that followed
 * events. */
void expect_over(struct seen *seen, const char *name,
		 enum reach_interface_class class);

/* Dispatches until there is an interface of that name and class. */
void await_class(struct watch *watch, const char *name,
		 enum reach_interface_class class);

/* Dispatches until an interface is running, and checks whether it counts as
 * usable then. */
void await_running(struct watch *watch, const char *name, bool usable);

/* Dispatches until there is none of that name. */
void await_absence(struct watch *watch, const char *name);

/*
 * What the kernel announces of a link, taken down without the library: the
 * letters of `struct seen` for a neighbour on that link,
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

/* Of the interface that @seen is at, from its last letter on. */
void announced_open(struct announced *announced, const struct seen *seen);
void announced_close(struct announced *announced);

/* Checks that what was recorded since the last check of either are states that
 * the kernel announced, in that order, up to the last of both. */
void expect_announced(struct seen *seen, struct announced *announced);

/* Ids of the vendor and the product. The driver takes what Huawei makes for a
 * modem (drivers/net/usb/cdc_ether.c). */
#define MODEM  "ecm 0x12d1 0x15c1"
#define TETHER "ecm 0x1d6b 0x0104"

/* Plugs in a USB device that appears as @name. Its own side gets the name
 * gadgetN in the namespace "far", for port N. */
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
void test_vrf(void);
void test_software(void);

#endif
