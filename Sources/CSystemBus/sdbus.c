/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define BUS(member) { "sd_bus_" #member, offsetof(struct sdbus, member) }
#define MESSAGE(member)                                                        \
	{ "sd_bus_message_" #member, offsetof(struct sdbus, member) }

static const struct {
	const char *name;
	size_t offset;
} SYMBOLS[] = {
	BUS(new),
	BUS(set_address),
	BUS(set_bus_client),
	BUS(set_watch_bind),
	BUS(start),
	BUS(close),
	BUS(unref),
	BUS(is_ready),
	BUS(get_fd),
	BUS(get_events),
	BUS(get_timeout),
	BUS(process),
	BUS(add_match_async),
	BUS(call_async),
	BUS(slot_unref),
	MESSAGE(new_method_call),
	BUS(message_unref),
	MESSAGE(set_auto_start),
	MESSAGE(append_basic),
	MESSAGE(is_method_error),
	MESSAGE(get_errno),
	MESSAGE(get_path),
	MESSAGE(get_member),
	MESSAGE(get_sender),
	MESSAGE(enter_container),
	MESSAGE(exit_container),
	MESSAGE(peek_type),
	MESSAGE(read_basic),
	MESSAGE(skip),
};

/* dlopen() reports no errno. Opening any file shows whether descriptors or
 * memory ran out; if not, the library is missing. */
static int cause_of_dlopen(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return -ENOENT;
}

int system_bus_sdbus_load(struct sdbus *bus)
{
	struct sdbus loaded = { 0 };

	/* A static executable has no interpreter, so AT_BASE is 0. The library
	 * would bring a second libc into the process. */
	if (getauxval(AT_BASE) == 0)
		return -ENOEXEC;
	/* Never unloaded: it keeps thread-specific data with destructors. */
	loaded.library = dlopen("libsystemd.so.0",
				RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!loaded.library)
		return cause_of_dlopen();
	for (size_t i = 0; i < sizeof(SYMBOLS) / sizeof(SYMBOLS[0]); i++) {
		void *symbol = dlsym(loaded.library, SYMBOLS[i].name);

		if (!symbol) {
			dlclose(loaded.library);
			return -ENOENT;
		}
		memcpy((char *)&loaded + SYMBOLS[i].offset, &symbol,
		       sizeof(symbol));
	}
	*bus = loaded;
	return 0;
}
