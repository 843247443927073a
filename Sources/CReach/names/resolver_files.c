/* SPDX-License-Identifier: MIT */
/*
 * An inotify watch is on an inode, but these files are replaced by rename(2)
 * more often than they are written. So the directory is watched, and events are
 * filtered by the file's name. resolv.conf is often a symlink, and each hop has
 * a watch on its directory. The file's inode has a watch too: in a container
 * resolv.conf is a bind mount, whose events go to a directory outside of the
 * container.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/resolver_files.h"

#define FILES 3
/* Symlinks that are followed for a file; the kernel itself follows 40. */
#define HOPS_MAX 8
/* Watches of all files: a directory for each hop, the file, and two for
 * directories that came into being meanwhile (try_hop()). */
#define ENTRIES_MAX (FILES * (HOPS_MAX + 3))

/* Reads of 4 KiB in one drain: about as many as a full queue of the longest
 * names needs (16,384 events, fs.inotify.max_queued_events). It bounds a
 * dispatch while another process writes without pause; the rest keeps the
 * descriptor readable. */
#define READS_MAX 1024

#define FILE_EVENTS (IN_CLOSE_WRITE | IN_ATTRIB)
#define DIRECTORY_EVENTS                                                       \
	(FILE_EVENTS | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |   \
	 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
/* Events of the nearest existing directory above a missing one. */
#define PARENT_EVENTS                                                          \
	(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

static const char *const files[FILES] = { "resolv.conf", "hosts",
					  "nsswitch.conf" };

/* A watch, and the name that its events must have. */
struct entry {
	/* inotify's watch descriptor; several entries may share one. */
	int wd;
	/* Name in the watched directory. Events of a file's own watch have no
	 * name, and always count. */
	char name[NAME_MAX + 1];
};

struct reach_resolver_files {
	/* The inotify instance, or -1. Owned. */
	int fd;
	/* Number of `entries`. */
	size_t count;
	struct entry entries[ENTRIES_MAX];
	/* Path of the directory, NUL-terminated. */
	char root[];
};

/* ---- watches ----------------------------------------------------------- */

/* Adds a watch of @path for @events that have @name. @return false, with errno,
 * if
 * @path does not exist or may not be read, or the user has too many watches.
 * Its changes are then missed until a change of the network resolves names
 * again. */
static bool watch_path(struct reach_resolver_files *watch, const char *path,
		       uint32_t events, const char *name)
{
	struct entry *entry;
	int wd;

	if (watch->count == ENTRIES_MAX) {
		errno = ENOSPC;
		return false;
	}
	wd = inotify_add_watch(watch->fd, path, events | IN_MASK_ADD);
	if (wd < 0)
		return false;
	entry = &watch->entries[watch->count++];
	entry->wd = wd;
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	return true;
}

/* Splits @path at its last slash into @directory ("." or "/" if there is
 * nothing before it) and the returned name. */
static const char *split(const char *path, char directory[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (!slash) {
		strcpy(directory, ".");
		return path;
	}
	snprintf(directory, PATH_MAX, "%.*s",
		 slash == path ? 1 : (int)(slash - path), path);
	return slash + 1;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Watches the directory of @path for its name or, if the directory does not
 * exist, the nearest one above for the missing component. @return true if that
 * component was created before its watch was in place: to be called again. */
static bool try_hop(struct reach_resolver_files *watch, const char *path)
{
	char missing[PATH_MAX] = "", directory[PATH_MAX];
	const char *name = split(path, directory);
	uint32_t events = DIRECTORY_EVENTS;

	while (!watch_path(watch, directory, events, name)) {
		if ((errno != ENOENT && errno != ENOTDIR) ||
		    !strcmp(directory, "/") || !strcmp(directory, "."))
			return false;
		strcpy(missing, directory);
		name = split(missing, directory);
		events = PARENT_EVENTS;
	}
	return missing[0] && is_directory(missing);
}

/* Replaces the path of a symlink by its target. @return false if it is no
 * symlink, or the target is too long. */
static bool follow(char path[PATH_MAX])
{
	char target[PATH_MAX], directory[PATH_MAX], next[2 * PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return false;
	target[length] = '\0';
	if (target[0] == '/') {
		strcpy(path, target);
		return true;
	}
	split(path, directory);
	if (snprintf(next, sizeof(next), "%s/%s", directory, target) >=
	    PATH_MAX)
		return false;
	strcpy(path, next);
	return true;
}

/* Watches a file along its symlinks. Each hop is watched before it is read, so
 * that no change is missed in between. */
static void watch_file(struct reach_resolver_files *watch, const char *name)
{
	char path[PATH_MAX];
	int hops = 0;

	if (snprintf(path, sizeof(path), "%s/%s", watch->root, name) >=
	    PATH_MAX)
		return;
	do {
		while (try_hop(watch, path))
			;
	} while (follow(path) && ++hops < HOPS_MAX);
	watch_path(watch, path, FILE_EVENTS, "");
}

static bool watches(const struct reach_resolver_files *watch, int wd)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->entries[i].wd == wd)
			return true;
	return false;
}

/* Sets the watches again, as symlinks may lead elsewhere now. Inodes that are
 * watched already keep their watch descriptor (inotify_add_watch(2)) and lose
 * no event; the others are removed afterwards. */
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
		    (!event->len || !strcmp(entry->name, event->name)))
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
	watch->fd = -1;
	if (etc_root[0]) {
		watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (watch->fd < 0) {
			int error = -errno;

			free(watch);
			return error;
		}
		renew(watch);
	}
	*ret = watch;
	return 0;
}

void reach_resolver_files_destroy(struct reach_resolver_files *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0)
		close(watch->fd);
	free(watch);
}

void reach_resolver_files_abandon(const struct reach_resolver_files *watch)
{
	if (watch->fd >= 0)
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

	if (watch->fd < 0)
		return false;
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
