/* SPDX-License-Identifier: MIT */
#ifndef JUDGE_WIRE_H
#define JUDGE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <reach/target.h>

/* e0, e1, e2, whose other ends are p0, p1, p2; lo; and v0, a VRF, which is the
 * loopback interface of its addresses. */
#define JUDGE_LINKS  5
#define JUDGE_CABLES 3
#define JUDGE_SILENT 8

extern const char *const judge_links[JUDGE_LINKS];

/* The far ends of a host's cables. Every address behind them answers ARP and
 * neighbor solicitations, with a link-layer address made from itself,
 * unless it is silent. So a frame names its next hop. */
struct judge_wire {
	/* Packet sockets at the far ends, and at lo and v0. */
	int seen[JUDGE_LINKS];
	struct reach_address silent[JUDGE_SILENT];
	size_t silent_count;
	uint16_t port;
};

/* A way that a packet took. */
struct judge_way {
	/* A position in judge_links. */
	size_t link;
	/* Of the packet's family. */
	uint8_t source[16];
	/* Zeros at lo and v0. */
	uint8_t next_hop[6];
};

struct judge_trace {
	/* The errno of the socket, or 0, and the source that it got. */
	int error;
	uint8_t source[16];
	/* The packet's way; if a silent next hop didn't let it out, the ways
	 * that were tried. */
	struct judge_way ways[4];
	size_t count;
};

/* Fills @ret. @return its size. */
socklen_t judge_place(const struct reach_address *address, uint16_t port,
		      struct sockaddr_storage *ret);

/* Opens the sockets in the calling thread's namespace. Without a VRF, v0 has
 * none. */
bool judge_wire_open(struct judge_wire *wire, bool has_vrf);
void judge_wire_close(struct judge_wire *wire);

/* Whether the next hop of @way is @address, or the whole link. */
bool judge_leads_to(const struct judge_way *way,
		    const struct reach_address *address);

/* The address doesn't answer any more. */
void judge_silence(struct judge_wire *wire, const char *address);
bool judge_is_silent(const struct judge_wire *wire,
		     const struct reach_address *address);

/* Sends a router advertisement of fe80::a0, fe80::a1, or fe80::a2 to the host,
 * through the cable of that number. */
void judge_advertise(const struct judge_wire *wire, size_t cable);

/* Connects to @target, by TCP unless the address is a group's, and follows the
 * first packet. Waits for it up to @milliseconds: veth hands it over within
 * connect(), unless the softirq is left to ksoftirqd, as on a busy machine. */
struct judge_trace judge_send(struct judge_wire *wire,
			      const struct reach_target *target,
			      int milliseconds);

/* Whether the calling thread's namespace has @address. */
bool judge_is_own(const struct reach_address *address);

/* Whether @address stands for many hosts: multicast, or 10.9.0.255. */
bool judge_is_group(const struct reach_address *address);

#endif
