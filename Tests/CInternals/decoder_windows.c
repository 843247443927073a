/* SPDX-License-Identifier: MIT */
/* A message that is wider than two windows of 64 bytes, in every form. */
#include <stdint.h>
#include <string.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <reach/message.h>

#include "apply.h"
#include "check.h"
#include "decoder_forms.h"

#define VALUES 8
#define STRIDE 64
#define LENGTH (NLMSG_LENGTH(sizeof(struct ifinfomsg)) + VALUES * STRIDE)

struct value {
	struct nlattr header;
	uint32_t number;
};

struct filler {
	struct nlattr header;
	uint8_t bytes[STRIDE - sizeof(struct value) - sizeof(struct nlattr)];
};

struct link {
	struct nlmsghdr header;
	struct ifinfomsg fixed;
	struct {
		struct value value;
		struct filler filler;
	} parts[VALUES];
};

_Static_assert(sizeof(struct link) == LENGTH, "no gaps");

/* Each value is @STRIDE bytes behind the one before, so a window for each would
 * have it in the same place as all others. */
static struct link make(uint32_t seed)
{
	static const uint16_t types[VALUES] = {
		IFLA_MTU,	IFLA_LINK,    IFLA_MASTER, IFLA_LINK_NETNSID,
		IFLA_OPERSTATE, IFLA_CARRIER, IFLA_TXQLEN, IFLA_GROUP,
	};
	struct link ret = {
		.header = { .nlmsg_len = LENGTH, .nlmsg_type = RTM_NEWLINK },
		.fixed = { .ifi_index = (int)seed, .ifi_flags = seed * 5 },
	};
	size_t i;

	for (i = 0; i < VALUES; i++) {
		ret.parts[i].value = (struct value){
			.header = { sizeof(struct value), types[i] },
			.number = seed * 0x01030507 + (uint32_t)i * 0x11131719,
		};
		ret.parts[i].filler = (struct filler){
			.header = { sizeof(struct filler), IFLA_STATS64 },
		};
		memset(ret.parts[i].filler.bytes, (int)(seed + i),
		       sizeof(ret.parts[i].filler.bytes));
	}
	return ret;
}

static bool is_as_by_walk(struct reach_decoder *decoder,
			  const struct nlmsghdr *nlh)
{
	const size_t size = nlh->nlmsg_len;
	struct reach_message mine, theirs;
	size_t left = 0, right = 0;
	int result;

	memset(&mine, 0xa5, sizeof(mine));
	mine.size = sizeof(mine);
	theirs = mine;
	result = reach_decoder_next(decoder, nlh, size, &left, &mine);
	return result == reach_message_decode(nlh, size, &right, &theirs) &&
	       left == right &&
	       (result != 1 || memcmp(&mine, &theirs, sizeof(mine)) == 0);
}

/* Of each arrangement the first message is learnt, the second one makes windows
 * for it, and the third one is read with them. */
static bool is_learnt(struct reach_decoder *decoder, uint32_t seed)
{
	const struct link links[3] = { make(seed), make(seed + 1),
				       make(seed + 2) };

	return is_as_by_walk(decoder, &links[0].header) &&
	       is_as_by_walk(decoder, &links[1].header) &&
	       is_as_by_walk(decoder, &links[2].header);
}

/* Any byte may differ from what was learnt. */
static void check_bytes(struct check *check, struct reach_decoder *decoder)
{
	size_t i;

	for (i = offsetof(struct link, fixed); i < LENGTH; i++) {
		struct link link = make((uint32_t)i);

		((uint8_t *)&link)[i] ^= 0x5a;
		if (!CHECK(check, is_as_by_walk(decoder, &link.header)) ||
		    !CHECK(check, is_learnt(decoder, (uint32_t)i)))
			return;
	}
}

/* Names of two lengths that take as much room, and one that ends before its
 * attribute says. */
static struct link make_named(uint32_t seed, size_t which)
{
	static const struct value names[3] = {
		{ { 7, IFLA_IFNAME }, 0x003176 },   /* v1 */
		{ { 8, IFLA_IFNAME }, 0x00323176 }, /* v12 */
		{ { 8, IFLA_IFNAME }, 0x00320076 },
	};
	struct link ret = make(seed);

	ret.parts[0].value = names[which];
	return ret;
}

/* Two arrangements of one length in turn, and what fits neither. */
static void check_turns(struct check *check, struct reach_decoder *decoder)
{
	static const size_t turns[] = { 0, 1, 1, 0, 2 };
	const size_t count = sizeof(turns) / sizeof(*turns);
	uint32_t i;

	for (i = 0; i < 100; i++) {
		const struct link link = make_named(i, turns[i % count]);

		if (!CHECK(check, is_as_by_walk(decoder, &link.header)))
			return;
	}
}

/* Six arrangements of one length, by where one value is. */
static struct link make_moved(uint32_t seed)
{
	struct link ret = make(seed);
	const struct value moved = ret.parts[0].value;
	const size_t to = 1 + seed % 6;

	ret.parts[0].value = ret.parts[to].value;
	ret.parts[to].value = moved;
	return ret;
}

/* More arrangements in turn than are remembered: most are not even learnt. */
static void check_crowd(struct check *check, struct reach_decoder *decoder)
{
	uint32_t i, learnt = 0;

	for (i = 0; i < 1024; i++) {
		const struct link link = make_moved(i);
		const size_t set = reach_decoder_set(&link.header);
		const uint8_t oldest = decoder->oldest[set];

		if (!CHECK(check, is_as_by_walk(decoder, &link.header)))
			return;
		learnt += oldest != decoder->oldest[set];
	}
	CHECK(check, learnt > 8);
	CHECK(check, learnt < 200);
	/* One that stays is learnt all the same. */
	for (i = 0; i < 16; i++)
		CHECK(check, is_learnt(decoder, 1));
	CHECK(check, decoder->last->length == LENGTH);
}

/* As many headers as a layout has checks, each with one to itself. */
struct full {
	struct nlmsghdr header;
	struct ifinfomsg fixed;
	struct {
		struct nlattr header;
		uint32_t numbers[sizeof(reach_chunk) / sizeof(uint32_t)];
	} parts[REACH_LAYOUT_CHECKS];
};

/* Any of them may become one of what is decoded. */
static void check_full(struct check *check, struct reach_decoder *decoder)
{
	struct full full = { .header = { .nlmsg_len = sizeof(full),
					 .nlmsg_type = RTM_NEWLINK } };
	size_t i;

	for (i = 0; i < REACH_LAYOUT_CHECKS; i++) {
		full.parts[i].header =
			(struct nlattr){ sizeof(*full.parts), IFLA_STATS64 };
		full.parts[i].numbers[0] = (uint32_t)i;
	}
	for (i = 0; i < REACH_LAYOUT_CHECKS; i++) {
		memset(decoder->candidates, 0, sizeof(decoder->candidates));
		CHECK(check, is_as_by_walk(decoder, &full.header));
		CHECK(check, is_as_by_walk(decoder, &full.header));
		CHECK(check, decoder->last->length == sizeof(full));
		CHECK(check, decoder->last->check_count == REACH_LAYOUT_CHECKS);
		full.parts[i].header.nla_type = IFLA_MTU;
		CHECK(check, is_as_by_walk(decoder, &full.header));
		full.parts[i].header.nla_type = IFLA_STATS64;
	}
}

/* A link without texts is read by its layout too. */
static void check_textless(struct check *check, struct reach_decoder *decoder)
{
	const struct link link = make(2);

	CHECK(check, is_learnt(decoder, 1));
	CHECK(check, matches(decoder->last, &link.header));
}

static void check_form(struct check *check,
		       const struct reach_decoder_form *form)
{
	struct reach_decoder *decoder;

	if (!CHECK(check, reach_decoder_create(&decoder) == 0))
		return;
	decoder->next = form->next;
	CHECK(check, is_learnt(decoder, 1));
	CHECK(check, decoder->last->length == LENGTH);
	/* Only one form uses windows; values find places in them. */
	if (decoder->last->is_widened)
		CHECK(check, decoder->last->pair_count > 1);
	check_bytes(check, decoder);
	check_turns(check, decoder);
	check_crowd(check, decoder);
	check_full(check, decoder);
	check_textless(check, decoder);
	reach_decoder_destroy(decoder);
}

void test_decoder_windows(struct check *check)
{
	size_t i;

	for (i = 0; i < reach_decoder_form_count; i++)
		if (reach_decoder_forms[i].is_supported())
			check_form(check, &reach_decoder_forms[i]);
}
