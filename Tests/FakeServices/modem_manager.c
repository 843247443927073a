/* SPDX-License-Identifier: MIT */
/*
 *	modem N KEY=VALUE...	adds a modem, or changes it
 *	bearer N KEY=VALUE...	changes a bearer
 *	remove N		removes a modem
 *	wrong N			announces properties of other types
 *	storm N COUNT		announces changes of signal and technology
 *	many COUNT		adds modems with long texts, from 100 on
 *	forge WHAT		state 2 of modem 0 (properties), or modem 66
 *				(object)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define SERVICE "org.freedesktop.ModemManager1"
#define ROOT	"/org/freedesktop/ModemManager1"
#define MODEM	SERVICE ".Modem"
#define MODEM3G SERVICE ".Modem.Modem3gpp"
#define BEARER	SERVICE ".Bearer"
#define MOST	256

struct modem {
	int exists;
	int state;
	unsigned failed, lock, power, tech, signal, recent, registration;
	char operator[4096];
	char code[64];
	char ports[256];
	char bearers[256];
};

struct bearer {
	char interface[256];
	int connected;
	unsigned method;
};

static struct modem modems[MOST];
static struct bearer bearers[MOST];
/* Calls @call for each part of a list such as "a|b". */
static void each(const char *list, void (*call)(sd_bus_message *, char *),
		 sd_bus_message *message)
{
	char copy[256];
	char *rest = copy;
	char *part;

	snprintf(copy, sizeof(copy), "%s", list);
	while ((part = strsep(&rest, "|")))
		if (part[0])
			call(message, part);
}

static void append_port(sd_bus_message *message, char *part)
{
	char *type = strchr(part, ':');

	*type++ = '\0';
	check(api.append(message, "(su)", part, (unsigned)atoi(type)), "port");
}

static void append_bearer_path(sd_bus_message *message, char *part)
{
	char path[64];

	snprintf(path, sizeof(path), ROOT "/Bearer/%s", part);
	check(api.append(message, "o", path), "bearer");
}

static void append_list(sd_bus_message *message, const char *name,
			const char *list, const char *element,
			void (*call)(sd_bus_message *, char *))
{
	char type[16];

	snprintf(type, sizeof(type), "a%s", element);
	check(api.open_container(message, 'e', "sv"), name);
	check(api.append(message, "s", name), name);
	check(api.open_container(message, 'v', type), name);
	check(api.open_container(message, 'a', element), name);
	each(list, call, message);
	for (int i = 0; i < 3; i++)
		check(api.close_container(message), name);
}

static void append_modem(sd_bus_message *message, const void *modem)
{
	const struct modem *m = modem;

	check(api.open_container(message, 'a', "{sv}"), "modem");
	check(api.append(message, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "State", "i",
			 m->state, "StateFailedReason", "u", m->failed,
			 "UnlockRequired", "u", m->lock, "PowerState", "u",
			 m->power, "AccessTechnologies", "u", m->tech,
			 "SignalQuality", "(ub)", m->signal, m->recent, "Model",
			 "s", "fake"),
	      "modem");
	append_list(message, "Ports", m->ports, "(su)", append_port);
	append_list(message, "Bearers", m->bearers, "o", append_bearer_path);
	check(api.close_container(message), "modem");
}

static void append_3gpp(sd_bus_message *message, const void *modem)
{
	const struct modem *m = modem;

	check(api.append(message, "a{sv}", 3, "OperatorName", "s", m->operator,
			 "OperatorCode", "s", m->code, "RegistrationState", "u",
			 m->registration),
	      "3gpp");
}

/* Modems of odd numbers have the second interface first. */
static void append_interfaces(sd_bus_message *message, const struct modem *m,
			      int number)
{
	int is_odd = number % 2;

	check(api.open_container(message, 'a', "{sa{sv}}"), "interfaces");
	if (is_odd)
		append_interface(message, MODEM3G, append_3gpp, m);
	append_interface(message, MODEM, append_modem, m);
	if (!is_odd)
		append_interface(message, MODEM3G, append_3gpp, m);
	check(api.close_container(message), "interfaces");
}

static const char *modem_path(int number)
{
	static char path[64];

	snprintf(path, sizeof(path), ROOT "/Modem/%d", number);
	return path;
}

static void answer_objects(sd_bus_message *call)
{
	sd_bus_message *reply;

	check(api.new_method_return(call, &reply), "reply");
	check(api.open_container(reply, 'a', "{oa{sa{sv}}}"), "objects");
	for (int i = 0; i < MOST; i++) {
		if (!modems[i].exists)
			continue;
		check(api.open_container(reply, 'e', "oa{sa{sv}}"), "object");
		check(api.append(reply, "o", modem_path(i)), "path");
		append_interfaces(reply, &modems[i], i);
		check(api.close_container(reply), "object");
	}
	check(api.close_container(reply), "objects");
	send_message(reply);
}

static void append_bearer(sd_bus_message *message, const void *bearer)
{
	const struct bearer *b = bearer;

	check(api.append(message, "a{sv}", 3, "Interface", "s", b->interface,
			 "Connected", "b", b->connected, "Ip4Config", "a{sv}",
			 1, "method", "u", b->method),
	      "bearer");
}

static void announce(int number, int was_there)
{
	const struct modem *m = &modems[number];
	sd_bus_message *message;

	if (!was_there) {
		message = signal_of(ROOT, MANAGER, "InterfacesAdded");
		check(api.append(message, "o", modem_path(number)), "path");
		append_interfaces(message, m, number);
		send_message(message);
		return;
	}
	send_properties(modem_path(number), MODEM, append_modem, m);
	send_properties(modem_path(number), MODEM3G, append_3gpp, m);
}

static const struct setting MODEM_SETTINGS[] = {
	NUMBER(modem, state),  NUMBER(modem, failed),
	NUMBER(modem, lock),   NUMBER(modem, power),
	NUMBER(modem, tech),   NUMBER(modem, signal),
	NUMBER(modem, recent), NUMBER(modem, registration),
	TEXT(modem, operator), TEXT(modem, code),
	TEXT(modem, ports),    TEXT(modem, bearers),
	{ NULL, 0, 0 },
};

static const struct setting BEARER_SETTINGS[] = {
	NUMBER(bearer, connected),
	NUMBER(bearer, method),
	TEXT(bearer, interface),
	{ NULL, 0, 0 },
};

static void modem_command(int number, char *rest)
{
	struct modem *m = &modems[number];
	int was_there = m->exists;

	take_settings(rest, MODEM_SETTINGS, m);
	m->exists = 1;
	announce(number, was_there);
}

static void bearer_command(int number, char *rest)
{
	struct bearer *b = &bearers[number];
	char path[64];

	take_settings(rest, BEARER_SETTINGS, b);
	snprintf(path, sizeof(path), ROOT "/Bearer/%d", number);
	send_properties(path, BEARER, append_bearer, b);
}

static void wrong_command(int number, char *rest)
{
	sd_bus_message *message =
		signal_of(modem_path(number), PROPERTY, "PropertiesChanged");

	(void)rest;
	check(api.append(message, "sa{sv}as", MODEM, 7, "State", "s", "x",
			 "AccessTechnologies", "i", -1, "SignalQuality", "u", 9,
			 "Ports", "as", 1, "wwan9", "Bearers", "a(su)", 0,
			 "UnlockRequired", "t", UINT64_C(2),
			 "StateFailedReason", "b", 1, 0),
	      "wrong");
	send_message(message);
	message = signal_of(modem_path(number), PROPERTY, "PropertiesChanged");
	check(api.append(message, "s", MODEM), "another signature");
	send_message(message);
	message = signal_of(ROOT, MANAGER, "InterfacesAdded");
	check(api.append(message, "u", 1), "another signature");
	send_message(message);
}

static void remove_command(int number, char *rest)
{
	sd_bus_message *message = signal_of(ROOT, MANAGER, "InterfacesRemoved");

	(void)rest;
	modems[number].exists = 0;
	check(api.append(message, "oas", modem_path(number), 2, MODEM3G, MODEM),
	      "removed");
	send_message(message);
}

static void storm_command(int number, char *rest)
{
	int count = atoi(rest);

	for (int i = 0; i < count; i++) {
		sd_bus_message *message = signal_of(
			modem_path(number), PROPERTY, "PropertiesChanged");

		modems[number].signal = (unsigned)(i % 100);
		modems[number].tech = 1u << (i % 15);
		check(api.append(message, "sa{sv}as", MODEM, 2,
				 "AccessTechnologies", "u", modems[number].tech,
				 "SignalQuality", "(ub)", modems[number].signal,
				 1, 0),
		      "storm");
		send_message(message);
	}
}

static void many_command(int count, char *rest)
{
	(void)rest;
	for (int i = 100; i < 100 + count && i < MOST; i++) {
		struct modem *m = &modems[i];

		memset(m->operator, 'n', sizeof(m->operator) - 1);
		snprintf(m->ports, sizeof(m->ports),
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:2|a%d:2", i);
		m->exists = 1;
		announce(i, 0);
	}
}

static sd_bus_message *forged(const char *what)
{
	static const struct modem MODEM_66 = { .state = 8 };
	sd_bus_message *message;

	if (strcmp(what, "properties") == 0) {
		message =
			signal_of(modem_path(0), PROPERTY, "PropertiesChanged");
		check(api.append(message, "sa{sv}as", MODEM, 1, "State", "i", 2,
				 0),
		      what);
	} else if (strcmp(what, "object") == 0) {
		message = signal_of(ROOT, MANAGER, "InterfacesAdded");
		check(api.append(message, "o", modem_path(66)), what);
		append_interfaces(message, &MODEM_66, 66);
	} else {
		return NULL;
	}
	return message;
}

static void answer_call(sd_bus_message *call, const char *member,
			const char *path)
{
	sd_bus_message *reply;

	if (strcmp(member, "GetManagedObjects") == 0) {
		answer_objects(call);
		return;
	}
	check(api.new_method_return(call, &reply), "reply");
	append_bearer(reply, &bearers[atoi(strrchr(path, '/') + 1) % MOST]);
	send_message(reply);
}

static const struct command COMMANDS[] = {
	{ "modem", modem_command },
	{ "bearer", bearer_command },
	{ "remove", remove_command },
	{ "wrong", wrong_command },
	{ "storm", storm_command },
	{ "many", many_command },
	{ NULL, NULL },
};

const struct fake fake_modem_manager = { SERVICE, COMMANDS, answer_call,
					 forged };
