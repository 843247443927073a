/* SPDX-License-Identifier: MIT */
/* Included before every file of the module: the kernel's configuration, without
 * options that need the compiler and tools of the kernel's Debian release.
 * Neither option changes the layout of a structure. */
#include <linux/kconfig.h>
/* typeof_unqual needs GCC 14. */
#undef CONFIG_CC_HAS_TYPEOF_UNQUAL
/* objtool would have to turn these jumps into no-ops. */
#undef CONFIG_HAVE_JUMP_LABEL_HACK
#include <linux/compiler_types.h>
