/* SPDX-License-Identifier: MIT */
/* Addresses: text forms, socket addresses and properties. Structs and arrays
 * that grow, and the clock. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/base.h"

#include <reach/interface.h>

static bool is_ipv6_link_local(const struct reach_address *a)
{
	return a->family == AF_INET6 && a->bytes[0] == 0xfe &&
	       (a->bytes[1] & 0xc0) == 0x80;
}

bool reach_address_needs_scope_id(const struct reach_address *a)
{
	unsigned int scope = a->bytes[1] & 0x0f;

	if (a->family == AF_INET6 && a->bytes[0] == 0xff)
		return scope == 1 || scope == 2;
	return is_ipv6_link_local(a);
}

/* Parses up to ten decimal digits, 1 to UINT32_MAX. @return whether @text is
 * such a number. */
static bool parse_index(const char *text, uint32_t *ret)
{
	uint64_t value = 0;
	size_t digits;

	for (digits = 0; text[digits] != '\0'; digits++) {
		if (digits == 10 || text[digits] < '0' || text[digits] > '9')
			return false;
		value = value * 10 + (uint64_t)(text[digits] - '0');
	}
	if (value == 0 || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* Parses the text after '%'. Digits are an index, even if an interface has such
 * a name, so that the output of reach_address_format() parses back to the same
 * address. */
static int parse_scope_id(const char *text, uint32_t *ret)
{
	unsigned int index;

	if (*text == '\0')
		return -EINVAL;
	if (parse_index(text, ret))
		return 0;
	if (strlen(text) >= REACH_INTERFACE_NAME_SIZE)
		return -ENODEV;
	errno = 0;
	index = if_nametoindex(text);
	if (index == 0)
		return errno ? -errno : -ENODEV;
	*ret = index;
	return 0;
}

static int parse_ipv6(const char *text, struct reach_address *ret)
{
	struct reach_address address = { .family = AF_INET6 };
	char host[INET6_ADDRSTRLEN];
	size_t length = strcspn(text, "%");
	int r;

	if (length >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET6, host, address.bytes) != 1)
		return -EINVAL;
	if (text[length] == '%') {
		/* The kernel would ignore the scope: an input error. */
		if (!reach_address_needs_scope_id(&address))
			return -EINVAL;
		r = parse_scope_id(text + length + 1, &address.scope_id);
		if (r < 0)
			return r;
	}
	*ret = address;
	return 0;
}

int reach_address_parse(const char *text, struct reach_address *ret)
{
	struct reach_address address = { .family = AF_INET };
	struct in_addr in;

	if (!text)
		return -EINVAL;
	if (strchr(text, ':'))
		return parse_ipv6(text, ret);
	/* glibc's inet_aton() ignores all text after white space. */
	if (text[strcspn(text, " \t\n\v\f\r")] != '\0' || !inet_aton(text, &in))
		return -EINVAL;
	memcpy(address.bytes, &in, sizeof(in));
	*ret = address;
	return 0;
}

int reach_address_from_sockaddr(const struct sockaddr *sa, size_t size,
				struct reach_address *ret)
{
	/* Copied by memcpy(), as callers' buffers need not be aligned. */
	const void *bytes = sa;
	struct reach_address address = { 0 };
	struct sockaddr_in6 in6;
	struct sockaddr_in in;
	sa_family_t family;

	if (!sa || size < sizeof(family))
		return -EINVAL;
	memcpy(&family, bytes, sizeof(family));
	address.family = family;
	if (family == AF_INET) {
		if (size < sizeof(in))
			return -EINVAL;
		memcpy(&in, bytes, sizeof(in));
		memcpy(address.bytes, &in.sin_addr, sizeof(in.sin_addr));
	} else if (family == AF_INET6) {
		if (size < sizeof(in6))
			return -EINVAL;
		memcpy(&in6, bytes, sizeof(in6));
		memcpy(address.bytes, &in6.sin6_addr, sizeof(in6.sin6_addr));
		if (reach_address_needs_scope_id(&address))
			address.scope_id = in6.sin6_scope_id;
	} else {
		return -EAFNOSUPPORT;
	}
	*ret = address;
	return 0;
}

size_t reach_address_format(const struct reach_address *address, char *buf,
			    size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";
	int length;

	if (reach_address_size(address->family) > 0)
		inet_ntop(address->family, address->bytes, text, sizeof(text));
	if (address->family == AF_INET6 && address->scope_id != 0)
		length = snprintf(buf, size, "%s%%%u", text, address->scope_id);
	else
		length = snprintf(buf, size, "%s", text);
	return (size_t)length;
}

enum reach_address_scope reach_address_scope(const struct reach_address *a)
{
	static const uint8_t loopback[16] = { [15] = 1 };
	const uint8_t *b = a->bytes;

	if (a->family == AF_INET) {
		if (b[0] == 127)
			return REACH_SCOPE_HOST;
		if (b[0] == 169 && b[1] == 254)
			return REACH_SCOPE_LINK;
	} else if (a->family == AF_INET6) {
		if (memcmp(b, loopback, sizeof(loopback)) == 0)
			return REACH_SCOPE_HOST;
		if (is_ipv6_link_local(a))
			return REACH_SCOPE_LINK;
		/* Groups of one interface, and reserved (RFC 4291, 2.7). */
		if (b[0] == 0xff && (b[1] & 0xf) <= 1)
			return REACH_SCOPE_HOST;
	}
	return REACH_SCOPE_GLOBAL;
}

struct reach_address reach_address_unmap(const struct reach_address *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct reach_address plain = { .family = AF_INET };

	if (a->family != AF_INET6 ||
	    memcmp(a->bytes, mapped, sizeof(mapped)) != 0)
		return *a;
	memcpy(plain.bytes, a->bytes + sizeof(mapped), sizeof(struct in_addr));
	return plain;
}

bool reach_address_is_any(const struct reach_address *a)
{
	static const uint8_t zero[16];
	size_t length = reach_address_size(a->family);

	return length > 0 && memcmp(a->bytes, zero, length) == 0;
}

bool reach_address_equal(const struct reach_address *a,
			 const struct reach_address *b)
{
	if (a->family != b->family ||
	    memcmp(a->bytes, b->bytes, reach_address_size(a->family)) != 0)
		return false;
	return a->scope_id == b->scope_id || a->scope_id == 0 ||
	       b->scope_id == 0;
}

void reach_prefix_cut(uint8_t *ret, const uint8_t *bytes, uint8_t length)
{
	const uint8_t whole = length / 8;

	memset(ret, 0, 16);
	memcpy(ret, bytes, whole);
	if (length % 8)
		ret[whole] = bytes[whole] & (uint8_t)(0xff00 >> length % 8);
}

bool reach_address_in_prefix(const struct reach_address *a,
			     const struct reach_address *prefix,
			     unsigned int length)
{
	size_t size = reach_address_size(a->family);
	unsigned int bytes = length / 8;
	uint8_t mask = (uint8_t)(0xff00U >> length % 8);

	if (a->family != prefix->family || size == 0 || length > size * 8)
		return false;
	if (memcmp(a->bytes, prefix->bytes, bytes) != 0)
		return false;
	return mask == 0 ||
	       ((a->bytes[bytes] ^ prefix->bytes[bytes]) & mask) == 0;
}

/* ---- structs ----------------------------------------------------------- */

/* A change grows with its state. */
_Static_assert(REACH_SIZE_TO(struct reach_change, state) ==
		       sizeof(struct reach_change),
	       "the state is the last member");

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

bool reach_sized_is_valid(const void *theirs, size_t first)
{
	const size_t size = size_of(theirs);

	/* Our structs end at multiples. Another size may end inside a pointer. */
	return size >= first && size <= REACH_SIZE_MAX &&
	       size % sizeof(size) == 0;
}

int reach_sized_read(void *ours, size_t size, size_t first, const void *theirs)
{
	const size_t given = size_of(theirs);
	const unsigned char *bytes = theirs;
	size_t i;

	if (!reach_sized_is_valid(theirs, first))
		return -EINVAL;
	for (i = size; i < given; i++)
		if (bytes[i])
			return -E2BIG;
	memset(ours, 0, size);
	memcpy(ours, theirs, given < size ? given : size);
	memcpy(ours, &size, sizeof(size));
	return 0;
}

void reach_sized_write(void *theirs, const void *ours, size_t size)
{
	const size_t given = size_of(theirs);
	const size_t known = given < size ? given : size;
	unsigned char *bytes = theirs;

	memcpy(bytes + sizeof(size_t),
	       (const unsigned char *)ours + sizeof(size_t),
	       known - sizeof(size_t));
	memset(bytes + known, 0, given - known);
}

/* ---- array ------------------------------------------------------------- */

bool reach_array_grow(void *array, uint32_t *capacity, size_t item_size)
{
	const uint32_t doubled = *capacity ? *capacity * 2 : 4;
	void *items;

	/* Callers double counts of their own once more, within 32 bits. */
	if (doubled > UINT32_MAX / 4)
		return false;
	memcpy(&items, array, sizeof(items));
	items = reallocarray(items, doubled, item_size);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*capacity = doubled;
	return true;
}

/* ---- clock ------------------------------------------------------------- */

int64_t reach_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * REACH_SECOND + now.tv_nsec;
}
