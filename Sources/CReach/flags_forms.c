/* SPDX-License-Identifier: MIT */
/* Bulk conversion of flags: the reference, and the choice of a form. */
#include "flags_forms.h"

void reach_statuses_scalar(const uint32_t *flags, int8_t *statuses,
			   size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		statuses[i] = (int8_t)reach_status_from_flags(flags[i]);
}

static bool always(void)
{
	return true;
}

#if defined(__x86_64__)
/* These read what a constructor of the compiler's library found out before
 * main(); the system must have enabled the registers too. */
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi");
}
#endif

const struct reach_flags_form reach_flags_forms[] = {
#if defined(__x86_64__)
	{ "avx512", reach_statuses_avx512, has_avx512 },
	{ "avx2", reach_statuses_avx2, has_avx2 },
	/* Every x86-64 has it. */
	{ "sse2", reach_statuses_sse2, always },
#elif defined(REACH_FLAGS_NEON)
	/* Every AArch64 that runs Linux has it. */
	{ "neon", reach_statuses_neon, always },
#endif
	{ "scalar", reach_statuses_scalar, always },
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
