/* SPDX-License-Identifier: MIT */
/*
 * The input: a byte for the status, a line with the requested URL, then the
 * answer's header lines and pieces of its body, one per line.
 */
#include <stdbool.h>

#include "CParsers/fake_curl.h"
#include "Fuzz/fuzz.h"

/* Passes a line as libcurl does, in a heap block of its exact size, so that the
 * sanitizer reports reads past its end. */
static size_t take(struct connectivity_request *request, const uint8_t *bytes,
		   size_t size)
{
	char *line = fuzz_copy(bytes, size);
	size_t taken;

	taken = request->has_head
			? connectivity_take_body(line, 1, size, request)
			: connectivity_take_header(line, 1, size, request);
	free(line);
	return taken;
}

static void judge(const struct connectivity_request *request)
{
	struct connectivity_answer *answer = calloc(1, sizeof(*answer));

	PROMISE(answer != NULL);
	answer->status = (int)status;
	connectivity_judge(request, answer);
	/* The URL is terminated, and has no spaces or control characters. */
	for (size_t i = 0; request->location[i]; i++)
		PROMISE(i + 1 < CONNECTIVITY_URL_SIZE &&
			request->location[i] > ' ' &&
			request->location[i] != 0x7f);
	free(answer);
}

/* A header's value lies within the line, after the name, and neither starts nor
 * ends with white space. */
static void read_header(const char *line, size_t size)
{
	static const char *const names[] = { "location:", "content-length:",
					     ":", "" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = line;
		const size_t length =
			connectivity_header_value(line, size, names[i], &value);

		if (length == 0)
			continue;
		if (value < line + strlen(names[i]) ||
		    value + length > line + size ||
		    strchr(" \t\r\n", value[0] ? value[0] : 'x') ||
		    strchr(" \t\r\n",
			   value[length - 1] ? value[length - 1] : 'x'))
			abort();
	}
}

/* A redirect resolves to a complete URL. Resolved again, against any other
 * base, that URL stays the same. */
static void follow(const char *base, const char *location, size_t size,
		   size_t room)
{
	char *url = malloc(room), *again = malloc(room);
	size_t length = 0;

	PROMISE(url && again);
	if (connectivity_redirect_resolve(base, location, size, url, room) ==
	    0) {
		while (url[length] > ' ' && url[length] < 0x7f)
			length++;
		if (length == 0 || length >= room || url[length] ||
		    connectivity_redirect_resolve("https://other.test/x", url,
						  length, again, room) != 0 ||
		    strcmp(url, again) != 0)
			abort();
	}
	free(again);
	free(url);
}

/* Whether a program may request this URL: http or https, without spaces and
 * control characters. */
static bool is_url(const char *text)
{
	const size_t scheme = strncmp(text, "http", 4) == 0 ? 4 : 0;
	const size_t colon = scheme + (scheme && text[scheme] == 's');

	if (!scheme || strncmp(text + colon, "://", 3) != 0)
		return false;
	while (*text > ' ' && *text < 0x7f)
		text++;
	return !*text;
}

static size_t line_size(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);

	return end ? (size_t)(end - bytes) + 1 : size;
}

/* The first line without its newline, or a default if it isn't a URL. */
static char *take_url(const uint8_t **bytes, size_t *size)
{
	static const char other[] = "http://a.test/b/c?d#e";
	const size_t line = *size ? line_size(*bytes, *size) : 0;
	char *url = calloc(1, line + sizeof(other));

	PROMISE(url != NULL);
	if (line)
		memcpy(url, *bytes, line - 1);
	if (!is_url(url))
		memcpy(url, other, sizeof(other));
	*bytes += line;
	*size -= line;
	return url;
}

static void read_lines(const char *url, const uint8_t *bytes, size_t size)
{
	const size_t room = size ? bytes[size - 1] + 1U : 1;

	while (size > 0) {
		const size_t line = line_size(bytes, size);
		char *copy = fuzz_copy(bytes, line);

		read_header(copy, line);
		follow(url, copy, line, room);
		free(copy);
		bytes += line;
		size -= line;
	}
}

static void read_answer(const char *url, const uint8_t *bytes, size_t size)
{
	const struct connectivity_http http = { .url = url,
						.status = 200,
						.body = "ok\n" };
	struct connectivity_request *request = calloc(1, sizeof(*request));

	PROMISE(request != NULL);
	request->curl = &curl;
	request->http = &http;
	while (size > 0) {
		const size_t line = line_size(bytes, size);

		if (take(request, bytes, line) != line)
			break;
		bytes += line;
		size -= line;
	}
	judge(request);
	free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *url;

	status = size ? 100 + *bytes++ * 2 : 200;
	size -= size ? 1 : 0;
	url = take_url(&bytes, &size);
	read_answer(url, bytes, size);
	read_lines(url, bytes, size);
	free(url);
	return 0;
}
