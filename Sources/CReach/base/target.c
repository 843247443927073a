/* SPDX-License-Identifier: MIT */
/* Validation and normalization of targets. Names must have the syntax of host
 * names. So a URL or "host:port" is an error here, and not a name that does not
 * exist. */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* The bits of all enum reach_interface_class. */
#define CLASSES ((2U << REACH_INTERFACE_VIRTUAL) - 1)

/* RFC 1035, section 2.3.4. */
#define LABEL_MAX 63

/* Letters, digits, '-', and '_' as in SRV names; no character of a URL or a
 * port. @return 0, -EINVAL, or -EILSEQ for a byte beyond ASCII: resolvers expect
 * the xn-- form (RFC 5891), and glibc converts only with AI_IDN, depending on
 * the locale. */
static int validate_byte(unsigned char c)
{
	if (c >= 0x80)
		return -EILSEQ;
	return isalnum(c) || c == '-' || c == '_' ? 0 : -EINVAL;
}

/* The only check of a host name in the package. */
static int validate_name(const char *name)
{
	size_t label = 0, length = 0;
	int err;

	if (!*name)
		return -EDESTADDRREQ;
	for (; name[length]; length++) {
		if (length >= REACH_NAME_SIZE)
			return -ENAMETOOLONG;
		if (name[length] == '.') {
			if (label == 0)
				return -EINVAL;
			label = 0;
			continue;
		}
		err = validate_byte((unsigned char)name[length]);
		if (err)
			return err;
		if (++label > LABEL_MAX)
			return -ENAMETOOLONG;
	}
	/* Without the trailing dot, if there is one. */
	if (length - (label == 0) > REACH_NAME_SIZE - 2)
		return -ENAMETOOLONG;
	return 0;
}

static int validate_address(const struct reach_address *address)
{
	if (address->family != AF_INET && address->family != AF_INET6)
		return address->family ? -EAFNOSUPPORT : -EINVAL;
	return 0;
}

/* Checks the family that a name or the internet is restricted to. An
 * unspecified address names it, so that no stray address counts as a family. */
static int validate_family(const struct reach_target *target)
{
	int err;

	if (!target->remote.family)
		return 0;
	err = validate_address(&target->remote);
	if (!err && !reach_address_is_any(&target->remote))
		err = -EINVAL;
	return err;
}

static int validate_pair(const struct reach_target *target)
{
	const struct reach_address local = reach_address_unmap(&target->local);
	const struct reach_address remote =
		reach_address_unmap(&target->remote);
	int err = 0;

	if (!remote.family || local.family)
		err = validate_address(&local);
	if (!err && remote.family)
		err = validate_address(&remote);
	if (!err && remote.family && local.family &&
	    local.family != remote.family)
		err = -EINVAL;
	return err;
}

static int validate_name_target(const struct reach_target *target)
{
	struct reach_address numeric;
	int err;

	if (!target->name)
		return -EINVAL;
	err = validate_family(target);
	if (err)
		return err;
	err = reach_address_parse(target->name, &numeric);
	if (err == -ENODEV)
		return err;
	if (err)
		return validate_name(target->name);
	return !target->remote.family || target->remote.family == numeric.family
		       ? 0
		       : -EINVAL;
}

/* Unknown bits may get a meaning in a later version. */
static bool has_garbage(const struct reach_target *target)
{
	return target->remote.reserved || target->local.reserved ||
	       target->reserved || target->interface_classes & ~CLASSES;
}

/* As dev_valid_name(), net/core/dev.c, where 0xa0 is white space, too. "" is
 * none. */
static bool is_interface_name(const char name[REACH_INTERFACE_NAME_SIZE])
{
	return memchr(name, '\0', REACH_INTERFACE_NAME_SIZE) &&
	       !strpbrk(name, "/: \t\n\v\f\r\xa0") && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

/* Checks the members that all kinds of target have. */
static int validate_common(const struct reach_target *target)
{
	if (has_garbage(target))
		return -EINVAL;
	if (target->policy != REACH_NAME_OPTIMISTIC &&
	    target->policy != REACH_NAME_STRICT)
		return -EINVAL;
	if (target->report != REACH_REPORT_VERDICT &&
	    target->report != REACH_REPORT_PATH)
		return -EINVAL;
	if (!is_interface_name(target->interface_name))
		return -EINVAL;
	return target->interface_index && target->interface_name[0] ? -EINVAL
								    : 0;
}

static int validate(const struct reach_target *target)
{
	const int err = validate_common(target);

	if (err)
		return err;
	switch (target->kind) {
	case REACH_TARGET_ADDRESS:
		return validate_address(&target->remote);
	case REACH_TARGET_ADDRESS_PAIR:
		return validate_pair(target);
	case REACH_TARGET_INTERNET:
		return validate_family(target);
	case REACH_TARGET_LOCAL_WIFI:
		return 0;
	case REACH_TARGET_NAME:
		return validate_name_target(target);
	default:
		return -EINVAL;
	}
}

int reach_target_read(struct reach_target *ret,
		      const struct reach_target *target)
{
	int err;

	if (!target)
		return -EINVAL;
	err = reach_sized_read(ret, sizeof(*ret), REACH_TARGET_SIZE_1_0,
			       target);
	return err ? err : validate(ret);
}

int reach_target_validate(const struct reach_target *target)
{
	struct reach_target copy;

	return reach_target_read(&copy, target);
}

/* In SCNetworkReachability, the zero address of either family means the default
 * path of both (__SCNetworkReachabilityAddressIsEmpty(),
 * SCNetworkReachability.c). */
static void become_internet(struct reach_target *target)
{
	target->kind = REACH_TARGET_INTERNET;
	memset(&target->remote, 0, sizeof(target->remote));
}

/* Sets the kind of an address as SCNetworkReachabilityCreateWithAddress() does.
 */
static void normalize_address(struct reach_target *target)
{
	static const uint8_t local_wifi[4] = { 169, 254, 0, 0 };

	target->kind = REACH_TARGET_ADDRESS;
	if (reach_address_is_any(&target->remote))
		become_internet(target);
	else if (target->remote.family == AF_INET &&
		 memcmp(target->remote.bytes, local_wifi, sizeof(local_wifi)) ==
			 0)
		target->kind = REACH_TARGET_LOCAL_WIFI;
}

/* Simplifies a pair. An unspecified local part (0.0.0.0, ::) leaves an address;
 * an unspecified remote part, or one equal to the local part, leaves a pair
 * without it. */
static void normalize_pair(struct reach_target *target)
{
	if (target->local.family && reach_address_is_any(&target->local))
		memset(&target->local, 0, sizeof(target->local));
	if (!target->local.family) {
		if (!target->remote.family)
			become_internet(target);
		else
			normalize_address(target);
		return;
	}
	if (reach_address_is_any(&target->remote) ||
	    (target->remote.family &&
	     reach_address_equal(&target->local, &target->remote)))
		memset(&target->remote, 0, sizeof(target->remote));
}

void reach_target_normalize(struct reach_target *target)
{
	struct reach_address numeric;

	if (target->kind == REACH_TARGET_NAME) {
		if (reach_address_parse(target->name, &numeric))
			return;
		target->remote = numeric;
		target->kind = REACH_TARGET_ADDRESS;
	}
	if (target->remote.family)
		target->remote = reach_address_unmap(&target->remote);
	if (target->local.family)
		target->local = reach_address_unmap(&target->local);
	if (target->kind == REACH_TARGET_ADDRESS)
		normalize_address(target);
	else if (target->kind == REACH_TARGET_ADDRESS_PAIR)
		normalize_pair(target);
}
