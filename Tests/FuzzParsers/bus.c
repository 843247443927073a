/* SPDX-License-Identifier: MIT */
/*
 * Answers and signals of a bus, in any order and with any contents. Fake sd-bus
 * functions make them from the fuzzer's bytes. They keep sd-bus's promises (a
 * released slot isn't called any more), but types and nesting are arbitrary.
 *
 * Checked: nothing leaks, values are read as the type that they have, exported
 * values are within bounds, only services that are ready have objects, and every
 * change is reported.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <time.h>

#include "../Fuzz/fuzz.h"
#include "CSystemBus/bus.h"
#include "CSystemBus/include/system_bus.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MM	      "org.freedesktop.ModemManager1"
#define NM	      "org.freedesktop.NetworkManager"
#define MM_ROOT	      "/org/freedesktop/ModemManager1/"
#define NM_ROOT	      "/org/freedesktop/NetworkManager"

int system_bus_fuzz_clock(clockid_t clock, struct timespec *ret);

struct sd_bus {
	bool is_closed;
};

struct sd_bus_slot {
	struct sd_bus_slot *next;
	/* The handler of a match's signals; NULL for a call. */
	sdbus_handler signal;
	/* The handler of an answer; NULL once it has been called. */
	sdbus_handler answer;
	void *context;
};

struct sd_bus_message {
	const char *sender;
	const char *member;
	const char *path;
	/* The name of an error; NULL for none. */
	const char *error;
	/* The meaning of the next string. */
	enum {
		INTERFACE,
		NAME,
		TEXT
	} next;
	/* The interface and the property read last; both may be NULL. */
	const char *interface;
	const struct known *property;
	/* What peek() has told. */
	char type;
	const char *contents;
	/* The type at the beginning of a variant that was entered; 0 for any. */
	char inside;
};

static struct {
	const uint8_t *bytes;
	size_t left;
	/* Bytes left in the current message. */
	size_t body;
	int64_t now;
	struct sd_bus_slot *slots;
	/* Objects that were created and not released. */
	int buses;
	int messages;
} world;

/* The next byte, or 0 at the end. */
static uint8_t take(void)
{
	if (!world.left)
		return 0;
	world.left--;
	return *world.bytes++;
}

/* The next byte of a message, or 0 at its end. */
static uint8_t take_body(void)
{
	if (!world.body || !world.left)
		return 0;
	world.body--;
	return take();
}

#define CHOOSE(table, byte) ((table)[(byte) % LENGTH(table)])

/* ---- messages --------------------------------------------------------- */

static const char *const senders[] = { ":1.7", ":1.7", ":1.8",
				       "org.freedesktop.DBus", NULL };
static const char *const members[] = { "InterfacesAdded", "InterfacesRemoved",
				       "PropertiesChanged", NULL };
static const char *const errors[] = {
	NULL,
	NULL,
	NULL,
	"org.freedesktop.DBus.Error.NoReply",
	"org.freedesktop.DBus.Error.ServiceUnknown",
	"org.freedesktop.DBus.Error.NameHasNoOwner",
	"org.freedesktop.DBus.Error.AccessDenied",
};
static const char *const paths[] = {
	MM_ROOT "Modem/0",
	MM_ROOT "Modem/1",
	MM_ROOT "Bearer/0",
	MM_ROOT "Bearer/1",
	NM_ROOT,
	NM_ROOT "/Devices/1",
	NM_ROOT "/Devices/01",
	NM_ROOT "/Devices/18446744073709551616",
	NM_ROOT "/Devices/2",
	"/",
};
static const char *const interfaces[] = {
	MM ".Modem", MM ".Modem.Modem3gpp", MM ".Bearer", NM, NM ".Device",
};
static const struct known {
	const char *interface;
	const char *name;
	const char *signature;
} properties[] = {
	{ MM ".Modem", "State", "i" },
	{ MM ".Modem", "StateFailedReason", "u" },
	{ MM ".Modem", "UnlockRequired", "u" },
	{ MM ".Modem", "PowerState", "u" },
	{ MM ".Modem", "AccessTechnologies", "u" },
	{ MM ".Modem", "SignalQuality", "(ub)" },
	{ MM ".Modem", "Ports", "a(su)" },
	{ MM ".Modem", "Bearers", "ao" },
	{ MM ".Modem.Modem3gpp", "OperatorName", "s" },
	{ MM ".Modem.Modem3gpp", "OperatorCode", "s" },
	{ MM ".Modem.Modem3gpp", "RegistrationState", "u" },
	{ MM ".Bearer", "Interface", "s" },
	{ MM ".Bearer", "Connected", "b" },
	{ MM ".Bearer", "Ip4Config", "a{sv}" },
	{ MM ".Bearer", "Ip6Config", "a{sv}" },
	{ "", "method", "u" },
	{ NM, "Metered", "u" },
	{ NM, "Connectivity", "u" },
	{ NM, "ConnectivityCheckAvailable", "b" },
	{ NM, "ConnectivityCheckEnabled", "b" },
	{ NM, "ConnectivityCheckUri", "s" },
	{ NM ".Device", "Interface", "s" },
	{ NM ".Device", "IpInterface", "s" },
	{ NM ".Device", "Metered", "u" },
	{ NM ".Device", "Ip4Connectivity", "u" },
	{ NM ".Device", "Ip6Connectivity", "u" },
	{ NM ".Device", "State", "u" },
};
static const char *const texts[] = {
	"wwan0",
	"wwan1",
	"15 bytes, no mo",
	"16 bytes or more",
	"26201",
	"",
	"64 bytes and more, all of them of one byte, so that no character is "
	"cut",
	/* The 64th byte is in the middle of a character. */
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd\xc3"
	"\xa9",
};
static const char *const signatures[] = { "u",	  "i",	   "s",	    "b", "ao",
					  "(ub)", "a(su)", "a{sv}", "d" };

/* A reader must not confuse types. */
static void check_type(sd_bus_message *message, char type)
{
	PROMISE(!message->inside || message->inside == type);
	message->inside = 0;
}

static int enter(sd_bus_message *message, char type, const char *contents)
{
	const uint8_t byte = take_body();
	const int result = byte < 64 ? 0 : byte < 250 ? 1 : -ENXIO;

	check_type(message, type);
	if (type == 'v') {
		PROMISE(message->type == 'v' && contents == message->contents);
		message->inside = contents[0] == '(' ? 'r' : contents[0];
		message->inside *= result > 0;
	}
	if (type == 'e')
		message->next = strcmp(contents, "sv") == 0 ? NAME : INTERFACE;
	else if (type == 'v')
		message->next = TEXT;
	if (strcmp(contents, "{sv}") == 0 && message->property &&
	    strcmp(message->property->signature, "a{sv}") == 0)
		message->interface = "";
	return result;
}

static int leave(sd_bus_message *message)
{
	(void)message;
	return take_body() < 250 ? 1 : -EBUSY;
}

static int peek(sd_bus_message *message, char *type, const char **contents)
{
	const uint8_t byte = take_body();

	if (byte >= 253)
		return byte == 253 ? 0 : -EBADMSG;
	*type = message->type = byte == 252 ? 's' : 'v';
	*contents = message->contents = byte < 220 && message->property
						? message->property->signature
						: CHOOSE(signatures, byte);
	return 1;
}

/* The name of an interface, of one of its properties, or another text. */
static const char *read_text(sd_bus_message *message, uint8_t byte)
{
	message->property = NULL;
	if (message->next == INTERFACE)
		return message->interface = CHOOSE(interfaces, byte);
	for (size_t i = 0; message->next == NAME && i < LENGTH(properties);
	     i++) {
		const struct known *property = &CHOOSE(properties, byte + i);

		if (message->interface &&
		    strcmp(property->interface, message->interface) == 0) {
			message->property = property;
			return property->name;
		}
	}
	return CHOOSE(texts, byte);
}

static int read_basic(sd_bus_message *message, char type, void *value)
{
	const uint8_t byte = take_body();
	uint32_t number = take_body();

	check_type(message, type);
	if (byte < 4)
		return byte < 2 ? 0 : -EBADMSG;
	switch (type) {
	case 's':
		*(const char **)value = read_text(message, byte);
		break;
	case 'o':
		*(const char **)value = CHOOSE(paths, byte);
		break;
	case 'b':
		*(int *)value = byte & 1;
		break;
	case 'u':
	case 'i':
		if (byte >= 128)
			number |= (uint32_t)byte << 24;
		memcpy(value, &number, sizeof(number));
		break;
	default:
		abort();
	}
	return 1;
}

static int skip(sd_bus_message *message, const char *contents)
{
	PROMISE(contents[0] != 'v' || message->type == 'v');
	return take_body() < 250 ? 1 : -EBADMSG;
}

static int is_error(sd_bus_message *message, const char *name)
{
	return message->error && (!name || strcmp(message->error, name) == 0);
}

static int get_errno(sd_bus_message *message)
{
	return message->error ? EACCES : 0;
}

static const char *get_path(sd_bus_message *message)
{
	return message->path;
}

static const char *get_member(sd_bus_message *message)
{
	return message->member;
}

static const char *get_sender(sd_bus_message *message)
{
	return message->sender;
}

static int new_call(sd_bus *bus, sd_bus_message **ret, const char *destination,
		    const char *path, const char *interface, const char *member)
{
	PROMISE(bus && destination && path[0] == '/' && interface && member);
	if (take() >= 250)
		return -ENOMEM;
	*ret = calloc(1, sizeof(**ret));
	PROMISE(*ret);
	world.messages++;
	return 0;
}

static sd_bus_message *message_unref(sd_bus_message *message)
{
	world.messages--;
	free(message);
	return NULL;
}

static int set_auto_start(sd_bus_message *message, int yes)
{
	PROMISE(message && !yes);
	return 0;
}

static int append_basic(sd_bus_message *message, char type, const void *value)
{
	PROMISE(message && type == 's' && value);
	return take() >= 250 ? -ENOMEM : 0;
}

/* ---- slots ------------------------------------------------------------ */

static struct sd_bus_slot *add_slot(sdbus_handler signal, sdbus_handler answer,
				    void *context)
{
	struct sd_bus_slot *slot = calloc(1, sizeof(*slot));

	PROMISE(slot);
	*slot = (struct sd_bus_slot){ world.slots, signal, answer, context };
	return world.slots = slot;
}

static int add_match(sd_bus *bus, sd_bus_slot **ret, const char *match,
		     sdbus_handler handler, sdbus_handler installed,
		     void *context)
{
	PROMISE(bus && match);
	if (take() >= 250)
		return -ENOMEM;
	*ret = add_slot(handler, installed, context);
	return 0;
}

static int call(sd_bus *bus, sd_bus_slot **ret, sd_bus_message *message,
		sdbus_handler handler, void *context, uint64_t microseconds)
{
	(void)microseconds;
	PROMISE(bus && message);
	if (take() >= 250)
		return -ENOMEM;
	*ret = add_slot(NULL, handler, context);
	return 0;
}

static sd_bus_slot *slot_unref(sd_bus_slot *slot)
{
	struct sd_bus_slot **link = &world.slots;

	while (*link && *link != slot)
		link = &(*link)->next;
	PROMISE(*link);
	*link = slot->next;
	free(slot);
	return NULL;
}

/* Calls a slot's handler, with an answer or with a signal. */
static void deliver(uint8_t which, bool is_answer)
{
	struct sd_bus_message message = {
		.sender = CHOOSE(senders, take()),
		.member = CHOOSE(members, take()),
		.path = CHOOSE(paths, take()),
		.error = is_answer ? CHOOSE(errors, take()) : NULL,
	};
	struct sd_bus_slot *slot = world.slots;
	sdbus_handler handler = NULL;

	world.body = take() * 2U;
	for (which %= 8; slot && which; which--)
		slot = slot->next;
	if (slot)
		handler = is_answer ? slot->answer : slot->signal;
	if (!handler)
		return;
	if (is_answer)
		slot->answer = NULL;
	(void)handler(&message, slot->context, NULL);
	world.body = 0;
}

/* ---- the bus ---------------------------------------------------------- */

static int new_bus(sd_bus **ret)
{
	if (take() >= 250)
		return -ENOMEM;
	*ret = calloc(1, sizeof(**ret));
	PROMISE(*ret);
	world.buses++;
	return 0;
}

static int set_address(sd_bus *bus, const char *address)
{
	PROMISE(bus && address);
	return 0;
}

static int set_bus_client(sd_bus *bus, int yes)
{
	PROMISE(bus && yes);
	return 0;
}

static int set_watch_bind(sd_bus *bus, int yes)
{
	PROMISE(bus);
	(void)yes;
	return 0;
}

static int start(sd_bus *bus)
{
	PROMISE(bus);
	return take() >= 240 ? -ECONNREFUSED : 0;
}

/* Calls in flight get no answer: sd_bus_process() would deliver an error, but
 * the client doesn't call it after this. */
static void close_bus(sd_bus *bus)
{
	bus->is_closed = true;
}

static sd_bus *unref_bus(sd_bus *bus)
{
	/* A slot holds a reference to its bus. */
	PROMISE(bus->is_closed && !world.slots);
	world.buses--;
	free(bus);
	return NULL;
}

static int is_ready(sd_bus *bus)
{
	PROMISE(bus);
	return take() < 200;
}

static int get_fd(sd_bus *bus)
{
	PROMISE(bus);
	return 0;
}

static int get_events(sd_bus *bus)
{
	PROMISE(bus);
	return take() & 1 ? POLLIN : POLLIN | POLLOUT;
}

static int get_timeout(sd_bus *bus, uint64_t *ret)
{
	PROMISE(bus);
	*ret = UINT64_MAX;
	return 1;
}

static int process(sd_bus *bus, sd_bus_message **ret)
{
	const uint8_t byte = take();

	PROMISE(bus && !bus->is_closed && !ret);
	if (byte < 48)
		return 0;
	if (byte >= 250)
		return -ECONNRESET;
	deliver(byte, byte & 64);
	return 1;
}

int system_bus_sdbus_load(struct sdbus *ret)
{
	*ret = (struct sdbus){
		.new = new_bus,
		.set_address = set_address,
		.set_bus_client = set_bus_client,
		.set_watch_bind = set_watch_bind,
		.start = start,
		.close = close_bus,
		.unref = unref_bus,
		.is_ready = is_ready,
		.get_fd = get_fd,
		.get_events = get_events,
		.get_timeout = get_timeout,
		.process = process,
		.add_match_async = add_match,
		.call_async = call,
		.slot_unref = slot_unref,
		.new_method_call = new_call,
		.message_unref = message_unref,
		.set_auto_start = set_auto_start,
		.append_basic = append_basic,
		.is_method_error = is_error,
		.get_errno = get_errno,
		.get_path = get_path,
		.get_member = get_member,
		.get_sender = get_sender,
		.enter_container = enter,
		.exit_container = leave,
		.peek_type = peek,
		.read_basic = read_basic,
		.skip = skip,
	};
	return take() >= 250 ? -ENOENT : 0;
}

/* Replaces clock_gettime() (see run.sh). */
int system_bus_fuzz_clock(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = (struct timespec){ world.now / 1000,
				  world.now % 1000 * 1000000 };
	return 0;
}

/* ---- the client ------------------------------------------------------- */

static bool ends(const char *text, size_t size)
{
	return strnlen(text, size) < size;
}

static uint64_t mix(uint64_t digest, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		digest = (digest ^ ((const uint8_t *)bytes)[i]) * 1099511628211;
	return digest;
}

/* Whether a text was kept whole. */
static bool is_whole(const char *text)
{
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (strcmp(text, texts[i]) == 0)
			return true;
	return false;
}

static uint64_t digest_modems(const struct system_bus *bus)
{
	struct modem_manager_modem modem;
	uint64_t digest = 0;
	uint32_t i;

	for (i = 0; system_bus_modem(bus, i, &modem); i++) {
		PROMISE(ends(modem.path, sizeof(modem.path)));
		PROMISE(ends(modem.operator_name, sizeof(modem.operator_name)));
		/* It was cut between characters. */
		PROMISE(!memchr(modem.operator_name, 0xc3,
				sizeof(modem.operator_name)));
		PROMISE(is_whole(modem.operator_code));
		PROMISE(modem.signal <= 100 ||
			modem.signal == MODEM_MANAGER_NO_SIGNAL);
		PROMISE(is_whole(modem.data_interface));
		PROMISE(modem.interface_count <= MODEM_MANAGER_INTERFACES);
		for (uint32_t n = 0; n < modem.interface_count; n++)
			PROMISE(modem.interfaces[n][0] &&
				is_whole(modem.interfaces[n]));
		digest = mix(digest, &modem, sizeof(modem));
	}
	PROMISE(i <= MODEM_MANAGER_MODEMS);
	PROMISE(!i || system_bus_status(bus, SYSTEM_BUS_MODEM_MANAGER) ==
			      SYSTEM_BUS_READY);
	return digest;
}

static uint64_t digest_network(const struct system_bus *bus)
{
	struct network_manager_device device;
	struct network_manager_state state;
	uint64_t digest;
	uint32_t i;

	system_bus_network_state(bus, &state);
	PROMISE(is_whole(state.check_uri));
	digest = mix(1, &state, sizeof(state));
	for (i = 0; system_bus_network_device(bus, i, &device); i++) {
		PROMISE(ends(device.path, sizeof(device.path)));
		PROMISE(is_whole(device.interface));
		digest = mix(digest, &device, sizeof(device));
	}
	PROMISE(i <= NETWORK_MANAGER_DEVICES);
	PROMISE(!i || system_bus_status(bus, SYSTEM_BUS_NETWORK_MANAGER) ==
			      SYSTEM_BUS_READY);
	return digest;
}

/* A digest of the exported values of each service. */
static void look(const struct system_bus *bus,
		 uint64_t digests[SYSTEM_BUS_SERVICES])
{
	digests[SYSTEM_BUS_MODEM_MANAGER] = digest_modems(bus);
	digests[SYSTEM_BUS_NETWORK_MANAGER] = digest_network(bus);
	for (enum system_bus_service i = 0; i < SYSTEM_BUS_SERVICES; i++) {
		const int told[] = { (int)system_bus_status(bus, i),
				     system_bus_error(bus, i) };

		PROMISE(told[0] <= SYSTEM_BUS_READY && told[1] >= 0);
		digests[i] = mix(digests[i], told, sizeof(told));
	}
}

static void dispatch(struct system_bus *bus)
{
	uint64_t before[SYSTEM_BUS_SERVICES], after[SYSTEM_BUS_SERVICES];
	int changed;

	look(bus, before);
	changed = system_bus_dispatch(bus);
	look(bus, after);
	PROMISE(changed >= 0 && changed < 1 << SYSTEM_BUS_SERVICES);
	for (int i = 0; i < SYSTEM_BUS_SERVICES; i++)
		PROMISE(before[i] == after[i] || changed & 1 << i);
	PROMISE(system_bus_timeout(bus) >= -1);
	PROMISE(system_bus_fd(bus) >= -1);
	(void)system_bus_events(bus);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* An abstract socket: a path's folder would be watched. */
	const struct system_bus_options options = {
		.address = "unix:abstract=system_bus_fuzz",
		.retry = 1000,
		.answer = 5000,
	};
	struct system_bus *bus;

	world.bytes = bytes;
	world.left = size;
	world.now = 1000;
	PROMISE(system_bus_open(&bus, &options) == 0);
	system_bus_watch(bus, 3);
	while (world.left) {
		const uint8_t byte = take();

		if (byte < 16)
			system_bus_watch(bus, byte & 3);
		else if (byte < 64)
			world.now += byte * 100;
		else
			dispatch(bus);
	}
	system_bus_close(bus);
	PROMISE(!world.slots && !world.buses && !world.messages);
	return 0;
}
