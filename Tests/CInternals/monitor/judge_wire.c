/* SPDX-License-Identifier: MIT */
#include "monitor/judge_wire.h"

#include <errno.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_packet.h>

/* Offsets in a frame. */
#define IP		14
#define ARP_SENDER	(IP + 8)
#define ARP_TARGET	(IP + 24)
#define IP6_SOURCE	(IP + 8)
#define IP6_DESTINATION (IP + 24)
#define ICMP6		(IP + 40)
#define NS_TARGET	(ICMP6 + 8)

#define FIRST_PORT 10000
const char *const judge_links[JUDGE_LINKS] = { "e0", "e1", "e2", "lo", "v0" };

/* A packet socket (SOCK_RAW or SOCK_DGRAM) that sees all packets of @link, or -1. */
static int open_packets(const char *link, int type)
{
	struct sockaddr_ll place = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(link),
	};
	int fd;

	/* An unbound socket would see the packets of all interfaces. */
	if (!place.sll_ifindex)
		return -1;
	fd = socket(AF_PACKET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&place, sizeof(place))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool judge_wire_open(struct judge_wire *wire, bool has_vrf)
{
	static const char *const ends[] = { "p0", "p1", "p2", "lo", "v0" };
	bool opened = true;

	for (size_t i = 0; i < JUDGE_LINKS; i++) {
		wire->seen[i] = open_packets(
			ends[i], i < JUDGE_CABLES ? SOCK_RAW : SOCK_DGRAM);
		opened &= wire->seen[i] >= 0 || (i == 4 && !has_vrf);
	}
	return opened;
}

void judge_wire_close(struct judge_wire *wire)
{
	for (size_t i = 0; i < JUDGE_LINKS; i++)
		if (wire->seen[i] >= 0)
			close(wire->seen[i]);
}

/* The link-layer address at which @address answers. */
static void make_mac(const struct reach_address *address, uint8_t ret[6])
{
	const size_t size = address->family == AF_INET ? 4 : 16;

	memset(ret, 0, 6);
	ret[0] = 2;
	ret[1] = (uint8_t)size;
	for (size_t i = 0; i < size; i++)
		ret[2 + i % 4] =
			(uint8_t)(ret[2 + i % 4] * 31 + address->bytes[i]);
}

bool judge_leads_to(const struct judge_way *way,
		    const struct reach_address *address)
{
	uint8_t mac[6];

	make_mac(address, mac);
	return way->link >= JUDGE_CABLES || way->next_hop[0] & 1 ||
	       memcmp(way->next_hop, mac, sizeof(mac)) == 0;
}

void judge_silence(struct judge_wire *wire, const char *address)
{
	if (wire->silent_count < JUDGE_SILENT)
		(void)reach_address_parse(address,
					  &wire->silent[wire->silent_count++]);
}

bool judge_is_silent(const struct judge_wire *wire,
		     const struct reach_address *address)
{
	for (size_t i = 0; i < wire->silent_count; i++)
		if (wire->silent[i].family == address->family &&
		    memcmp(wire->silent[i].bytes, address->bytes, 16) == 0)
			return true;
	return false;
}

bool judge_is_group(const struct reach_address *address)
{
	const uint8_t *bytes = address->bytes;

	return address->family == AF_INET ? bytes[0] == 224 || bytes[3] == 255
					  : bytes[0] == 0xff;
}

/* ---- routers ---------------------------------------------------------- */

/* Writes the headers before an ICMPv6 message of @size bytes and sends it. */
static void send_icmp6(const struct judge_wire *wire, size_t cable,
		       uint8_t *frame, const uint8_t *source,
		       const uint8_t *destination, size_t size)
{
	static const uint8_t version[] = { 0x86, 0xdd, 0x60, 0, 0, 0 };
	const uint8_t rest[] = { 0, (uint8_t)size, IPPROTO_ICMPV6, 255 };
	uint32_t sum = (uint32_t)size + IPPROTO_ICMPV6;

	memcpy(frame + IP - 2, version, sizeof(version));
	memcpy(frame + IP + 4, rest, sizeof(rest));
	memcpy(frame + IP6_SOURCE, source, 16);
	memcpy(frame + IP6_DESTINATION, destination, 16);
	memset(frame + ICMP6 + 2, 0, 2);
	for (size_t i = IP6_SOURCE; i < ICMP6 + size; i += 2)
		sum += (uint32_t)frame[i] << 8 | frame[i + 1];
	/* The first carry may cause another. */
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	frame[ICMP6 + 2] = (uint8_t)(sum >> 8);
	frame[ICMP6 + 3] = (uint8_t)sum;
	(void)!send(wire->seen[cable], frame, ICMP6 + size, 0);
}

void judge_advertise(const struct judge_wire *wire, size_t cable)
{
	static const uint8_t all[16] = { 0xff, 2, [15] = 1 };
	static const uint8_t message[16] = {
		ND_ROUTER_ADVERT, [4] = 64, [6] = 7, /* 1800 s, about */
		[7] = 8
	};
	struct reach_address router = { .family = AF_INET6,
					.bytes = { 0xfe, 0x80 } };
	uint8_t frame[ICMP6 + 24] = { 0x33, 0x33, 0, 0, 0, 1 };

	router.bytes[15] = (uint8_t)(0xa0 + cable);
	make_mac(&router, frame + 6);
	memcpy(frame + ICMP6, message, sizeof(message));
	frame[ICMP6 + 16] = ND_OPT_SOURCE_LINKADDR;
	frame[ICMP6 + 17] = 1;
	memcpy(frame + ICMP6 + 18, frame + 6, 6);
	send_icmp6(wire, cable, frame, router.bytes, all, 24);
}

static void answer_arp(const struct judge_wire *wire, size_t cable,
		       const uint8_t *request, const uint8_t mac[6])
{
	uint8_t frame[42];

	memcpy(frame, request + 6, 6);
	memcpy(frame + 6, mac, 6);
	memcpy(frame + 12, request + 12, 8);
	frame[IP + 6] = 0;
	frame[IP + 7] = 2;
	memcpy(frame + ARP_SENDER, mac, 6);
	memcpy(frame + ARP_SENDER + 6, request + ARP_TARGET, 4);
	memcpy(frame + ARP_TARGET - 6, request + ARP_SENDER, 10);
	(void)!send(wire->seen[cable], frame, sizeof(frame), 0);
}

static void answer_solicitation(const struct judge_wire *wire, size_t cable,
				const uint8_t *request, const uint8_t mac[6])
{
	uint8_t frame[ICMP6 + 32] = { 0 };

	memcpy(frame, request + 6, 6);
	memcpy(frame + 6, mac, 6);
	frame[ICMP6] = ND_NEIGHBOR_ADVERT;
	/* Router, solicited, override. */
	frame[ICMP6 + 4] = 0xe0;
	memcpy(frame + NS_TARGET, request + NS_TARGET, 16);
	frame[ICMP6 + 24] = ND_OPT_TARGET_LINKADDR;
	frame[ICMP6 + 25] = 1;
	memcpy(frame + ICMP6 + 26, mac, 6);
	send_icmp6(wire, cable, frame, request + NS_TARGET,
		   request + IP6_SOURCE, 32);
}

/* ---- frames ----------------------------------------------------------- */

/* What judge_send() looks for. */
struct search {
	struct judge_wire *wire;
	const struct reach_target *target;
	struct judge_trace *trace;
	bool is_found;
	/* This host has refused the connection. */
	bool is_answered;
};

static void add_way(struct search *search, size_t link, uint16_t family,
		    const uint8_t *source, const uint8_t *next_hop)
{
	struct judge_trace *trace = search->trace;
	struct judge_way *way = &trace->ways[trace->count];

	if (trace->count == 4)
		return;
	*way = (struct judge_way){ .link = link };
	memcpy(way->source, source, family == AF_INET ? 4 : 16);
	if (link < JUDGE_CABLES)
		memcpy(way->next_hop, next_hop, 6);
	trace->count++;
}

/* Sets the packet's way. A VRF shows a packet before its port does. */
static void find(struct search *search, size_t link, uint16_t family,
		 const uint8_t *source, const uint8_t *next_hop)
{
	if (search->is_found && search->trace->ways->link < JUDGE_CABLES)
		return;
	search->trace->count = 0;
	add_way(search, link, family, source, next_hop);
	search->is_found = true;
}

/* Reads a packet, whose source port shows whether it is the right one. */
static void read_packet(struct search *search, size_t link,
			const uint8_t *frame, ssize_t size)
{
	const bool inet = frame[IP] >> 4 == 4;
	const size_t bytes = inet ? 4 : 16;
	const size_t head = inet ? 20 : 40;
	const uint8_t protocol = frame[IP + (inet ? 9 : 6)];
	const uint8_t *source = frame + IP + head - 2 * bytes;
	const uint8_t *remote = search->target->remote.bytes;
	const uint8_t *ports = frame + IP + head;
	const uint8_t own[2] = { (uint8_t)(search->wire->port >> 8),
				 (uint8_t)search->wire->port };

	if (size < (ssize_t)(IP + head + 4) ||
	    (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP))
		return;
	if (memcmp(ports + 2, own, 2) == 0 && !memcmp(source, remote, bytes))
		search->is_answered = true;
	if (memcmp(ports, own, 2) == 0 &&
	    !memcmp(source + bytes, remote, bytes))
		find(search, link, inet ? AF_INET : AF_INET6, source, frame);
}

/* Answers the question for a neighbor, or notes that nobody does. */
static void read_question(struct search *search, size_t cable, uint16_t family,
			  const uint8_t *frame)
{
	static const uint8_t none[16];
	struct reach_address neighbor = { .family = family };
	const bool inet = family == AF_INET;
	const size_t bytes = inet ? 4 : 16;
	uint8_t mac[6];

	memcpy(neighbor.bytes, frame + (inet ? ARP_TARGET : NS_TARGET), bytes);
	make_mac(&neighbor, mac);
	/* Duplicate address detection has no source. */
	if (memcmp(frame + (inet ? ARP_SENDER + 6 : IP6_SOURCE), none, bytes) ==
	    0)
		return;
	if (!judge_is_silent(search->wire, &neighbor))
		(inet ? answer_arp : answer_solicitation)(search->wire, cable,
							  frame, mac);
	else if (!search->is_found && family == search->target->remote.family)
		add_way(search, cable, family, none, mac);
}

static void read_frame(struct search *search, size_t link, uint8_t *frame,
		       ssize_t size)
{
	const uint16_t type = (uint16_t)(frame[IP - 2] << 8 | frame[IP - 1]);

	if (link >= JUDGE_CABLES)
		read_packet(search, link, frame, size);
	else if (type == ETHERTYPE_ARP && size >= 42 && frame[IP + 7] == 1)
		read_question(search, link, AF_INET, frame);
	else if (type == ETHERTYPE_IPV6 && size >= NS_TARGET + 16 &&
		 frame[IP + 6] == IPPROTO_ICMPV6 &&
		 frame[ICMP6] == ND_NEIGHBOR_SOLICIT)
		read_question(search, link, AF_INET6, frame);
	else if (type == ETHERTYPE_IP || type == ETHERTYPE_IPV6)
		read_packet(search, link, frame, size);
}

/* Reads until nothing is left, since an answer lets packets out. */
static void look_everywhere(struct search *search)
{
	uint8_t frame[256] = { 0 };
	bool more;

	do {
		more = false;
		for (size_t i = 0; i < JUDGE_LINKS; i++) {
			const int head = i < JUDGE_CABLES ? 0 : IP;
			const ssize_t size =
				recv(search->wire->seen[i], frame + head,
				     sizeof(frame) - (size_t)head, 0);

			if (size > 0)
				read_frame(search, i, frame, size + head);
			more |= size > 0 || (size < 0 && errno == ENETDOWN);
		}
	} while (more);
}

static bool await_frame(const struct judge_wire *wire, int milliseconds)
{
	struct pollfd ends[JUDGE_LINKS];

	for (size_t i = 0; i < JUDGE_LINKS; i++)
		ends[i] = (struct pollfd){ .fd = wire->seen[i],
					   .events = POLLIN };
	return poll(ends, JUDGE_LINKS, milliseconds) > 0;
}

/* ---- sockets ---------------------------------------------------------- */

socklen_t judge_place(const struct reach_address *address, uint16_t port,
		      struct sockaddr_storage *ret)
{
	struct sockaddr_in *inet = (void *)ret;
	struct sockaddr_in6 *inet6 = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = address->family;
	inet->sin_port = htons(port);
	if (address->family == AF_INET) {
		memcpy(&inet->sin_addr, address->bytes, 4);
		return sizeof(*inet);
	}
	memcpy(&inet6->sin6_addr, address->bytes, 16);
	return sizeof(*inet6);
}

bool judge_is_own(const struct reach_address *address)
{
	struct sockaddr_storage place;
	const socklen_t size = judge_place(address, 0, &place);
	const int fd = socket(address->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const int err = bind(fd, (struct sockaddr *)&place, size);

	close(fd);
	return !err;
}

static bool prepare_socket(int fd, const struct reach_target *target)
{
	const int on = 1;

	return !setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	       (!target->mark ||
		!setsockopt(fd, SOL_SOCKET, SO_MARK, &target->mark,
			    sizeof(target->mark))) &&
	       (target->uid == REACH_UID_CALLER ||
		!fchown(fd, target->uid, (gid_t)-1)) &&
	       (!target->interface_name[0] ||
		!setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE,
			    target->interface_name, IFNAMSIZ));
}

/* Connects from @port. Returns 0 or an errno. A refusal is an answer of this
 * host itself. */
static int connect_from(int fd, const struct reach_target *target,
			uint16_t port)
{
	const struct reach_address any = { .family = target->remote.family };
	struct sockaddr_storage place;
	socklen_t size = judge_place(&any, port, &place);

	if (!prepare_socket(fd, target) ||
	    bind(fd, (struct sockaddr *)&place, size))
		return errno;
	size = judge_place(&target->remote, 9, &place);
	if (connect(fd, (struct sockaddr *)&place, size))
		return errno == EINPROGRESS || errno == ECONNREFUSED ? 0
								     : errno;
	return judge_is_group(&target->remote) && send(fd, "judge", 5, 0) < 0
		       ? errno
		       : 0;
}

/* A question for a neighbor doesn't show the source of the packet that waits. */
static void read_source(struct search *search, int fd)
{
	struct sockaddr_storage place;
	socklen_t size = sizeof(place);
	const bool inet = search->target->remote.family == AF_INET;
	const struct sockaddr_in *place4 = (const void *)&place;
	const struct sockaddr_in6 *place6 = (const void *)&place;
	const void *source = inet ? (const void *)&place4->sin_addr
				  : (const void *)&place6->sin6_addr;

	if (getsockname(fd, (void *)&place, &size))
		return;
	memcpy(search->trace->source, source, inet ? 4 : 16);
	for (size_t i = 0; !search->is_found && i < search->trace->count; i++)
		memcpy(search->trace->ways[i].source, source, inet ? 4 : 16);
}

struct judge_trace judge_send(struct judge_wire *wire,
			      const struct reach_target *target,
			      int milliseconds)
{
	struct judge_trace trace = { .count = 0 };
	struct search search = { wire, target, &trace, false, false };
	const int type = judge_is_group(&target->remote) ? SOCK_DGRAM
							 : SOCK_STREAM;
	const int fd = socket(target->remote.family,
			      type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	wire->port = wire->port < FIRST_PORT ? FIRST_PORT
					     : (uint16_t)(wire->port + 1);
	trace.error = connect_from(fd, target, wire->port);
	do
		look_everywhere(&search);
	while (milliseconds && !trace.error && !trace.count &&
	       await_frame(wire, milliseconds));
	read_source(&search, fd);
	/* A VRF also shows what its ports drop. */
	if (trace.ways->link == JUDGE_LINKS - 1 && !search.is_answered)
		trace.count = 0;
	close(fd);
	return trace;
}
