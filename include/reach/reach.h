/* SPDX-License-Identifier: MIT */
/** libreach: network reachability for Linux.
 *
 * Could a packet leave for this target, and over which interface? The library
 * sends route lookups to the kernel (RTM_GETROUTE) instead of mirroring its
 * tables, and repeats a lookup when an rtnetlink event can have changed its
 * answer. The result is a set of SCNetworkReachability flags. It describes
 * routes, links and addresses of this host. The library sends no packets except
 * DNS queries for names, and a reachable target may not respond.
 *
 *	flags.h        the flags, the statuses derived from them, text forms
 *	address.h      addresses as values
 *	interface.h    interfaces, their class and state
 *	target.h       targets, their states and changes
 *	monitor.h      watching: one descriptor to poll      <- start here
 *	explanation.h  a state with its evidence
 *
 * pkg-config's name of the library is reach. With CMake, and with Meson:
 *
 *	find_package(PkgConfig REQUIRED)
 *	pkg_check_modules(reach REQUIRED IMPORTED_TARGET reach)
 *	target_link_libraries(main PRIVATE PkgConfig::reach)
 *
 *	executable('main', 'main.c', dependencies: dependency('reach'))
 *
 * Conventions:
 *
 *	Errors are negative errno values; 0 and positive values are results.
 *	Out-parameters are untouched on failure.
 *
 *	Structs grow at the end, so a program may be older or newer than the
 *	library. Set the member `size` to sizeof the struct. The library reads
 *	and fills only the members that both know, and never changes `size`.
 *	Members that it doesn't know must be 0 in a struct that you pass in
 *	(-E2BIG), and are 0 in one that it fills. A `size` below that of 1.0,
 *	or no multiple of sizeof(size_t), is an error (-EINVAL). A struct
 *	without `size` never grows.
 *
 *	The library borrows the pointers that you pass in for the call, and
 *	copies the data that it keeps, except where a comment says otherwise.
 *	Structs that it fills hold no pointers to free. A pointer may be NULL
 *	only where a comment says so; a monitor never is, except in
 *	reach_monitor_close().
 *
 *	Any thread may use a monitor, but only one at a time (monitor.h). Any
 *	thread may call all other functions at any time.
 *
 *	Members named `reserved` must be 0.
 */
#ifndef REACH_REACH_H
#define REACH_REACH_H

#include <reach/address.h>
#include <reach/explanation.h>
#include <reach/export.h>
#include <reach/flags.h>
#include <reach/interface.h>
#include <reach/monitor.h>
#include <reach/target.h>

REACH_BEGIN_DECLS

/** Version of these headers: major * 10000 + minor * 100 + patch. */
#define REACH_VERSION 10000

/** Version of the library at run time, in the form of REACH_VERSION. */
REACH_API unsigned int reach_version(void);

REACH_END_DECLS

#endif
