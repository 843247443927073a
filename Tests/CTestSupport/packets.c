/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "CTestSupport.h"

struct tun_request {
	const char *name;
	int persistent;
};

static int open_tun(void *context)
{
	const struct tun_request *tun = context;
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	int result;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", tun->name);
	if (ioctl(fd, TUNSETIFF, &request) == 0 &&
	    ioctl(fd, TUNSETPERSIST, tun->persistent) == 0)
		return fd;
	result = -errno;
	close(fd);
	return result;
}

int test_tun_open(int netns_fd, const char *name, int persistent)
{
	struct tun_request tun = { .name = name, .persistent = persistent };

	return test_netns_run(netns_fd, 0, open_tun, &tun);
}

struct advertisement_job {
	const char *interface;
	struct nd_router_advert packet;
};

static int send_packet(void *context)
{
	const struct advertisement_job *job = context;
	struct sockaddr_in6 all = { .sin6_family = AF_INET6 };
	/* RFC 4861, 6.1.2: receivers drop a packet with a lower hop limit,
	 * because a router has forwarded it. */
	int hops = 255;
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	int result = 0;

	if (fd < 0)
		return -errno;
	inet_pton(AF_INET6, "ff02::1", &all.sin6_addr);
	all.sin6_scope_id = if_nametoindex(job->interface);
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops,
		       sizeof(hops)) != 0 ||
	    sendto(fd, &job->packet, sizeof(job->packet), 0,
		   (const struct sockaddr *)&all, sizeof(all)) < 0)
		result = -errno;
	close(fd);
	return result;
}

int test_send_advertisement(int netns_fd, const char *interface,
			    uint16_t lifetime)
{
	struct advertisement_job job = { .interface = interface };

	job.packet.nd_ra_type = ND_ROUTER_ADVERT;
	job.packet.nd_ra_curhoplimit = 64;
	job.packet.nd_ra_router_lifetime = htons(lifetime);
	return test_netns_run(netns_fd, 0, send_packet, &job);
}

struct port_list {
	uint32_t *ports;
	size_t capacity;
};

static int read_ports(void *context)
{
	const struct port_list *list = context;
	FILE *file = fopen("/proc/thread-self/net/netlink", "re");
	char line[256];
	size_t count = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file) && count < list->capacity) {
		unsigned int protocol;
		uint32_t port;
		uint32_t groups;

		/* "sk Eth Pid Groups ...": Eth is the netlink protocol, Pid the
		 * port. Port 0 is the kernel's own. */
		if (sscanf(line, "%*s %u %" SCNu32 " %" SCNx32, &protocol,
			   &port, &groups) == 3 &&
		    protocol == NETLINK_ROUTE && port != 0 && groups != 0)
			list->ports[count++] = port;
	}
	fclose(file);
	return (int)count;
}

int test_rtnetlink_ports(int netns_fd, uint32_t *ports, size_t capacity)
{
	struct port_list list = { .ports = ports, .capacity = capacity };

	return test_netns_run(netns_fd, 0, read_ports, &list);
}

struct forgery {
	struct nlmsghdr route_header;
	struct rtmsg route;
	struct nlmsghdr link_header;
	struct ifinfomsg link;
};

struct spoof_job {
	struct sockaddr_nl to;
	struct forgery forgery;
};

static int send_forgery(void *context)
{
	const struct spoof_job *job = context;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int result = 0;

	if (fd < 0)
		return -errno;
	if (sendto(fd, &job->forgery, sizeof(job->forgery), 0,
		   (const struct sockaddr *)&job->to, sizeof(job->to)) < 0)
		result = -errno;
	close(fd);
	return result;
}

int test_spoof(int netns_fd, uint32_t port, uint32_t groups, int index)
{
	struct spoof_job job = {
		.to = { .nl_family = AF_NETLINK,
			.nl_pid = port,
			.nl_groups = groups },
		.forgery = { .route_header = { .nlmsg_len = NLMSG_LENGTH(
						       sizeof(struct rtmsg)),
					       .nlmsg_type = RTM_DELROUTE },
			     .route = { .rtm_family = AF_INET,
					.rtm_table = RT_TABLE_MAIN,
					.rtm_protocol = RTPROT_BOOT,
					.rtm_type = RTN_UNICAST },
			     .link_header = { .nlmsg_len = NLMSG_LENGTH(
						      sizeof(struct ifinfomsg)),
					      .nlmsg_type = RTM_DELLINK },
			     .link = { .ifi_index = index } },
	};

	return test_netns_run(netns_fd, 0, send_forgery, &job);
}

int test_clock_touch(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	    clock_settime(CLOCK_REALTIME, &now) != 0)
		return -errno;
	return 0;
}
