// SPDX-License-Identifier: MIT
// HTTP probes with libcurl, to a server that this program runs on loopback.
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CConnectivity/connectivity.h"
#include "check.h"

extern char **environ;

/* Serves one connection. */
struct server {
	/* The answer. If NULL, the server reads until the client closes the
	 * connection. */
	const char *answer;
	char request[1024];
	/* The URL of a redirect. */
	char url[64];
	int listener;
	uint16_t port;
	pthread_t thread;
};

static void read_request(struct server *server, int fd)
{
	size_t used = 0;

	while (used + 1 < sizeof(server->request)) {
		const ssize_t size = read(fd, server->request + used,
					  sizeof(server->request) - used - 1);

		if (size <= 0)
			return;
		used += (size_t)size;
		if (strstr(server->request, "\r\n\r\n") && server->answer)
			return;
	}
}

static void *serve(void *context)
{
	struct server *server = context;
	const int fd = accept(server->listener, NULL, NULL);

	if (fd < 0)
		return NULL;
	read_request(server, fd);
	if (server->answer)
		(void)!write(fd, server->answer, strlen(server->answer));
	close(fd);
	return NULL;
}

static void start(struct server *server, const char *answer)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(name);

	*server = (struct server){ .answer = answer };
	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(server->listener, (struct sockaddr *)&name, size) == 0);
	CHECK(listen(server->listener, 128) == 0);
	CHECK(!getsockname(server->listener, (struct sockaddr *)&name, &size));
	server->port = ntohs(name.sin_port);
	CHECK(pthread_create(&server->thread, NULL, serve, server) == 0);
}

/* Ends the server, even if no client has connected. */
static void stop(struct server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listener);
}

static struct connectivity_answer ask(struct server *server,
				      const struct connectivity_path *path,
				      const char *answer, const char *scheme)
{
	struct connectivity_http http = { .status = 204 };
	struct connectivity_request *request;
	struct connectivity_answer ret;
	char url[64];

	start(server, answer);
	snprintf(url, sizeof(url), "%s://127.0.0.1:%u/", scheme, server->port);
	http.url = url;
	http.headers = "X-A: b\0";
	request = connectivity_probe_http(path, &http, &ret);
	if (request)
		snprintf(server->url, sizeof(server->url), "%s",
			 connectivity_http_location(request));
	connectivity_http_close(request);
	stop(server);
	return ret;
}

static void is_answered(const struct connectivity_path *path)
{
	struct connectivity_answer answer;
	struct server server;

	answer = ask(&server, path, "HTTP/1.1 204 No\r\n\r\n", "http");
	CHECK(answer.result == CONNECTIVITY_EXPECTED && answer.status == 204);
	CHECK(answer.ends[CONNECTIVITY_PHASE_HEADERS] >=
	      answer.ends[CONNECTIVITY_PHASE_CONNECT]);
	CHECK(answer.ends[CONNECTIVITY_PHASE_CONNECT] > 0);
	CHECK(strstr(server.request, "\r\nX-A: b\r\n"));
	CHECK(strstr(server.request, "\r\nConnection: close\r\n"));
	/* A redirect is reported but not followed: nothing listens there. */
	answer =
		ask(&server, path,
		    "HTTP/1.1 302 To\r\nLocation: http://127.0.0.1:1/a\r\n\r\n",
		    "http");
	CHECK(answer.result == CONNECTIVITY_REDIRECT);
	CHECK(!strcmp(server.url, "http://127.0.0.1:1/a"));
	answer = ask(&server, path, "no head of HTTP\r\n", "http");
	CHECK(answer.result == CONNECTIVITY_MALFORMED);
	answer = ask(&server, path, "", "http");
	CHECK(answer.result == CONNECTIVITY_CLOSED);
}

/* libcurl supports more schemes than HTTP and HTTPS. A probe refuses the
 * others. */
static void speaks_http_alone(const struct connectivity_path *path)
{
	struct connectivity_answer answer;
	struct server server;

	answer = ask(&server, path, "220 ready\r\n", "ftp");
	CHECK(answer.result == CONNECTIVITY_MALFORMED);
	CHECK(answer.ends[CONNECTIVITY_PHASE_CONNECT] == 0);
}

static void takes_no_proxy(const struct connectivity_path *path)
{
	struct connectivity_answer answer;
	struct server server;

	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	answer = ask(&server, path, "HTTP/1.1 204 No\r\n\r\n", "http");
	unsetenv("http_proxy");
	CHECK(answer.result == CONNECTIVITY_EXPECTED);
}

static void ends_without_an_answer(struct connectivity_path path)
{
	struct connectivity_answer answer;
	struct server server;

	/* Long enough to connect. */
	path.milliseconds = 500;
	answer = ask(&server, &path, NULL, "http");
	CHECK(answer.result == CONNECTIVITY_TIMEOUT);
	CHECK(answer.phase == CONNECTIVITY_PHASE_HEADERS ||
	      answer.phase == CONNECTIVITY_PHASE_CONNECT);
	path.milliseconds = 600000;
	connectivity_cancel(path.cancel_fd);
	answer = ask(&server, &path, NULL, "http");
	CHECK(answer.result == CONNECTIVITY_CANCELLED);
}

static void is_bound(struct connectivity_path path)
{
	struct connectivity_answer answer;
	struct server server;

	path.interface = "nosuch0";
	answer = ask(&server, &path, "HTTP/1.1 204 No\r\n\r\n", "http");
	CHECK(answer.result == CONNECTIVITY_INTERFACE);
}

static atomic_bool has_answer;

/* Sends TLS requests to a server that says nothing, one after the other. */
static void *ask_on(void *context)
{
	const char *url = context;
	const struct connectivity_http http = { .url = url, .headers = "" };
	struct connectivity_path path = { .netns_fd = -1, .milliseconds = 2 };
	struct connectivity_answer answer;

	path.cancel_fd = connectivity_cancel_open(1);
	do {
		connectivity_http_close(
			connectivity_probe_http(&path, &http, &answer));
		has_answer = true;
	} while (answer.result == CONNECTIVITY_TIMEOUT);
	for (;;)
		pause();
}

/* Runs after the exit handlers of libraries. If OpenSSL's has ended it, other
 * threads use what that has freed, and OPENSSL_init_crypto() returns 0. */
static void check_tls(void)
{
	const uint64_t base_only = 0x00040000; /* OPENSSL_INIT_BASE_ONLY */
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "OPENSSL_init_crypto") : NULL;
	int (*initialize)(uint64_t options, const void *settings);

	memcpy(&initialize, &symbol, sizeof(symbol));
	if (initialize && !initialize(base_only, NULL))
		_exit(8);
}

void exit_during_requests(char *url, int microseconds)
{
	const int64_t end = connectivity_microseconds() + microseconds;
	pthread_t thread;

	alarm(60);
	atexit(check_tls);
	for (int i = 0; i < 5; i++)
		pthread_create(&thread, NULL, ask_on, url);
	while (microseconds ? connectivity_microseconds() < end : !has_answer)
		sched_yield();
	exit(7);
}

/* exit() frees the locks of the TLS library while other threads send requests:
 * the process has its own exit status all the same. */
static void may_exit(void)
{
	struct server server;
	char url[64], time[16];

	start(&server, NULL);
	snprintf(url, sizeof(url), "https://127.0.0.1:%u/", server.port);
	/* What other threads hold when the process ends is no leak. While the
	 * sanitizer writes its report of a fault, exit() would end the process
	 * with its own status. */
	setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_abort=0",
	       1);
	for (int i = 0; i < 100; i++) {
		char *const arguments[] = { "tests", "--exit", url, time,
					    NULL };
		int status = -1;
		pid_t child;

		/* The first has loaded its TLS library, however long that
		 * takes. */
		snprintf(time, sizeof(time), "%d", i ? 30000 + 100 * i : 0);
		CHECK(!posix_spawn(&child, "/proc/self/exe", NULL, NULL,
				   arguments, environ));
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	}
	stop(&server);
}

void test_requests(void)
{
	struct connectivity_path path = {
		.netns_fd = -1,
		.cancel_fd = connectivity_cancel_open(1),
		.milliseconds = 60000,
	};

	is_answered(&path);
	speaks_http_alone(&path);
	takes_no_proxy(&path);
	is_bound(path);
	ends_without_an_answer(path);
	may_exit();
	close(path.cancel_fd);
}
