/* SPDX-License-Identifier: MIT */
/* Reads evidence about an interface from sysfs (Documentation/ABI/testing/
 * sysfs-class-net). A sysfs mount shows the network namespace of the process
 * that mounted it, so names alone could belong to other interfaces: index and
 * hardware address are compared first. @root may be any directory, in tests a
 * fixture. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/system.h"

/* Size limit of a sysfs file in bytes: one page. */
#define FILE_MAX 4096

/* MAX_ADDR_LEN (include/linux/netdevice.h). */
#define HARDWARE_ADDRESS_MAX 32

/* Reads file @path below @dir as NUL-terminated text, truncated to @size. A
 * short read means the end of a regular file, so no second read follows.
 * O_NONBLOCK: a root that is not sysfs may contain a FIFO. @return whether it
 * was read. */
static bool read_file(int dir, const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	buf[n > 0 ? n : 0] = '\0';
	close(fd);
	return n >= 0;
}

static bool same_index(int dir, uint32_t index)
{
	char found[16];
	char wanted[16];

	snprintf(wanted, sizeof(wanted), "%u\n", index);
	return read_file(dir, "ifindex", found, sizeof(found)) &&
	       strcmp(found, wanted) == 0;
}

/* Compares with the file `address`: "aa:bb:...\n", or "\n" without an address.
 */
static bool same_hardware_address(int dir, const uint8_t *bytes, size_t length)
{
	char wanted[3 * HARDWARE_ADDRESS_MAX + 2] = "\n";
	char found[sizeof(wanted) + 1];

	if (length > HARDWARE_ADDRESS_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		snprintf(wanted + 3 * i, sizeof(wanted) - 3 * i, "%02x%c",
			 bytes[i], i + 1 < length ? ':' : '\n');
	return read_file(dir, "address", found, sizeof(found)) &&
	       strcmp(found, wanted) == 0;
}

static void read_devtype(int dir, struct reach_evidence *evidence)
{
	static const char key[] = "DEVTYPE=";
	char text[FILE_MAX + 1];
	const char *line = text;

	if (!read_file(dir, "uevent", text, sizeof(text)))
		return;
	while (*line != '\0') {
		size_t length = strcspn(line, "\n");

		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			snprintf(evidence->devtype, sizeof(evidence->devtype),
				 "%.*s", (int)(length - (sizeof(key) - 1)),
				 line + sizeof(key) - 1);
			return;
		}
		line += length + (line[length] == '\n');
	}
}

static void read_driver(int dir, struct reach_evidence *evidence)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(dir, "device/driver", path, sizeof(path) - 1);
	const char *name;

	if (n < 0)
		return;
	path[n] = '\0';
	name = strrchr(path, '/');
	snprintf(evidence->driver, sizeof(evidence->driver), "%.*s",
		 (int)sizeof(evidence->driver) - 1, name ? name + 1 : path);
}

static bool exists(int dir, const char *path)
{
	struct stat unused;

	return fstatat(dir, path, &unused, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether @name is one path component, and cannot lead out of class/net.
 * dev_valid_name() of the kernel is stricter, but @name may be any bytes. */
static bool is_file_name(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && !strchr(name, '/');
}

int reach_sysfs_read(const char *root, const char *name, uint32_t index,
		     const uint8_t *hardware_address, size_t length,
		     struct reach_evidence *ret)
{
	struct reach_evidence evidence = { 0 };
	char path[PATH_MAX];
	bool same;
	int dir;

	if (!is_file_name(name))
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/class/net/%s", root, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	same = same_index(dir, index) &&
	       same_hardware_address(dir, hardware_address, length);
	if (same) {
		read_devtype(dir, &evidence);
		read_driver(dir, &evidence);
		evidence.wireless = exists(dir, "phy80211") ||
				    exists(dir, "wireless");
		*ret = evidence;
	}
	close(dir);
	return same ? 0 : -ENOENT;
}
