/* SPDX-License-Identifier: MIT */
/* Before every file of the module: the kernel's configuration, without what
 * the compiler and the tools that it was built with have and the host's lack.
 * Neither changes the layout of a structure. */
#include <linux/kconfig.h>
/* typeof_unqual, GCC 14. */
#undef CONFIG_CC_HAS_TYPEOF_UNQUAL
/* Jumps that objtool makes no-ops of. */
#undef CONFIG_HAVE_JUMP_LABEL_HACK
#include <linux/compiler_types.h>
