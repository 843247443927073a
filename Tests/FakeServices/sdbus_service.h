/* SPDX-License-Identifier: MIT */
/* The functions of sd-bus that a service uses, loaded at run time. */
#ifndef SDBUS_SERVICE_H
#define SDBUS_SERVICE_H

#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef int (*sdbus_handler)(sd_bus_message *message, void *context,
			     void *error);

struct sdbus_service {
	int (*new)(sd_bus **ret);
	int (*set_address)(sd_bus *bus, const char *address);
	int (*set_bus_client)(sd_bus *bus, int yes);
	int (*start)(sd_bus *bus);
	int (*get_fd)(sd_bus *bus);
	int (*process)(sd_bus *bus, sd_bus_message **ret);
	int (*flush)(sd_bus *bus);
	sd_bus *(*flush_close_unref)(sd_bus *bus);
	int (*add_filter)(sd_bus *bus, void *slot, sdbus_handler handler,
			  void *context);
	int (*request_name)(sd_bus *bus, const char *name, uint64_t flags);
	int (*release_name)(sd_bus *bus, const char *name);
	int (*new_signal)(sd_bus *bus, sd_bus_message **ret, const char *path,
			  const char *interface, const char *member);
	int (*new_method_return)(sd_bus_message *call, sd_bus_message **ret);
	int (*new_method_errorf)(sd_bus_message *call, sd_bus_message **ret,
				 const char *name, const char *format, ...);
	sd_bus_message *(*message_unref)(sd_bus_message *message);
	int (*append)(sd_bus_message *message, const char *types, ...);
	int (*open_container)(sd_bus_message *message, char type,
			      const char *contents);
	int (*close_container)(sd_bus_message *message);
	int (*send)(sd_bus *bus, sd_bus_message *message, uint64_t *cookie);
	int (*send_to)(sd_bus *bus, sd_bus_message *message,
		       const char *destination, uint64_t *cookie);
	const char *(*get_path)(sd_bus_message *message);
	const char *(*get_member)(sd_bus_message *message);
};

/* Returns 0 or -ENOENT. */
int sdbus_service_load(struct sdbus_service *service);

#endif
