#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/* prctl() has variable arguments, which Swift cannot pass. */
static inline void set_thread_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}
