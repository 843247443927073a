/* SPDX-License-Identifier: MIT */
/* The names of the values of public enums, as reachctl prints them. */
#include <reach/explanation.h>
#include <reach/interface.h>
#include <reach/target.h>

#define NAME_IN(names, value)                                                  \
	((value) < sizeof(names) / sizeof(*(names)) ? (names)[value] : "")

/* A reason without a name is a test's failure (ReasonTests). */
const char *reach_reason_name(uint32_t reason)
{
	static const char *const names[] = {
		[REACH_REASON_NONE] = "",
		[REACH_REASON_NO_ROUTE] = "noRoute",
		[REACH_REASON_UNREACHABLE] = "unreachable",
		[REACH_REASON_PROHIBITED] = "prohibited",
		[REACH_REASON_BLACKHOLE] = "blackhole",
		[REACH_REASON_LINK_DOWN] = "linkDown",
		[REACH_REASON_DORMANT] = "dormant",
		[REACH_REASON_NO_SOURCE] = "noSource",
		[REACH_REASON_NOT_LOCAL] = "notLocal",
		[REACH_REASON_NO_INTERFACE] = "noInterface",
		[REACH_REASON_RESOLVING] = "resolving",
		[REACH_REASON_NO_ADDRESS] = "noAddress",
		[REACH_REASON_REFUSED] = "refused",
		[REACH_REASON_NO_SUCH_NAME] = "noSuchName",
		[REACH_REASON_RESOLVER_FAILED] = "resolverFailed",
		[REACH_REASON_NO_NETWORK] = "noNetwork",
		[REACH_REASON_NOT_CONNECTED] = "notConnected",
		[REACH_REASON_LOCKED_SIM] = "lockedSIM",
		[REACH_REASON_OTHER_INTERFACE] = "otherInterface",
	};

	return NAME_IN(names, reason);
}

const char *reach_interface_class_name(uint32_t interface_class)
{
	static const char *const names[] = {
		[REACH_INTERFACE_OTHER] = "other",
		[REACH_INTERFACE_LOOPBACK] = "loopback",
		[REACH_INTERFACE_WIRED_ETHERNET] = "wiredEthernet",
		[REACH_INTERFACE_WIFI] = "wifi",
		[REACH_INTERFACE_CELLULAR] = "cellular",
		[REACH_INTERFACE_VPN] = "vpn",
		[REACH_INTERFACE_PPP] = "ppp",
		[REACH_INTERFACE_VIRTUAL] = "virtual",
	};
	const char *name = NAME_IN(names, interface_class);

	return name[0] ? name : "other";
}

const char *reach_rule_name(uint32_t rule)
{
	static const char *const names[] = {
		[REACH_RULE_NONE] = "",
		[REACH_RULE_ERROR] = "error",
		[REACH_RULE_NO_INTERFACE] = "noInterface",
		[REACH_RULE_LOCAL_DOWN] = "localDown",
		[REACH_RULE_LOOPBACK] = "loopback",
		[REACH_RULE_LOCAL] = "local",
		[REACH_RULE_UNICAST] = "unicast",
		[REACH_RULE_CELLULAR] = "cellular",
		[REACH_RULE_POINT_TO_POINT] = "pointToPoint",
		[REACH_RULE_MULTICAST] = "multicast",
		[REACH_RULE_DORMANT] = "dormant",
		[REACH_RULE_LINK_DOWN] = "linkDown",
		[REACH_RULE_NO_SOURCE] = "noSource",
		[REACH_RULE_MODEM] = "modem",
		[REACH_RULE_NOT_LOCAL] = "notLocal",
		[REACH_RULE_LOCAL_WIFI] = "localWiFi",
		[REACH_RULE_UNRESOLVED] = "unresolved",
		[REACH_RULE_OTHER_INTERFACE] = "otherInterface",
	};

	return NAME_IN(names, rule);
}

const char *reach_class_basis_name(uint32_t basis)
{
	static const char *const names[] = {
		[REACH_CLASS_BASIS_KIND] = "kind",
		[REACH_CLASS_BASIS_DEVICE] = "device",
		[REACH_CLASS_BASIS_PEER] = "peer",
		[REACH_CLASS_BASIS_LOWER] = "lower",
		[REACH_CLASS_BASIS_PORTS] = "ports",
	};

	return NAME_IN(names, basis);
}

const char *reach_source_state_name(uint32_t state)
{
	static const char *const names[] = {
		[REACH_SOURCE_NOT_NEEDED] = "notNeeded",
		[REACH_SOURCE_USABLE] = "usable",
		[REACH_SOURCE_DEPRECATED] = "deprecated",
		[REACH_SOURCE_MISSING] = "missing",
		[REACH_SOURCE_NOT_OWN] = "notOwn",
		[REACH_SOURCE_TENTATIVE] = "tentative",
		[REACH_SOURCE_DUPLICATE] = "duplicate",
		[REACH_SOURCE_NARROW] = "narrow",
	};

	return NAME_IN(names, state);
}
