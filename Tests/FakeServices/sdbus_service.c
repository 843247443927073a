/* SPDX-License-Identifier: MIT */
#include "sdbus_service.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int sdbus_service_load(struct sdbus_service *service)
{
	/* In the order of the members. */
	static const char *const NAMES[] = {
		"sd_bus_new",
		"sd_bus_set_address",
		"sd_bus_set_bus_client",
		"sd_bus_start",
		"sd_bus_get_fd",
		"sd_bus_process",
		"sd_bus_flush",
		"sd_bus_flush_close_unref",
		"sd_bus_add_filter",
		"sd_bus_request_name",
		"sd_bus_release_name",
		"sd_bus_message_new_signal",
		"sd_bus_message_new_method_return",
		"sd_bus_message_new_method_errorf",
		"sd_bus_message_unref",
		"sd_bus_message_append",
		"sd_bus_message_open_container",
		"sd_bus_message_close_container",
		"sd_bus_send",
		"sd_bus_send_to",
		"sd_bus_message_get_path",
		"sd_bus_message_get_member",
	};
	void *symbols[sizeof(NAMES) / sizeof(NAMES[0])];
	void *library = dlopen("libsystemd.so.0", RTLD_NOW);

	_Static_assert(sizeof(symbols) == sizeof(*service),
		       "one name for each member");
	if (!library)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
		symbols[i] = dlsym(library, NAMES[i]);
		if (!symbols[i])
			return -ENOENT;
	}
	memcpy(service, symbols, sizeof(symbols));
	return 0;
}
