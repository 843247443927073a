/* SPDX-License-Identifier: MIT */
/*
 * The resolver's files are written, replaced, removed, and linked, also across
 * folders that are created and removed. Every change of a file's contents, also
 * behind symlinks, must be noticed.
 */
#define _GNU_SOURCE /* nftw() */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "Fuzz/fuzz.h"
#include "names/names.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define FILES	      3

/* The first three are watched. */
static const char *const paths[] = {
	"etc/resolv.conf", "etc/hosts", "etc/nsswitch.conf",   "run/a",
	"run/sub/b",	   "etc/c",	"run/sub/resolv.conf",
};
static const char *const folders[] = { "run", "run/sub", "run/old" };
static const char *const targets[] = {
	"../run/a",
	"../run/sub/b",
	"../run/sub/resolv.conf",
	"c",
	"b",
	"hosts",
	"../etc/c",
	"a",
	"../nobody",
};

/* The first bytes of each watched file, "" if it doesn't exist. No two writes
 * have the same contents. */
struct look {
	char text[FILES][16];
};

static int root = -1;
static unsigned int writes;

static void look(struct look *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < FILES; i++) {
		const int fd = openat(root, paths[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		(void)!read(fd, ret->text[i], sizeof(ret->text[i]));
		close(fd);
	}
}

static void write_file(const char *path)
{
	const int fd = openat(root, path,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	dprintf(fd, "%u", ++writes);
	close(fd);
}

static void change(const uint8_t bytes[3])
{
	const char *path = paths[bytes[1] % LENGTH(paths)];
	const char *other = paths[bytes[2] % LENGTH(paths)];

	switch (bytes[0] % 8) {
	case 0:
	case 1:
		write_file(path);
		break;
	case 2:
		(void)unlinkat(root, path, 0);
		break;
	case 3:
		(void)renameat(root, path, root, other);
		break;
	case 4:
		(void)symlinkat(targets[bytes[2] % LENGTH(targets)], root,
				path);
		break;
	case 5:
		(void)mkdirat(root, folders[bytes[1] % LENGTH(folders)], 0755);
		break;
	case 6:
		(void)unlinkat(root, folders[bytes[1] % LENGTH(folders)],
			       AT_REMOVEDIR);
		break;
	default:
		if (bytes[1] & 1)
			(void)renameat(root, "run/old", root, "run/sub");
		else
			(void)renameat(root, "run/sub", root, "run/old");
	}
}

static int take_away(const char *path, const struct stat *status, int type,
		     struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char folder[] = "/tmp/reach-files-XXXXXX", etc[64];
	struct reach_resolver_files *files;
	struct look before, after;

	if (!mkdtemp(folder))
		abort();
	root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || mkdirat(root, "etc", 0755))
		abort();
	snprintf(etc, sizeof(etc), "%s/etc", folder);
	if (reach_resolver_files_create(&files, etc))
		abort();
	look(&before);
	for (size_t at = 0; at + 3 <= size; at += 3) {
		change(bytes + at);
		look(&after);
		if (!reach_resolver_files_drain(files) &&
		    memcmp(&before, &after, sizeof(after)) != 0)
			abort();
		before = after;
	}
	reach_resolver_files_destroy(files);
	close(root);
	if (nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS))
		abort();
	return 0;
}
