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
	/* Questions so far: one for each name and type of record. */
	atomic_int questions;
	/* It counts and does not answer. */
	atomic_bool silent;
	/* Each name has 10.9.0.N and 2001:db8:9::N. */
	atomic_int number;
};

/* Gives the calling thread a mount namespace whose resolv.conf names the
 * server, and starts it. @return 0 or a negative errno. */
int server_open(struct server *server);
void server_close(struct server *server);

#endif
