/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "connectivity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static void replace_socket(struct connectivity_request *t, int old, int new)
{
	for (size_t i = 0; i < CONNECTIVITY_SOCKETS_MAX; i++)
		if (t->sockets[i] == old) {
			t->sockets[i] = new;
			return;
		}
}

/* Records that all phases before this one have ended. */
static void note(struct connectivity_request *t, unsigned int phase)
{
	const uint64_t time =
		(uint64_t)(connectivity_microseconds() - t->begin);

	while (t->phase < phase)
		t->ends[t->phase++] = time > 0 ? time : 1;
}

static int open_socket(void *context, int purpose,
		       struct curl_sockaddr *address)
{
	struct connectivity_request *t = context;
	int error = connectivity_check_address(t->http, &address->address);
	int fd;

	(void)purpose;
	t->has_socket = true;
	note(t, CONNECTIVITY_PHASE_CONNECT);
	if (error != 0) {
		t->socket_error = -error;
		return CURL_SOCKET_BAD;
	}
	fd = socket(address->family, address->type | SOCK_CLOEXEC,
		    address->protocol);
	if (fd < 0) {
		t->socket_error = errno;
		return CURL_SOCKET_BAD;
	}
	error = connectivity_mark(t->path, fd);
	if (error != 0) {
		t->mark_error = -error;
		close(fd);
		return CURL_SOCKET_BAD;
	}
	replace_socket(t, -1, fd);
	return fd;
}

static int close_socket(void *context, int fd)
{
	replace_socket(context, fd, -1);
	return close(fd);
}

/* libcurl reports the time of the connection, but some versions only after
 * TLS. */
static bool is_connected(const struct connectivity_request *t)
{
	for (size_t i = 0; i < CONNECTIVITY_SOCKETS_MAX; i++) {
		struct sockaddr_storage peer;
		socklen_t size = sizeof(peer);

		if (t->sockets[i] >= 0 &&
		    getpeername(t->sockets[i], (struct sockaddr *)&peer,
				&size) == 0)
			return true;
	}
	return false;
}

static int set_path_options(struct connectivity_request *t)
{
	const struct connectivity_path *path = t->path;
	const struct curl *c = t->curl;
	/* Room for IFNAMSIZ and "if!". The prefix tells libcurl that the name
	 * is not a host or an address. */
	char interface[32];
	int code = c->easy_setopt(t->easy, OPT_OPENSOCKETFUNCTION, open_socket);

	code |= c->easy_setopt(t->easy, OPT_OPENSOCKETDATA, t);
	code |= c->easy_setopt(t->easy, OPT_CLOSESOCKETFUNCTION, close_socket);
	code |= c->easy_setopt(t->easy, OPT_CLOSESOCKETDATA, t);
	/* Ignore the environment's proxy, and its exceptions: the probe would
	 * take another path. */
	code |= c->easy_setopt(t->easy, OPT_PROXY,
			       t->http->proxy ? t->http->proxy : "");
	code |= c->easy_setopt(t->easy, OPT_NOPROXY, "");
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

static int append_line(struct connectivity_request *t, const char *line)
{
	struct curl_slist *longer = t->curl->slist_append(t->lines, line);

	if (!longer)
		return -ENOMEM;
	t->lines = longer;
	return 0;
}

static int append_lines(struct connectivity_request *t)
{
	int err = append_line(t, "Connection: close");

	for (const char *line = t->http->headers; err == 0 && line[0] != '\0';
	     line += strlen(line) + 1)
		err = append_line(t, line);
	return err;
}

static int set_certificates(struct connectivity_request *t)
{
	const char *file = t->http->ca_file;

	/* Trust only the caller's file, not the system's folder as well. A TLS
	 * backend without folders rejects the option. */
	if (file)
		t->curl->easy_setopt(t->easy, OPT_CAPATH, NULL);
	else
		file = secure_getenv("SSL_CERT_FILE");
	if (!file || file[0] == '\0')
		return CODE_OK;
	return t->curl->easy_setopt(t->easy, OPT_CAINFO, file);
}

/* libcurl's timeout. It is longer than the request's, because libcurl waits for
 * getaddrinfo() when it expires. It is not much longer, because each address
 * gets a share of it. */
static long longest(const struct connectivity_request *t)
{
	uint64_t milliseconds = t->path->milliseconds;

	milliseconds += milliseconds / 8 + 50;
	return milliseconds > INT_MAX ? (long)INT_MAX : (long)milliseconds;
}

static int set_options(struct connectivity_request *t)
{
	const struct curl *c = t->curl;
	int code = c->easy_setopt(t->easy, OPT_URL, t->http->url);

	code |= c->easy_setopt(t->easy, OPT_NOSIGNAL, 1L);
	code |= c->easy_setopt(t->easy, OPT_TIMEOUT_MS, longest(t));
	code |= c->easy_setopt(t->easy, OPT_CONNECTTIMEOUT_MS, longest(t));
	code |= c->easy_setopt(t->easy, OPT_PROTOCOLS,
			       (long)CURLPROTO_HTTP_HTTPS);
	code |= c->easy_setopt(t->easy, OPT_HTTP_VERSION,
			       (long)CURL_HTTP_VERSION_1_1);
	code |= c->easy_setopt(t->easy, OPT_HTTPHEADER, t->lines);
	code |= c->easy_setopt(t->easy, OPT_ERRORBUFFER, t->text);
	code |= c->easy_setopt(t->easy, OPT_HEADERFUNCTION,
			       connectivity_take_header);
	code |= c->easy_setopt(t->easy, OPT_HEADERDATA, t);
	code |= c->easy_setopt(t->easy, OPT_WRITEFUNCTION,
			       connectivity_take_body);
	code |= c->easy_setopt(t->easy, OPT_WRITEDATA, t);
	code |= set_path_options(t);
	code |= set_certificates(t);
	c->easy_setopt(t->easy, OPT_HTTP09_ALLOWED, 0L);
	return code == CODE_OK ? 0 : -ENOMEM;
}

static enum connectivity_phase phase_of(const struct connectivity_request *t)
{
	double seconds = 0;

	if (!t->has_socket)
		return CONNECTIVITY_PHASE_NAME;
	if (t->has_head)
		return CONNECTIVITY_PHASE_BODY;
	if (!is_connected(t))
		return CONNECTIVITY_PHASE_CONNECT;
	t->curl->easy_getinfo(t->easy, INFO_APPCONNECT_TIME, &seconds);
	return seconds > 0 || strncasecmp(t->http->url, "https:", 6) != 0
		       ? CONNECTIVITY_PHASE_HEADERS
		       : CONNECTIVITY_PHASE_TLS;
}

/* Returns the CURLcode of the transfer, or -ECANCELED, -ETIMEDOUT or
 * -ENOMEM. */
static int perform(struct connectivity_request *t)
{
	struct curl_waitfd cancel = { .fd = t->path->cancel_fd,
				      .events = CURL_WAIT_POLLIN };
	int64_t end = connectivity_now() + t->path->milliseconds;
	struct curl_message *message;
	int running = 1;
	int count;

	while (t->curl->multi_perform(t->multi, &running) == 0 && running > 0) {
		int64_t rest = end - connectivity_now();

		note(t, phase_of(t));
		if (rest <= 0)
			return -ETIMEDOUT;
		if (t->curl->multi_wait(t->multi, &cancel, 1,
					rest > 1000 ? 1000 : (int)rest,
					&count) != 0)
			return -ENOMEM;
		if (cancel.revents != 0)
			return -ECANCELED;
	}
	message = t->curl->multi_info_read(t->multi, &count);
	return message ? message->data.result : -ENOMEM;
}

/* Before 8.7, libcurl reports a line of over 100 KB as out of memory. */
static bool is_too_large(const struct connectivity_request *t, int code)
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

static void fail(const struct connectivity_request *t, int code,
		 struct connectivity_answer *ret)
{
	const char *text = t->text;
	enum connectivity_result result = connectivity_curl_result(code);
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
	} else if (result == CONNECTIVITY_CONNECT && t->socket_error != 0) {
		/* libcurl doesn't tell why there was no socket. */
		if (is_exhausted(t->socket_error))
			result = CONNECTIVITY_SYSTEM;
		error = t->socket_error;
	}
	connectivity_answer_set(ret, result, (int)error, text);
}

static bool is_answered(const struct connectivity_request *t, int code)
{
	return code == CODE_OK || (code == CODE_WRITE_ERROR && t->is_enough);
}

static void transfer(struct connectivity_request *t,
		     struct connectivity_answer *ret)
{
	int code = set_options(t);

	t->begin = connectivity_microseconds();
	if (code == 0) {
		t->is_added = t->curl->multi_add_handle(t->multi, t->easy) == 0;
		code = t->is_added ? perform(t) : -ENOMEM;
	}
	ret->phase = phase_of(t);
	note(t, is_answered(t, code) ? CONNECTIVITY_PHASES : ret->phase);
	memcpy(ret->ends, t->ends, sizeof(ret->ends));
	t->curl->easy_getinfo(t->easy, INFO_RESPONSE_CODE, &ret->status);
	if (code == -ECANCELED)
		connectivity_answer_set(ret, CONNECTIVITY_CANCELLED, 0, "");
	else if (code == -ETIMEDOUT)
		connectivity_answer_set(ret, CONNECTIVITY_TIMEOUT, 0, "");
	else if (code < 0)
		connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, -code, "");
	else if (is_answered(t, code))
		connectivity_judge(t, ret);
	else
		fail(t, code, ret);
}

void connectivity_http_close(struct connectivity_request *request)
{
	const struct curl *c;

	if (!request)
		return;
	c = request->curl;
	if (request->is_added)
		c->multi_remove_handle(request->multi, request->easy);
	c->slist_free_all(request->lines);
	if (request->easy)
		c->easy_cleanup(request->easy);
	if (request->multi)
		c->multi_cleanup(request->multi);
	free(request);
}

struct connectivity_request *
connectivity_probe_http(const struct connectivity_path *path,
			const struct connectivity_http *http,
			struct connectivity_answer *ret)
{
	struct connectivity_request *t;
	const struct curl *curl;
	int err;

	memset(ret, 0, sizeof(*ret));
	err = connectivity_curl_load(&curl);
	if (err == -ENOENT || err == -ENOEXEC) {
		connectivity_answer_set(ret, CONNECTIVITY_NO_LIBRARY, -err, "");
		return NULL;
	}
	if (err == 0)
		err = connectivity_enter(path);
	if (err != 0) {
		connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, -err, "");
		return NULL;
	}
	connectivity_answer_set(ret, CONNECTIVITY_SYSTEM, ENOMEM, "");
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	for (size_t i = 0; i < CONNECTIVITY_SOCKETS_MAX; i++)
		t->sockets[i] = -1;
	t->curl = curl;
	t->path = path;
	t->http = http;
	t->multi = curl->multi_init();
	t->easy = curl->easy_init();
	if (t->multi && t->easy && append_lines(t) == 0)
		transfer(t, ret);
	return t;
}
