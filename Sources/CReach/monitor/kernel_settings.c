/* SPDX-License-Identifier: MIT */
/* Settings in /proc/sys/net, which has the files of the namespace of the
 * reading thread (net_ctl_header_lookup(), net/sysctl_net.c). Read only when an
 * answer depends on them. A file that can't be read counts as 0. */
#include "monitor/monitor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/engine.h"
#include "system/system.h"

static unsigned long read_number(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t size;

	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		size = 0;
	text[size] = '\0';
	return strtoul(text, NULL, 0);
}

/* FIB_MULTIPATH_HASH_FIELD_SRC_PORT and _DST_PORT (include/net/ip_fib.h). */
#define PORTS (1 << 4 | 1 << 5)

/* Whether IPv6 hashes a number that each TCP connection chooses, with policy 0
 * (ip6_ecmp_set_mp_hash(), Linux 7.3). */
static bool hashes_connections(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	return !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 7 || (major == 7 && minor >= 3));
}

/* Whether no lookup shows the leg of a socket. 1: addresses and ports; 3: the
 * given fields. With 3, IPv4's lookup has another hash than a socket, whatever
 * the fields: it hashes a packet of its own
 * (fib_multipath_custom_hash_skb(), net/ipv4/route.c). */
static bool hides_legs(bool inet6, unsigned long policy, unsigned long fields)
{
	if (!policy)
		return inet6 && hashes_connections();
	return policy == 1 || (policy == 3 && (!inet6 || fields & PORTS));
}

static int read_settings(void *context)
{
	struct reach_settings *settings = context;

	settings->forwards =
		read_number("/proc/sys/net/ipv6/conf/all/forwarding");
	settings->leaves_legs =
		read_number("/proc/sys/net/ipv4/fib_multipath_use_neigh");
	settings->hides_legs[0] = hides_legs(
		false,
		read_number("/proc/sys/net/ipv4/fib_multipath_hash_policy"), 0);
	settings->hides_legs[1] = hides_legs(
		true,
		read_number("/proc/sys/net/ipv6/fib_multipath_hash_policy"),
		read_number("/proc/sys/net/ipv6/fib_multipath_hash_fields"));
	return 0;
}

void reach_kernel_settings_read(struct reach_engine *engine, int netns)
{
	if (reach_engine_wants_settings(engine))
		(void)reach_netns_run(netns, read_settings, &engine->settings);
}
