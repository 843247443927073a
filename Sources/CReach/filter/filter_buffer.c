/* SPDX-License-Identifier: MIT */
#include "filter/filter.h"

size_t reach_program_emit(struct reach_program *program, uint16_t code,
			  uint32_t k, uint8_t jt, uint8_t jf)
{
	if (program->length == program->capacity) {
		program->overflow = true;
		return 0;
	}
	program->code[program->length] =
		(struct sock_filter){ code, jt, jf, k };
	return program->length++;
}
