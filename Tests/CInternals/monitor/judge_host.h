/* SPDX-License-Identifier: MIT */
#ifndef JUDGE_HOST_H
#define JUDGE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "monitor/judge_wire.h"

#define JUDGE_TAKEN 1000
#define JUDGE_STEP  128
#define JUDGE_CROWD 10000

/* A random host in the calling thread's network namespace. */
struct judge_host {
	uint64_t random;
	struct judge_wire wire;
	/* What gives the kernel a choice: a position in the table of themes. */
	size_t theme;
	bool has_vrf;
	/* Optimistic addresses are preferred as sources. */
	bool is_optimistic;
	/* A router keeps to its first route; a host leaves a router that
	 * doesn't answer (rt6_score_route(), net/ipv6/route.c). */
	bool is_router;
	/* The leg of a route depends on ports (fib_multipath_hash_policy). */
	bool hashes_ports;
	/* Packets don't show the ways: links come and go. */
	bool is_unseen;
	/* Addresses that are watched besides, and get routes of their own. */
	struct reach_address crowd[JUDGE_CROWD];
	size_t crowd_count;
	/* The steps that changed something, as far as they have room. */
	char taken[JUDGE_TAKEN][JUDGE_STEP];
	size_t count;
	/* All commands that built and changed it. */
	FILE *log;
	char *commands;
	size_t size;
};

/* A number below @below. */
uint32_t judge_random(struct judge_host *host, uint32_t below);

/* Chooses the properties of the host of @seed. */
void judge_choose(struct judge_host *host, unsigned long seed);

/* Lays the cables of judge_wire.h, all of which have a carrier. Returns whether
 * no command was refused. */
bool judge_lay_cables(void);

/* Builds it. Without VRFs in the kernel, clears has_vrf. Returns 0, -EOPNOTSUPP
 * if the kernel lacks something else, or -EINVAL if a command is refused. */
int judge_build(struct judge_host *host);

/* Takes a random step. Returns whether it changed something. */
bool judge_step(struct judge_host *host);

/* A random address that the steps may or may not affect. */
struct reach_address judge_address(struct judge_host *host);

/* Whether a step that contains @text was taken. */
bool judge_has_taken(const struct judge_host *host, const char *text);

/* The last step that was taken, or "". */
const char *judge_last(const struct judge_host *host);

/* Whether the host has two routers, one of which may have failed in the last
 * step. The kernel chooses another without an event. */
bool judge_has_routers(const struct judge_host *host);

/* Prints the commands that built the host and changed it. */
void judge_tell(const struct judge_host *host);

/* Frees the commands. */
void judge_forget(struct judge_host *host);

/* The theme's name, or NULL. */
const char *judge_theme(size_t theme);

#endif
