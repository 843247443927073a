/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a script of operations on the model and on an engine that
 * watches hundreds of targets: changes, events that come late or get lost, and
 * lookups that are answered a few at a time. At rest, every target's state must
 * match a lookup in the model's tables. That holds even if the kernel answers
 * before it has made an announced change.
 */
#include <string.h>

#include <libmnl/libmnl.h>

#include "model.h"

#define TARGETS_MAX 1024
#define STEPS_MAX   600
/* The most batches of lookups before an engine must be at rest. */
#define ROUNDS_MAX 400
/* The most deadlines before an engine must have none left. It looks at each
 * expired route's path for a minute. */
#define LOOKS_MAX 4000

#define SECOND INT64_C(1000000000)

struct watched {
	uint64_t id;
	struct model_query query;
	/* `interface_classes` of the target. */
	uint32_t classes;
	/* Whether the target reports its path; every other one does. */
	bool path;
	bool reported;
	struct reach_state last;
	/* The last publication with a change of it. */
	unsigned int told;
};

struct world {
	struct model model;
	struct reach_engine *engine;
	struct script script;
	struct outstanding requests;
	struct watched targets[TARGETS_MAX];
	size_t count;
	unsigned int publications;
	/* The engine's counter of corrections at the last check. */
	uint64_t corrections;
};

static void add_one(struct world *world, uint8_t choice, uint8_t how)
{
	struct watched *watched = &world->targets[world->count];
	struct reach_target target;

	if (world->count == TARGETS_MAX)
		return;
	memset(watched, 0, sizeof(*watched));
	watched->query.family = model_pick(choice, watched->query.bytes);
	watched->path = world->count & 1;
	watched->query.local_wifi = (how & 7) == 5;
	reach_target_init(&target, watched->query.local_wifi
					   ? REACH_TARGET_LOCAL_WIFI
					   : REACH_TARGET_ADDRESS);
	target.report = watched->path ? REACH_REPORT_PATH
				      : REACH_REPORT_VERDICT;
	target.user = &world->model;
	if (!watched->query.local_wifi) {
		target.remote.family = watched->query.family;
		memcpy(target.remote.bytes, watched->query.bytes, 16);
	}
	if ((how & 7) == 6)
		target.interface_classes = watched->classes =
			1U << REACH_INTERFACE_WIRED_ETHERNET |
			1U << REACH_INTERFACE_LOOPBACK;
	if ((how & 7) == 7)
		target.mark = watched->query.mark = MODEL_MARK;
	if ((how & 0x38) == 0x38)
		target.interface_index = watched->query.output =
			2 + (how >> 6) % (MODEL_LINKS - 2U);
	PROMISE(reach_engine_add(world->engine, &target, &watched->id) == 0);
	world->count++;
}

static void add_some(struct world *world, unsigned int count)
{
	const uint8_t first = script_byte(&world->script);
	const uint8_t step = script_byte(&world->script);
	const uint8_t how = script_byte(&world->script);

	for (unsigned int i = 0; i < count; i++)
		add_one(world, (uint8_t)(first + i * step),
			i % 4 == 3 ? how : 0);
}

static void add(struct world *world)
{
	add_some(world, 1 + script_byte(&world->script) % 96U);
}

/* May add more than 256, the size of the index's blocks. */
static void add_many(struct world *world)
{
	add_some(world, 1 + 4U * script_byte(&world->script));
}

static void take_away(struct world *world)
{
	unsigned int count = 1 + 2U * script_byte(&world->script);
	size_t position = script_byte(&world->script);

	while (world->count > 0 && count-- > 0) {
		struct watched *target =
			&world->targets[position % world->count];

		PROMISE(reach_engine_remove(world->engine, target->id) == 0);
		*target = world->targets[--world->count];
	}
}

/* Delivers the first events of the queue. */
static void deliver(struct world *world, size_t count)
{
	struct model *model = &world->model;

	if (count > model->event_count)
		count = model->event_count;
	for (size_t i = 0; i < count; i++) {
		PROMISE(reach_engine_events(world->engine,
					    model->events[i].bytes,
					    model->events[i].size) == 0);
		free(model->events[i].bytes);
	}
	model->event_count -= count;
	memmove(model->events, model->events + count,
		model->event_count * sizeof(*model->events));
	if (!model->lost || model->event_count > 0)
		return;
	model->lost = false;
	reach_engine_overrun(world->engine);
}

static void some_events(struct world *world)
{
	deliver(world, 1U + script_byte(&world->script) % 8U);
}

static void all_events(struct world *world)
{
	deliver(world, MODEL_EVENTS);
}

/* Loses all but the first queued events. */
static void overrun(struct world *world)
{
	struct model *model = &world->model;
	const size_t kept = script_byte(&world->script);

	while (model->event_count > kept)
		free(model->events[--model->event_count].bytes);
	model->lost = true;
	deliver(world, MODEL_EVENTS);
}

/* Whether a request looks up the matching route (RTM_F_FIB_MATCH). */
static bool is_match(const struct nlmsghdr *header)
{
	const struct rtmsg *body = mnl_nlmsg_get_payload(header);

	return header->nlmsg_type == RTM_GETROUTE &&
	       !(header->nlmsg_flags & NLM_F_DUMP) &&
	       body->rtm_flags & RTM_F_FIB_MATCH;
}

/* Whether a batch contains the request at @offset twice. Equal targets must
 * share a lookup. */
static bool is_asked_twice(const struct outstanding *requests, size_t offset)
{
	const struct nlmsghdr *one = (const void *)(requests->bytes + offset);
	const size_t head = sizeof(*one);
	const struct nlmsghdr *other;
	size_t i;

	for (i = 0; i < offset; i += NLMSG_ALIGN(other->nlmsg_len)) {
		other = (const void *)(requests->bytes + i);
		if (is_match(other) && other->nlmsg_len == one->nlmsg_len &&
		    memcmp(requests->bytes + i + head,
			   requests->bytes + offset + head,
			   one->nlmsg_len - head) == 0)
			return true;
	}
	return false;
}

static void check_requests(const struct outstanding *requests)
{
	const struct nlmsghdr *header;
	size_t offset;

	for (offset = 0; offset < requests->size;
	     offset += NLMSG_ALIGN(header->nlmsg_len)) {
		header = (const void *)(requests->bytes + offset);
		PROMISE(!is_match(header) || !is_asked_twice(requests, offset));
	}
}

static void ask(struct world *world)
{
	if (reach_engine_pending(world->engine) > 0)
		return;
	kernel_ask(world->engine, &world->requests);
	check_requests(&world->requests);
}

static void answer_some(struct world *world)
{
	const size_t count = 1U + script_byte(&world->script) % 64U;

	model_answers(&world->model, world->engine, &world->requests, count);
}

static void answer(struct world *world)
{
	model_answers(&world->model, world->engine, &world->requests, SIZE_MAX);
}

static void answers_lost(struct world *world)
{
	reach_engine_answers_lost(world->engine);
	PROMISE(reach_engine_pending(world->engine) == 0);
	world->requests.size = 0;
}

static void carry_out(struct world *world)
{
	model_carry_out(&world->model);
}

/* Sets the next combination of a modem's conditions and interface. */
static void change_modem(struct world *world)
{
	struct model *model = &world->model;
	struct reach_interface_facts modem = { .size = sizeof(modem) };

	model->modem = (model->modem + 1) % 16;
	if (model->modem == 0)
		model->modem_index = (model->modem_index + 2) % MODEL_LINKS;
	model->modem_name = model->modem_index
				    ? model_link_name(model, model->modem_index)
				    : "";
	modem.modem = model->modem;
	strcpy(modem.interface_name, model->modem_name);
	PROMISE(reach_engine_set_facts(world->engine, &modem, 1) == 0);
}

/* Does two things, because the corpus depends on the number of operations. */
static void disturb(struct world *world)
{
	world->model.disturbed = true;
	change_modem(world);
}

static void set_clock(struct world *world, int64_t now)
{
	/* A real kernel makes announced changes sooner than this. */
	if (world->model.deaf)
		model_carry_out(&world->model);
	world->model.now = now;
	reach_engine_clock(world->engine, now);
}

static void move_clock(struct world *world)
{
	set_clock(world, world->model.now +
				 script_byte(&world->script) * (SECOND / 64));
}

static struct watched *find(struct world *world, uint64_t id)
{
	for (size_t i = 0; i < world->count; i++)
		if (world->targets[i].id == id)
			return &world->targets[i];
	return NULL;
}

/* Whether @state is a change that the target has to report. */
static bool differs(const struct watched *target,
		    const struct reach_state *state)
{
	const struct reach_state *last = &target->last;

	if (!target->reported)
		return true;
	if (target->path)
		return memcmp(last, state, sizeof(*last)) != 0;
	return last->flags != state->flags ||
	       (state->flags &&
		last->interface_index != state->interface_index);
}

/* If barriers work, there are no corrections: an event explains each change. */
static void check_corrections(struct world *world)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	PROMISE(reach_engine_stats(world->engine, &stats) == 0);
	if (!world->model.deaf && !world->model.event_count &&
	    !world->model.lost)
		PROMISE(stats.corrections == world->corrections);
	world->corrections = stats.corrections;
}

static void publish(struct world *world)
{
	struct reach_change change = { .size = sizeof(change) };

	reach_engine_publish(world->engine);
	world->publications++;
	check_corrections(world);
	while (reach_engine_next(world->engine, &change) == 1) {
		struct watched *target = find(world, change.id);

		PROMISE(target != NULL && change.user == &world->model);
		/* However many events there were, one change says it all. */
		PROMISE(target->told != world->publications &&
			differs(target, &change.state));
		target->told = world->publications;
		target->reported = true;
		target->last = change.state;
	}
}

static bool same_address(const struct reach_address *a,
			 const struct reach_address *b)
{
	return a->family == b->family &&
	       memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static void tell(const char *who, const struct reach_state *state)
{
	char source[REACH_ADDRESS_TEXT_SIZE], gateway[REACH_ADDRESS_TEXT_SIZE];

	reach_address_format(&state->source, source, sizeof(source));
	reach_address_format(&state->gateway, gateway, sizeof(gateway));
	fprintf(stderr, "%s: %#x [%u] dev %u (%s) src %s via %s\n", who,
		state->flags, state->reason, state->interface_index,
		state->interface_name, source, gateway);
}

/* Makes the expected state unreachable if @classes exclude its interface. The
 * class of a link comes from the engine: other tests check it. */
static void restrict_classes(const struct world *world, uint32_t classes,
			     struct reach_state *wanted)
{
	struct reach_interface interface = { .size = sizeof(interface) };

	if (!classes || !wanted->flags)
		return;
	if (wanted->flags & REACH_FLAG_IS_WWAN)
		interface.interface_class = REACH_INTERFACE_CELLULAR;
	else
		PROMISE(reach_engine_interface(world->engine,
					       wanted->interface_index - 1,
					       &interface) == 1);
	if (classes & 1U << interface.interface_class)
		return;
	wanted->flags = 0;
	wanted->reason = REACH_REASON_OTHER_INTERFACE;
}

static void compare(const struct world *world, const struct watched *target)
{
	struct reach_state wanted = model_expect(&world->model, &target->query);
	struct reach_state state = { .size = sizeof(state) };
	struct reach_explanation explanation = { .size = sizeof(explanation) };

	restrict_classes(world, target->classes, &wanted);

	PROMISE(reach_engine_state(world->engine, target->id, &state) == 0);
	if (wanted.flags != state.flags || wanted.reason != state.reason ||
	    wanted.interface_index != state.interface_index ||
	    !same_address(&wanted.source, &state.source) ||
	    !same_address(&wanted.gateway, &state.gateway) ||
	    strcmp(wanted.interface_name, state.interface_name) != 0) {
		tell("model ", &wanted);
		tell("engine", &state);
		PROMISE(wanted.size != 0);
	}
	PROMISE(target->reported && !differs(target, &state));
	PROMISE(reach_engine_explain(world->engine, target->id,
				     REACH_EXPLAIN_DECIDING,
				     &explanation) == 0);
	PROMISE(explanation.rule != REACH_RULE_NONE &&
		explanation.flags == state.flags);
	PROMISE(target->query.local_wifi ||
		reach_source_state_name(explanation.source_state)[0]);
}

static void rest(struct world *world)
{
	int rounds = 0;

	do {
		all_events(world);
		answer(world);
		ask(world);
		/* Without a request in flight, the kernel makes the change that
		 * no barrier waited for. */
		if (reach_engine_pending(world->engine) == 0)
			model_carry_out(&world->model);
		PROMISE(++rounds < ROUNDS_MAX);
	} while (reach_engine_pending(world->engine) > 0 ||
		 world->model.event_count > 0);
}

static void check(struct world *world)
{
	int rounds = 0;

	rest(world);
	/* The engine looks at expired routes again a little later. */
	while (reach_engine_deadline(world->engine) <=
	       world->model.now + 2 * SECOND) {
		set_clock(world, reach_engine_deadline(world->engine));
		rest(world);
		PROMISE(++rounds < LOOKS_MAX);
	}
	publish(world);
	for (size_t i = 0; i < world->count; i++)
		compare(world, &world->targets[i]);
}

/* The corpus depends on their order and number (32). */
static const struct operation {
	void (*run)(struct world *world);
	/* The same, for what needs only the model. */
	void (*change)(struct model *model, struct script *script);
} operations[] = { { add, NULL },
		   { take_away, NULL },
		   { some_events, NULL },
		   { all_events, NULL },
		   { ask, NULL },
		   { answer_some, NULL },
		   { answer, NULL },
		   { .change = model_change_route },
		   { .change = model_remove_route },
		   { .change = model_change_link },
		   { .change = model_change_carrier },
		   { .change = model_change_address },
		   { .change = model_change_rule },
		   { .change = model_change_setting },
		   { .change = model_change_nexthop },
		   { overrun, NULL },
		   { answers_lost, NULL },
		   { move_clock, NULL },
		   { carry_out, NULL },
		   { disturb, NULL },
		   { check, NULL },
		   { publish, NULL },
		   { .change = model_change_route },
		   { .change = model_change_route },
		   { .change = model_change_route },
		   { .change = model_remove_route },
		   { .change = model_change_route },
		   { .change = model_change_address },
		   { some_events, NULL },
		   { ask, NULL },
		   { answer, NULL },
		   { add_many, NULL } };

static void step(struct world *world)
{
	const struct operation *operation =
		&operations[script_byte(&world->script) %
			    (sizeof(operations) / sizeof(operations[0]))];

	if (operation->run)
		operation->run(world);
	else
		operation->change(&world->model, &world->script);
}

void fuzz_model(const uint8_t *bytes, size_t size, bool deaf)
{
	struct world *world = calloc(1, sizeof(*world));
	int steps = 0;

	if (world == NULL)
		return;
	world->script = (struct script){ bytes, size };
	model_init(&world->model);
	world->model.deaf = deaf;
	PROMISE(reach_engine_create(&world->engine) == 0);
	while (world->script.size > 0 && steps++ < STEPS_MAX)
		step(world);
	check(world);
	reach_engine_destroy(world->engine);
	model_free(&world->model);
	free(world);
}
