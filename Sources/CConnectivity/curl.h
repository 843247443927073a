/* SPDX-License-Identifier: MIT */
/*
 * The functions of libcurl in use (version 7.37 or later). They are loaded at
 * run time, so you can build without libcurl and its headers. The numbers are
 * those of curl/curl.h, which are part of the ABI.
 */
#ifndef CURL_H
#define CURL_H

#include "include/connectivity_probe.h"

#include <stddef.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
