/* SPDX-License-Identifier: MIT */
/* Addresses and targets. The input is a text, and after its NUL the members of
 * a target. */
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "Fuzz/fuzz.h"

/* A buffer that is too small receives the beginning of the text. */
static void format_short(const struct reach_address *address, const char *text)
{
	const size_t length = strlen(text);

	for (size_t size = 0; size <= length + 1; size++) {
		char *room = fuzz_copy(text, size);

		if (size)
			memset(room, 'x', size);
		PROMISE(reach_address_format(address, room, size) == length);
		PROMISE(!size || (strlen(room) == size - 1 &&
				  !memcmp(room, text, size - 1)));
		free(room);
	}
}

/* The text of an address must parse as the same address. */
static void write_and_read(const struct reach_address *address)
{
	char text[REACH_ADDRESS_TEXT_SIZE];
	struct reach_address again;
	const size_t length = reach_address_format(address, text, sizeof(text));

	PROMISE(length > 0 && length < sizeof(text) && !text[length]);
	PROMISE(!reach_address_parse(text, &again));
	PROMISE(!memcmp(address, &again, sizeof(again)));
	format_short(address, text);
}

static void read_text(const char *text)
{
	struct reach_address address = { .family = 77 };
	const int err = reach_address_parse(text, &address);

	PROMISE(!err || err == -EINVAL || err == -ENODEV);
	if (err)
		PROMISE(address.family == 77);
	else
		write_and_read(&address);
}

static void read_sockaddr(const uint8_t *bytes, size_t size)
{
	struct reach_address address = { .family = 77 };
	void *copy = fuzz_copy(bytes, size);
	const int err = reach_address_from_sockaddr(copy, size, &address);

	PROMISE(!err || err == -EINVAL || err == -EAFNOSUPPORT);
	if (err)
		PROMISE(address.family == 77);
	else
		write_and_read(&address);
	free(copy);
}

/* Mostly a known family. */
static uint16_t family_of(uint8_t byte)
{
	static const uint16_t families[] = { 0, AF_INET, AF_INET6 };

	return byte < 240 ? families[byte % 3] : byte;
}

struct members {
	uint8_t kind;
	uint8_t policy;
	uint8_t report;
	uint8_t families[2];
	uint8_t reserved;
	uint8_t index;
	uint8_t classes;
	uint8_t addresses[2][16];
	uint8_t scopes[2];
	char interface_name[REACH_INTERFACE_NAME_SIZE];
};

static struct reach_address address_of(const struct members *members, int i)
{
	struct reach_address address = {
		.family = family_of(members->families[i]),
		.reserved = members->reserved >> i & 1,
		.scope_id = members->scopes[i],
	};

	memcpy(address.bytes, members->addresses[i], sizeof(address.bytes));
	return address;
}

static bool is_documented(int err)
{
	return !err || err == -EINVAL || err == -ENAMETOOLONG ||
	       err == -ENODEV || err == -EAFNOSUPPORT || err == -EDESTADDRREQ ||
	       err == -EILSEQ;
}

static void validate(const char *text, const struct members *members)
{
	struct reach_target *target = malloc(sizeof(*target));
	int err;

	PROMISE(target);
	reach_target_init(target, (enum reach_target_kind)members->kind);
	target->policy = members->policy;
	target->report = members->report;
	target->remote = address_of(members, 0);
	target->local = address_of(members, 1);
	target->interface_index = members->index;
	target->interface_classes = members->classes;
	target->reserved = members->reserved >> 2;
	target->name = text;
	memcpy(target->interface_name, members->interface_name,
	       sizeof(target->interface_name));
	err = reach_target_validate(target);
	PROMISE(is_documented(err));
	if (!err) {
		PROMISE(target->kind <= REACH_TARGET_NAME);
		PROMISE(!target->reserved);
		PROMISE(memchr(target->interface_name, 0,
			       sizeof(target->interface_name)));
		PROMISE(!target->interface_name[0] || !target->interface_index);
		PROMISE(target->kind != REACH_TARGET_NAME ||
			(text[0] && strlen(text) < REACH_NAME_SIZE));
	}
	free(target);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
	const size_t length = end ? (size_t)(end - bytes) : size;
	const size_t rest = end ? size - length - 1 : 0;
	struct members members = { .kind = REACH_TARGET_NAME };
	char *text = malloc(length + 1);

	PROMISE(text);
	if (length)
		memcpy(text, bytes, length);
	text[length] = '\0';
	read_text(text);
	if (end) {
		read_sockaddr(end + 1, rest);
		memcpy(&members, end + 1,
		       rest < sizeof(members) ? rest : sizeof(members));
	}
	validate(text, &members);
	free(text);
	return 0;
}
