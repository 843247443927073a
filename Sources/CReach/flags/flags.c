/* SPDX-License-Identifier: MIT */
/* The status and the text form of flags. The status is that of
 * AFNetworking, whose users expect its answers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <reach/flags.h>

/* AFNetworkReachabilityStatusForFlags() without branches: bit 0 of each term is
 * one condition. flags_variants.c has the same for arrays. */
static inline uint32_t status_of(uint32_t flags)
{
	uint32_t automatic = flags >> 3 | flags >> 5;
	uint32_t unattended = automatic & ~(flags >> 4);
	uint32_t reachable = flags >> 1 & (~(flags >> 2) | unattended) & 1;

	return (reachable << 1) - (reachable & flags >> 18);
}

_Static_assert(REACH_FLAG_REACHABLE == 1 << 1 &&
		       REACH_FLAG_CONNECTION_REQUIRED == 1 << 2 &&
		       REACH_FLAG_CONNECTION_ON_TRAFFIC == 1 << 3 &&
		       REACH_FLAG_INTERVENTION_REQUIRED == 1 << 4 &&
		       REACH_FLAG_CONNECTION_ON_DEMAND == 1 << 5 &&
		       REACH_FLAG_IS_WWAN == 1 << 18,
	       "the shifts of status_of()");
_Static_assert(REACH_STATUS_REACHABLE_VIA_WIFI == 2 &&
		       REACH_STATUS_REACHABLE_VIA_WWAN == 1 &&
		       REACH_STATUS_NOT_REACHABLE == 0,
	       "the arithmetic of status_of()");

enum reach_status reach_status_from_flags(uint32_t flags)
{
	return (enum reach_status)status_of(flags);
}

/* The order and words of `scutil -r`. */
static const struct {
	uint32_t flag;
	const char *word;
} flag_words[] = {
	{ REACH_FLAG_REACHABLE, "Reachable" },
	{ REACH_FLAG_TRANSIENT_CONNECTION, "Transient Connection" },
	{ REACH_FLAG_CONNECTION_REQUIRED, "Connection Required" },
	{ REACH_FLAG_CONNECTION_ON_TRAFFIC, "Automatic Connection On Traffic" },
	{ REACH_FLAG_CONNECTION_ON_DEMAND, "Automatic Connection On Demand" },
	{ REACH_FLAG_INTERVENTION_REQUIRED, "Intervention Required" },
	{ REACH_FLAG_IS_LOCAL_ADDRESS, "Local Address" },
	{ REACH_FLAG_IS_DIRECT, "Directly Reachable Address" },
	{ REACH_FLAG_IS_WWAN, "WWAN" },
};

size_t reach_flags_words(uint32_t flags, char *buf, size_t size)
{
	char text[REACH_FLAGS_WORDS_SIZE] = "";
	uint32_t unknown = flags & ~REACH_FLAGS_ALL;
	size_t used = 0;

	if (flags == 0)
		return (size_t)snprintf(buf, size, "Not Reachable");
	for (size_t i = 0; i < sizeof(flag_words) / sizeof(*flag_words); i++)
		if (flags & flag_words[i].flag)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%s%s",
				used ? "," : "", flag_words[i].word);
	if (unknown)
		snprintf(text + used, sizeof(text) - used, "%s0x%08x",
			 used ? "," : "", unknown);
	return (size_t)snprintf(buf, size, "%s", text);
}
