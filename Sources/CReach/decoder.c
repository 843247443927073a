/* SPDX-License-Identifier: MIT */
/* Decoding by remembered layouts. */
#include "apply.h"
#include "decoder_forms.h"
#include "message/decode.h"

#include <stdlib.h>

/* Before anything is learnt. */
static const struct reach_layout empty = { .key = REACH_LAYOUT_EMPTY };

static enum reach_layout_class class_of(uint16_t kind)
{
	switch (kind) {
	case REACH_MESSAGE_ROUTE:
		return REACH_LAYOUT_ROUTE;
	case REACH_MESSAGE_ADDRESS:
		return REACH_LAYOUT_ADDRESS;
	case REACH_MESSAGE_LINK:
		return REACH_LAYOUT_LINK;
	default:
		return REACH_LAYOUT_NONE;
	}
}

static bool apply_some(struct reach_decoder *decoder,
		       const struct nlmsghdr *nlh,
		       struct reach_message *message)
{
	const uint64_t key = reach_layout_key(nlh);
	const size_t set = reach_decoder_set(nlh);
	size_t i;

	for (i = 0; i < REACH_DECODER_WAYS; i++) {
		const struct reach_layout *layout = &decoder->layouts[set][i];

		if (layout->key != key || !matches(layout, nlh))
			continue;
		read_message(layout, nlh, message);
		decoder->recent[set] = layout;
		decoder->last = layout;
		return true;
	}
	return false;
}

/* To learn costs more than ten walks. Where more arrangements take turns than
 * there are ways, each would be forgotten before it comes again: so after the
 * first ones, one in 16 is learnt. What is frequent soon is that one. */
static bool is_worth_learning(struct reach_decoder *decoder, size_t set)
{
	/* It may wrap: then a few are learnt at once again. */
	const uint8_t count = decoder->candidates[set]++;

	return count < 2 * REACH_DECODER_WAYS || count % 16 == 0;
}

/* What the walk found is remembered in place of the oldest. */
static void learn(struct reach_decoder *decoder, const struct nlmsghdr *nlh,
		  const struct reach_message *message)
{
	const enum reach_layout_class class = class_of(message->kind);
	const size_t set = reach_decoder_set(nlh);
	const size_t way = decoder->oldest[set];
	struct reach_layout *layout = &decoder->layouts[set][way];

	if (class == REACH_LAYOUT_NONE || !is_worth_learning(decoder, set))
		return;
	if (!reach_layout_learn(layout, class, nlh, &message->u))
		return;
	decoder->oldest[set] = (uint8_t)((way + 1) % REACH_DECODER_WAYS);
	decoder->recent[set] = layout;
	decoder->last = layout;
}

__attribute__((noinline)) int
reach_decoder_next_slowly(struct reach_decoder *decoder, const void *bytes,
			  size_t size, size_t *offset,
			  struct reach_message *message)
{
	const struct nlmsghdr *nlh;
	int err = reach_decode_step(bytes, size, offset, message, &nlh);

	if (err <= 0)
		return err;
	if (apply_some(decoder, nlh, message))
		return 1;
	err = reach_decode_message(nlh, message);
	if (err)
		return err;
	learn(decoder, nlh, message);
	return 1;
}

static reach_decoder_next_form *choose_next(void)
{
	const struct reach_decoder_form *form = reach_decoder_forms;

	while (!form->is_supported())
		form++;
	return form->next;
}

int reach_decoder_create(struct reach_decoder **ret)
{
	/* Zeros, and the memory of most layouts is never touched. */
	const size_t alignment = _Alignof(struct reach_decoder);
	void *memory = calloc(1, sizeof(struct reach_decoder) + alignment);
	struct reach_decoder *decoder;
	size_t i;

	if (!memory)
		return -ENOMEM;
	i = alignment - (uintptr_t)memory % alignment;
	decoder = (void *)((uint8_t *)memory + i);
	decoder->memory = memory;
	decoder->next = choose_next();
	decoder->last = &empty;
	for (i = 0; i < REACH_DECODER_SETS; i++)
		decoder->recent[i] = &empty;
	*ret = decoder;
	return 0;
}

void reach_decoder_destroy(struct reach_decoder *decoder)
{
	if (decoder)
		free(decoder->memory);
}

int reach_decoder_next(struct reach_decoder *decoder, const void *bytes,
		       size_t size, size_t *offset,
		       struct reach_message *message)
{
	const struct nlmsghdr *nlh;

	/* Once a datagram, and most events are alone in theirs. */
	if (*offset == size)
		return reach_decode_step(bytes, size, offset, message, &nlh);
	return decoder->next(decoder, bytes, size, offset, message);
}
