/* SPDX-License-Identifier: MIT */
/*
 * Door of base/: addresses, prefixes, targets, reasons, verdicts, clocks,
 * arrays and structs that grow.
 */
#ifndef REACH_BASE_BASE_H
#define REACH_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <reach/address.h>
#include <reach/explanation.h>
#include <reach/interface.h>
#include <reach/target.h>

#pragma GCC visibility push(hidden)

/* Operations on addresses. Pure. */

enum reach_address_scope {
	REACH_SCOPE_HOST,
	REACH_SCOPE_LINK,
	REACH_SCOPE_GLOBAL
};

/* Scope of an address by its value alone: 127/8 and ::1 are host, 169.254/16
 * and fe80::/10 link, all others global. */
enum reach_address_scope reach_address_scope(const struct reach_address *a);

/* Bytes of an address of @family; 0 for an unknown one. */
static inline size_t reach_address_size(uint16_t family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
}

/* The address with these 16 bytes, without a scope id. */
static inline struct reach_address reach_address_of(uint16_t family,
						    const uint8_t *bytes)
{
	struct reach_address address = { .family = family };

	memcpy(address.bytes, bytes, sizeof(address.bytes));
	return address;
}

/* Whether an IPv4 address is a multicast group, 224.0.0.0/4. */
static inline bool reach_address_is_group(const uint8_t *bytes)
{
	return bytes[0] >> 4 == 0xe;
}

/* Whether the kernel uses sin6_scope_id (__ipv6_addr_needs_scope_id(),
 * include/net/ipv6.h): fe80::/10, and multicast of interface and link scope
 * with any flags (ff?1::/16, ff?2::/16). */
bool reach_address_needs_scope_id(const struct reach_address *a);

/* An IPv4-mapped IPv6 address (::ffff:a.b.c.d, RFC 4291, 2.5.5.2) as IPv4,
 * others unchanged. Sockets send to such an address by IPv4, but a lookup of it
 * would match IPv6 routes. */
struct reach_address reach_address_unmap(const struct reach_address *a);

/* Whether @a is 0.0.0.0 or ::. */
bool reach_address_is_any(const struct reach_address *a);

/* Whether family and bytes are equal, and scope ids unless one of them is 0. */
bool reach_address_equal(const struct reach_address *a,
			 const struct reach_address *b);

/* Whether @a and @prefix have the same family and the same first @length bits.
 */
bool reach_address_in_prefix(const struct reach_address *a,
			     const struct reach_address *prefix,
			     unsigned int length);

/* Doubles the room of a growing array, which moves it. @array is the address of
 * the pointer to it. @return whether there was memory. */
bool reach_array_grow(void *array, uint32_t *capacity, size_t item_size);

/* Time. Points in time are nanoseconds of CLOCK_MONOTONIC in an int64_t.
 * Durations are nanoseconds. INT64_MAX means never. */

#define REACH_MILLISECOND INT64_C(1000000)
#define REACH_SECOND	  INT64_C(1000000000)

/* The present time. */
int64_t reach_monotonic(void);

/* The time @delay after @now; INT64_MAX if the sum overflows. */
static inline int64_t reach_after(int64_t now, int64_t delay)
{
	int64_t sum;

	return __builtin_add_overflow(now, delay, &sum) ? INT64_MAX : sum;
}

/* Prefixes of routes and of watched addresses. */

/* Longest prefix that is treated as a default route, in bits. VPNs split
 * 0.0.0.0/0 and ::/0 into two /1 each, and 2000::/3 is the whole global unicast
 * space (RFC 4291, 2.4). The engine and the event filter must agree. If the
 * filter dropped what the engine treats as a default route, events would be
 * lost silently. */
#define REACH_DEFAULT_LENGTH_MAX 3

struct reach_prefix {
	/* Without host bits. */
	struct reach_address address;
	/* Length in bits, 0 to 32 or 128. */
	uint8_t length;
};

/* Sets the 16 bytes of @ret to the first @length bits of @bytes, and zeros. */
void reach_prefix_cut(uint8_t *ret, const uint8_t *bytes, uint8_t length);

/*
 * Public structs that grow. Each begins with a size_t, the sizeof of the
 * caller's headers, which may be older or newer than the library. Members are
 * added at the end, where there is no padding: an older caller's struct ends
 * before them.
 */

/* Size in bytes of a struct whose last member is @member, as in an older
 * version. */
#define REACH_SIZE_TO(type, member)                                            \
	(offsetof(type, member) + sizeof(((type *)0)->member))

#define REACH_TARGET_SIZE_1_0 REACH_SIZE_TO(struct reach_target, reserved)
#define REACH_STATE_SIZE_1_0  REACH_SIZE_TO(struct reach_state, reserved)
#define REACH_CHANGE_SIZE_1_0                                                  \
	(offsetof(struct reach_change, state) + REACH_STATE_SIZE_1_0)

/* No struct will ever be this large. A caller that passes more has not set
 * `size`. */
#define REACH_SIZE_MAX 65536

/* Whether the caller's struct has all members of 1.0, whose size is @first, and
 * doesn't end inside a pointer. */
bool reach_sized_is_valid(const void *theirs, size_t first);

/* Copies the caller's struct to ours, of @size bytes: members that it lacks are
 * 0. @return 0; -EINVAL for a bad size; -E2BIG if a member that the library
 * doesn't know is not 0. */
int reach_sized_read(void *ours, size_t size, size_t first, const void *theirs);

/* Copies our struct, of @size bytes, to the caller's, whose size is valid and
 * stays: members that the library doesn't know are 0. */
void reach_sized_write(void *theirs, const void *ours, size_t size);

/* The canonical form of targets. */

/* Copies the caller's target, which may have another size, and checks it.
 * @return 0, or an error of reach_target_validate(). */
int reach_target_read(struct reach_target *ret,
		      const struct reach_target *target);

/* Converts a valid target to its canonical form, in place. A numeric name
 * becomes an address, an IPv4-mapped address IPv4, and a special address
 * (0.0.0.0, ::, 169.254.0.0) its own kind. A pair without a remote or local
 * part is reduced to the rest. */
void reach_target_normalize(struct reach_target *target);

/* The verdict on a path or a target. */

/* Evidence from sysfs about the class of a link; "" for a missing file. */
struct reach_evidence {
	/* DEVTYPE of its uevent file. */
	char devtype[32];
	/* Name of the driver that device/driver links to. */
	char driver[32];
	/* phy80211 or wireless/ exists. */
	bool wireless;
};

/* The members of struct reach_state that one route determines. Without padding,
 * since it is hashed and compared as bytes. */
struct reach_verdict {
	/* enum reach_flag bits. */
	uint32_t flags;
	uint32_t interface_index;
	struct reach_address source;
	struct reach_address gateway;
	/* Positive errno of the kernel, or 0. */
	uint16_t error;
	/* Next hops of the route, and those over usable links. */
	uint8_t legs;
	uint8_t usable_legs;
	/* enum reach_reason. */
	uint8_t reason;
	/* enum reach_rule: which rule decided. The state doesn't have it, so a
	 * different rule alone is not a change. */
	uint8_t rule;
	/* enum reach_interface_class. */
	uint16_t interface_class;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
};

/* Verdict without flags. @error: positive errno of the kernel, or 0. */
static inline struct reach_verdict
reach_verdict_none(enum reach_rule rule, enum reach_reason reason, int error)
{
	return (struct reach_verdict){ .rule = (uint8_t)rule,
				       .reason = (uint8_t)reason,
				       .error = (uint16_t)error };
}

#pragma GCC visibility pop

#endif
