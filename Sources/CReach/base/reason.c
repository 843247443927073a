/* SPDX-License-Identifier: MIT */
/* The names of reasons. */
#include <reach/target.h>

/* #lizard forgives: the compiler warns of a reason that has no name. */
const char *reach_reason_name(uint32_t reason)
{
	switch ((enum reach_reason)reason) {
	case REACH_REASON_NO_ROUTE:
		return "noRoute";
	case REACH_REASON_UNREACHABLE:
		return "unreachable";
	case REACH_REASON_PROHIBITED:
		return "prohibited";
	case REACH_REASON_BLACKHOLE:
		return "blackhole";
	case REACH_REASON_LINK_DOWN:
		return "linkDown";
	case REACH_REASON_DORMANT:
		return "dormant";
	case REACH_REASON_NO_SOURCE:
		return "noSource";
	case REACH_REASON_NOT_LOCAL:
		return "notLocal";
	case REACH_REASON_NO_INTERFACE:
		return "noInterface";
	case REACH_REASON_RESOLVING:
		return "resolving";
	case REACH_REASON_NO_ADDRESS:
		return "noAddress";
	case REACH_REASON_REFUSED:
		return "refused";
	case REACH_REASON_NO_SUCH_NAME:
		return "noSuchName";
	case REACH_REASON_RESOLVER_FAILED:
		return "resolverFailed";
	case REACH_REASON_NO_NETWORK:
		return "noNetwork";
	case REACH_REASON_NOT_CONNECTED:
		return "notConnected";
	case REACH_REASON_LOCKED_SIM:
		return "lockedSIM";
	case REACH_REASON_OTHER_INTERFACE:
		return "otherInterface";
	case REACH_REASON_NONE:
		break;
	}
	return "";
}
