/* SPDX-License-Identifier: MIT */
/* What the files of the probes share. */
#ifndef CONNECTIVITY_H
#define CONNECTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "include/connectivity_probe.h"

#pragma GCC visibility push(hidden)

/* ---- path.c ---- */

/* The thread and the sockets of a probe. */

/* Moves the thread into the namespace and blocks SIGPIPE. Returns 0, or a
 * negative errno. */
int connectivity_enter(const struct connectivity_path *path);

/* Sets SO_MARK. Returns 0, or a negative errno. */
int connectivity_mark(const struct connectivity_path *path, int socket);

/* Checks an address before libcurl connects to it: CURLOPT_IPRESOLVE is for
 * names alone, and newer versions (seen with 8.23) ignore an unknown zone.
 * Returns 0, -EAFNOSUPPORT, or -ENODEV. */
int connectivity_check_address(const struct connectivity_http *http,
			       const struct sockaddr *address);

/* CLOCK_MONOTONIC, milliseconds. */
int64_t connectivity_now(void);

/* CLOCK_MONOTONIC, microseconds. */
int64_t connectivity_microseconds(void);

void connectivity_answer_set(struct connectivity_answer *answer,
			     enum connectivity_result result, int error,
			     const char *text);

/* ---- curl.c ---- */

/*
 * The functions of libcurl in use (version 7.37 or later). They are loaded at
 * run time, so you can build without libcurl and its headers. The numbers are
 * those of curl/curl.h, which are part of the ABI.
 */

typedef void CURL;
typedef void CURLM;
struct curl_slist;

struct curl_waitfd {
	int fd;
	short events;
	short revents;
};

struct curl_message {
	/* Always CURLMSG_DONE, the only value. */
	int message;
	CURL *easy;
	union {
		void *whatever;
		int result;
	} data;
};

/* The address may be longer than its type. */
struct curl_sockaddr {
	int family;
	int type;
	int protocol;
	unsigned int size;
	struct sockaddr address;
};

enum {
	CURL_GLOBAL_DEFAULT = 3,
	CURL_WAIT_POLLIN = 1,
	CURLPROTO_HTTP_HTTPS = 3,
	CURL_HTTP_VERSION_1_1 = 2,
	CURL_IPRESOLVE_V4 = 1,
	CURL_IPRESOLVE_V6 = 2,
	CURL_SOCKET_BAD = -1,
};

/* CURLOPT_*: 0 and up take a long, 10000 a pointer, 20000 a function. */
enum {
	OPT_WRITEDATA = 10001,
	OPT_URL = 10002,
	OPT_PROXY = 10004,
	OPT_ERRORBUFFER = 10010,
	OPT_HTTPHEADER = 10023,
	OPT_HEADERDATA = 10029,
	OPT_INTERFACE = 10062,
	OPT_CAINFO = 10065,
	OPT_CAPATH = 10097,
	OPT_OPENSOCKETDATA = 10164,
	OPT_NOPROXY = 10177,
	OPT_CLOSESOCKETDATA = 10209,
	OPT_WRITEFUNCTION = 20011,
	OPT_HEADERFUNCTION = 20079,
	OPT_OPENSOCKETFUNCTION = 20163,
	OPT_CLOSESOCKETFUNCTION = 20208,
	OPT_HTTP_VERSION = 84,
	OPT_NOSIGNAL = 99,
	OPT_IPRESOLVE = 113,
	OPT_TIMEOUT_MS = 155,
	OPT_CONNECTTIMEOUT_MS = 156,
	OPT_PROTOCOLS = 181,
	/* Since 7.64; older versions reject it. */
	OPT_HTTP09_ALLOWED = 285,
};

enum {
	INFO_RESPONSE_CODE = 0x200000 + 2,
	INFO_REQUEST_SIZE = 0x200000 + 12,
	INFO_OS_ERRNO = 0x200000 + 25,
	/* Seconds, a double; 0 before the end of the TLS handshake. */
	INFO_APPCONNECT_TIME = 0x300000 + 33,
};

/* CURLcode. */
enum {
	CODE_OK = 0,
	CODE_COULDNT_RESOLVE_HOST = 6,
	CODE_COULDNT_CONNECT = 7,
	CODE_PARTIAL_FILE = 18,
	CODE_WRITE_ERROR = 23,
	CODE_OUT_OF_MEMORY = 27,
	CODE_OPERATION_TIMEDOUT = 28,
	CODE_SSL_CONNECT_ERROR = 35,
	CODE_INTERFACE_FAILED = 45,
	CODE_GOT_NOTHING = 52,
	CODE_SEND_ERROR = 55,
	CODE_RECV_ERROR = 56,
	CODE_SSL_CERTPROBLEM = 58,
	CODE_SSL_CIPHER = 59,
	CODE_PEER_FAILED_VERIFICATION = 60,
	CODE_SSL_CACERT_BADFILE = 77,
	CODE_SSL_ISSUER_ERROR = 83,
	CODE_TOO_LARGE = 100,
};

struct curl {
	void *library;
	int (*global_init)(long flags);
	CURL *(*easy_init)(void);
	void (*easy_cleanup)(CURL *easy);
	int (*easy_setopt)(CURL *easy, int option, ...);
	int (*easy_getinfo)(CURL *easy, int info, ...);
	const char *(*easy_strerror)(int code);
	CURLM *(*multi_init)(void);
	int (*multi_cleanup)(CURLM *multi);
	int (*multi_add_handle)(CURLM *multi, CURL *easy);
	int (*multi_remove_handle)(CURLM *multi, CURL *easy);
	int (*multi_perform)(CURLM *multi, int *running);
	int (*multi_wait)(CURLM *multi, struct curl_waitfd *more,
			  unsigned int count, int milliseconds, int *ret);
	struct curl_message *(*multi_info_read)(CURLM *multi, int *rest);
	struct curl_slist *(*slist_append)(struct curl_slist *list,
					   const char *line);
	void (*slist_free_all)(struct curl_slist *list);
};

/* The result for a CURLcode other than CODE_OK. */
enum connectivity_result connectivity_curl_result(int code);

/* Loads and initializes the library on the first call. Returns 0, -ENOENT
 * without a usable libcurl, -ENOEXEC in a static executable, or -ENOMEM. */
int connectivity_curl_load(const struct curl **ret);

/* ---- http.c ---- */

/* An HTTP request, and how its answer is judged. */

#define CONNECTIVITY_SOCKETS_MAX 8

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

/* ---- redirect.c ---- */

/* Header lines, and the URL that a redirect leads to. */

/* Finds the value of a header line with this name, which ends in a colon. Sets
 * ret to the value, without a NUL, and returns its size. Returns 0 for another
 * name or an empty value. */
size_t connectivity_header_value(const char *line, size_t size,
				 const char *name, const char **ret);

/* Resolves the Location in an answer to base, an http or https URL (RFC 3986,
 * section 5.2). Keeps dot segments, and percent-encodes bytes that a URL can't
 * have. Returns 0, or -EMSGSIZE. */
int connectivity_redirect_resolve(const char *base, const char *location,
				  size_t size, char *ret, size_t ret_size);

#pragma GCC visibility pop

#endif
