/* SPDX-License-Identifier: MIT */
/* The function that reads an attribute of an address message, for any
 * attribute, and the one that combines the payloads of two. */
#include "attribute.h"

#include "message/decode_address.c"

static struct endpoints endpoints;
static struct reach_address_message address;

void proof_address_attribute(void)
{
	const uint8_t family = nondet_bool() ? AF_INET : AF_INET6;

	(void)decode_attribute(any_attribute(), family, &endpoints, &address);
}

/* decode_attribute() has checked the size of both payloads. */
void proof_endpoints(void)
{
	const uint8_t family = nondet_bool() ? AF_INET : AF_INET6;
	const size_t size = reach_address_size(family);

	endpoints.local = nondet_bool() ? bytes_of(size) : NULL;
	endpoints.address = nondet_bool() ? bytes_of(size) : NULL;
	set_endpoints(&endpoints, family, &address);
	assert(!endpoints.local || address.address.family == family);
}
