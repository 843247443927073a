/* SPDX-License-Identifier: MIT */
#include "connectivity.h"

#include <string.h>

static long status_of(const struct connectivity_request *t)
{
	long status = 0;

	t->curl->easy_getinfo(t->easy, INFO_RESPONSE_CODE, &status);
	return status;
}

static bool is_redirect(long status)
{
	return status >= 300 && status < 400;
}

/* The first location decides. Newer versions of libcurl (seen with 8.23) fail
 * at a second one, so don't read on. */
static void take_location(struct connectivity_request *t, const char *line,
			  size_t size)
{
	const char *location;
	long status;

	size = connectivity_header_value(line, size, "location:", &location);
	if (size == 0 || t->has_location)
		return;
	t->has_location = true;
	if (connectivity_redirect_resolve(t->http->url, location, size,
					  t->location,
					  sizeof(t->location)) != 0)
		t->location[0] = '\0';
	status = status_of(t);
	t->is_enough = is_redirect(status) && status != t->http->status;
}

static void take_length(struct connectivity_request *t, const char *line,
			size_t size)
{
	const char *value;
	size_t length;

	length = connectivity_header_value(line, size,
					   "content-length:", &value);
	if (length == 1 && value[0] == '0')
		t->is_empty = true;
	else if (length > 0 ||
		 connectivity_header_value(line, size,
					   "transfer-encoding:", &value) > 0)
		t->has_content = true;
}

/* Called when the headers of an answer are complete. */
static void take_head(struct connectivity_request *t)
{
	const long status = status_of(t);

	t->has_head = status >= 200;
	if (!t->has_head)
		t->has_location = t->is_empty = t->has_content = false;
	else if (status != t->http->status || !t->http->body)
		t->is_enough = true;
}

size_t connectivity_take_header(const char *bytes, size_t size, size_t count,
				void *context)
{
	struct connectivity_request *t = context;
	size_t length = size * count;

	t->headers += length;
	t->has_endless_headers = t->headers > CONNECTIVITY_HEADERS_MAX;
	if (t->has_endless_headers)
		return 0;
	take_location(t, bytes, length);
	take_length(t, bytes, length);
	if (length > 0 && (bytes[0] == '\r' || bytes[0] == '\n'))
		take_head(t);
	return t->is_enough ? 0 : length;
}

size_t connectivity_take_body(const char *bytes, size_t size, size_t count,
			      void *context)
{
	struct connectivity_request *t = context;
	size_t length = size * count;

	if (length > sizeof(t->body) - t->body_size) {
		t->is_enough = true;
		return 0;
	}
	memcpy(t->body + t->body_size, bytes, length);
	t->body_size += length;
	return length;
}

static size_t trimmed(const char *text, size_t size)
{
	/* strchr() finds the terminating NUL, too. */
	while (size > 0 && text[size - 1] && strchr(" \t\r\n", text[size - 1]))
		size--;
	return size;
}

static bool has_body(const struct connectivity_request *t)
{
	const char *wanted = t->http->body;
	size_t size;

	if (!wanted)
		return true;
	size = trimmed(wanted, strlen(wanted));
	return !t->is_enough && trimmed(t->body, t->body_size) == size &&
	       memcmp(t->body, wanted, size) == 0;
}

static bool is_expected(const struct connectivity_request *t, long status)
{
	/* Some servers and proxies turn 204 into an empty 200. NetworkManager
	 * and Android accept it, too. */
	if (t->http->status == 204 && status == 200)
		return t->is_empty && !t->has_content;
	return status == t->http->status && has_body(t);
}

const char *connectivity_http_location(const struct connectivity_request *t)
{
	return t->location;
}

void connectivity_judge(const struct connectivity_request *t,
			struct connectivity_answer *ret)
{
	if (is_expected(t, ret->status)) {
		connectivity_answer_set(ret, CONNECTIVITY_EXPECTED, 0, "");
	} else if (t->has_location && is_redirect(ret->status)) {
		connectivity_answer_set(ret, CONNECTIVITY_REDIRECT, 0, "");
	} else {
		connectivity_answer_set(ret, CONNECTIVITY_UNEXPECTED, 0, "");
	}
}
