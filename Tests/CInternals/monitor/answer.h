/* SPDX-License-Identifier: MIT */
#ifndef ANSWER_H
#define ANSWER_H

#include "check.h"
#include "monitor/state.h"

#define CABLE                                                                  \
	"link add e0 type veth peer name p0", "link set p0 up",                \
		"link set e0 up", "addr add 10.9.0.1/24 dev e0",               \
		"-6 addr add 2001:db8:9::1/64 dev e0 nodad"

#define DEFAULTS                                                               \
	"route add default via 10.9.0.2",                                      \
		"-6 route add default via 2001:db8:9::2"

struct topology {
	const char *name;
	/* Of `ip`. */
	const char *commands[24];
};

/* Runs `ip` in the namespace of the calling thread. */
bool answer_ip(const char *command);

/* Whether all could be done: no kernel has everything. */
bool answer_build(const struct topology *topology);

/* What a monitor says that has just been opened. */
bool answer_monitored(const struct reach_target *target,
		      struct reach_state *ret);

bool answer_is_same(const struct reach_state *a, const struct reach_state *b);

/* Whether what is asked alone is what a monitor says, in one of a few tries: a
 * link or an address may change its state meanwhile. */
bool answer_agrees(const struct reach_target *target);

/* Dispatches until link @name, as far as it is up, has its carrier, which comes
 * late; whether it came. */
bool answer_await_link(struct reach_monitor *monitor, const char *name);

/* Whether all kinds of targets agree; tells of those that do not. */
bool answer_all_agree(void);

#endif
