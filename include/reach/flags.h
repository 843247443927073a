/* SPDX-License-Identifier: MIT */
/** Reachability flags, the statuses derived from them, and their text forms.
 *
 * The flag values are those of SCNetworkReachabilityFlags (SystemConfiguration,
 * SCNetworkReachability.h). All functions are pure: no allocation, no I/O, no
 * state; any thread may call them at any time. */
#ifndef REACH_FLAGS_H
#define REACH_FLAGS_H

#include <reach/export.h>

REACH_BEGIN_DECLS

/** One bit of a flags word; combine with |. */
enum REACH_FLAG_ENUM reach_flag {
	/** The path is transient: a modem, PPP, a tunnel, or a VPN. */
	REACH_FLAG_TRANSIENT_CONNECTION = 1 << 0,
	/** A packet of an unbound socket can leave for the target, according to
	 * RTM_GETROUTE. Where rules or routes select by source, a second lookup
	 * decides, with the source that the kernel chooses. */
	REACH_FLAG_REACHABLE = 1 << 1,
	/** Reachable once a connection is established, over a dormant interface
	 * or a modem (struct reach_interface_facts). */
	REACH_FLAG_CONNECTION_REQUIRED = 1 << 2,
	/** Traffic to the target establishes that connection. */
	REACH_FLAG_CONNECTION_ON_TRAFFIC = 1 << 3,
	/** The user must first unlock the SIM of a modem. The kernel doesn't
	 * report this: see reach_monitor_set_facts(). */
	REACH_FLAG_INTERVENTION_REQUIRED = 1 << 4,
	/** CFSocketStream on Apple's systems establishes the connection on
	 * demand. Never set on Linux. */
	REACH_FLAG_CONNECTION_ON_DEMAND = 1 << 5,
	/** The target is an address of this host. */
	REACH_FLAG_IS_LOCAL_ADDRESS = 1 << 16,
	/** The target is on a directly connected network: no gateway. */
	REACH_FLAG_IS_DIRECT = 1 << 17,
	/** The path leaves over a cellular interface. */
	REACH_FLAG_IS_WWAN = 1 << 18
};

/** All bits of enum reach_flag. */
#define REACH_FLAGS_ALL 0x0007003fU

/** Status with the values of AFNetworkReachabilityStatus (AFNetworking). */
enum reach_status {
	REACH_STATUS_UNKNOWN = -1,
	REACH_STATUS_NOT_REACHABLE = 0,
	REACH_STATUS_REACHABLE_VIA_WWAN = 1,
	REACH_STATUS_REACHABLE_VIA_WIFI = 2
};

/** Status of @p flags by the rule of AFNetworkReachabilityManager: reachable,
 * and a connection is either not required or established without the user.
 * Never REACH_STATUS_UNKNOWN. Bits outside REACH_FLAGS_ALL are ignored. */
REACH_API enum reach_status reach_status_from_flags(uint32_t flags);

/** reach_status_from_flags() for an array, with the processor's vector unit.
 *
 * @param flags          @p count flags words; may be NULL when @p count is 0.
 * @param[out] statuses  @p count statuses, one byte each; must not overlap
 *                       @p flags.
 * @param count          number of entries. */
REACH_API void reach_statuses_from_flags(const uint32_t *flags,
					 int8_t *statuses, size_t count);

/** The words that `scutil -r` prints: "Reachable,Transient Connection", or "Not
 * Reachable" for 0. Unknown bits follow as one hexadecimal number.
 *
 * @param[out] buf  NUL-terminated text, truncated to @p size bytes; may be NULL
 *                  when @p size is 0.
 * @return length of the whole text without its NUL, as snprintf() does. */
REACH_API size_t reach_flags_words(uint32_t flags, char *buf, size_t size);

/** Size of a buffer that holds every result of reach_flags_words(). */
#define REACH_FLAGS_WORDS_SIZE 256

REACH_END_DECLS

#endif
