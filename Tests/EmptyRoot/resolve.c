/* SPDX-License-Identifier: MIT */
/* Prints the first address of a name, as libreach resolves it. */
#include <stdio.h>

#include <reach/reach.h>

int main(int argc, char **argv)
{
	struct reach_state state = { .size = sizeof(state) };
	char text[REACH_ADDRESS_TEXT_SIZE];
	struct reach_target target;

	if (argc != 2)
		return 64;
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = argv[1];
	if (reach_check(&target, NULL, 20000, &state) < 0)
		return 71;
	if (!state.address_count) {
		puts(reach_reason_name(state.reason));
		return 1;
	}
	reach_address_format(&state.addresses[0], text, sizeof(text));
	puts(text);
	return 0;
}
