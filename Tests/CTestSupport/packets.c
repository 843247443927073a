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
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTestSupport.h"

int test_tun_open(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	int result;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(fd, TUNSETIFF, &request) == 0)
		return fd;
	result = -errno;
	close(fd);
	return result;
}

/* Sends from @fd, and closes it. */
static int send_from(int fd, const void *bytes, size_t size,
		     const void *address, socklen_t address_size)
{
	int result = 0;

	if (fd < 0 || sendto(fd, bytes, size, 0, address, address_size) < 0)
		result = -errno;
	if (fd >= 0)
		close(fd);
	return result;
}

int test_send_advertisement(const char *interface, uint16_t lifetime)
{
	struct nd_router_advert packet = { 0 };
	struct sockaddr_in6 all = { .sin6_family = AF_INET6,
				    .sin6_scope_id =
					    if_nametoindex(interface) };
	/* RFC 4861, 6.1.2: receivers drop a packet with a lower hop limit,
	 * because a router has forwarded it. */
	int hops = 255;
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);

	packet.nd_ra_type = ND_ROUTER_ADVERT;
	packet.nd_ra_curhoplimit = 64;
	packet.nd_ra_router_lifetime = htons(lifetime);
	inet_pton(AF_INET6, "ff02::1", &all.sin6_addr);
	setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops));
	return send_from(fd, &packet, sizeof(packet), &all, sizeof(all));
}

int test_rtnetlink_ports(uint32_t *ports, size_t capacity)
{
	FILE *file = fopen("/proc/thread-self/net/netlink", "re");
	char line[256];
	size_t count = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file) && count < capacity) {
		unsigned int protocol;
		uint32_t port;
		uint32_t groups;

		/* "sk Eth Pid Groups ...": Eth is the netlink protocol, Pid the
		 * port. Port 0 is the kernel's own. */
		if (sscanf(line, "%*s %u %" SCNu32 " %" SCNx32, &protocol,
			   &port, &groups) == 3 &&
		    protocol == NETLINK_ROUTE && port != 0 && groups != 0)
			ports[count++] = port;
	}
	fclose(file);
	return (int)count;
}

int test_spoof(uint32_t port, uint32_t groups, int index)
{
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK,
					.nl_pid = port,
					.nl_groups = groups };
	const struct {
		struct nlmsghdr route_header;
		struct rtmsg route;
		struct nlmsghdr link_header;
		struct ifinfomsg link;
	} forgery = {
		.route_header = { .nlmsg_len =
					  NLMSG_LENGTH(sizeof(struct rtmsg)),
				  .nlmsg_type = RTM_DELROUTE },
		.route = { .rtm_family = AF_INET,
			   .rtm_table = RT_TABLE_MAIN,
			   .rtm_protocol = RTPROT_BOOT,
			   .rtm_type = RTN_UNICAST },
		.link_header = { .nlmsg_len =
					 NLMSG_LENGTH(sizeof(struct ifinfomsg)),
				 .nlmsg_type = RTM_DELLINK },
		.link = { .ifi_index = index },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return send_from(fd, &forgery, sizeof(forgery), &to, sizeof(to));
}
