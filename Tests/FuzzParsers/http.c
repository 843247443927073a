/* SPDX-License-Identifier: MIT */
/* Heads of HTTP answers, a line each, in any pieces of a body behind them. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "CConnectivity/http.h"
#include "CConnectivity/redirect.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static long status;

static int tell_status(CURL *easy, int info, ...)
{
	va_list arguments;

	(void)easy;
	va_start(arguments, info);
	*va_arg(arguments, long *) = status;
	va_end(arguments);
	return 0;
}

/* A line of its own size, as libcurl passes it: no byte behind it is anybody's.
 */
static size_t take(struct connectivity_request *request, const uint8_t *bytes,
		   size_t size)
{
	char *line = malloc(size ? size : 1);
	size_t taken;

	if (!line)
		abort();
	memcpy(line, bytes, size);
	taken = request->has_head
			? connectivity_take_body(line, 1, size, request)
			: connectivity_take_header(line, 1, size, request);
	free(line);
	return taken;
}

static void judge(const struct connectivity_request *request)
{
	struct connectivity_answer *answer = calloc(1, sizeof(*answer));

	if (!answer)
		abort();
	answer->status = (int)status;
	connectivity_judge(request, answer);
	/* A URL ends within its field, and has no byte that no URL has. */
	for (size_t i = 0; answer->url[i]; i++)
		if (i + 1 == sizeof(answer->url) || answer->url[i] <= ' ' ||
		    answer->url[i] == 0x7f)
			abort();
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct curl curl = { .easy_getinfo = tell_status };
	const struct connectivity_http http = { .url = "http://a.test/b/c?d#e",
						.status = 200,
						.body = "ok\n" };
	struct connectivity_request *request = calloc(1, sizeof(*request));

	if (!request)
		abort();
	request->curl = &curl;
	request->http = &http;
	status = size ? 100 + bytes[0] * 2 : 200;
	for (size_t at = size ? 1 : 0; at < size;) {
		const uint8_t *end = memchr(bytes + at, '\n', size - at);
		const size_t line = end ? (size_t)(end - bytes) + 1 - at
					: size - at;

		if (take(request, bytes + at, line) != line)
			break;
		at += line;
	}
	judge(request);
	free(request);
	return 0;
}
