/* SPDX-License-Identifier: MIT */
/* The modems of a daemon, and the bearers of each: a table of fixed size. */
#ifndef MODEMS_H
#define MODEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "modem_manager.h"
#include "properties.h"
#include "sdbus.h"

struct modems;

struct bearer {
	struct modems *modems;
	/* Object path; "" for a free entry. */
	char path[MODEM_MANAGER_PATH_SIZE];
	struct bearer_values values;
	/* The question for its properties, or NULL: its context is the bearer,
	 * so it is withdrawn with it. */
	sd_bus_slot *question;
};

struct modem {
	/* Object path; "" for a free entry. */
	char path[MODEM_MANAGER_PATH_SIZE];
	struct modem_values values;
	struct bearer bearers[MODEM_MANAGER_BEARERS];
	/* Present in the list of all objects that is being read. */
	bool is_listed;
};

struct modems {
	const struct sdbus *api;
	struct modem all[MODEM_MANAGER_MODEMS];
	/* A modem was left out for lack of room. */
	bool is_truncated;
	/* Something that is public has changed. */
	bool is_changed;
};

/* Asks for the properties of a bearer; a failure leaves them unknown. */
typedef void (*ask_bearer)(struct bearer *bearer, void *context);

void modems_init(struct modems *modems, const struct sdbus *api);

/* Forgets all modems and withdraws the questions. */
void modems_clear(struct modems *modems);

void modems_remove(struct modems *modems, const char *path);

struct modem *modems_find(struct modems *modems, const char *path);
struct bearer *modems_find_bearer(struct modems *modems, const char *path);

/*
 * Reads an array a{sa{sv}} of interfaces with all their properties; the object
 * becomes a modem if one of them is a modem's.
 */
int modems_read_object(struct modems *modems, sd_bus_message *message,
		       const char *path);

/* Reads an array a{sv} of properties of one interface of a modem. */
int modems_read_properties(struct modems *modems, struct modem *modem,
			   sd_bus_message *message, const char *interface);

/* The same of a bearer. */
int modems_read_bearer(struct bearer *bearer, sd_bus_message *message);

/* Lets the bearers of a modem follow its list of them. */
void modems_follow_bearers(struct modems *modems, struct modem *modem,
			   ask_bearer ask, void *context);

/* The public form of a modem. */
void modem_export(const struct modem *modem, struct modem_manager_modem *ret);

#endif
