/* SPDX-License-Identifier: MIT */
/* getaddrinfo() itself, in a namespace that reaches no name server because even
 * its lo is down. */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "names/names.h"
#include "names/script.h"
#include "system/system.h"

struct question {
	const char *name;
	int family;
	struct reach_resolved answer;
};

static int ask(void *context)
{
	struct question *question = context;

	reach_lookup(NULL, NULL, question->name, question->family,
		     &question->answer);
	return 0;
}

/* The addresses of @name, with a comma after each, or its error. */
static const char *lookup_family(int netns, const char *name, int family,
				 char text[256])
{
	struct question question = { .name = name, .family = family };
	const struct reach_resolved *answer = &question.answer;
	size_t used = 0;

	text[0] = '\0';
	if (reach_netns_run(netns, ask, &question) < 0 || answer->error)
		snprintf(text, 256, "error %d", answer->error);
	for (size_t i = 0; i < answer->count && used < 128; i++) {
		used += reach_address_format(&answer->addresses[i], text + used,
					     128 - used);
		used += (size_t)snprintf(text + used, 256 - used, ",");
	}
	return text;
}

static const char *lookup(int netns, const char *name, char text[256])
{
	return lookup_family(netns, name, AF_UNSPEC, text);
}

static void numbers_need_no_network(int netns)
{
	static const char *const table[][2] = {
		{ "127.0.0.1", "127.0.0.1," },
		{ "192.0.2.7", "192.0.2.7," },
		{ "::1", "::1," },
		{ "2001:db8::1", "2001:db8::1," },
		{ "fe80::1%1", "fe80::1%1," },
	};
	char text[256];

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		CHECK(!strcmp(lookup(netns, table[i][0], text), table[i][1]));
}

static void what_cannot_be_a_name_does_not_exist(int netns)
{
	static const char *const table[] = {
		"a b", "..",
		"a-label-of-more-than-63-characters-"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		".example"
	};
	char text[256], unknown[32];

	snprintf(unknown, sizeof(unknown), "error %d", -ENOENT);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		CHECK(!strcmp(lookup(netns, table[i], text), unknown));
}

/* /etc/hosts comes before DNS. An address that the file lists twice is kept
 * once. */
static void localhost_needs_no_network(int netns)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	char text[256];

	lookup(netns, "localhost", text);
	CHECK(!strcmp(text, "127.0.0.1,") || !strcmp(text, "::1,") ||
	      !strcmp(text, "::1,127.0.0.1,") ||
	      !strcmp(text, "127.0.0.1,::1,"));
	CHECK(!reach_resolver_create(&resolver, netns, NULL, NULL));
	CHECK(!reach_resolver_submit(resolver, 1, "localhost", 0));
	CHECK(script_result(resolver, &result));
	CHECK(!result.error && result.count > 0);
	reach_resolver_release(resolver);
}

/* /etc/hosts may have localhost in both families or in one. */
static void one_family_alone(int netns)
{
	char text[256], none[32];

	snprintf(none, sizeof(none), "error %d", -ENODATA);
	lookup_family(netns, "localhost", AF_INET, text);
	CHECK(!strcmp(text, "127.0.0.1,") || !strcmp(text, none));
	lookup_family(netns, "localhost", AF_INET6, text);
	CHECK(!strchr(text, '.'));
	CHECK(!strcmp(lookup_family(netns, "::1", AF_INET, text), none));
	CHECK(!strcmp(lookup_family(netns, "192.0.2.7", AF_INET6, text), none));
}

/* An NSS service behind a Unix socket may know that there is no such name. */
static void a_name_is_unknown_without_a_server(int netns)
{
	char text[256], unknown[32], cut_off[32];

	snprintf(unknown, sizeof(unknown), "error %d", -ENOENT);
	snprintf(cut_off, sizeof(cut_off), "error %d", -ENETUNREACH);
	lookup(netns, "no-such-name.invalid", text);
	CHECK(!strcmp(text, unknown) || !strcmp(text, cut_off));
}

/* Mounts a file with @text over @path. */
static int cover(const char *path, const char *text)
{
	char temporary[] = "/tmp/reach-XXXXXX";
	int err = 0, fd = mkstemp(temporary);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0 ||
	    mount(temporary, path, "", MS_BIND, NULL) < 0)
		err = -errno;
	close(fd);
	unlink(temporary);
	return err;
}

/* A server that can be reached and is silent, unlike one without a route. */
static int ask_silent_server(void *context)
{
	const struct sockaddr_in place = {
		.sin_family = AF_INET,
		.sin_port = htons(53),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct reach_resolved result = { 0 };
	int err;

	(void)context;
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	err = cover("/etc/resolv.conf",
		    "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
	if (!err)
		err = cover("/etc/nsswitch.conf", "hosts: files dns\n");
	if (err)
		return err;
	CHECK(answer_ip("link set lo up"));
	CHECK(!bind(fd, (const struct sockaddr *)&place, sizeof(place)));
	reach_lookup(NULL, NULL, "dead.test", 0, &result);
	CHECK(result.error == -EAGAIN);
	close(fd);
	return 0;
}

/* Without descriptors. @return an errno */
static int look_up_without(void *name)
{
	const struct rlimit none = { 0, 0 };
	struct reach_resolved result = { 0 };

	setrlimit(RLIMIT_NOFILE, &none);
	reach_lookup(NULL, NULL, name, 0, &result);
	return -result.error;
}

/* The same after the C library has read its files. */
static int look_up_warm(void *name)
{
	struct reach_resolved result = { 0 };

	reach_lookup(NULL, NULL, "localhost", 0, &result);
	return look_up_without(name);
}

/* Without descriptors the C library reads none of its files, and reports "no
 * such name" for a process's first lookup. */
void test_first_lookup(void)
{
	static char names[][24] = { "localhost", "no-such-name.invalid" };

	for (int i = 0; i < 2; i++) {
		CHECK(check_in_child(look_up_without, names[i]) == EMFILE);
		CHECK(check_in_child(look_up_warm, names[i]) == EMFILE);
	}
}

void test_resolver_system(void)
{
	int netns = check_new_netns();

	if (netns < 0)
		check_skip("getaddrinfo() without a network", netns);
	numbers_need_no_network(netns < 0 ? -1 : netns);
	if (netns < 0)
		return;
	what_cannot_be_a_name_does_not_exist(netns);
	localhost_needs_no_network(netns);
	one_family_alone(netns);
	a_name_is_unknown_without_a_server(netns);
	close(netns);
	check_in_netns("a silent name server", ask_silent_server, NULL);
}
