/* SPDX-License-Identifier: MIT */
/* An interpreter for classic BPF as the kernel runs it on a netlink socket
 * (filter.rst and net/core/filter.c): the instructions that route filters
 * use. */
#include <arpa/inet.h>
#include <string.h>

#include <linux/netlink.h>

#include "filter/bpf.h"

struct machine {
	const uint8_t *bytes;
	size_t size;
	uint32_t a;
	uint32_t x;
	uint32_t memory[BPF_MEMWORDS];
	uint32_t written;
};

/* nla_find() from offset A on; 0 if there is none, like the kernel's helper. */
static uint32_t find_attribute(const struct machine *m)
{
	size_t at = m->a;
	struct nlattr attr;

	while (at + sizeof(attr) <= m->size) {
		memcpy(&attr, m->bytes + at, sizeof(attr));
		if (attr.nla_len < sizeof(attr) || attr.nla_len > m->size - at)
			return 0;
		if ((uint32_t)(attr.nla_type & NLA_TYPE_MASK) == m->x)
			return (uint32_t)at;
		at += (attr.nla_len + 3u) & ~3u;
	}
	return 0;
}

static bool load(struct machine *m, const struct sock_filter *code)
{
	const bool indirect = BPF_MODE(code->code) == BPF_IND;
	const size_t at = code->k + (indirect ? (size_t)m->x : 0);
	uint16_t half;

	if (!indirect && code->k == (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR)) {
		m->a = find_attribute(m);
		return true;
	}
	switch (BPF_SIZE(code->code)) {
	case BPF_W:
		if (at + 4 > m->size)
			return false;
		memcpy(&m->a, m->bytes + at, 4);
		m->a = ntohl(m->a);
		return true;
	case BPF_H:
		if (at + 2 > m->size)
			return false;
		memcpy(&half, m->bytes + at, 2);
		m->a = ntohs(half);
		return true;
	default:
		if (at + 1 > m->size)
			return false;
		m->a = m->bytes[at];
		return true;
	}
}

static bool calculate(struct machine *m, const struct sock_filter *code)
{
	const uint32_t by = BPF_SRC(code->code) == BPF_X ? m->x : code->k;

	switch (BPF_OP(code->code)) {
	case BPF_SUB:
		m->a -= by;
		return true;
	case BPF_OR:
		m->a |= by;
		return true;
	case BPF_XOR:
		m->a ^= by;
		return true;
	case BPF_LSH:
		m->a <<= by & 31;
		return by < 32;
	case BPF_RSH:
		m->a >>= by & 31;
		return by < 32;
	default:
		return false;
	}
}

static size_t jump(const struct machine *m, const struct sock_filter *code)
{
	const uint32_t with = BPF_SRC(code->code) == BPF_X ? m->x : code->k;
	bool holds;

	switch (BPF_OP(code->code)) {
	case BPF_JA:
		return code->k;
	case BPF_JEQ:
		holds = m->a == with;
		break;
	case BPF_JGT:
		holds = m->a > with;
		break;
	case BPF_JGE:
		holds = m->a >= with;
		break;
	default:
		holds = m->a & with;
		break;
	}
	return holds ? code->jt : code->jf;
}

/* Reads a word of scratch memory; false if it wasn't written before. */
static bool recall(const struct machine *m, uint32_t k, uint32_t *ret)
{
	*ret = m->memory[k];
	return m->written >> k & 1;
}

static bool load_a(struct machine *m, const struct sock_filter *code)
{
	switch (BPF_MODE(code->code)) {
	case BPF_IMM:
		m->a = code->k;
		return true;
	case BPF_LEN:
		m->a = (uint32_t)m->size;
		return true;
	case BPF_MEM:
		return recall(m, code->k, &m->a);
	default:
		return load(m, code);
	}
}

static bool load_x(struct machine *m, const struct sock_filter *code)
{
	if (BPF_MODE(code->code) != BPF_IMM)
		return recall(m, code->k, &m->x);
	m->x = code->k;
	return true;
}

static bool step(struct machine *m, const struct sock_filter *code, size_t *at)
{
	switch (BPF_CLASS(code->code)) {
	case BPF_LD:
		return load_a(m, code);
	case BPF_LDX:
		return load_x(m, code);
	case BPF_ST:
	case BPF_STX:
		m->memory[code->k] = BPF_CLASS(code->code) == BPF_ST ? m->a
								     : m->x;
		m->written |= 1u << code->k;
		return true;
	case BPF_ALU:
		return calculate(m, code);
	case BPF_JMP:
		*at += jump(m, code);
		return true;
	case BPF_MISC:
		m->x = m->a;
		return BPF_MISCOP(code->code) == BPF_TAX;
	default:
		return false;
	}
}

int bpf_run(const struct sock_filter *program, size_t length, const void *bytes,
	    size_t size)
{
	struct machine m = { .bytes = bytes, .size = size };
	size_t at;

	for (at = 0; at < length; at++) {
		const struct sock_filter *code = &program[at];

		if (BPF_CLASS(code->code) == BPF_RET)
			return code->k != 0;
		if (!step(&m, code, &at))
			return -1;
	}
	return -1;
}
