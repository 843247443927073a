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

static void without_any_thread_submit_fails(struct check *check)
{
	struct submission submission;
	struct reach_resolved result;
	struct script script;

	script_open(&script);
	submission.resolver = script_resolver(&script);
	submission.id = 1;
	submission.name = "1";
	CHECK(check, check_without_threads(submit, &submission) == -EAGAIN);
	CHECK(check, !reach_resolver_submit(submission.resolver, 2, "hang", 0));
	CHECK(check, script_await(script.hanging[0], 1));
	submission.id = 3;
	CHECK(check, !check_without_threads(submit, &submission));
	script_let_go(script.gate[1], 1);
	CHECK(check, script_result(submission.resolver, &result));
	CHECK(check, result.id == 2);
	CHECK(check, script_result(submission.resolver, &result));
	CHECK(check, result.id == 3);
	CHECK(check, !reach_resolver_next(submission.resolver, &result));
	reach_resolver_release(submission.resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void workers_enter_the_namespace(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int netns = check_new_netns();

	if (netns < 0) {
		check_skip(check, "resolving in a network namespace", netns);
		return;
	}
	script_open(&script);
	script.netns = check_netns_of(netns);
	CHECK(check, !reach_resolver_create(&resolver, netns, script_resolve,
					    &script));
	close(netns);
	CHECK(check, script.netns != check_netns());
	for (uint64_t id = 1; id <= 3; id++) {
		reach_resolver_submit(resolver, id, "netns", 0);
		CHECK(check, script_result(resolver, &result) && !result.error);
	}
	reach_resolver_release(resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void what_is_no_namespace_is_an_error(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int ends[2];

	script_open(&script);
	if (pipe2(ends, O_CLOEXEC))
		return;
	CHECK(check, !reach_resolver_create(&resolver, ends[1], script_resolve,
					    &script));
	close(ends[1]);
	for (uint64_t id = 1; id <= 2; id++) {
		reach_resolver_submit(resolver, id, "1", 0);
		CHECK(check, script_result(resolver, &result));
		CHECK(check, result.error == -EINVAL && result.count == 0);
	}
	CHECK(check, !check_readable(ends[0]));
	reach_resolver_release(resolver);
	CHECK(check, check_readable(ends[0]));
	close(ends[0]);
	script_close(&script);
}

static void create_tells_what_is_missing(struct check *check)
{
	struct reach_resolver *resolver = NULL;
	struct rlimit before, none;
	int fd = dup(0);

	CHECK(check,
	      reach_resolver_create(&resolver, -2, NULL, NULL) == -EBADF);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)fd;
	close(fd);
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK(check,
	      reach_resolver_create(&resolver, -1, NULL, NULL) == -EMFILE);
	none.rlim_cur++;
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK(check,
	      reach_resolver_create(&resolver, 0, NULL, NULL) == -EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(check, !resolver);
}

void test_resolver_limits(struct check *check)
{
	without_any_thread_submit_fails(check);
	workers_enter_the_namespace(check);
	create_tells_what_is_missing(check);
	what_is_no_namespace_is_an_error(check);
}
