/* SPDX-License-Identifier: MIT */
/* What is read of an interface from a directory that looks like sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "system/system.h"

#define NAME "eth7"

static const uint8_t hardware[6] = { 2, 0, 0, 0, 0, 7 };

/* A directory, whose `net` is class/net/NAME. */
struct tree {
	char root[32];
	int net;
};

static bool write_file(const struct tree *tree, const char *path,
		       const char *text)
{
	const int fd = openat(tree->net, path,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const ssize_t size = (ssize_t)strlen(text);
	const bool done = fd >= 0 && write(fd, text, (size_t)size) == size;

	if (fd >= 0)
		close(fd);
	return done;
}

static bool open_tree(struct tree *ret)
{
	char path[64];

	strcpy(ret->root, "/tmp/reach-sysfs-XXXXXX");
	if (!mkdtemp(ret->root))
		return false;
	snprintf(path, sizeof(path), "%s/class", ret->root);
	mkdir(path, 0700);
	strcat(path, "/net");
	mkdir(path, 0700);
	strcat(path, "/" NAME);
	mkdir(path, 0700);
	ret->net = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return ret->net >= 0 && write_file(ret, "ifindex", "7\n") &&
	       write_file(ret, "address", "02:00:00:00:00:07\n");
}

static int read_tree(const struct tree *tree, struct reach_evidence *ret)
{
	memset(ret, 0, sizeof(*ret));
	return reach_sysfs_read(tree->root, NAME, 7, hardware, sizeof(hardware),
				ret);
}

/* DEVTYPE is on any line of the first page. */
static void devtypes(const struct tree *tree)
{
	static const char *const rows[][2] = {
		{ "DEVTYPE=wlan\nINTERFACE=x\nIFINDEX=2\n", "wlan" },
		{ "INTERFACE=x\nIFINDEX=2\nDEVTYPE=wwan", "wwan" },
		{ "", "" },
		{ "\n\n\n", "" },
		{ "DEVTYPE=", "" },
		{ "XDEVTYPE=wlan\n", "" },
		{ "DEVTYPE=wlanwlanwlanwlanwlanwlanwlanwlanwlan\n",
		  "wlanwlanwlanwlanwlanwlanwlanwla" },
	};
	char *text = check_repeated("", "x", 10000, "\nDEVTYPE=wlan\n");
	struct reach_evidence evidence;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(write_file(tree, "uevent", rows[i][0]));
		CHECK(!read_tree(tree, &evidence));
		CHECK(!strcmp(evidence.devtype, rows[i][1]));
		CHECK(!evidence.driver[0] && !evidence.wireless);
	}
	CHECK(write_file(tree, "uevent", text));
	CHECK(!read_tree(tree, &evidence) && !evidence.devtype[0]);
	free(text);
	/* A FIFO doesn't block. */
	CHECK(!unlinkat(tree->net, "uevent", 0) &&
	      !mkfifoat(tree->net, "uevent", 0600));
	CHECK(!read_tree(tree, &evidence) && !evidence.devtype[0]);
}

/* The driver is the last part of a link; a radio has a directory, or a link that
 * leads anywhere. */
static void links(const struct tree *tree)
{
	struct reach_evidence evidence;

	mkdirat(tree->net, "device", 0700);
	CHECK(!symlinkat("cdc_mbim", tree->net, "device/driver"));
	CHECK(!read_tree(tree, &evidence) &&
	      !strcmp(evidence.driver, "cdc_mbim"));
	unlinkat(tree->net, "device/driver", 0);
	CHECK(!symlinkat("../x/cdc_mbim", tree->net, "device/driver"));
	CHECK(!read_tree(tree, &evidence) &&
	      !strcmp(evidence.driver, "cdc_mbim"));
	CHECK(!evidence.wireless);
	CHECK(!symlinkat("/nowhere", tree->net, "phy80211"));
	CHECK(!read_tree(tree, &evidence) && evidence.wireless);
	unlinkat(tree->net, "phy80211", 0);
	CHECK(!mkdirat(tree->net, "wireless", 0700));
	CHECK(!read_tree(tree, &evidence) && evidence.wireless);
}

/* sysfs shows another namespace if its index or address is another. */
static void elsewhere(const struct tree *tree)
{
	char *many = check_repeated("", "9", 10000, ""),
	     *octets = check_repeated("", "00:", 5000, "");
	const char *const rows[][2] = {
		{ "ifindex", "1\n" },
		{ "ifindex", "" },
		{ "ifindex", "x\n" },
		{ "ifindex", many },
		{ "address", "02:00:00:00:00:99\n" },
		{ "address", "\n" },
		{ "address", "" },
		{ "address", octets },
	};
	static const char *const roots[] = { "", "/nowhere", "/dev/null" };
	struct reach_evidence evidence;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(write_file(tree, rows[i][0], rows[i][1]));
		CHECK(read_tree(tree, &evidence) == -ENOENT);
		CHECK(write_file(tree, "ifindex", "7\n") &&
		      write_file(tree, "address", "02:00:00:00:00:07\n"));
		CHECK(!read_tree(tree, &evidence));
	}
	for (i = 0; i < 3; i++)
		CHECK(reach_sysfs_read(roots[i], NAME, 7, hardware, 6,
				       &evidence) < 0);
	/* No name is a path. */
	CHECK(reach_sysfs_read(tree->root, "../net/" NAME, 7, hardware, 6,
			       &evidence) == -ENOENT);
	free(many);
	free(octets);
}

void test_sysfs(void)
{
	struct tree tree;

	if (!CHECK(open_tree(&tree)))
		return;
	devtypes(&tree);
	links(&tree);
	elsewhere(&tree);
	close(tree.net);
	check_remove_all(tree.root);
}
