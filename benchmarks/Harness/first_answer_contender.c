/* SPDX-License-Identifier: MIT */
/*
 * A contender of first_answer.c, which starts it. It reports its first verdict,
 * and ends. Defined is RAW, LIBRARY, or CONTENDER, which is a function of
 * peers.h.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "../Sources/CBoard/include/CBoard.h"
#include "first_answer.h"
#include "peers.h"

static void __attribute__((noreturn)) post(void *context, bool reachable)
{
	const int64_t *begin = context;
	const struct first_answer answer = { board_now() - *begin, reachable };

	if (write(FIRST_ANSWER_FD, &answer, sizeof(answer)) < 0)
		err(1, "write");
	exit(0);
}

#ifdef RAW
#define CONTENDER raw

/* One RTM_GETROUTE. */
static void raw(const char *target, peer_post *report, void *context)
{
	const struct board_bare bare = {
		.lookups = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE),
	};

	(void)target;
	report(context, board_bare_look_up(&bare) == 1);
}
#endif

#ifdef LIBRARY
#define CONTENDER library
#include <reach/reach.h>

static void library(const char *text, peer_post *report, void *context)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	if (reach_address_parse(text, &target.remote) ||
	    reach_check(&target, NULL, 0, &state))
		errx(1, "reach_check");
	report(context, state.flags & REACH_FLAG_REACHABLE);
}
#endif

int main(int argc, char **argv)
{
	int64_t begin = board_now();

	CONTENDER(argc > 1 ? argv[1] : BOARD_TARGET, post, &begin);
}
