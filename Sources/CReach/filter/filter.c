/* SPDX-License-Identifier: MIT */
/*
 * Fits the filter to the kernel's limit of BPF_MAXINSNS instructions.
 *
 * The decision tree requires sorted, disjoint prefixes. If its program is too
 * long, prefixes are shortened step by step. Equal ones then merge, and the
 * program passes routes for the addresses between them, too.
 */
#include "filter/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Limits @prefix to @length bits and clears its host bits. */
static void truncate_prefix(struct reach_prefix *prefix, uint8_t length)
{
	uint8_t *bytes = prefix->address.bytes;
	size_t i;

	if (prefix->length > length)
		prefix->length = length;
	for (i = prefix->length / 8; i < sizeof(prefix->address.bytes); i++) {
		const unsigned int kept =
			i == prefix->length / 8 ? prefix->length % 8 : 0;

		bytes[i] = (uint8_t)(bytes[i] & ~(0xffu >> kept));
	}
}

/* The order of the tree: IPv4 first, then by address, then the shorter prefix,
 * so that a prefix comes right before those inside it. */
static int compare(const void *a, const void *b)
{
	const struct reach_prefix *x = a, *y = b;
	int order;

	if (x->address.family != y->address.family)
		return x->address.family == AF_INET ? -1 : 1;
	order = memcmp(x->address.bytes, y->address.bytes,
		       sizeof(x->address.bytes));
	return order ? order : (int)x->length - (int)y->length;
}

static bool contains(const struct reach_prefix *outer,
		     const struct reach_prefix *inner)
{
	struct reach_prefix cut = *inner;

	if (outer->address.family != inner->address.family ||
	    outer->length > inner->length)
		return false;
	truncate_prefix(&cut, outer->length);
	return memcmp(cut.address.bytes, outer->address.bytes,
		      sizeof(cut.address.bytes)) == 0;
}

/* Limits sorted prefixes to the maximum length of their family (@lengths: IPv4,
 * then IPv6), and removes those inside another. The result stays sorted.
 * @return the number that is left. */
static size_t widen(struct reach_prefix *prefixes, size_t count,
		    const uint8_t lengths[2])
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++) {
		struct reach_prefix next = prefixes[i];

		truncate_prefix(&next,
				lengths[next.address.family == AF_INET6]);
		if (!kept || !contains(&prefixes[kept - 1], &next))
			prefixes[kept++] = next;
	}
	return kept;
}

static size_t count_inet(const struct reach_prefix *prefixes, size_t count)
{
	size_t i = 0;

	while (i < count && prefixes[i].address.family == AF_INET)
		i++;
	return i;
}

static bool is_valid(const struct reach_prefix *prefix)
{
	if (prefix->address.family == AF_INET)
		return prefix->length <= 32;
	return prefix->address.family == AF_INET6 && prefix->length <= 128;
}

/* Sets @ret to a sorted copy without host bits, to be freed. @return 0, -EINVAL
 * or -ENOMEM. */
static int copy_sorted(const struct reach_prefix *prefixes, size_t count,
		       struct reach_prefix **ret)
{
	struct reach_prefix *copy;
	bool sorted = true;
	size_t i;

	for (i = 0; i < count; i++)
		if (!is_valid(&prefixes[i]))
			return -EINVAL;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		copy[i] = prefixes[i];
		truncate_prefix(&copy[i], copy[i].length);
		sorted = sorted && (!i || compare(&copy[i - 1], &copy[i]) <= 0);
	}
	if (!sorted)
		qsort(copy, count, sizeof(*copy), compare);
	*ret = copy;
	return 0;
}

/* Limits of prefix length, tried one after the other. Hosts of one IPv6 network
 * usually have the same route, hence the large step to 64. 8 bits fit the
 * kernel's limit with any input: at most 256 prefixes per family. 4 and 0 are
 * for a smaller capacity; 0 passes all routes of the family. */
static const uint8_t inet_steps[] = { 32, 28, 24, 22, 20, 18, 16, 15, 14,
				      13, 12, 11, 10, 9,  8,  4,  0 };
static const uint8_t inet6_steps[] = { 128, 64, 56, 48, 44, 40, 36, 32, 30, 28,
				       26,  24, 22, 20, 18, 16, 12, 8,	4,  0 };

/* Estimated instructions of @count prefixes: one branch of the tree per prefix,
 * and four instructions per 32-bit word that is compared. */
static size_t cost_of(size_t count, uint8_t length)
{
	return count * (1 + 4 * ((length + (size_t)31) / 32));
}

/* Advances @steps, IPv4 and IPv6, for the family that costs more. If that one
 * is at its last step, advances the other. @return false if both are at their
 * last step. */
static bool widen_more(size_t inet, size_t inet6, size_t steps[2])
{
	const size_t ends[2] = { sizeof(inet_steps) - 1,
				 sizeof(inet6_steps) - 1 };
	const size_t costs[2] = { cost_of(inet, inet_steps[steps[0]]),
				  cost_of(inet6, inet6_steps[steps[1]]) };
	const size_t first = costs[1] > costs[0];

	if (steps[first] < ends[first])
		steps[first]++;
	else if (steps[!first] < ends[!first])
		steps[!first]++;
	else
		return false;
	return true;
}

/* Writes the program of @sorted, widened until it fits. @return like
 * reach_filter_build(). */
static int fit(struct reach_program *program, struct reach_prefix *sorted,
	       size_t count)
{
	size_t steps[2] = { 0, 0 }, inet;
	int err;

	do {
		const uint8_t lengths[2] = { inet_steps[steps[0]],
					     inet6_steps[steps[1]] };

		count = widen(sorted, count, lengths);
		inet = count_inet(sorted, count);
		/* Too long by the estimate: not worth writing. */
		if (cost_of(count, 32) > program->capacity)
			continue;
		err = reach_program_write(program, sorted, count, inet);
		if (err)
			return err;
		if (!program->overflow)
			return steps[0] > 0 || steps[1] > 0;
	} while (widen_more(inet, count - inet, steps));
	return -ENOSPC;
}

int reach_filter_build(const struct reach_prefix *prefixes, size_t count,
		       uint8_t stock, struct sock_filter *program,
		       size_t capacity, size_t *length)
{
	struct reach_program written = { .code = program,
					 .stock = stock,
					 .capacity = capacity < BPF_MAXINSNS
							     ? capacity
							     : BPF_MAXINSNS };
	struct reach_prefix *sorted;
	int ret = copy_sorted(prefixes, count, &sorted);

	if (ret)
		return ret;
	ret = fit(&written, sorted, count);
	free(sorted);
	if (ret >= 0)
		*length = written.length;
	return ret;
}
