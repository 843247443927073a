/* SPDX-License-Identifier: MIT */
/* inotify queues an event before the system call that caused it returns, so
 * nothing here has to wait. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "names/names.h"

/* A temporary directory that contains "etc" and "run". */
struct place {
	char root[64];
	char etc[80];
	struct reach_resolver_files *watch;
};

static const char *at(const struct place *place, const char *path)
{
	static _Thread_local char texts[4][PATH_MAX];
	static _Thread_local unsigned int next;
	char *text = texts[next++ % 4];

	snprintf(text, PATH_MAX, "%s/%s", place->root, path);
	return text;
}

/* Each content has another size: kernels before 6.13 give files that change
 * within a tick the same time. */
static void write_file(const struct place *place, const char *path)
{
	static char text[4096];
	static size_t size;
	int fd = open(at(place, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0644);

	size = size % sizeof(text) + 1;
	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		perror(path);
	if (fd >= 0)
		close(fd);
}

/* Replaces a file by a rename, as editors and daemons do. */
static void replace(const struct place *place, const char *path)
{
	write_file(place, "new");
	if (rename(at(place, "new"), at(place, path)))
		perror(path);
}

static void setup(struct place *place)
{
	snprintf(place->root, sizeof(place->root), "/tmp/reach-watch.XXXXXX");
	if (!mkdtemp(place->root))
		perror(place->root);
	snprintf(place->etc, sizeof(place->etc), "%s/etc", place->root);
	CHECK(!mkdir(at(place, "etc"), 0755) && !mkdir(at(place, "run"), 0755));
	place->watch = NULL;
}

static void teardown(struct place *place)
{
	reach_resolver_files_destroy(place->watch);
	check_remove_all(place->root);
}

static void start(struct place *place)
{
	CHECK(!reach_resolver_files_create(&place->watch, place->etc));
}

/* Whether a change was reported since the last call. */
static bool reported(const struct place *place)
{
	int fd = reach_resolver_files_fd(place->watch);
	bool changed = false;

	while (check_readable(fd))
		changed |= reach_resolver_files_drain(place->watch);
	return changed;
}

/* ---- stories ----------------------------------------------------------- */

/* Two directories with a file each. */
#define TWO_FILES                                                              \
	"mkdir run/a", "mkdir run/b", "write run/a/file", "write run/b/file"

#define STEPS 32

/* The steps of take(), where "watch" starts the watch. A change since the last
 * answer was "reported", or the watch is "silent". */
static const char *const stories[][STEPS] = {
	/* Each kind of change. */
	{ "watch",    "write etc/resolv.conf",
	  "reported", "write etc/nsswitch.conf",
	  "reported", "write etc/nsswitch.conf",
	  "reported", "replace etc/resolv.conf",
	  "reported", "replace etc/hosts",
	  "reported", "chmod etc/nsswitch.conf",
	  "reported", "chmod etc/hosts",
	  "reported", "unlink etc/resolv.conf",
	  "reported", "unlink etc/nsswitch.conf",
	  "reported", "silent" },
	/* Other files. */
	{ "write etc/resolv.conf", "watch", "write etc/passwd",
	  "replace etc/resolv.conf.bak", "mkdir etc/resolv.conf.d",
	  "unlink etc/passwd", "silent", "replace etc/resolv.conf",
	  "reported" },
	/* A symlink. */
	{ "mkdir run/resolve", "write run/resolve/stub.conf",
	  "link etc/resolv.conf ../run/resolve/stub.conf", "watch",
	  "replace run/resolve/stub.conf", "reported",
	  "write run/resolve/stub.conf", "reported", "write run/resolve/other",
	  "write run/hosts", "silent", "replace run/resolve/stub.conf",
	  "reported", "write run/resolve/stub.conf", "reported" },
	/* One that moves: etc/resolv.conf -> run/hop -> run/a/file. */
	{ TWO_FILES, "link run/hop a/file", "link etc/resolv.conf /run/hop",
	  "watch", "write run/a/file", "reported", "write run/b/file", "silent",
	  "link new b/file", "move new run/hop", "reported", "write run/a/file",
	  "silent", "write run/b/file", "reported" },
	/* A directory on the path may be a symlink, which Kubernetes replaces
	 * to update a volume, before it deletes the old directory. */
	{ TWO_FILES, "link run/data a", "link etc/resolv.conf ../run/data/file",
	  "watch", "link new b", "move new run/data", "unlink run/a/file",
	  "rmdir run/a", "reported", "write run/b/file", "reported" },
	/* A symlink to nowhere. */
	{ "link etc/resolv.conf ../run/late/deep/file", "link etc/hosts hosts",
	  "watch", "write run/other", "silent", "mkdir run/late", "any",
	  "mkdir run/late/deep", "any", "write run/late/deep/file", "reported",
	  "replace run/late/deep/file", "reported" },
	/* A missing directory is no error. */
	{ "rmdir etc", "watch", "silent", "mkdir etc", "write etc/hosts",
	  "reported", "write etc/hosts", "reported" },
	/* It may come and go. */
	{ "write etc/hosts", "watch", "unlink etc/hosts", "rmdir etc",
	  "reported", "mkdir etc", "write etc/hosts", "reported",
	  "move etc old", "reported", "write old/hosts", "silent", "mkdir etc",
	  "any", "write etc/hosts", "reported" },
};

/* Returns false for a step that it doesn't know. */
static bool change(const struct place *place, const char *step)
{
	char word[16], path[64], target[64];
	const int words = sscanf(step, "%15s %63s %63s", word, path, target);

	if (words < 2)
		return false;
	if (!strcmp(word, "write"))
		write_file(place, path);
	else if (!strcmp(word, "replace"))
		replace(place, path);
	else if (!strcmp(word, "mkdir"))
		return !mkdir(at(place, path), 0755);
	else if (!strcmp(word, "link"))
		return !symlink(*target == '/' ? at(place, target + 1) : target,
				at(place, path));
	else if (!strcmp(word, "move"))
		return !rename(at(place, path), at(place, target));
	else if (!strcmp(word, "chmod"))
		return !chmod(at(place, path), 0600);
	else
		return !remove(at(place, path));
	return true;
}

static void take(struct place *place, const char *step)
{
	bool right = true;

	if (!strcmp(step, "watch"))
		start(place);
	else if (!strcmp(step, "any"))
		(void)reported(place);
	else if (!strcmp(step, "silent"))
		right = !reported(place);
	else
		right = !strcmp(step, "reported") ? reported(place)
						  : change(place, step);
	if (!CHECK(right))
		fprintf(stderr, "at '%s'\n", step);
}

static void tell(const char *const story[STEPS])
{
	struct place place;

	setup(&place);
	for (size_t i = 0; i < STEPS && story[i]; i++)
		take(&place, story[i]);
	teardown(&place);
}

static void an_overflow_hides_no_change(void)
{
	struct place place;

	setup(&place);
	write_file(&place, "etc/a");
	write_file(&place, "etc/b");
	start(&place);
	/* Two names in turn: inotify merges equal consecutive events. */
	for (int i = 0; i < 10000; i++) {
		chmod(at(&place, "etc/a"), 0644);
		chmod(at(&place, "etc/b"), 0644);
	}
	write_file(&place, "etc/hosts");
	CHECK(reported(&place));
	chmod(at(&place, "etc/a"), 0644);
	CHECK(!reported(&place));
	write_file(&place, "etc/hosts");
	CHECK(reported(&place));
	teardown(&place);
}

static void a_path_can_be_too_long(void)
{
	struct reach_resolver_files *watch = NULL;
	char path[PATH_MAX + 2];

	reach_resolver_files_destroy(NULL);

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	CHECK(reach_resolver_files_create(&watch, path) == -ENAMETOOLONG);
	path[PATH_MAX - 2] = '\0';
	CHECK(!reach_resolver_files_create(&watch, path));
	reach_resolver_files_destroy(watch);
}

/* In a container, resolv.conf is often a bind mount of a file outside the
 * container's file system. */
static int watch_a_bind_mount(void *context)
{
	struct place *place = context;

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(at(place, "run/file"), at(place, "etc/resolv.conf"), "",
		  MS_BIND, NULL) < 0)
		return -errno;
	start(place);
	write_file(place, "run/file");
	CHECK(reported(place));
	umount(at(place, "etc/resolv.conf"));
	return 0;
}

static void a_bind_mount_is_seen_through(void)
{
	struct place place;
	int error;

	setup(&place);
	write_file(&place, "etc/resolv.conf");
	write_file(&place, "run/file");
	error = check_on_thread(watch_a_bind_mount, &place);
	if (error < 0)
		check_skip("a bind mount", error);
	teardown(&place);
}

/* A file that the user may not read can't be watched itself, only its
 * directory. */
static int watch_as_nobody(void *context)
{
	struct place *place = context;

	setfsuid(65534);
	start(place);
	setfsuid(0);
	chmod(at(place, "run/file"), 0644);
	CHECK(reported(place));
	return 0;
}

static void a_file_may_become_readable(void)
{
	struct place place;

	if (geteuid()) {
		check_skip("another user", -EPERM);
		return;
	}
	setup(&place);
	chmod(place.root, 0755);
	write_file(&place, "run/file");
	chmod(at(&place, "run/file"), 0600);
	CHECK(!symlink("../run/file", at(&place, "etc/resolv.conf")));
	check_on_thread(watch_as_nobody, &place);
	teardown(&place);
}

void test_resolver_files(void)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++)
		tell(stories[i]);
	an_overflow_hides_no_change();
	a_path_can_be_too_long();
	a_bind_mount_is_seen_through();
	a_file_may_become_readable();
}
