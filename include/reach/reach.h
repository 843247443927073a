/* SPDX-License-Identifier: MIT */
/**
 * libreach: network reachability for Linux.
 *
 * Could a packet leave for this host, and over what? The kernel is asked
 * (RTM_GETROUTE), never its table mirrored, and asked again whenever an
 * rtnetlink event can have changed the answer. The answer is a set of
 * SCNetworkReachability flags. It is about routes, links and addresses of
 * this host: nothing is sent, and the far end may be dead all the same.
 *
 *	flags.h      the flags, the statuses derived from them, text forms
 *	address.h    addresses as values
 *	interface.h  interfaces, their class and state
 *	target.h     what can be watched, and what is known of it
 *	monitor.h    watching: one descriptor to poll      <- start here
 *	engine.h     the same without I/O
 *	message.h    rtnetlink bytes to structs
 *
 * Conventions: 0 or positive results, negative errno for errors; struct
 * members named `size` are set by the caller to sizeof the struct, so that
 * structs can grow.
 */
#ifndef REACH_REACH_H
#define REACH_REACH_H

#include <reach/address.h>
#include <reach/engine.h>
#include <reach/export.h>
#include <reach/flags.h>
#include <reach/interface.h>
#include <reach/message.h>
#include <reach/monitor.h>
#include <reach/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of these headers: major * 10000 + minor * 100 + patch. */
#define REACH_VERSION 10000

/** Version of the library at run time, in the form of REACH_VERSION. */
REACH_API unsigned int reach_version(void);

#ifdef __cplusplus
}
#endif

#endif
