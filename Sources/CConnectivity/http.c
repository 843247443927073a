/* SPDX-License-Identifier: MIT */
#include "curl.h"
#include "path.h"
#include "redirect.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct transfer {
	const struct curl *curl;
	const struct connectivity_path *path;
	const struct connectivity_http *http;
	CURL *easy;
	size_t headers;
	size_t body_size;
	char body[CONNECTIVITY_BODY_MAX];
	/* The headers decide, or there is more body than is compared: the rest
	 * is not waited for. */
	bool is_enough;
	bool has_endless_headers;
	/* Of the answer, or of an interim one. */
	bool has_location;
	/* "" if it is too long. */
	char location[CONNECTIVITY_URL_SIZE];
	/* Of making a socket and of setting its mark, a positive errno. */
	int socket_error;
	int mark_error;
};

static void take_location(struct transfer *t, const char *line, size_t size)
{
	const char *location;

	size = connectivity_redirect_location(line, size, &location);
	if (size == 0 || t->has_location)
		return;
	t->has_location = true;
	if (connectivity_redirect_resolve(t->http->url, location, size,
					  t->location,
					  sizeof(t->location)) != 0)
		t->location[0] = '\0';
}

/* The headers of an answer are complete. */
static void take_head(struct transfer *t)
{
	long status = 0;

	t->curl->easy_getinfo(t->easy, INFO_RESPONSE_CODE, &status);
	if (status < 200)
		t->has_location = false;
	else if (status != t->http->status || !t->http->body)
		t->is_enough = true;
}

/* Called with one line each. */
static size_t take_header(const char *bytes, size_t size, size_t count,
			  void *context)
{
	struct transfer *t = context;
	size_t length = size * count;

	t->headers += length;
	t->has_endless_headers = t->headers > CONNECTIVITY_HEADERS_MAX;
	if (t->has_endless_headers)
		return 0;
	take_location(t, bytes, length);
	if (length > 0 && (bytes[0] == '\r' || bytes[0] == '\n'))
		take_head(t);
	return t->is_enough ? 0 : length;
}

static size_t take_body(const char *bytes, size_t size, size_t count,
			void *context)
{
	struct transfer *t = context;
	size_t length = size * count;

	if (length > sizeof(t->body) - t->body_size) {
		t->is_enough = true;
		return 0;
	}
	memcpy(t->body + t->body_size, bytes, length);
	t->body_size += length;
	return length;
}

static int open_socket(void *context, int purpose,
		       struct curl_sockaddr *address)
{
	struct transfer *t = context;
	int fd = socket(address->family, address->type | SOCK_CLOEXEC,
			address->protocol);
	int error;

	(void)purpose;
	if (fd < 0) {
		t->socket_error = errno;
		return CURL_SOCKET_BAD;
	}
	error = connectivity_mark(t->path, fd);
	if (error == 0)
		return fd;
	t->mark_error = -error;
	close(fd);
	return CURL_SOCKET_BAD;
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
	int code = c->easy_setopt(t->easy, OPT_OPENSOCKETFUNCTION, open_socket);

	code |= c->easy_setopt(t->easy, OPT_OPENSOCKETDATA, t);
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

/* A line of more than 100 KB is no memory to libcurl before 8.7. */
static bool is_too_large(const struct transfer *t, int code)
{
	long sent = 0;

	t->curl->easy_getinfo(t->easy, INFO_REQUEST_SIZE, &sent);
	return t->has_endless_headers || code == CODE_TOO_LARGE ||
	       (code == CODE_OUT_OF_MEMORY && sent > 0);
}

static bool is_exhausted(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS ||
	       error == ENOMEM;
}

static void fail(const struct transfer *t, int code, const char *text,
		 struct connectivity_answer *ret)
{
	enum connectivity_result result = result_of(code);
	long error = 0;

	t->curl->easy_getinfo(t->easy, INFO_OS_ERRNO, &error);
	if (text[0] == '\0')
		text = t->curl->easy_strerror(code);
	if (is_too_large(t, code)) {
		result = CONNECTIVITY_MALFORMED;
		text = "too many headers";
	} else if (t->mark_error != 0) {
		result = CONNECTIVITY_MARK;
		error = t->mark_error;
	} else if (code == CODE_OUT_OF_MEMORY) {
		error = ENOMEM;
	} else if (result == CONNECTIVITY_CONNECT &&
		   is_exhausted(t->socket_error)) {
		/* Which is no connection to libcurl. */
		result = CONNECTIVITY_SYSTEM;
		error = t->socket_error;
	}
	connectivity_answer_set(ret, result, (int)error, text);
}

static void judge(const struct transfer *t, struct connectivity_answer *ret)
{
	if (ret->status == t->http->status && has_body(t)) {
		connectivity_answer_set(ret, CONNECTIVITY_EXPECTED, 0, "");
	} else if (t->has_location && ret->status >= 300 && ret->status < 400) {
		connectivity_answer_set(ret, CONNECTIVITY_REDIRECT, 0, "");
		memcpy(ret->url, t->location, sizeof(ret->url));
	} else {
		connectivity_answer_set(ret, CONNECTIVITY_UNEXPECTED, 0, "");
	}
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
		connectivity_answer_set(ret, CONNECTIVITY_CANCELLED, 0, "");
	else if (code < 0)
		connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, -code, "");
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
	error = connectivity_curl_load(&t.curl);
	if (error == -ENOENT || error == -ENOEXEC) {
		connectivity_answer_set(ret, CONNECTIVITY_NO_LIBRARY, -error,
					"");
		return;
	}
	if (error == 0)
		error = connectivity_enter(path);
	if (error != 0) {
		connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, -error, "");
		return;
	}
	connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, ENOMEM, "");
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
