/* SPDX-License-Identifier: MIT */
/* Door of system/: netlink sockets, network namespaces, sysfs. */
#ifndef REACH_SYSTEM_SYSTEM_H
#define REACH_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/interface.h>

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Closes *@fd, unless it is negative, and sets it to -1. */
void reach_descriptor_close(int *fd);

/* Work in another network namespace. */

/* Calls @work with @context on a new thread inside the namespace @netns_fd, a
 * descriptor that stays the caller's, and waits for it. With -1, @work runs on
 * the calling thread, which never changes its namespace. @return the result of
 * @work, or a negative errno of pthread_create() or setns(). */
int reach_netns_run(int netns_fd, int (*work)(void *context), void *context);

/* Opens a descriptor of the namespace of @netns_fd. It doesn't keep the mount
 * busy where @netns_fd was opened, as a duplicate would: `umount /run/netns/NAME`
 * fails with EBUSY then. Without /proc it is a duplicate. @return it or a
 * negative errno. */
int reach_netns_hold(int netns_fd);

/* Opens descriptors that become readable when the namespace file at @path may have
 * been replaced: inotify on the folders of the file and of the symbolic links that
 * lead to it, and the pidfd of the process whose file of procfs it is. What isn't
 * needed, or fails, stays as it was. The caller owns them. */
void reach_netns_watch(const char *path, int watches[2]);
/* Whether the file at @path is the namespace @netns_fd, by device and inode
 * number (namespaces(7)). */
bool reach_netns_is_at(const char *path, int netns_fd);

/* rtnetlink sockets, non-blocking, in the namespace of the calling thread; the
 * caller owns the descriptors. Functions that open one return it or a negative
 * errno. */

/* Opens a socket in all multicast groups whose events can change a verdict.
 * @receive_buffer is SO_RCVBUF in bytes. -EOPNOTSUPP if a group is refused. */
int reach_socket_events(uint32_t receive_buffer);

/* Joins RTNLGRP_NEIGH with socket @fd, or leaves it. @return 0 or a negative
 * errno. */
int reach_socket_follow_neighbors(int fd, bool follow);

/* Opens a socket for batches of requests: strict checking of dumps, errors
 * without a copy of the request and with a message. @few: for few requests, whose
 * answers fit the default receive buffer; strict checking only, which saves system
 * calls. */
int reach_socket_lookups(bool few);

/* Buffer of a datagram in bytes. The kernel fills a datagram of a dump up to
 * 32 KiB if the buffer has room (netlink_recvmsg(), net/netlink/af_netlink.c),
 * and an RTM_NEWLINK with many virtual functions exceeds 8 KiB. */
#define REACH_DATAGRAM_SIZE 32768

/* A received datagram. */
struct reach_datagram {
	/* The buffer that it was received into. */
	const void *bytes;
	/* Bytes received. */
	size_t size;
	/* Sent by the kernel: its port, nl_pid, is 0. */
	bool from_kernel;
	/* The datagram was longer than its buffer, and the rest is lost. */
	bool truncated;
};

/* Receives a datagram into @buffer, which has @room bytes, without waiting.
 * @return 0, -EAGAIN if there is none, -ENOBUFS if events were lost, or another
 * negative errno. */
int reach_receive(int fd, void *buffer, size_t room,
		  struct reach_datagram *ret);

/* Evidence from sysfs about the device of an interface. */

/* Reads class/net/@name below @root, the path of a sysfs mount. @index and the
 * @length bytes of @hardware_address come from rtnetlink. If sysfs has others,
 * it shows another namespace, or an interface that was renamed meanwhile.
 * @return 0, -ENOENT if the interface is missing or differs, or another
 * negative errno. */
int reach_sysfs_read(const char *root, const char *name, uint32_t index,
		     const uint8_t *hardware_address, size_t length,
		     struct reach_evidence *ret);

#pragma GCC visibility pop

#endif
