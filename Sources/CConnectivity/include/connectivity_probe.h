/* SPDX-License-Identifier: MIT */
/*
 * Probes of connectivity: one HTTP request, or one TCP connection.
 *
 * Each call blocks its thread until an answer arrives, the time is up, or the
 * caller cancels the probe. Start a thread per call and end it afterwards: the
 * call leaves it in the probe's network namespace, and with SIGPIPE blocked,
 * because TLS libraries write without MSG_NOSIGNAL.
 */
#ifndef CONNECTIVITY_PROBE_H
#define CONNECTIVITY_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of an answer's URL with its NUL; a longer URL is not reported. */
#define CONNECTIVITY_URL_SIZE 4096
/* The most bytes of a body to compare. */
#define CONNECTIVITY_BODY_MAX 4096
/* The most bytes of headers to read, interim responses included. */
#define CONNECTIVITY_HEADERS_MAX 65536

enum connectivity_result {
	/* The expected answer, or a TCP connection. */
	CONNECTIVITY_EXPECTED,
	/* A redirect. */
	CONNECTIVITY_REDIRECT,
	/* Another status or another body. */
	CONNECTIVITY_UNEXPECTED,
	/* The server's name couldn't be resolved. */
	CONNECTIVITY_NAME,
	/* No connection; error has its errno, or 0. */
	CONNECTIVITY_CONNECT,
	/* The time is up. */
	CONNECTIVITY_TIMEOUT,
	/* TLS: handshake or certificate. */
	CONNECTIVITY_TLS,
	/* The connection ended before the answer. */
	CONNECTIVITY_CLOSED,
	/* The answer is not HTTP, or has too many headers. */
	CONNECTIVITY_MALFORMED,
	/* Cancelled by the caller. */
	CONNECTIVITY_CANCELLED,
	/* libcurl cannot be loaded; error is ENOENT, or ENOEXEC in a static
	 * executable. */
	CONNECTIVITY_NO_LIBRARY,
	/* A system error; error has its errno. */
	CONNECTIVITY_SYSTEM,
	/* The probe couldn't be bound to its interface. */
	CONNECTIVITY_INTERFACE,
	/* The mark couldn't be set; error has its errno. */
	CONNECTIVITY_MARK,
	/* The file of trusted certificates cannot be read. */
	CONNECTIVITY_CA_FILE,
};

/* The phase of a probe. */
enum connectivity_phase {
	CONNECTIVITY_PHASE_NAME,
	CONNECTIVITY_PHASE_CONNECT,
	CONNECTIVITY_PHASE_TLS,
	CONNECTIVITY_PHASE_HEADERS,
	CONNECTIVITY_PHASE_BODY,
};

#define CONNECTIVITY_PHASES 5

/* The settings that both kinds of probe share. */
struct connectivity_path {
	/* The name of the interface to send by; NULL for any. */
	const char *interface;
	/* SO_MARK; 0 for none. */
	uint32_t mark;
	/* The network namespace; -1 for the thread's own. */
	int netns_fd;
	/* Cancels the probe when readable; see connectivity_cancel(). */
	int cancel_fd;
	uint32_t milliseconds;
};

struct connectivity_http {
	const char *url;
	/* AF_INET or AF_INET6; 0 for both. */
	int family;
	long status;
	/* The expected body; trailing white space is ignored. NULL for any. */
	const char *body;
	/* Request headers, each followed by a NUL, then an empty one. */
	const char *headers;
	/* Certificates to trust, PEM; NULL for the file of the environment's
	 * SSL_CERT_FILE, or libcurl's. */
	const char *ca_file;
	/* The URL of an HTTP proxy; NULL for none. */
	const char *proxy;
};

/* An address in the kernel's form, in network byte order. */
struct connectivity_address {
	int family;
	uint8_t bytes[16];
	uint32_t scope_id;
};

struct connectivity_answer {
	enum connectivity_result result;
	/* The phase in which the probe timed out or was cancelled. */
	enum connectivity_phase phase;
	/* When each phase ended, in microseconds from the start; 0 if it has
	 * not ended. A skipped phase ends together with the previous one. */
	uint64_t ends[CONNECTIVITY_PHASES];
	/* A positive errno, or 0. */
	int error;
	/* The HTTP status, or 0. */
	long status;
	/* The library's text of a failure, or "". */
	char text[256];
};

/* Whether the process can load libraries: a static executable can't. */
bool connectivity_can_load(void);

/* Returns fd, which was just opened, or is negative. If the process has fewer
 * than spare descriptors left, closes fd and returns -EMFILE. */
int connectivity_spare(int fd, unsigned int spare);

/* Opens a descriptor for connectivity_path.cancel_fd, and leaves spare others
 * to the process. Returns it, or a negative errno. */
int connectivity_cancel_open(unsigned int spare);

/* Cancels the probe at once. Any thread may call it. */
void connectivity_cancel(int cancel_fd);

/* A request, open until connectivity_http_close(). It belongs to the thread
 * that made it. */
struct connectivity_request;

/* Sends one GET request, and doesn't follow redirects. Returns the request,
 * which the caller closes, or NULL. */
struct connectivity_request *
connectivity_probe_http(const struct connectivity_path *path,
			const struct connectivity_http *http,
			struct connectivity_answer *ret);

/* The URL of a redirect; "" if it is too long, and for other results. It
 * belongs to the request. */
const char *
connectivity_http_location(const struct connectivity_request *request);

/* Closes a request; NULL is allowed. Blocks until getaddrinfo() returns,
 * because libcurl cannot abort it. */
void connectivity_http_close(struct connectivity_request *request);

/* Tries the addresses in order until one answers. Starts the next attempt once
 * all earlier ones have failed, or 250 ms after the previous one (RFC 8305).
 * local is the source address, or NULL. */
void connectivity_probe_tcp(const struct connectivity_path *path,
			    const struct connectivity_address *addresses,
			    size_t count, uint16_t port,
			    const struct connectivity_address *local,
			    struct connectivity_answer *ret);

#endif
