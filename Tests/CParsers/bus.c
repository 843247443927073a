/* SPDX-License-Identifier: MIT */
/* Properties of a modem. Fake sd-bus functions read them from a script. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "CSystemBus/bus.h"
#include "check.h"

/* The next item of the message: its type, and a text (the contents, if it is a
 * container) or a number. */
struct item {
	char type;
	const char *text;
	uint32_t number;
};

struct script {
	const struct item *items;
	size_t count;
	size_t at;
};

static const struct item *next(sd_bus_message *message, char type)
{
	struct script *script = (struct script *)message;

	if (script->at == script->count ||
	    script->items[script->at].type != type)
		return NULL;
	return &script->items[script->at++];
}

static int enter(sd_bus_message *message, char type, const char *contents)
{
	(void)contents;
	return next(message, type) ? 1 : 0;
}

static int leave(sd_bus_message *message)
{
	return next(message, ')') ? 1 : -EBUSY;
}

static int peek(sd_bus_message *message, char *type, const char **contents)
{
	const struct script *script = (const struct script *)message;

	if (script->at == script->count)
		return 0;
	*type = script->items[script->at].type;
	*contents = script->items[script->at].text;
	return 1;
}

static int read_basic(sd_bus_message *message, char type, void *value)
{
	const struct item *item = next(message, type);

	if (!item)
		return 0;
	if (type == 's' || type == 'o')
		*(const char **)value = item->text;
	else
		*(uint32_t *)value = item->number;
	return 1;
}

static int skip(sd_bus_message *message, const char *types)
{
	(void)types;
	return next(message, 'v') ? 1 : -EBADMSG;
}

static const struct sdbus bus = {
	.enter_container = enter,
	.exit_container = leave,
	.peek_type = peek,
	.read_basic = read_basic,
	.skip = skip,
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

#define CLOSING { .type = ')' }

static int read_items(struct modem_values *values, const char *interface,
		      const struct item *items, size_t count)
{
	struct script script = { .items = items, .count = count };
	bool is_changed = false;

	return system_bus_properties_read(&bus, (sd_bus_message *)&script,
					  interface, &system_bus_modem_table,
					  values, &is_changed);
}

/* Reads a dictionary with one property, of which @value are the items after its
 * name. */
static int read_property(struct modem_values *values, const char *interface,
			 const char *name, const struct item *value,
			 size_t count)
{
	struct item items[4 * (MODEM_MANAGER_INTERFACES + 1) + 10] = {
		{ .type = 'a' }, { .type = 'e' }, { .type = 's', .text = name }
	};

	memcpy(items + 3, value, count * sizeof(*value));
	items[3 + count] = items[4 + count] = (struct item)CLOSING;
	return read_items(values, interface, items, count + 5);
}

/* An operator's name that is too long is cut between characters. A code that is
 * too long is left out. */
static void a_text(const char *name, const char *text, const char *expected)
{
	const struct item value[] = { { .type = 'v', .text = "s" },
				      { .type = 's', .text = text },
				      CLOSING };
	struct modem_values *values = malloc(sizeof(*values));

	if (!values)
		abort();
	memset(values, 'x', sizeof(*values));
	CHECK(read_property(values, MODEM_3GPP_INTERFACE, name, value,
			    LENGTH(value)) >= 0);
	CHECK(!strcmp(name[8] == 'N' ? values->modem.operator_name
				     : values->modem.operator_code,
		      expected));
	free(values);
}

static void texts(void)
{
	char text[MODEM_MANAGER_OPERATOR_SIZE + 8] = "", cut[sizeof(text)] = "";

	a_text("OperatorName", "Tele", "Tele");
	memset(text, 'a', MODEM_MANAGER_OPERATOR_SIZE - 2);
	memcpy(cut, text, sizeof(cut));
	strcat(text, "\u00e9zzz");
	a_text("OperatorName", text, cut);
	a_text("OperatorCode", "2620142", "2620142");
	a_text("OperatorCode", "26201423", "");
}

/* A modem with one more port than fits. */
static void ports(void)
{
	static const struct item port[] = { { .type = 'r' },
					    { .type = 's', .text = "wwan0" },
					    { .type = 'u', .number = 2 },
					    CLOSING };
	struct item value[4 * (MODEM_MANAGER_INTERFACES + 1) + 4] = {
		{ .type = 'v', .text = "a(su)" }, { .type = 'a' }
	};
	struct modem_values values = { 0 };
	size_t count = 2, i;

	for (i = 0; i <= MODEM_MANAGER_INTERFACES; i++, count += LENGTH(port))
		memcpy(value + count, port, sizeof(port));
	value[count] = value[count + 1] = (struct item)CLOSING;
	CHECK(read_property(&values, MODEM_INTERFACE, "Ports", value,
			    count + 2) >= 0);
	for (i = 0; i < MODEM_MANAGER_INTERFACES; i++)
		CHECK(!strcmp(values.ports[i], "wwan0"));
	CHECK(!values.bearers[0][0] && !values.modem.state);
}

/* A property of the wrong type leaves its field unchanged. One that isn't a
 * variant is an error. */
static void types(void)
{
	static const struct item text = { .type = 'v', .text = "s" };
	static const struct item number = { .type = 'u', .number = 1 };
	struct modem_values values = { .modem.state = 7 };

	CHECK(read_property(&values, MODEM_INTERFACE, "State", &text, 1) >= 0);
	CHECK(values.modem.state == 7);
	CHECK(read_property(&values, MODEM_INTERFACE, "State", &number, 1) ==
	      -EBADMSG);
}

static void signals(void)
{
	static const struct item value[] = { { .type = 'v', .text = "(ub)" },
					     { .type = 'r' },
					     { .type = 'u', .number = 250 },
					     { .type = 'b', .number = 1 },
					     CLOSING,
					     CLOSING };
	struct modem_values values = { 0 };

	CHECK(read_property(&values, MODEM_INTERFACE, "SignalQuality", value,
			    LENGTH(value)) >= 0);
	CHECK(values.modem.signal == 100 && values.modem.signal_is_recent == 1);
}

void test_properties(void)
{
	texts();
	ports();
	types();
	signals();
}
