/* SPDX-License-Identifier: MIT */
/* What the files of the library share; nothing here leaves it. */
#ifndef REACH_INTERNAL_H
#define REACH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <reach/reach.h>

#pragma GCC visibility push(hidden)

/* ---- address.c --------------------------------------------------------- */

enum reach_address_scope {
	REACH_SCOPE_HOST,
	REACH_SCOPE_LINK,
	REACH_SCOPE_GLOBAL
};

/* How far an address reaches by its value alone: 127/8 and ::1 are host,
 * 169.254/16 and fe80::/10 are link, all others global. */
enum reach_address_scope reach_address_scope(const struct reach_address *a);

/* ::ffff:a.b.c.d becomes a.b.c.d; the kernel would answer with the IPv6
 * default route. */
struct reach_address reach_address_unmap(const struct reach_address *a);

bool reach_address_is_any(const struct reach_address *a);

/* Same family and bytes, and the same scope id where both have one. */
bool reach_address_equal(const struct reach_address *a,
			 const struct reach_address *b);

/* Whether the first @length bits of @a are those of @prefix, same family. */
bool reach_address_in_prefix(const struct reach_address *a,
			     const struct reach_address *prefix,
			     unsigned int length);

/* ---- target.c ---------------------------------------------------------- */

/* Makes of a valid target what it means: numeric names become addresses,
 * mapped addresses IPv4, special addresses their own kinds. */
void reach_target_normalize(struct reach_target *target);

/* ---- links.c ----------------------------------------------------------- */

/* What is known of a link, merged from all messages about it. */
struct reach_link {
	uint32_t index;
	/* IFF_* of the last message. */
	uint32_t flags;
	uint32_t master;
	uint32_t lower;
	/* The lower link is in another namespace, so it is not in the table. */
	bool lower_elsewhere;
	/* Evidence was asked for, and what came. */
	bool evidence_asked;
	bool evidence_known;
	/* Not met yet in the running dump. */
	bool stale;
	uint16_t hardware_type;
	uint8_t operstate;
	uint8_t slave_state;
	uint8_t hardware_address_length;
	uint8_t hardware_address[32];
	char name[REACH_INTERFACE_NAME_SIZE];
	char kind[REACH_INTERFACE_NAME_SIZE];
	struct reach_evidence evidence;
};

/* Sorted by index. */
struct reach_links {
	struct reach_link *items;
	size_t count;
	size_t capacity;
};

/* Where @index is, or would be. */
size_t reach_links_position(const struct reach_links *links, uint32_t index);

const struct reach_link *reach_links_find(const struct reach_links *links,
					  uint32_t index);
const struct reach_link *reach_links_find_name(const struct reach_links *links,
					       const char *name);

/* UP, RUNNING and LOWER_UP: RUNNING alone is also set at ifup of a driver
 * whose carrier is off, LOWER_UP alone while WPA or 802.1X is pending. */
bool reach_link_usable(const struct reach_link *link);

/* What a message changed. */
enum reach_link_delta {
	/* Whether and how packets pass: usable, dormant, point-to-point. */
	REACH_LINK_DELTA_STATE = 1 << 0,
	/* Name, kind, type, what is below or above; also new and gone. */
	REACH_LINK_DELTA_IDENTITY = 1 << 1
};

/* Merges RTM_NEWLINK (or takes out RTM_DELLINK). Returns the delta bits or
 * -ENOMEM. */
int reach_links_apply(struct reach_links *links,
		      const struct reach_link_message *message, bool gone);

/* Around a dump: links not met between the two are gone. The end returns
 * the delta bits. */
void reach_links_dump_begin(struct reach_links *links);
int reach_links_dump_end(struct reach_links *links);

void reach_links_free(struct reach_links *links);

/* Has carrier and waits for an outside event (RFC 2863 dormant). */
bool reach_link_dormant(const struct reach_link *link);

/* ---- addresses.c ------------------------------------------------------- */

/* An address of this host. */
struct reach_own_address {
	struct reach_address address;
	struct reach_address peer;
	uint32_t interface_index;
	/* IFA_F_*. */
	uint32_t flags;
	uint8_t prefix_length;
	/* RT_SCOPE_*. */
	uint8_t scope;
	bool stale;
};

/* Sorted by address, then interface, prefix length and peer. */
struct reach_own_addresses {
	struct reach_own_address *items;
	size_t count;
	size_t capacity;
};

/* As the functions of links.c: whether anything but a lifetime changed, or
 * -ENOMEM. */
int reach_own_addresses_apply(struct reach_own_addresses *table,
			      const struct reach_address_message *message,
			      bool gone);
/* The interface went down: its IPv6 addresses, if they are kept, have to be
 * found unique once more, and become tentative without a word. */
void reach_own_addresses_down(struct reach_own_addresses *table,
			      uint32_t index);
void reach_own_addresses_dump_begin(struct reach_own_addresses *table);
int reach_own_addresses_dump_end(struct reach_own_addresses *table);
void reach_own_addresses_free(struct reach_own_addresses *table);

/* The usable entry of @address, or NULL: that of interface @index if there is
 * one, else the first, but none of another interface where the address is
 * link-local and @index is not 0. */
const struct reach_own_address *
reach_own_addresses_find(const struct reach_own_addresses *table,
			 const struct reach_address *address, uint32_t index);

/* Some usable address of interface @index, or NULL; IPv4 first. */
const struct reach_own_address *
reach_own_addresses_of(const struct reach_own_addresses *table, uint32_t index);

/* ---- classify.c -------------------------------------------------------- */

/* The class of @link: netlink evidence first, sysfs second, what is below
 * or behind it for layered links. Pure. */
enum reach_interface_class reach_classify(const struct reach_links *links,
					  const struct reach_link *link);

/* The class of @link in a namespace without physical links, where an Ethernet
 * link whose lower link or peer is in another namespace (veth, netkit, macvlan,
 * ipvlan, VLAN) stands for a wired one, and for those above it. */
enum reach_interface_class
reach_classify_contained(const struct reach_links *links,
			 const struct reach_link *link);

/* Whether a link is wired, Wi-Fi or cellular, usable or not. */
bool reach_classify_has_physical(const struct reach_links *links);

/* What tells the class of a link: netlink's own words, what sysfs tells of the
 * device, the other end (veth), the link below, or the ports. */
enum reach_basis {
	REACH_BASIS_WORD,
	REACH_BASIS_DEVICE,
	REACH_BASIS_PEER,
	REACH_BASIS_LOWER,
	REACH_BASIS_PORTS
};

enum reach_basis reach_classify_basis(const struct reach_link *link);

/* ---- sysfs.c ----------------------------------------------------------- */

/* Reads what the sysfs at @root tells of @link. -ENOENT if it tells nothing
 * or is another namespace's: index and hardware address must agree. */
int reach_sysfs_read(const char *root, const struct reach_link *link,
		     struct reach_evidence *ret);

/* ---- socket.c ---------------------------------------------------------- */

/* A socket of the thread's namespace that is a member of every group that
 * can tell of a change; @receive_buffer in bytes. A descriptor or a negative
 * errno, -EOPNOTSUPP where the groups are refused. */
int reach_socket_events(uint32_t receive_buffer);

/* A socket for questions: strict checking, short errors with words. */
int reach_socket_questions(void);

/* One for so few that their answers fit any receive buffer. */
int reach_socket_few_questions(void);

/* One that hears of links and addresses, and whether it heard of none. */
int reach_socket_changes(void);
bool reach_socket_is_quiet(int fd);

/* Datagrams received at once, and the room for each: a NEWLINK with many
 * virtual functions passes 8 KiB, and the kernel fills dumps up to 32 KiB
 * (netlink_recvmsg, net/netlink/af_netlink.c). */
#define REACH_DATAGRAMS	    16
#define REACH_DATAGRAM_SIZE 32768

struct reach_receiver;

/* One datagram, until the next reach_receive(). */
struct reach_datagram {
	const void *bytes;
	size_t size;
	/* Sent by the kernel and no process (nl_pid is 0). */
	bool from_kernel;
	/* Did not fit: a loss. */
	bool truncated;
};

int reach_receiver_create(struct reach_receiver **ret);
void reach_receiver_destroy(struct reach_receiver *receiver);

/* Receives up to REACH_DATAGRAMS datagrams without waiting. Their number, or
 * -EAGAIN, -ENOBUFS, another errno. */
int reach_receive(struct reach_receiver *receiver, int fd,
		  struct reach_datagram *ret);

/* One at most, for less where no more is to be expected. */
int reach_receive_one(struct reach_receiver *receiver, int fd,
		      struct reach_datagram *ret);

/* ---- engine.c ---------------------------------------------------------- */

/* An engine for one answer: it asks for the links and addresses that the
 * verdict needs, and takes no events. */
int reach_engine_create_sparse(struct reach_engine **ret);

/* Of a sparse engine that asks no more: whether it has all it needs. */
bool reach_engine_is_complete(const struct reach_engine *engine);

/* Of a sparse engine: whether target @id needs all links and addresses; and
 * that somebody hears of what changes while they are read, so that they need
 * not be read twice. */
bool reach_engine_needs_all(const struct reach_engine *engine, uint64_t id);
void reach_engine_is_told(struct reach_engine *engine);

/* Counts what may make a name resolve to something else. */
uint64_t reach_engine_network_changes(const struct reach_engine *engine);

/* Makes reach_engine_requests() only finish what it began, or all again: a
 * dispatch that leaves the rest to the next ends between two states. */
void reach_engine_wind_up(struct reach_engine *engine, bool winding_up);

/* Counts those of them that may bring a way back: a link or an address that can
 * be used now, a route or a rule that came. */
uint64_t reach_engine_returns(const struct reach_engine *engine);

/* For the monitor's own counters. */
struct reach_stats *reach_engine_counters(struct reach_engine *engine);

/* The next questions wait for the kernel to finish what it announced, though
 * no event told of it. */
void reach_engine_barrier(struct reach_engine *engine);

/* ---- routes.c ---------------------------------------------------------- */

/* Leaders (classes.c) may have answered for others with the error of a route
 * that had come, but was not announced yet, and which only the leader is inside
 * of: marks who has such an answer, each for itself. Whether there was any. */
bool reach_engine_doubt_errors(struct reach_engine *engine);

/* ---- destinations.c ---------------------------------------------------- */

/* How often an address was first asked for that nobody else asks for, and how
 * often the last who asks for one went. */
struct reach_turnover {
	uint64_t added;
	uint64_t removed;
};

struct reach_filter_prefix;

const struct reach_turnover *
reach_engine_turnover(const struct reach_engine *engine);

/* Families known to be looked up by the stock rules, REACH_FILTER_STOCK. */
uint8_t reach_engine_stock(const struct reach_engine *engine);

/* How many addresses are asked for, those of several targets several times. */
size_t reach_engine_asked(const struct reach_engine *engine);

/* Whether few will be asked if the next batch is made now, as far as that is
 * known before. */
bool reach_engine_asks_little(const struct reach_engine *engine);

/* Prefixes of @length bits, or its own if that is longer, that all are in who
 * are in @whole, in order and none twice. Their number, or -ENOSPC if it passes
 * @capacity. */
ssize_t reach_engine_destinations(const struct reach_engine *engine,
				  const struct reach_filter_prefix *whole,
				  uint8_t length,
				  struct reach_filter_prefix *ret,
				  size_t capacity);

/* ------------------------------------------------------------------------ */

/* What sysfs is to be read for: the link @index, or NULL. */
const struct reach_link *reach_engine_link(const struct reach_engine *engine,
					   uint32_t index);

/* The name of target @id if it is one to be resolved, or NULL. */
const char *reach_engine_name(const struct reach_engine *engine, uint64_t id);

/* ---- netns.c ----------------------------------------------------------- */

/* Runs @work(@context) on a thread of its own that has entered the namespace
 * @netns_fd (-1: stays), waits for it, and returns its result. The caller's
 * thread never leaves its namespace. */
int reach_netns_run(int netns_fd, int (*work)(void *context), void *context);

/* ---- timers.c ---------------------------------------------------------- */

/* Now, CLOCK_MONOTONIC in nanoseconds. */
int64_t reach_monotonic(void);

/* ---- resolver.c -------------------------------------------------------- */

/* Threads that all resolvers of the process have together at most. A dead name
 * server costs one up to 30 s by glibc's defaults (3 servers, 5 s, 2 attempts),
 * and a socket for each server (__res_context_send, resolv/res_send.c). */
#define REACH_RESOLVER_THREADS 24

/* Detached worker threads, which end when there is no name to resolve and
 * outlive their owner if they must; then they hold no descriptor of it. */
struct reach_resolver;

struct reach_resolved {
	uint64_t id;
	/* 0, or a negative errno: none and to be tried again. */
	int error;
	size_t count;
	struct reach_address addresses[REACH_ADDRESSES_MAX];
};

/* @netns_fd is duplicated; -1 for the namespace of the threads that
 * submit. @resolve NULL
 * means getaddrinfo(). No thread starts before the first submit. */
int reach_resolver_create(struct reach_resolver **ret, int netns_fd,
			  reach_resolve_function resolve, void *context);

/* Never waits for a worker. */
void reach_resolver_release(struct reach_resolver *resolver);

/* In a child of fork(): closes its copies of the descriptors, and touches
 * nothing else. */
void reach_resolver_abandon(const struct reach_resolver *resolver);

/* An eventfd, readable while there are results or the deadline has changed;
 * owned by the resolver. */
int reach_resolver_fd(const struct reach_resolver *resolver);

/* Queues @name (copied), in place of an earlier one of @id. One that hangs does
 * not delay the others as long as the process has threads left; after that they
 * get one when a lookup ends, whichever resolver's. */
int reach_resolver_submit(struct reach_resolver *resolver, uint64_t id,
			  const char *name);

/* Whether so many names are queued, or results not taken yet, that no more are
 * to be submitted; there will be a result before it needs more. */
#define REACH_RESOLVER_MAX 256
bool reach_resolver_is_full(struct reach_resolver *resolver);

/* Tries to get the threads that were not to be had before; to be called at
 * reach_resolver_deadline(), which is INT64_MAX if none are wanted. */
void reach_resolver_retry(struct reach_resolver *resolver, int64_t now);
int64_t reach_resolver_deadline(struct reach_resolver *resolver);

/* Forgets @id: queued or running, its result is dropped. */
void reach_resolver_cancel(struct reach_resolver *resolver, uint64_t id);

/* 1 and the next result, or 0. Clears the eventfd when it returns 0. */
int reach_resolver_next(struct reach_resolver *resolver,
			struct reach_resolved *ret);

/* ---- names.c ----------------------------------------------------------- */

/* When which name is due for resolution. Pure: ids, names and the clock in,
 * due ids out. */
struct reach_names;

int reach_names_create(struct reach_names **ret);
void reach_names_destroy(struct reach_names *names);

/* @name is copied and due at once. */
int reach_names_add(struct reach_names *names, uint64_t id, const char *name);
void reach_names_remove(struct reach_names *names, uint64_t id);

/* The network or the resolver's configuration changed: every name is due
 * again, shortly (a burst makes one resolution), and back-off starts over.
 * Shortly is 100 ms, doubled up to 5 s while no 10 s pass without a change.
 * A name in flight is due too, since its lookup may hang, but only once until
 * an answer has come: of two lookups only the later may be reported. */
void reach_names_changed(struct reach_names *names, int64_t now);

/* What changed, as was just told, may have brought the way to a name server
 * back: names whose last answer was a failure, and those in flight, are due in
 * 50 ms, whatever the burst. Ten in a row are heeded, and one a second. */
void reach_names_returned(struct reach_names *names, int64_t now);

/* The result of @id's latest question came. A failure or an empty answer is
 * tried again after 1 s, doubled each time up to 5 minutes; a good answer never
 * by itself. */
void reach_names_done(struct reach_names *names, uint64_t id, bool good,
		      int64_t now);

/* The next name that is due at @now and counts as in flight from then on;
 * NULL if there is none. */
const char *reach_names_due(struct reach_names *names, int64_t now,
			    uint64_t *id);

/* When reach_names_due() will have one, or INT64_MAX. */
int64_t reach_names_deadline(const struct reach_names *names);

/* ---- watch.c ----------------------------------------------------------- */

/* Tells when resolv.conf, hosts or nsswitch.conf of @etc_root changed, also
 * by rename and, for a symlink, at the place it leads to (inotify on the
 * directories). */
struct reach_watch;

int reach_watch_create(struct reach_watch **ret, const char *etc_root);
void reach_watch_destroy(struct reach_watch *watch);
/* As reach_resolver_abandon(). */
void reach_watch_abandon(const struct reach_watch *watch);
int reach_watch_fd(const struct reach_watch *watch);

/* Drains the descriptor; whether one of the files may have changed (an
 * overflow of the queue counts as a change). */
bool reach_watch_drain(struct reach_watch *watch);

#pragma GCC visibility pop

#endif
