/* SPDX-License-Identifier: MIT */
/* Reads operations and their arguments from a script. */
#include "fuzz.h"

uint8_t script_byte(struct script *script)
{
	if (script->size == 0)
		return 0;
	script->size--;
	return *script->bytes++;
}

uint32_t script_word(struct script *script)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word = word << 8 | script_byte(script);
	return word;
}

uint8_t *script_datagram(struct script *script, size_t *size)
{
	uint8_t *copy;

	*size = script_byte(script);
	*size |= (size_t)script_byte(script) << 8;
	if (*size > script->size)
		*size = script->size;
	copy = fuzz_copy(script->bytes, *size);
	script->bytes += *size;
	script->size -= *size;
	return copy;
}

struct reach_address script_address(struct script *script)
{
	/* AF_INET, AF_INET6, none, and an unknown one. */
	static const uint16_t families[] = { 2, 10, 0, 2, 10, 2, 10, 7 };
	struct reach_address address = { 0 };

	address.family = families[script_byte(script) % 8];
	for (size_t i = 0; i < (address.family == 10 ? 16 : 4); i++)
		address.bytes[i] = script_byte(script);
	if (address.family == 10 && address.bytes[0] == 0xfe)
		address.scope_id = script_byte(script);
	return address;
}
