/* SPDX-License-Identifier: MIT */
/**
 * Reachability flags, the statuses derived from them, and their text forms.
 *
 * The flag values are those of SCNetworkReachabilityFlags (SystemConfiguration,
 * SCNetworkReachability.h). Everything in this header is pure: no allocation,
 * no I/O, no state; any thread may call any function at any time.
 */
#ifndef REACH_FLAGS_H
#define REACH_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One bit of a flags word; combine with |. */
enum REACH_FLAG_ENUM reach_flag {
	/** The path is transient: a modem, PPP, a tunnel or a VPN. */
	REACH_FLAG_TRANSIENT_CONNECTION = 1 << 0,
	/** A packet could leave for the target. */
	REACH_FLAG_REACHABLE = 1 << 1,
	/** ... but a connection must be brought up first. */
	REACH_FLAG_CONNECTION_REQUIRED = 1 << 2,
	/** Traffic to the target brings that connection up. */
	REACH_FLAG_CONNECTION_ON_TRAFFIC = 1 << 3,
	/** A person must act first (a locked SIM, for example). */
	REACH_FLAG_INTERVENTION_REQUIRED = 1 << 4,
	/** The connection comes up on demand of the programming interface. */
	REACH_FLAG_CONNECTION_ON_DEMAND = 1 << 5,
	/** The target is an address of this host. */
	REACH_FLAG_IS_LOCAL_ADDRESS = 1 << 16,
	/** No gateway is between this host and the target. */
	REACH_FLAG_IS_DIRECT = 1 << 17,
	/** The path leaves over a cellular interface. */
	REACH_FLAG_IS_WWAN = 1 << 18
};

/** All flags this library knows. */
#define REACH_FLAGS_ALL 0x0007003fU

/** Status by the rule of AFNetworkReachabilityManager. */
enum reach_status {
	REACH_STATUS_UNKNOWN = -1,
	REACH_STATUS_NOT_REACHABLE = 0,
	REACH_STATUS_REACHABLE_VIA_WWAN = 1,
	REACH_STATUS_REACHABLE_VIA_WIFI = 2
};

/** Status by the rule, and with the values, of Apple's sample Reachability. */
enum reach_network_status {
	REACH_NETWORK_STATUS_NOT_REACHABLE = 0,
	REACH_NETWORK_STATUS_REACHABLE_VIA_WIFI = 1,
	REACH_NETWORK_STATUS_REACHABLE_VIA_WWAN = 2
};

/**
 * Status of @p flags by AFNetworkReachabilityManager's rule: reachable, and
 * either no connection is required or it comes up without a person.
 * Never REACH_STATUS_UNKNOWN. Bits outside REACH_FLAGS_ALL are ignored.
 */
REACH_API enum reach_status reach_status_from_flags(uint32_t flags);

/** Status of @p flags by networkStatusForFlags of Apple's sample. */
REACH_API enum reach_network_status
reach_network_status_from_flags(uint32_t flags);

/** Status of @p flags by the sample's rule for the local Wi-Fi target. */
REACH_API enum reach_network_status
reach_local_wifi_status_from_flags(uint32_t flags);

/**
 * The bulk form of reach_status_from_flags().
 *
 * @param flags    @p count flags words; may be NULL when @p count is 0.
 * @param[out] statuses  @p count statuses, one byte each; must not overlap
 *                 @p flags.
 * @param count    number of entries.
 */
REACH_API void reach_statuses_from_flags(const uint32_t *flags,
					 int8_t *statuses, size_t count);

/**
 * The words `scutil -r` prints: "Reachable,Transient Connection", or
 * "Not Reachable" for 0. Unknown bits follow as one hexadecimal number.
 *
 * @param[out] buf  NUL-terminated text, cut to @p size; may be NULL when
 *                  @p size is 0.
 * @return length of the whole text without its NUL, as snprintf() does.
 */
REACH_API size_t reach_flags_words(uint32_t flags, char *buf, size_t size);

/** Size of a buffer that holds every result of reach_flags_words(). */
#define REACH_FLAGS_WORDS_SIZE 256

/** The nine letters of Apple's sample, "WR tcCiDld"; '-' for a clear bit.
 *  Parameters and result as for reach_flags_words(). */
REACH_API size_t reach_flags_letters(uint32_t flags, char *buf, size_t size);

/** The nine letters in the order of the wrappers, "WR ctiCDld".
 *  Parameters and result as for reach_flags_words(). */
REACH_API size_t reach_flags_letters_wrappers(uint32_t flags, char *buf,
					      size_t size);

/** Size of a buffer that holds either letters form. */
#define REACH_FLAGS_LETTERS_SIZE 11

#ifdef __cplusplus
}
#endif

#endif
