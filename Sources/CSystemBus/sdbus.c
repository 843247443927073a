/* SPDX-License-Identifier: MIT */
#include "sdbus.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct {
	const char *name;
	size_t offset;
} SYMBOLS[] = {
	{ "sd_bus_new", offsetof(struct sdbus, new) },
	{ "sd_bus_set_address", offsetof(struct sdbus, set_address) },
	{ "sd_bus_set_bus_client", offsetof(struct sdbus, set_bus_client) },
	{ "sd_bus_start", offsetof(struct sdbus, start) },
	{ "sd_bus_close", offsetof(struct sdbus, close) },
	{ "sd_bus_unref", offsetof(struct sdbus, unref) },
	{ "sd_bus_is_ready", offsetof(struct sdbus, is_ready) },
	{ "sd_bus_get_fd", offsetof(struct sdbus, get_fd) },
	{ "sd_bus_get_events", offsetof(struct sdbus, get_events) },
	{ "sd_bus_get_timeout", offsetof(struct sdbus, get_timeout) },
	{ "sd_bus_process", offsetof(struct sdbus, process) },
	{ "sd_bus_add_match_async", offsetof(struct sdbus, add_match_async) },
	{ "sd_bus_call_async", offsetof(struct sdbus, call_async) },
	{ "sd_bus_slot_unref", offsetof(struct sdbus, slot_unref) },
	{ "sd_bus_message_new_method_call",
	  offsetof(struct sdbus, new_method_call) },
	{ "sd_bus_message_unref", offsetof(struct sdbus, message_unref) },
	{ "sd_bus_message_set_auto_start",
	  offsetof(struct sdbus, set_auto_start) },
	{ "sd_bus_message_append_basic", offsetof(struct sdbus, append_basic) },
	{ "sd_bus_message_is_method_error",
	  offsetof(struct sdbus, is_method_error) },
	{ "sd_bus_message_get_errno", offsetof(struct sdbus, get_errno) },
	{ "sd_bus_message_get_path", offsetof(struct sdbus, get_path) },
	{ "sd_bus_message_get_member", offsetof(struct sdbus, get_member) },
	{ "sd_bus_message_get_sender", offsetof(struct sdbus, get_sender) },
	{ "sd_bus_message_enter_container",
	  offsetof(struct sdbus, enter_container) },
	{ "sd_bus_message_exit_container",
	  offsetof(struct sdbus, exit_container) },
	{ "sd_bus_message_peek_type", offsetof(struct sdbus, peek_type) },
	{ "sd_bus_message_read_basic", offsetof(struct sdbus, read_basic) },
	{ "sd_bus_message_skip", offsetof(struct sdbus, skip) },
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
