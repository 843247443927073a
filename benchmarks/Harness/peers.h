/* SPDX-License-Identifier: MIT */
/* How other libraries find a verdict, for latency.c, storm.c, and
 * first_answer.c. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>

typedef void peer_post(void *context, bool reachable);

/* Watches IPv4 address @target and posts each verdict, until the process is
 * killed. */
typedef void peer(const char *target, peer_post *post, void *context);

peer peer_glib;
peer peer_libnl;

#endif
