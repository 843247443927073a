/* SPDX-License-Identifier: MIT */
/* A request of HTTP, and what becomes of its answer. */
#ifndef HTTP_H
#define HTTP_H

#include "curl.h"

#include <stdbool.h>

#define CONNECTIVITY_SOCKETS_MAX 8

#pragma GCC visibility push(hidden)

struct connectivity_request {
	const struct curl *curl;
	const struct connectivity_path *path;
	const struct connectivity_http *http;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *lines;
	bool is_added;
	char text[256]; /* CURL_ERROR_SIZE */
	/* A socket was made, so the name is resolved. */
	bool has_socket;
	/* Those that are open; -1 where there is none, and not more than
	 * libcurl has under way at a time. */
	int sockets[CONNECTIVITY_SOCKETS_MAX];
	/* Of the answer, not of an interim one. */
	bool has_head;
	size_t headers;
	size_t body_size;
	char body[CONNECTIVITY_BODY_MAX];
	/* The headers decide, or there is more body than is compared: the rest
	 * is not waited for. */
	bool is_enough;
	bool has_endless_headers;
	/* The following are of the answer, or of an interim one. */
	bool has_location;
	/* Content-Length: 0, and a header against it. */
	bool is_empty;
	bool has_content;
	/* "" if it is too long. */
	char location[CONNECTIVITY_URL_SIZE];
	/* In microseconds. */
	int64_t begin;
	/* The furthest phase that was seen, and the ends of those before. */
	unsigned int phase;
	uint64_t ends[CONNECTIVITY_PHASES];
	/* Of making a socket and of setting its mark, a positive errno. */
	int socket_error;
	int mark_error;
};

/* For libcurl, which calls it with one line each. */
size_t connectivity_take_header(const char *bytes, size_t size, size_t count,
				void *context);

/* For libcurl. */
size_t connectivity_take_body(const char *bytes, size_t size, size_t count,
			      void *context);

/* What an answer of ret->status means, all of which was received that matters.
 */
void connectivity_judge(const struct connectivity_request *t,
			struct connectivity_answer *ret);

#pragma GCC visibility pop

#endif
