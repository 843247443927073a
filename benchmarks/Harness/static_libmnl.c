/* SPDX-License-Identifier: MIT */
/* What libreach uses of libmnl, to link it statically where libmnl has no
 * static library. */
#include <string.h>

#include <libmnl/libmnl.h>

/* As libmnl has them, but without a sign. */
#define ALIGN(size) (((size) + 3U) & ~(size_t)3)
#define HEADER	    sizeof(struct nlattr)

struct nlmsghdr *mnl_nlmsg_put_header(void *buf)
{
	struct nlmsghdr *nlh = buf;

	memset(nlh, 0, sizeof(*nlh));
	nlh->nlmsg_len = sizeof(*nlh);
	return nlh;
}

void *mnl_nlmsg_put_extra_header(struct nlmsghdr *nlh, size_t size)
{
	uint8_t *header = (uint8_t *)nlh + nlh->nlmsg_len;

	memset(header, 0, ALIGN(size));
	nlh->nlmsg_len += (uint32_t)ALIGN(size);
	return header;
}

void mnl_attr_put(struct nlmsghdr *nlh, uint16_t type, size_t len,
		  const void *data)
{
	struct nlattr *attr = (void *)((uint8_t *)nlh + ALIGN(nlh->nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(HEADER + len);
	memset(attr + 1, 0, ALIGN(len));
	memcpy(attr + 1, data, len);
	nlh->nlmsg_len += (uint32_t)ALIGN(attr->nla_len);
}

void mnl_attr_put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t data)
{
	mnl_attr_put(nlh, type, sizeof(data), &data);
}

void mnl_attr_put_strz(struct nlmsghdr *nlh, uint16_t type, const char *data)
{
	mnl_attr_put(nlh, type, strlen(data) + 1, data);
}

uint16_t mnl_attr_get_type(const struct nlattr *attr)
{
	return (uint16_t)(attr->nla_type & NLA_TYPE_MASK);
}

int mnl_attr_parse_payload(const void *payload, size_t payload_len,
			   mnl_attr_cb_t cb, void *data)
{
	const struct nlattr *attr = payload;
	size_t left = payload_len;
	int ret = MNL_CB_OK;

	while (ret > MNL_CB_STOP && left >= HEADER && attr->nla_len >= HEADER &&
	       attr->nla_len <= left) {
		const size_t step = ALIGN(attr->nla_len);

		ret = cb(attr, data);
		left -= step < left ? step : left;
		attr = (const void *)((const uint8_t *)attr + step);
	}
	return ret;
}
