/* SPDX-License-Identifier: MIT */
/* An HTTP request, and how its answer is judged. */
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
	/* The sockets that libcurl has open at a time; -1 for a free entry. */
	int sockets[CONNECTIVITY_SOCKETS_MAX];
	/* The headers of the final answer are complete. */
	bool has_head;
	size_t headers;
	size_t body_size;
	char body[CONNECTIVITY_BODY_MAX];
	/* The headers decide, or the body is longer than the part to compare:
	 * don't wait for the rest. */
	bool is_enough;
	bool has_endless_headers;
	/* These four describe the latest answer, final or interim. */
	bool has_location;
	/* Has Content-Length: 0; has a header that announces a body. */
	bool is_empty;
	bool has_content;
	/* "" if it is too long. */
	char location[CONNECTIVITY_URL_SIZE];
	/* CLOCK_MONOTONIC, microseconds. */
	int64_t begin;
	/* The furthest phase so far, and when each earlier one ended. */
	unsigned int phase;
	uint64_t ends[CONNECTIVITY_PHASES];
	/* Positive errno of socket() or of the check before it, and of SO_MARK;
	 * or 0. */
	int socket_error;
	int mark_error;
};

/* CURLOPT_HEADERFUNCTION: libcurl calls it once per header line. */
size_t connectivity_take_header(const char *bytes, size_t size, size_t count,
				void *context);

/* CURLOPT_WRITEFUNCTION. */
size_t connectivity_take_body(const char *bytes, size_t size, size_t count,
			      void *context);

/* Sets the result for an answer with ret->status. All parts that matter must
 * have arrived. */
void connectivity_judge(const struct connectivity_request *t,
			struct connectivity_answer *ret);

#pragma GCC visibility pop

#endif
