/* SPDX-License-Identifier: MIT */
/* Targets and addresses as text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <reach/address.h>
#include <reach/target.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What an address is written as is read as the same. */
static void parse(const char *text)
{
	char written[REACH_ADDRESS_TEXT_SIZE];
	struct reach_address address, again;

	if (reach_address_parse(text, &address))
		return;
	reach_address_format(&address, written, sizeof(written));
	if (reach_address_parse(written, &again) ||
	    memcmp(&address, &again, sizeof(address)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct reach_target target;
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, bytes, size);
	text[size] = '\0';
	parse(text);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = text;
	(void)reach_target_validate(&target);
	free(text);
	return 0;
}
