/* SPDX-License-Identifier: MIT */
/*
 * An inotify watch is on an inode, but these files are replaced by rename(2)
 * more often than they are written. So the directory is watched, and after its
 * events the files are compared with what they were. resolv.conf is often a
 * symlink, so the directory of each symlink and of each target has a watch, too.
 * The file's inode has one as well: in a container resolv.conf is a bind mount,
 * whose events go to a directory outside of the container. A symlink to a
 * directory on the way, such as `..data` of a Kubernetes volume, has none: what it
 * led to is deleted when it is replaced.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/names.h"

#define FILES 3
/* Symlinks that are followed for a file; the kernel itself follows 40. */
#define HOPS_MAX 8

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

/* What tells one content of a file from another; all 0 for a missing file. The
 * time is that of the last change of the inode. */
struct identity {
	uint64_t device;
	uint64_t inode;
	uint64_t size;
	uint64_t mode;
	int64_t seconds;
	int64_t nanoseconds;
};

struct reach_resolver_files {
	/* The inotify instance. Owned. */
	int fd;
	/* Of the files when their watches were set last. A kernel before 6.13 gives
	 * changes within a tick (4 ms) the same time: names are resolved later
	 * (names.h). */
	struct identity files[FILES];
	/* Path of the directory, NUL-terminated. */
	char root[];
};

/* ---- watches ----------------------------------------------------------- */

/* @return whether @path exists and may be read, and the user has a watch left. */
static bool watch_path(const struct reach_resolver_files *watch,
		       const char *path, uint32_t events)
{
	return inotify_add_watch(watch->fd, path, events | IN_MASK_ADD) >= 0;
}

/* Watches the directory of @path, or the nearest one above it that exists. */
static void watch_directory(const struct reach_resolver_files *watch,
			    const char *path)
{
	char directory[PATH_MAX];
	char *slash;

	snprintf(directory, sizeof(directory), "%s", path);
	while ((slash = strrchr(directory, '/'))) {
		*slash = '\0';
		if (watch_path(watch, *directory ? directory : "/",
			       DIRECTORY_EVENTS))
			return;
	}
	(void)watch_path(watch, ".", DIRECTORY_EVENTS);
}

/* Turns @path, a symlink to @target, into the target's path. @return false if
 * that is too long. */
static bool follow(char *path, const char *target)
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
static void watch_file(const struct reach_resolver_files *watch, char *path)
{
	char target[PATH_MAX];
	ssize_t length;
	int hops;

	for (hops = 0; hops <= HOPS_MAX; hops++) {
		watch_directory(watch, path);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			break;
		target[length] = '\0';
		if (!follow(path, target))
			return;
	}
	(void)watch_path(watch, path, FILE_EVENTS);
}

/* Sets the watches of all files again, since symlinks may lead elsewhere now.
 * Inodes already watched keep their watch (inotify_add_watch(2)). Those of
 * directories that symlinks led to before stay, too: their events change
 * nothing. @return whether a file has changed since the last call. */
static bool renew(struct reach_resolver_files *watch)
{
	struct identity now[FILES] = { 0 };
	char path[PATH_MAX];
	struct stat file;
	bool changed;

	for (size_t i = 0; i < FILES; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", watch->root,
			     files[i]) >= PATH_MAX)
			continue;
		watch_file(watch, path);
		/* After that, since a change in between has an event. */
		if (stat(path, &file) || access(path, R_OK))
			continue;
		now[i] = (struct identity){ file.st_dev,
					    file.st_ino,
					    (uint64_t)file.st_size,
					    file.st_mode,
					    file.st_ctim.tv_sec,
					    file.st_ctim.tv_nsec };
	}
	changed = memcmp(now, watch->files, sizeof(now)) != 0;
	memcpy(watch->files, now, sizeof(now));
	return changed;
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
	(void)renew(watch);
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

int reach_resolver_files_fd(const struct reach_resolver_files *watch)
{
	return watch->fd;
}

bool reach_resolver_files_drain(struct reach_resolver_files *watch)
{
	char bytes[4096];
	bool any = false;

	for (int i = 0; i < READS_MAX; i++) {
		if (read(watch->fd, bytes, sizeof(bytes)) <= 0)
			break;
		any = true;
	}
	return any && renew(watch);
}
