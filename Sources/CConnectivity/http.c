/* SPDX-License-Identifier: MIT */
#include "curl.h"
#include "path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct transfer {
	const struct curl *curl;
	const struct connectivity_path *path;
	const struct connectivity_http *http;
	CURL *easy;
	size_t headers;
	size_t body_size;
	char body[CONNECTIVITY_BODY_MAX];
	/* More body than is compared, or any if none is: the rest is not read.
	 */
	bool is_enough;
	bool has_endless_headers;
	/* Of setting the mark, a positive errno. */
	int mark_error;
};

static size_t take_header(const char *bytes, size_t size, size_t count,
			  void *context)
{
	struct transfer *t = context;

	(void)bytes;
	t->headers += size * count;
	t->has_endless_headers = t->headers > CONNECTIVITY_HEADERS_MAX;
	return t->has_endless_headers ? 0 : size * count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *t = context;
	size_t length = size * count;

	if (!t->http->body || length > sizeof(t->body) - t->body_size) {
		t->is_enough = length > 0;
		return t->is_enough ? 0 : length;
	}
	memcpy(t->body + t->body_size, bytes, length);
	t->body_size += length;
	return length;
}

static int set_mark(void *context, int socket, int purpose)
{
	struct transfer *t = context;

	(void)purpose;
	t->mark_error = -path_mark(t->path, socket);
	return t->mark_error == 0 ? 0 : CURL_SOCKOPT_ERROR;
}

static size_t trimmed(const char *text, size_t size)
{
	while (size > 0 && strchr(" \t\r\n", text[size - 1]))
		size--;
	return size;
}

static bool has_body(const struct transfer *t)
{
	const char *wanted = t->http->body;
	size_t size;

	if (!wanted)
		return true;
	size = trimmed(wanted, strlen(wanted));
	return !t->is_enough && trimmed(t->body, t->body_size) == size &&
	       memcmp(t->body, wanted, size) == 0;
}

static int set_path_options(struct transfer *t)
{
	const struct connectivity_path *path = t->path;
	const struct curl *c = t->curl;
	/* IFNAMSIZ and the prefix, which keeps it from being taken for a host
	 * or an address. */
	char interface[32];
	int code = c->easy_setopt(t->easy, OPT_SOCKOPTFUNCTION, set_mark);

	code |= c->easy_setopt(t->easy, OPT_SOCKOPTDATA, t);
	/* Not that of the environment: a proxy is reached by another path. */
	code |= c->easy_setopt(t->easy, OPT_PROXY, "");
	if (path->interface) {
		snprintf(interface, sizeof(interface), "if!%s",
			 path->interface);
		code |= c->easy_setopt(t->easy, OPT_INTERFACE, interface);
	}
	if (t->http->family != 0)
		code |= c->easy_setopt(t->easy, OPT_IPRESOLVE,
				       t->http->family == AF_INET
					       ? (long)CURL_IPRESOLVE_V4
					       : (long)CURL_IPRESOLVE_V6);
	return code;
}

static int set_options(struct transfer *t, struct curl_slist *headers,
		       char *error)
{
	const struct curl *c = t->curl;
	uint32_t milliseconds = t->path->milliseconds;
	int code = c->easy_setopt(t->easy, OPT_URL, t->http->url);

	code |= c->easy_setopt(t->easy, OPT_NOSIGNAL, 1L);
	code |= c->easy_setopt(t->easy, OPT_TIMEOUT_MS,
			       milliseconds > INT_MAX ? (long)INT_MAX
						      : (long)milliseconds);
	code |= c->easy_setopt(t->easy, OPT_PROTOCOLS,
			       (long)CURLPROTO_HTTP_HTTPS);
	code |= c->easy_setopt(t->easy, OPT_HTTP_VERSION,
			       (long)CURL_HTTP_VERSION_1_1);
	code |= c->easy_setopt(t->easy, OPT_HTTPHEADER, headers);
	code |= c->easy_setopt(t->easy, OPT_ERRORBUFFER, error);
	code |= c->easy_setopt(t->easy, OPT_HEADERFUNCTION, take_header);
	code |= c->easy_setopt(t->easy, OPT_HEADERDATA, t);
	code |= c->easy_setopt(t->easy, OPT_WRITEFUNCTION, take_body);
	code |= c->easy_setopt(t->easy, OPT_WRITEDATA, t);
	code |= set_path_options(t);
	/* Else the end of the transfer waits for that of getaddrinfo(). */
	c->easy_setopt(t->easy, OPT_QUICK_EXIT, 1L);
	c->easy_setopt(t->easy, OPT_HTTP09_ALLOWED, 0L);
	return code == CODE_OK ? 0 : -ENOMEM;
}

/* The CURLcode of the transfer, or -ECANCELED or -ENOMEM. */
static int perform(const struct transfer *t, CURLM *multi)
{
	struct curl_waitfd cancel = { .fd = t->path->cancel_fd,
				      .events = CURL_WAIT_POLLIN };
	struct curl_message *message;
	int running = 1;
	int rest;

	while (t->curl->multi_perform(multi, &running) == 0 && running > 0) {
		if (t->curl->multi_wait(multi, &cancel, 1, 1000, &rest) != 0)
			return -ENOMEM;
		if (cancel.revents != 0)
			return -ECANCELED;
	}
	message = t->curl->multi_info_read(multi, &rest);
	return message ? message->data.result : -ENOMEM;
}

/* Codes that are not listed: an answer that libcurl does not understand. */
static const struct {
	int code;
	enum connectivity_result result;
} RESULTS[] = {
	{ CODE_COULDNT_RESOLVE_HOST, CONNECTIVITY_NAME },
	{ CODE_COULDNT_CONNECT, CONNECTIVITY_CONNECT },
	{ CODE_OPERATION_TIMEDOUT, CONNECTIVITY_TIMEOUT },
	{ CODE_INTERFACE_FAILED, CONNECTIVITY_INTERFACE },
	{ CODE_GOT_NOTHING, CONNECTIVITY_CLOSED },
	{ CODE_PARTIAL_FILE, CONNECTIVITY_CLOSED },
	{ CODE_SEND_ERROR, CONNECTIVITY_CLOSED },
	{ CODE_RECV_ERROR, CONNECTIVITY_CLOSED },
	{ CODE_OUT_OF_MEMORY, CONNECTIVITY_SYSTEM },
	{ CODE_SSL_CONNECT_ERROR, CONNECTIVITY_TLS },
	{ CODE_SSL_CERTPROBLEM, CONNECTIVITY_TLS },
	{ CODE_SSL_CIPHER, CONNECTIVITY_TLS },
	{ CODE_PEER_FAILED_VERIFICATION, CONNECTIVITY_TLS },
	{ CODE_SSL_CACERT_BADFILE, CONNECTIVITY_TLS },
	{ CODE_SSL_ISSUER_ERROR, CONNECTIVITY_TLS },
};

static enum connectivity_result result_of(int code)
{
	for (size_t i = 0; i < sizeof(RESULTS) / sizeof(RESULTS[0]); i++)
		if (RESULTS[i].code == code)
			return RESULTS[i].result;
	return CONNECTIVITY_MALFORMED;
}

static void fail(const struct transfer *t, int code, const char *text,
		 struct connectivity_answer *ret)
{
	enum connectivity_result result = result_of(code);
	long error = 0;

	t->curl->easy_getinfo(t->easy, INFO_OS_ERRNO, &error);
	if (code == CODE_OUT_OF_MEMORY)
		error = ENOMEM;
	/* A socket that could not be made is a connection that could not be
	 * made, to libcurl. */
	if (result == CONNECTIVITY_CONNECT &&
	    (error == EMFILE || error == ENFILE || error == ENOBUFS))
		result = CONNECTIVITY_SYSTEM;
	if (t->mark_error != 0) {
		result = CONNECTIVITY_MARK;
		error = t->mark_error;
	}
	if (t->has_endless_headers)
		text = "too many headers";
	else if (text[0] == '\0')
		text = t->curl->easy_strerror(code);
	answer_set(ret, result, (int)error, text);
}

static void judge(const struct transfer *t, struct connectivity_answer *ret)
{
	const char *url = NULL;

	if (ret->status == t->http->status && has_body(t)) {
		answer_set(ret, CONNECTIVITY_EXPECTED, 0, "");
		return;
	}
	answer_set(ret, CONNECTIVITY_UNEXPECTED, 0, "");
	t->curl->easy_getinfo(t->easy, INFO_REDIRECT_URL, &url);
	if (!url)
		return;
	ret->result = CONNECTIVITY_REDIRECT;
	if (strlen(url) < sizeof(ret->url))
		snprintf(ret->url, sizeof(ret->url), "%s", url);
}

static void transfer(struct transfer *t, CURLM *multi,
		     struct curl_slist *headers,
		     struct connectivity_answer *ret)
{
	char error[256] = ""; /* CURL_ERROR_SIZE */
	int code = set_options(t, headers, error);

	if (code == 0 && t->curl->multi_add_handle(multi, t->easy) != 0)
		code = -ENOMEM;
	if (code == 0)
		code = perform(t, multi);
	if (code == -ECANCELED)
		answer_set(ret, CONNECTIVITY_CANCELLED, 0, "");
	else if (code < 0)
		answer_set(ret, CONNECTIVITY_SYSTEM, -code, "");
	t->curl->easy_getinfo(t->easy, INFO_RESPONSE_CODE, &ret->status);
	if (code == CODE_OK || (code == CODE_WRITE_ERROR && t->is_enough))
		judge(t, ret);
	else if (code > 0)
		fail(t, code, error, ret);
	t->curl->multi_remove_handle(multi, t->easy);
}

void connectivity_http(const struct connectivity_path *path,
		       const struct connectivity_http *http,
		       struct connectivity_answer *ret)
{
	struct transfer t = { .path = path, .http = http };
	struct curl_slist *headers = NULL;
	CURLM *multi;
	int error;

	memset(ret, 0, sizeof(*ret));
	error = curl_load(&t.curl);
	if (error == -ENOENT || error == -ENOEXEC) {
		answer_set(ret, CONNECTIVITY_NO_LIBRARY, -error, "");
		return;
	}
	if (error == 0)
		error = path_enter(path);
	if (error != 0) {
		answer_set(ret, CONNECTIVITY_SYSTEM, -error, "");
		return;
	}
	answer_set(ret, CONNECTIVITY_SYSTEM, ENOMEM, "");
	multi = t.curl->multi_init();
	t.easy = t.curl->easy_init();
	headers = t.curl->slist_append(NULL, "Connection: close");
	if (multi && t.easy && headers)
		transfer(&t, multi, headers, ret);
	t.curl->slist_free_all(headers);
	if (t.easy)
		t.curl->easy_cleanup(t.easy);
	if (multi)
		t.curl->multi_cleanup(multi);
}
