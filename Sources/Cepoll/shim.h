#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/* prctl() has variable arguments, which Swift cannot pass. */
static inline void set_thread_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

/* Declared under _GNU_SOURCE only, which Swift does not define. */
int setns(int fd, int nstype);

/* Moves the calling thread to the network namespace of @fd. @return 0, or -1
 * with errno set. */
static inline int enter_network_namespace(int fd)
{
	return setns(fd, 0x40000000 /* CLONE_NEWNET, linux/sched.h */);
}
