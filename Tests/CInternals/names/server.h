/* SPDX-License-Identifier: MIT */
/* A name server on 127.0.0.1, in the namespace of the thread that opens it. */
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct server {
	int fd;
	pthread_t thread;
	/* Questions received: one per name and record type of a lookup. */
	atomic_int questions;
	/* The server counts questions but doesn't answer. */
	atomic_bool silent;
	/* N: each name has the addresses 10.9.0.N and 2001:db8:9::N. */
	atomic_int number;
};

/* Moves the calling thread to a mount namespace whose resolv.conf names the
 * server, and starts the server. @return 0 or a negative errno. */
int server_open(struct server *server);
void server_close(struct server *server);

#endif
