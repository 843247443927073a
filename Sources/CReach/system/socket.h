/* SPDX-License-Identifier: MIT */
/* rtnetlink sockets. */
#ifndef REACH_SYSTEM_SOCKET_H
#define REACH_SYSTEM_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A socket of the thread's namespace that is a member of every group that
 * can tell of a change; @receive_buffer in bytes. A descriptor or a negative
 * errno, -EOPNOTSUPP where the groups are refused. */
int reach_socket_events(uint32_t receive_buffer);

/* A socket for questions: strict checking, short errors with words. */
int reach_socket_questions(void);

/* One for so few that their answers fit any receive buffer. */
int reach_socket_few_questions(void);

/* One that hears of links and addresses, and whether it heard of none. */
int reach_socket_changes(void);
bool reach_socket_is_quiet(int fd);

/* Datagrams received at once, and the room for each: a NEWLINK with many
 * virtual functions passes 8 KiB, and the kernel fills dumps up to 32 KiB
 * (netlink_recvmsg, net/netlink/af_netlink.c). */
#define REACH_DATAGRAMS	    16
#define REACH_DATAGRAM_SIZE 32768

struct reach_receiver;

/* One datagram, until the next reach_receive(). */
struct reach_datagram {
	const void *bytes;
	size_t size;
	/* Sent by the kernel and no process (nl_pid is 0). */
	bool from_kernel;
	/* Did not fit: a loss. */
	bool truncated;
};

int reach_receiver_create(struct reach_receiver **ret);
void reach_receiver_destroy(struct reach_receiver *receiver);

/* Receives up to REACH_DATAGRAMS datagrams without waiting. Their number, or
 * -EAGAIN, -ENOBUFS, another errno. */
int reach_receive(struct reach_receiver *receiver, int fd,
		  struct reach_datagram *ret);

/* One at most, for less where no more is to be expected. */
int reach_receive_one(struct reach_receiver *receiver, int fd,
		      struct reach_datagram *ret);

#pragma GCC visibility pop

#endif
