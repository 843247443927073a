/* SPDX-License-Identifier: MIT */
/* Headers of HTTP answers, and redirects. The parsed text is in a heap block of
 * its exact size, without a NUL, so that AddressSanitizer reports reads beyond
 * its end. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CConnectivity/connectivity.h"
#include "check.h"
#include "fake_curl.h"

#define URL "http://a.test/b/c?d#e"

static char *copy(const char *text)
{
	const size_t size = strlen(text);
	char *bytes = malloc(size ? size : 1);

	if (!bytes)
		abort();
	memcpy(bytes, text, size);
	return bytes;
}

static bool leads_from(const char *base, const char *location,
		       const char *expected)
{
	char url[64];
	char *bytes = copy(location);
	const int err = connectivity_redirect_resolve(
		base, bytes, strlen(location), url, sizeof(url));

	free(bytes);
	return !err && !strcmp(url, expected);
}

static bool leads_to(const char *location, const char *expected)
{
	return leads_from(URL, location, expected);
}

static int resolved(const char *base, size_t size, size_t room)
{
	char location[64], *url = malloc(room);
	int err;

	if (!url)
		abort();
	memset(location, 0xff, sizeof(location));
	err = connectivity_redirect_resolve(base, location, size, url, room);
	free(url);
	return err;
}

void test_redirects(void)
{
	CHECK(leads_to("https://x.test/y", "https://x.test/y"));
	CHECK(leads_to("//x.test/y", "http://x.test/y"));
	CHECK(leads_to("/y", "http://a.test/y"));
	CHECK(leads_to("y", "http://a.test/b/y"));
	CHECK(leads_to("?y", "http://a.test/b/c?y"));
	CHECK(leads_to("#y", "http://a.test/b/c?d#y"));
	CHECK(leads_to("/y:z", "http://a.test/y:z"));
	CHECK(leads_to("/\x01 \x7f", "http://a.test/%01%20%7F"));
	CHECK(leads_from("http://a.test", "y", "http://a.test/y"));
	CHECK(leads_from("http://a.test?x/z", "y", "http://a.test/y"));
	/* Each byte of the location becomes three (%FF). */
	CHECK(resolved("", 4, 13) == 0);
	CHECK(resolved("", 4, 12) == -EMSGSIZE);
	CHECK(resolved("", 5, 13) == -EMSGSIZE);
	CHECK(resolved("", 14, 13) == -EMSGSIZE);
	CHECK(resolved(URL, 0, 4) == -EMSGSIZE);
}

/* ---- heads ------------------------------------------------------------- */

static struct connectivity_http http = { .url = URL, .status = 204 };

static size_t take(struct connectivity_request *request, const char *line)
{
	char *bytes = copy(line);
	const size_t taken =
		connectivity_take_header(bytes, 1, strlen(line), request);

	free(bytes);
	return taken;
}

static enum connectivity_result
judge(const struct connectivity_request *request)
{
	struct connectivity_answer answer = { .status = (int)status };

	connectivity_judge(request, &answer);
	return answer.result;
}

static void a_redirect_is_told(void)
{
	struct connectivity_request request = { .curl = &curl, .http = &http };

	status = 302;
	CHECK(take(&request, "Location: /login\r\n") == 0);
	CHECK(!strcmp(request.location, "http://a.test/login"));
	CHECK(judge(&request) == CONNECTIVITY_REDIRECT);
	status = 200;
	CHECK(judge(&request) == CONNECTIVITY_UNEXPECTED);
}

static void a_redirect_may_be_expected(void)
{
	static const struct connectivity_http found = { .url = URL,
							.status = 302 };
	struct connectivity_request request = { .curl = &curl, .http = &found };

	status = 302;
	CHECK(take(&request, "Location: /login\r\n") == 18);
	CHECK(take(&request, "location: /other\r\n") == 18);
	CHECK(!strcmp(request.location, "http://a.test/login"));
	CHECK(take(&request, "\r\n") == 0 && request.has_head);
	CHECK(judge(&request) == CONNECTIVITY_EXPECTED);
}

/* The headers of an interim answer (1xx) don't belong to the final one. */
static void an_interim_answer_is_forgotten(void)
{
	struct connectivity_request request = { .curl = &curl, .http = &http };

	status = 103;
	CHECK(take(&request, "Location: /login\r\n") == 18);
	CHECK(take(&request, "\r\n") == 2 && !request.has_head);
	CHECK(!request.has_location);
}

static void an_empty_200_is_a_204(void)
{
	struct connectivity_request request = { .curl = &curl, .http = &http };

	status = 200;
	CHECK(judge(&request) == CONNECTIVITY_UNEXPECTED);
	take(&request, "Content-Length: 0\r\n");
	CHECK(judge(&request) == CONNECTIVITY_EXPECTED);
	take(&request, "Transfer-Encoding: chunked\r\n");
	CHECK(judge(&request) == CONNECTIVITY_UNEXPECTED);
}

static void an_endless_head_ends(void)
{
	struct connectivity_request request = { .curl = &curl, .http = &http };
	unsigned int lines = 0;

	while (take(&request, "X: 45678\r\n") && lines < 10000)
		lines++;
	CHECK(request.has_endless_headers);
	CHECK(lines == CONNECTIVITY_HEADERS_MAX / 10);
}

static void a_body_ends(void)
{
	struct connectivity_request *request = calloc(1, sizeof(*request));
	char *bytes = calloc(1, CONNECTIVITY_BODY_MAX + 1);

	if (!request || !bytes)
		abort();
	CHECK(connectivity_take_body(bytes, 1, CONNECTIVITY_BODY_MAX - 1,
				     request) == CONNECTIVITY_BODY_MAX - 1);
	CHECK(connectivity_take_body(bytes, 1, 2, request) == 0);
	CHECK(request->is_enough);
	CHECK(connectivity_take_body(bytes, 1, CONNECTIVITY_BODY_MAX + 1,
				     request) == 0);
	free(request);
	free(bytes);
}

void test_answers(void)
{
	a_redirect_is_told();
	a_redirect_may_be_expected();
	an_interim_answer_is_forgotten();
	an_empty_200_is_a_204();
	an_endless_head_ends();
	a_body_ends();
}

static int check(const char *url, int family, const char *address)
{
	const struct connectivity_http asked = { .url = url, .family = family };
	struct sockaddr_in inet = { .sin_family = AF_INET };
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, address, &inet.sin_addr) == 1)
		return connectivity_check_address(
			&asked, (const struct sockaddr *)&inet);
	CHECK(inet_pton(AF_INET6, address, &inet6.sin6_addr) == 1);
	return connectivity_check_address(&asked,
					  (const struct sockaddr *)&inet6);
}

static int check_zone(const char *zone)
{
	char url[64];

	snprintf(url, sizeof(url), "http://[fe80::1%%25%s]/", zone);
	return check(url, AF_INET6, "fe80::1");
}

void test_addresses(void)
{
	CHECK(check("http://192.0.2.1/", 0, "192.0.2.1") == 0);
	CHECK(check("http://192.0.2.1/", AF_INET, "192.0.2.1") == 0);
	CHECK(check("http://192.0.2.1/", AF_INET6, "192.0.2.1") ==
	      -EAFNOSUPPORT);
	CHECK(check("http://[::1]/", AF_INET6, "::1") == 0);
	CHECK(check("http://[::1]/", AF_INET, "::1") == -EAFNOSUPPORT);
	CHECK(check_zone("lo") == 0);
	CHECK(check_zone("1") == 0);
	CHECK(check_zone("nosuch0") == -ENODEV);
	/* 15 characters fit into an interface's name. */
	CHECK(check_zone("lo3456789012345") == -ENODEV);
	CHECK(check_zone("lo34567890123456") == -ENODEV);
	CHECK(check("http://[fe80::1]/%25x]", 0, "fe80::1") == 0);
	/* A path, not a zone. */
	CHECK(check("http://a.test/%25x]", 0, "2001:db8::1") == 0);
}
