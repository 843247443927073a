/* SPDX-License-Identifier: MIT */
/* The state of a client, and the part of it that talks to ModemManager. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "modem_manager.h"
#include "modems.h"
#include "sdbus.h"

/* The longest name of D-Bus, and its NUL. */
#define MODEM_MANAGER_OWNER_SIZE 256

struct modem_manager {
	pid_t process;
	struct sdbus api;
	bool is_loaded;
	/* NULL between two attempts. */
	sd_bus *bus;
	struct modems modems;
	enum modem_manager_status status;
	int error;
	/* Status or error has changed. */
	bool is_changed;
	/* The connection is to be ended, with this status and positive errno.
	 */
	bool has_failed;
	enum modem_manager_status failure;
	int failure_error;
	/* CLOCK_MONOTONIC in milliseconds: without a bus the next attempt,
	 * else the end of waiting for an answer; 0 for none. */
	int64_t deadline;
	/* Milliseconds to the next attempt. */
	uint32_t delay;
	/* The unique name that answered last, or "": the only sender whose
	 * signals count. */
	char owner[MODEM_MANAGER_OWNER_SIZE];
	/* Questions since the bus had taken all that was written. */
	uint32_t unwritten;
	/* The question for all objects, or NULL. */
	sd_bus_slot *question;
	struct modem_manager_options options;
	/* Owner of options.address. */
	char *address;
};

int64_t client_now(void);

void client_set_status(struct modem_manager *m,
		       enum modem_manager_status status, int error);

/* Subscribes to the signals of ModemManager and asks for its objects; nothing
 * is waited for. Returns 0 or a negative errno. */
int client_subscribe(struct modem_manager *m);

/* Withdraws the question for all objects. */
void client_withdraw(struct modem_manager *m);

#endif
