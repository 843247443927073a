/* SPDX-License-Identifier: MIT */
/* Learning where the values of a message are. */
#include "layout.h"
#include "message/attributes.h"
#include "message/decode.h"

#include <stddef.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

struct learner {
	struct reach_layout *layout;
	const uint8_t *start;
	size_t size;
	uint8_t family;
	/* Payloads of IFA_LOCAL and IFA_ADDRESS. */
	const void *local;
	const void *peer;
	/* Types met, below 64: a second of one type would have to overwrite
	 * the first, and copies have no order between their sizes. */
	uint64_t met;
};

static uint16_t offset_of(const struct learner *learner, const void *at)
{
	return (uint16_t)((const uint8_t *)at - learner->start);
}

/* Demands that the @size bytes at @at be what they are; 4 or 1, in order.
 * They go into the last check if it reaches as far. */
static bool demand(struct learner *learner, const void *at, size_t size)
{
	struct reach_layout *layout = learner->layout;
	const size_t width = sizeof(reach_chunk);
	const size_t offset = offset_of(learner, at);
	size_t last = layout->check_count;
	uint8_t *mask, *want;

	if (!last || offset + size > layout->check_at[last - 1] + width) {
		if (last == REACH_LAYOUT_CHECKS)
			return false;
		layout->check_count++;
		/* Not past the end of the message. */
		layout->check_at[last] =
			(uint16_t)(offset + width <= learner->size
					   ? offset
					   : learner->size - width);
		memset(&layout->checks[last], 0, sizeof(*layout->checks));
	} else {
		last--;
	}
	mask = (uint8_t *)&layout->checks[last].mask;
	want = (uint8_t *)&layout->checks[last].want;
	memset(mask + (offset - layout->check_at[last]), 0xff, size);
	memcpy(want + (offset - layout->check_at[last]), at, size);
	return true;
}

static bool demand_all(struct learner *learner, const void *at, size_t size)
{
	const uint8_t *bytes = at;
	size_t i;

	for (i = 0; i < size; i++)
		if (!demand(learner, bytes + i, 1))
			return false;
	return true;
}

/* Adds a copy to one of the three lists; false if it is full. */
static bool add(const struct learner *learner, struct reach_copy *list,
		uint8_t *count, uint8_t most, const void *from, size_t to)
{
	if (*count == most)
		return false;
	list[(*count)++] =
		(struct reach_copy){ offset_of(learner, from), (uint16_t)to };
	return true;
}

/* Copies of 4, 16 or 1 bytes. */
static bool copy(struct learner *learner, size_t size, const void *from,
		 size_t to)
{
	struct reach_layout *layout = learner->layout;

	if (size == 4)
		return add(learner, layout->copies, &layout->copy_count,
			   REACH_LAYOUT_COPIES, from, to);
	if (size == 16)
		return add(learner, layout->quads, &layout->quad_count,
			   REACH_LAYOUT_QUADS, from, to);
	return add(learner, layout->octets, &layout->octet_count,
		   REACH_LAYOUT_OCTETS, from, to);
}

static bool copy_bytes(struct learner *learner, const void *from, size_t to,
		       size_t size)
{
	const uint8_t *bytes = from;
	size_t i = 0;

	for (; i + 4 <= size; i += 4)
		if (!copy(learner, 4, bytes + i, to + i))
			return false;
	/* The last four once more, rather than single ones. */
	if (i < size && i > 0)
		return copy(learner, 4, bytes + size - 4, to + size - 4);
	for (; i < size; i++)
		if (!copy(learner, 1, bytes + i, to + i))
			return false;
	return true;
}

/* Texts are read 16 bytes at a time, wherever they end. One that ends where
 * its attribute does keeps its length, so its last byte is demanded. */
static bool copy_text(struct learner *learner, const struct nlattr *attr,
		      size_t to)
{
	struct reach_layout *layout = learner->layout;
	const size_t which = to == offsetof(struct reach_link_message, kind);
	const char *text = reach_attribute_data(attr);
	const uint16_t from = offset_of(learner, text);
	const size_t size = reach_attribute_size(attr);
	const size_t length = strnlen(text, size);

	if (length > 15 || length + 1 != size ||
	    from + sizeof(*layout->text_rest) > learner->size)
		return false;
	layout->text_from[which] = from;
	layout->text_length[which] = (uint8_t)length;
	memset(&layout->text_rest[which], 0, length);
	return demand(learner, text + length, 1);
}

/* IFLA_LINKINFO: the kind is copied. That of a port must stay the same, and
 * a bond's ports are left to the walk. */
static bool learn_info(struct learner *learner, const struct nlattr *nest)
{
	struct reach_attributes walk = reach_attributes_begin(
		reach_attribute_data(nest), reach_attribute_size(nest));
	const size_t kind = offsetof(struct reach_link_message, kind);
	const struct nlattr *attr;
	bool fits = true, met = false;

	while (fits && (attr = reach_attributes_next(&walk))) {
		const size_t size = reach_attribute_size(attr);
		const char *data = reach_attribute_data(attr);

		fits = demand(learner, attr, sizeof(*attr));
		switch (reach_attribute_type(attr)) {
		case IFLA_INFO_KIND:
			fits = fits && !met && copy_text(learner, attr, kind);
			met = true;
			break;
		case IFLA_INFO_SLAVE_KIND:
			fits = fits && strncmp(data, "bond", size) != 0 &&
			       demand_all(learner, data, size);
			break;
		default:
			break;
		}
	}
	return fits;
}

static bool learn_address(struct learner *learner, const void *data, size_t to)
{
	const size_t bytes = to + offsetof(struct reach_address, bytes);

	return copy(learner, learner->family == AF_INET ? 4 : 16, data, bytes);
}

/* Which of the two goes where is decided by whether they are equal, so that
 * becomes a part of the layout. */
static bool learn_pair(struct learner *learner)
{
	const size_t address = offsetof(struct reach_address_message, address);
	const size_t peer = offsetof(struct reach_address_message, peer);
	struct reach_layout *layout = learner->layout;
	const size_t size = learner->family == AF_INET ? 4 : 16;

	if (!learner->local && !learner->peer)
		return true;
	if (!learner->local || !learner->peer)
		return learn_address(learner,
				     learner->local ? learner->local
						    : learner->peer,
				     address);
	/* Only a peer's address has both in IPv6. */
	if (size != sizeof(uint32_t))
		return false;
	layout->local = offset_of(learner, learner->local);
	layout->peer = offset_of(learner, learner->peer);
	layout->pair_differs = memcmp(learner->local, learner->peer, size) != 0;
	return learn_address(learner, learner->local, address) &&
	       (!layout->pair_differs ||
		learn_address(learner, learner->peer, peer));
}

static bool learn_cacheinfo(struct learner *learner, const struct nlattr *attr)
{
	const struct rta_cacheinfo *info = reach_attribute_data(attr);

	/* `expires` is there as long as it is not 0. */
	return !info->rta_expires &&
	       demand(learner, &info->rta_expires, sizeof(info->rta_expires));
}

/* Bytes that are copied as they are, or 0. */
static size_t width_of(uint8_t kind, size_t size)
{
	switch (kind) {
	case REACH_FIELD_U32:
		return 4;
	case REACH_FIELD_U8:
		return 1;
	case REACH_FIELD_LIFETIME:
		return 8;
	case REACH_FIELD_HARDWARE:
		return size < 32 ? size : 32;
	default:
		return 0;
	}
}

static bool learn_field(struct learner *learner,
			const struct reach_field *field,
			const struct nlattr *attr)
{
	const void *data = reach_attribute_data(attr);
	const size_t width = width_of(field->kind, reach_attribute_size(attr));

	if (width)
		return copy_bytes(learner, data, field->at, width);
	switch (field->kind) {
	case REACH_FIELD_NONE:
	case REACH_FIELD_FLAG:
		return true;
	case REACH_FIELD_ADDRESS:
		return learn_address(learner, data, field->at);
	case REACH_FIELD_LOCAL:
		learner->local = data;
		return true;
	case REACH_FIELD_PEER:
		learner->peer = data;
		return true;
	case REACH_FIELD_STRING:
		return copy_text(learner, attr, field->at);
	case REACH_FIELD_CACHEINFO:
		return learn_cacheinfo(learner, attr);
	case REACH_FIELD_INFO:
		return learn_info(learner, attr);
	default:
		return false;
	}
}

/* What is known of a class. */
static const struct shape {
	const struct reach_field *fields;
	size_t field_count;
	/* Of the fixed header, and of the member of `u` that is remembered. */
	size_t fixed;
	size_t body;
	/* A number of the fixed header that is copied in any case. */
	struct reach_copy number;
	/* Offset of a byte in it that an attribute may repeat, or 0. */
	size_t brief;
} shapes[] = {
	[REACH_LAYOUT_ROUTE] = {
		.fields = reach_route_fields,
		.field_count = REACH_ROUTE_FIELDS,
		.fixed = sizeof(struct rtmsg),
		.body = offsetof(struct reach_route_message, legs),
		.number = { NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_flags),
			    offsetof(struct reach_route_message, flags) },
		.brief = offsetof(struct rtmsg, rtm_table),
	},
	[REACH_LAYOUT_ADDRESS] = {
		.fields = reach_address_fields,
		.field_count = REACH_ADDRESS_FIELDS,
		.fixed = sizeof(struct ifaddrmsg),
		.body = sizeof(struct reach_address_message),
		.number = { NLMSG_HDRLEN + offsetof(struct ifaddrmsg, ifa_index),
			    offsetof(struct reach_address_message, interface_index) },
		.brief = offsetof(struct ifaddrmsg, ifa_flags),
	},
	[REACH_LAYOUT_LINK] = {
		.fields = reach_link_fields,
		.field_count = REACH_LINK_FIELDS,
		.fixed = sizeof(struct ifinfomsg),
		.body = sizeof(struct reach_link_message),
		.number = { NLMSG_HDRLEN + offsetof(struct ifinfomsg, ifi_flags),
			    offsetof(struct reach_link_message, flags) },
	},
};

static bool learn(struct learner *learner, const struct shape *shape,
		  const struct nlmsghdr *nlh)
{
	static const struct reach_field none;
	const struct nlattr *attr;
	struct reach_attributes walk;
	size_t size;
	const void *tail = reach_decode_tail(nlh, shape->fixed, &size);

	walk = reach_attributes_begin(tail, size);
	while ((attr = reach_attributes_next(&walk))) {
		const unsigned int type = reach_attribute_type(attr);
		const struct reach_field *field = type < shape->field_count
							  ? &shape->fields[type]
							  : &none;

		if (field->kind != REACH_FIELD_NONE) {
			if (learner->met >> type & 1)
				return false;
			learner->met |= (uint64_t)1 << type;
		}
		if (!demand(learner, attr, sizeof(*attr)) ||
		    !learn_field(learner, field, attr))
			return false;
	}
	return learn_pair(learner);
}

/* What the fixed header decides: the family, and what an attribute may give
 * in full, the table of a route or the flags of an address. */
static bool learn_header(struct learner *learner, const struct shape *shape,
			 const struct nlmsghdr *nlh)
{
	const uint8_t *header = NLMSG_DATA(nlh);

	learner->family = *header;
	learner->layout->length_max = shape->fields == reach_route_fields
					      ? reach_route_length_max(*header)
					      : UINT8_MAX;
	return demand(learner, header, 1) &&
	       (!shape->brief || demand(learner, header + shape->brief, 1));
}

static void fill_up(struct reach_layout *layout, struct reach_copy number)
{
	while (layout->check_count < REACH_LAYOUT_CHECKS_MIN ||
	       layout->check_count % 2) {
		layout->check_at[layout->check_count] = 0;
		memset(&layout->checks[layout->check_count++], 0,
		       sizeof(*layout->checks));
	}
	while (layout->copy_count < REACH_LAYOUT_COPIES_MIN)
		layout->copies[layout->copy_count++] = number;
	while (layout->octet_count < REACH_LAYOUT_OCTETS_MIN)
		layout->octets[layout->octet_count++] = number;
}

_Static_assert(REACH_LAYOUT_CHECKS % 2 == 0, "full lists need no filling");

bool reach_layout_learn(struct reach_layout *layout,
			enum reach_layout_class class,
			const struct nlmsghdr *nlh, const void *body)
{
	const struct shape *shape = &shapes[class];
	struct learner learner = { .layout = layout,
				   .start = (const uint8_t *)nlh,
				   .size = nlh->nlmsg_len };

	memset(layout, 0, offsetof(struct reach_layout, copies));
	layout->key = REACH_LAYOUT_EMPTY;
	layout->class = (uint8_t)class;
	memset(layout->text_rest, 0xff, sizeof(layout->text_rest));
	/* Offsets are of 16 bits, and a check reads all of its width. */
	if (nlh->nlmsg_len > UINT16_MAX ||
	    nlh->nlmsg_len < sizeof(reach_chunk) ||
	    !learn_header(&learner, shape, nlh) || !learn(&learner, shape, nlh))
		return false;
	fill_up(layout, shape->number);
	memcpy(layout->body, body, shape->body);
	layout->length = nlh->nlmsg_len;
	layout->step = (uint32_t)reach_align(nlh->nlmsg_len);
#if defined(__x86_64__)
	reach_layout_headers(layout, body);
#endif
	layout->key = reach_layout_key(nlh);
	return true;
}
