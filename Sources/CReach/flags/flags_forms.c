/* SPDX-License-Identifier: MIT */
/* Bulk conversion of flags: the reference, and the choice of a form. */
#include "flags/flags_forms.h"
#include "base/processor.h"

void reach_statuses_scalar(const uint32_t *flags, int8_t *statuses,
			   size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		statuses[i] = (int8_t)reach_status_from_flags(flags[i]);
}

const struct reach_flags_form reach_flags_forms[] = {
#if defined(__x86_64__)
	{ "avx512", reach_statuses_avx512, reach_has_avx512 },
	{ "avx2", reach_statuses_avx2, reach_has_avx2 },
	/* Every x86-64 has it. */
	{ "sse2", reach_statuses_sse2, reach_has_any },
#elif defined(REACH_FLAGS_NEON)
	/* Every AArch64 that runs Linux has it. */
	{ "neon", reach_statuses_neon, reach_has_any },
#endif
	{ "scalar", reach_statuses_scalar, reach_has_any },
};
const size_t reach_flags_form_count =
	sizeof(reach_flags_forms) / sizeof(*reach_flags_forms);

void reach_statuses_from_flags(const uint32_t *flags, int8_t *statuses,
			       size_t count)
{
	const struct reach_flags_form *form = reach_flags_forms;

	while (!form->is_supported())
		form++;
	form->convert(flags, statuses, count);
}
