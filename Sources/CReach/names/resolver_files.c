/* SPDX-License-Identifier: MIT */
/*
 * An inotify watch is on an inode, but these files are replaced by rename(2)
 * more often than they are written. So the directory is watched, and events are
 * filtered by the file's name. resolv.conf is often a symlink, so the directory of
 * each symlink and of each target has a watch, too. The file's inode has one as
 * well: in a container resolv.conf is a bind mount, whose events go to a directory
 * outside of the container. A symlink to a directory on the way, such as `..data`
 * of a Kubernetes volume, has none: what it led to is deleted when it is replaced.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "names/names.h"

#define FILES 3
/* Symlinks that are followed for a file; the kernel itself follows 40. */
#define HOPS_MAX 8
/* Watches of a file: of its directory, those of its symlinks' targets, and its
 * own. */
#define STEPS_MAX   (HOPS_MAX + 2)
#define ENTRIES_MAX (FILES * STEPS_MAX)

/* Reads of 4 KiB in one drain: about as many as a full queue of the longest
 * names needs (16,384 events, fs.inotify.max_queued_events). It bounds a
 * dispatch while another process writes without pause; the rest keeps the
 * descriptor readable. */
#define READS_MAX 1024

#define FILE_EVENTS (IN_CLOSE_WRITE | IN_ATTRIB)
#define DIRECTORY_EVENTS                                                       \
	(FILE_EVENTS | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |   \
	 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

static const char *const files[FILES] = { "resolv.conf", "hosts",
					  "nsswitch.conf" };

/* A watch, and the name that its events must have. */
struct entry {
	/* inotify's watch descriptor; several entries may share one. */
	int wd;
	/* hash() of the name in the watched directory. Events of a file's own
	 * watch have no name, and always count. If another name has
	 * the same hash, its events only make names resolve again. */
	uint32_t name;
};

struct reach_resolver_files {
	/* The inotify instance. Owned. */
	int fd;
	/* Number of `entries`. */
	size_t count;
	struct entry entries[ENTRIES_MAX];
	/* Path of the directory, NUL-terminated. */
	char root[];
};

/* ---- watches ----------------------------------------------------------- */

/* FNV-1a. */
static uint32_t hash(const char *name)
{
	uint32_t sum = UINT32_C(2166136261);

	for (; *name; name++)
		sum = (sum ^ (uint8_t)*name) * UINT32_C(16777619);
	return sum;
}

/* Adds a watch of @path for @events that have @name. @return false if @path does
 * not exist or may not be read, or if the user has too many watches. */
static bool watch_path(struct reach_resolver_files *watch, const char *path,
		       uint32_t events, const char *name)
{
	int wd;

	if (watch->count == ENTRIES_MAX)
		return false;
	wd = inotify_add_watch(watch->fd, path, events | IN_MASK_ADD);
	if (wd < 0)
		return false;
	watch->entries[watch->count++] =
		(struct entry){ .wd = wd, .name = hash(name) };
	return true;
}

/* Watches the directory of @path, or the nearest one above it that exists. */
static void watch_directory(struct reach_resolver_files *watch,
			    const char *path)
{
	char directory[PATH_MAX];
	char *slash;

	snprintf(directory, sizeof(directory), "%s", path);
	while ((slash = strrchr(directory, '/'))) {
		*slash = '\0';
		if (watch_path(watch, *directory ? directory : "/",
			       DIRECTORY_EVENTS, slash + 1))
			return;
	}
	(void)watch_path(watch, ".", DIRECTORY_EVENTS, directory);
}

/* Turns @path, a symlink to @target, into the target's path. @return false if
 * that is too long. */
static bool follow(char path[PATH_MAX], const char *target)
{
	const long kept = target[0] == '/' ? 0 : strrchr(path, '/') + 1 - path;
	char joined[2 * PATH_MAX];

	snprintf(joined, sizeof(joined), "%.*s%s", (int)kept, path, target);
	if (strlen(joined) >= PATH_MAX)
		return false;
	strcpy(path, joined);
	return true;
}

/* Watches a file and its symlinks. Each directory is watched before anything in
 * it is read, so that no change is missed in between. */
static void watch_file(struct reach_resolver_files *watch, const char *file)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t length;
	int hops;

	if (snprintf(path, sizeof(path), "%s/%s", watch->root, file) >=
	    PATH_MAX)
		return;
	for (hops = 0; hops <= HOPS_MAX; hops++) {
		watch_directory(watch, path);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			break;
		target[length] = '\0';
		if (!follow(path, target))
			return;
	}
	(void)watch_path(watch, path, FILE_EVENTS, "");
}

static bool watches(const struct reach_resolver_files *watch, int wd)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->entries[i].wd == wd)
			return true;
	return false;
}

/* Sets the watches again, since symlinks may lead elsewhere now. Inodes already
 * watched keep their watch descriptor (inotify_add_watch(2)) and lose no event.
 * The others are removed afterwards. */
static void renew(struct reach_resolver_files *watch)
{
	int before[ENTRIES_MAX];
	size_t count = watch->count;

	for (size_t i = 0; i < count; i++)
		before[i] = watch->entries[i].wd;
	watch->count = 0;
	for (size_t i = 0; i < FILES; i++)
		watch_file(watch, files[i]);
	for (size_t i = 0; i < count; i++)
		if (!watches(watch, before[i]))
			inotify_rm_watch(watch->fd, before[i]);
}

/* ---- events ------------------------------------------------------------ */

/* Whether @event can mean a change of one of the files. */
static bool matters(const struct reach_resolver_files *watch,
		    const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		return true;
	for (size_t i = 0; i < watch->count; i++) {
		const struct entry *entry = &watch->entries[i];

		if (entry->wd == event->wd &&
		    (!event->len || entry->name == hash(event->name)))
			return true;
	}
	return false;
}

static bool any_matters(const struct reach_resolver_files *watch,
			const char *bytes, size_t size)
{
	bool any = false;

	for (size_t at = 0; at < size;) {
		const struct inotify_event *event =
			(const struct inotify_event *)(bytes + at);

		any |= matters(watch, event);
		at += sizeof(*event) + event->len;
	}
	return any;
}

/* ---- interface --------------------------------------------------------- */

int reach_resolver_files_create(struct reach_resolver_files **ret,
				const char *etc_root)
{
	size_t size = strlen(etc_root) + 1;
	struct reach_resolver_files *watch;

	if (size > PATH_MAX)
		return -ENAMETOOLONG;
	watch = calloc(1, sizeof(*watch) + size);
	if (!watch)
		return -ENOMEM;
	memcpy(watch->root, etc_root, size);
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch->fd < 0) {
		int error = -errno;

		free(watch);
		return error;
	}
	renew(watch);
	*ret = watch;
	return 0;
}

void reach_resolver_files_destroy(struct reach_resolver_files *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch);
}

void reach_resolver_files_abandon(const struct reach_resolver_files *watch)
{
	close(watch->fd);
}

int reach_resolver_files_fd(const struct reach_resolver_files *watch)
{
	return watch->fd;
}

bool reach_resolver_files_drain(struct reach_resolver_files *watch)
{
	_Alignas(struct inotify_event) char bytes[4096];
	bool changed = false;

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t size = read(watch->fd, bytes, sizeof(bytes));

		if (size <= 0)
			break;
		changed |= any_matters(watch, bytes, (size_t)size);
	}
	if (changed)
		renew(watch);
	return changed;
}
