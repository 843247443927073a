/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "names/names.h"
#include "names/script.h"

struct submission {
	struct reach_resolver *resolver;
	uint64_t id;
	const char *name;
};

static int submit(void *context)
{
	const struct submission *submission = context;

	return reach_resolver_submit(submission->resolver, submission->id,
				     submission->name, 0);
}

static void without_any_thread_submit_fails(void)
{
	struct submission submission;
	struct reach_resolved result;
	struct script script;

	submission.resolver = script_begin(&script);
	submission.id = 1;
	submission.name = "1";
	CHECK(check_without_threads(submit, &submission) == -EAGAIN);
	CHECK(!reach_resolver_submit(submission.resolver, 2, "hang", 0));
	CHECK(script_await(script.hanging[0], 1));
	submission.id = 3;
	CHECK(!check_without_threads(submit, &submission));
	script_let_go(script.gate[1], 1);
	CHECK(script_result(submission.resolver, &result));
	CHECK(result.id == 2);
	CHECK(script_result(submission.resolver, &result));
	CHECK(result.id == 3);
	CHECK(!reach_resolver_next(submission.resolver, &result));
	script_end(&script, submission.resolver);
}

static void workers_enter_the_namespace(void)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int netns = check_new_netns();

	if (netns < 0) {
		check_skip("resolving in a network namespace", netns);
		return;
	}
	script_open(&script);
	script.netns = check_netns_of(netns);
	CHECK(!reach_resolver_create(&resolver, netns, script_resolve,
				     &script));
	close(netns);
	CHECK(script.netns != check_netns());
	for (uint64_t id = 1; id <= 3; id++) {
		reach_resolver_submit(resolver, id, "netns", 0);
		CHECK(script_result(resolver, &result) && !result.error);
	}
	script_end(&script, resolver);
}

static void what_is_no_namespace_is_an_error(void)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int ends[2];

	script_open(&script);
	if (pipe2(ends, O_CLOEXEC))
		return;
	CHECK(!reach_resolver_create(&resolver, ends[1], script_resolve,
				     &script));
	close(ends[1]);
	for (uint64_t id = 1; id <= 2; id++) {
		reach_resolver_submit(resolver, id, "1", 0);
		CHECK(script_result(resolver, &result));
		CHECK(result.error == -EINVAL && result.count == 0);
	}
	CHECK(!check_readable(ends[0]));
	reach_resolver_release(resolver);
	CHECK(check_readable(ends[0]));
	close(ends[0]);
	script_close(&script);
}

static void create_tells_what_is_missing(void)
{
	struct reach_resolver *resolver = NULL;
	struct rlimit before, none;
	int fd = dup(0);

	CHECK(reach_resolver_create(&resolver, -2, NULL, NULL) == -EBADF);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)fd;
	close(fd);
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK(reach_resolver_create(&resolver, -1, NULL, NULL) == -EMFILE);
	none.rlim_cur++;
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK(reach_resolver_create(&resolver, 0, NULL, NULL) == -EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(!resolver);
}

void test_resolver_limits(void)
{
	without_any_thread_submit_fails();
	workers_enter_the_namespace();
	create_tells_what_is_missing();
	what_is_no_namespace_is_an_error();
}
