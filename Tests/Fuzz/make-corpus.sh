#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Regenerates Tests/Fuzz/corpus: the messages that this kernel sends while links,
# addresses, routes, rules, and next hops change in a network namespace, the captures
# in Tests/CReachTests/Vectors, and scripts for the engine made from both. There is
# one file per layout of attributes. Needs iproute2, python3, and root or user
# namespaces. Keeps what a fuzzer found (regression-*, found-*).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

lookups() { # the answers to single lookups, with extended ACK
	python3 - "$1" <<'END'
import ipaddress, socket, struct, sys

GETLINK, GETROUTE, REQUEST = 18, 26, 1
kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
for option in 11, 12:  # NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK
    kernel.setsockopt(270, option, 1)
with open(sys.argv[1], "wb") as out:
    def ask(kind, body):
        size = 16 + len(body)
        kernel.send(struct.pack("=IHHII", size, kind, REQUEST, 1, 0) + body)
        answer = kernel.recv(65536)
        out.write(struct.pack("<I", len(answer)) + answer)

    for text in ("192.0.2.1", "198.51.100.1", "198.51.100.130",
                 "198.51.100.200", "203.0.113.5", "203.0.112.5", "192.0.4.1",
                 "10.0.0.1", "127.0.0.1", "224.0.0.1", "10.0.0.255",
                 "2001:db8::1", "2001:db8:1::1", "2001:db8:2::1", "fd00::1"):
        address = ipaddress.ip_address(text)
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        bits = address.max_prefixlen
        for flags in 0, 0x2000:  # RTM_F_FIB_MATCH
            for length in bits, bits + 1:  # the second one is refused
                ask(GETROUTE, struct.pack(
                    "=8BIHH", family, length & 255, 0, 0, 0, 0, 0, 0, flags,
                    4 + bits // 8, 1) + address.packed)
    ask(GETLINK, struct.pack("=BxHiII", 0, 0, 0x7fffffff, 0, 0))
END
}

changes() { # one ip command per line; some kernels lack some of them
	cat <<'END'
link set lo up
link add veth0 type veth peer name veth1
link add br0 type bridge
link set veth1 master br0
link set veth0 up
link set veth1 up
link set br0 up
link add mac0 link veth0 type macvlan mode bridge
link set mac0 up
link add vlan0 link veth0 type vlan id 7
link add bond0 type bond mode active-backup
link add ifb0 type ifb
link add vrf0 type vrf table 10
link add wg0 type wireguard
link add gre0a type gre local 10.0.0.1 remote 10.0.0.9
link add dummy0 type dummy
tuntap add dev tun0 mode tun
link set tun0 up
link set veth0 mtu 1400
link set veth0 address 02:00:00:00:00:07
link set ifb0 name renamed0
link set veth0 mode dormant
link set veth0 mode default
address add 10.0.0.1/24 dev veth0
address add 10.0.0.2/24 dev veth0 label veth0:a
address add 10.9.0.1 peer 10.9.0.2/32 dev tun0
address add 10.0.1.1/24 dev veth0 valid_lft 100 preferred_lft 50
address add fd00::1/64 dev veth0 nodad
address add fd00::2/64 dev veth0
address add fd00:1::1/64 dev veth0 nodad valid_lft 100 preferred_lft 50
address add fe80::7/64 dev veth0 nodad
route add default via 10.0.0.254
route add 192.0.2.0/24 via 10.0.0.254 src 10.0.0.2 metric 50
route add unreachable 198.51.100.0/25
route add prohibit 198.51.100.128/26
route add blackhole 198.51.100.192/26
route add 203.0.113.0/24 nexthop via 10.0.0.253 weight 2 nexthop via 10.0.0.254
route add 203.0.112.0/24 via inet6 fd00::fe dev veth0
route add 100.64.0.0/10 dev tun0 table 100 mtu 1200
-6 route add default via fd00::fe
-6 route add 2001:db8::/32 via fd00::fe expires 60
-6 route add unreachable 2001:db8:1::/48
-6 route add 2001:db8:2::/48 nexthop via fd00::fe nexthop via fd00::fd
-6 route add 2001:db8:3::/48 from fd00::/64 dev veth0
nexthop add id 1 via 10.0.0.254 dev veth0
nexthop add id 2 via 10.0.0.253 dev veth0
nexthop add id 3 group 1/2,3
nexthop add id 4 blackhole
nexthop add id 5 via fd00::fe dev veth0
route add 192.0.3.0/24 nhid 1
route add 192.0.4.0/24 nhid 3
rule add from 10.0.0.0/24 to 192.0.2.0/24 fwmark 7/0xff table 100 priority 500
rule add uidrange 1000-2000 blackhole priority 501
rule add iif veth0 oif tun0 prohibit
-6 rule add from fd00::/64 table 100
route replace 192.0.2.0/24 via 10.0.0.253
route change 192.0.3.0/24 via 10.0.0.252
route del 192.0.2.0/24
-6 route del 2001:db8:2::/48
rule del priority 500
nexthop replace id 1 via 10.0.0.252 dev veth0
nexthop del id 4
address del 10.0.0.2/24 dev veth0
address del fd00::2/64 dev veth0
link set veth1 nomaster
link set veth1 down
link set veth1 up
link set veth0 down
link set veth0 up
link del mac0
link del br0
link del veth0
END
}

if [ "${1:-}" = --inside ]; then
	recorder=$2
	out=$3
	coproc RECORD { exec "$recorder" events "$out/changes.events"; }
	read -r ready <&"${RECORD[0]}"
	[ "$ready" = ready ]
	while read -r line; do
		case $line in
		"link del br0")
			for what in links addresses routes4 routes6 rules nexthops; do
				"$recorder" dump "$out/$what.dump" $what
			done
			lookups "$out/lookups.dump"
			;;
		esac
		# shellcheck disable=SC2086
		ip $line 2>/dev/null || echo "not here: ip $line"
	done < <(changes)
	echo 1 >/proc/sys/net/ipv4/conf/all/ignore_routes_with_linkdown
	echo 1 >/proc/sys/net/ipv4/conf/lo/forwarding
	pid=$RECORD_PID
	eval "exec ${RECORD[1]}>&-"
	wait "$pid"
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -Wall -Wextra -Werror "$here/../../benchmarks/Sources/Recorder/recorder.c" \
	-o "$work/recorder"
if [ "$(id -u)" -eq 0 ]; then
	unshare -n "$0" --inside "$work/recorder" "$work"
else
	unshare -Urn "$0" --inside "$work/recorder" "$work"
fi
cp "$here"/../CReachTests/Vectors/*.{dump,events} "$work"
mkdir -p "$here/corpus"
find "$here/corpus" -name '*.bin' ! -name 'regression-*' \
	! -name 'found-*' -delete
python3 - "$work" "$here/corpus" <<'END'
import pathlib, struct, sys

work, corpus = map(pathlib.Path, sys.argv[1:])
NAMES = {16: "newlink", 17: "dellink", 20: "newaddr", 21: "deladdr",
         24: "newroute", 25: "delroute", 32: "newrule", 33: "delrule",
         80: "newnetconf", 81: "delnetconf", 104: "newnexthop",
         105: "delnexthop", 2: "error", 3: "done"}
FIXED = {16: 16, 17: 16, 20: 8, 21: 8, 24: 12, 25: 12, 32: 12, 33: 12,
         80: 4, 81: 4, 104: 8, 105: 8}


def datagrams(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        yield data[at + 4:at + 4 + size]
        at += 4 + size


def messages(datagram):
    at = 0
    while at < len(datagram):
        size, kind = struct.unpack_from("<IH", datagram, at)
        yield kind, datagram[at:at + size]
        at += (size + 3) & ~3


def layout(kind, message):
    """The key of a message: type, family, attributes, and the sizes of attributes 3 and 18."""
    found, at = [kind, message[16:17]], 16 + FIXED.get(kind, 4)
    while at + 4 <= len(message) and kind in FIXED:
        size, attribute = struct.unpack_from("<HH", message, at)
        if size < 4:
            break
        found.append((attribute, size if attribute in (3, 18) else 0))
        at += (size + 3) & ~3
    return tuple(found)


def damaged(kind, message):
    """The message with an attribute that reaches past its end, and the message cut within one."""
    at = last = 16 + FIXED[kind]
    while at + 4 <= len(message):
        last = at
        at += (struct.unpack_from("<H", message, at)[0] + 3) & ~3
    long = bytearray(message)
    struct.pack_into("<H", long, last, len(message) - last + 1)
    cut = bytearray(message[:-3])
    struct.pack_into("<I", cut, 0, len(cut))
    return bytes(long), bytes(cut)


def write(name, data):
    (corpus / f"{name}.bin").write_bytes(data)


seen, counts, events = set(), {}, []
for path in sorted(work.glob("*.events")) + sorted(work.glob("*.dump")):
    for number, datagram in enumerate(datagrams(path)):
        if path.suffix == ".events":
            events.append(datagram)
        for kind, message in messages(datagram):
            key = layout(kind, message)
            if key in seen:
                continue
            seen.add(key)
            name = NAMES.get(kind, "other")
            counts[name] = counts.get(name, 0) + 1
            write(f"{name}-{counts[name]:02}", message)
            if counts[name] == 1 and kind in FIXED:
                long, cut = damaged(kind, message)
                write(f"damaged-{name}-long", long)
                write(f"damaged-{name}-cut", cut)
        if path.name.startswith("debian"):
            write(f"{path.stem}-{number:02}", datagram)
write("oversized-length", bytes.fromhex("0001008581d70146ffffffffffffffff7c"))

# Scripts: the numbers are those of operations[] in engine.c.
(ADD, REMOVE, EVENTS, ANSWERS, PATCHED, KERNEL, CLOCK, OVERRUN, LOST, RESOLVED,
 EVIDENCE, PUBLISH, TAKE, REQUESTS, REFRESH, PROBES, INTERFACES) = range(17)
V4, V6 = bytes([0]), bytes([1])
LINKS = [d for p in ("links.dump", "debian-6.1-devices.dump")
         for d in datagrams(work / p)]
ALL_KINDS = (
    bytes([ADD, 0]) + V4 + bytes([192, 0, 2, 1]) +
    bytes([ADD, 0]) + V6 + bytes.fromhex("20010db8000000000000000000000001") +
    bytes([ADD, 0]) + V4 + bytes(4) +
    bytes([ADD, 1]) + V4 + bytes([10, 0, 0, 9]) + V4 + bytes([10, 0, 0, 2]) +
    bytes([ADD, 2]) + bytes([2]) +
    bytes([ADD, 0]) + V4 + bytes([169, 254, 0, 0]) +
    bytes([ADD, 4, 0]) + bytes([ADD, 12, 1]) +
    bytes([ADD, 0x46]) + V4 + bytes([8, 8, 8, 8]))


def blob(operation, data):
    return bytes([operation]) + struct.pack("<H", len(data)) + data


def renumbered(datagram, sequence):
    data, at = bytearray(datagram), 0
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        struct.pack_into("<I", data, at + 8, sequence)
        at += (size + 3) & ~3
    return bytes(data)


def exchange(mood):
    return bytes([REQUESTS, KERNEL, mood])


settle = exchange(0x1f) * 3 + bytes([PUBLISH]) + bytes([TAKE]) * 12
start = ALL_KINDS + settle
for number in range(0, len(events), 8):
    body = b"".join(blob(EVENTS, e) + exchange(0x1f >> (i % 5))
                    for i, e in enumerate(events[number:number + 8]))
    write(f"script-events-{number // 8:02}", start + body + settle)
for number, datagram in enumerate(LINKS[:8]):
    write(f"script-dump-{number:02}", ALL_KINDS + bytes([REQUESTS]) +
          blob(PATCHED, renumbered(datagram, 0)) + bytes([LOST]) + settle)
write("script-overrun", start + bytes([OVERRUN]) + exchange(0x0f) +
      bytes([OVERRUN]) + exchange(0x9f) + exchange(0) + settle)
write("script-lost", start + bytes([REFRESH, REQUESTS, LOST]) + exchange(0) +
      settle)
write("script-same", start + bytes([REFRESH]) + exchange(0x1f) * 2 + settle)
write("script-names", start + bytes([RESOLVED, 0x62]) + V4 +
      bytes([192, 0, 2, 7]) + V6 + bytes.fromhex("fd" + "00" * 15) +
      exchange(0x1f) + bytes([RESOLVED, 0x60]) + settle)
write("script-probes", start + bytes([PROBES, 2]) + V4 + bytes([1, 1, 1, 1]) +
      V6 + bytes.fromhex("26" + "00" * 15) + exchange(0x07) + bytes([PROBES, 0])
      + settle)
write("script-clock", start + bytes([CLOCK, 0xff, 0xff, 0xff, 0xff]) +
      exchange(0x03) + bytes([EVIDENCE, 0, EVIDENCE, 4, INTERFACES]) + settle)
write("script-remove", start + bytes([REFRESH, REQUESTS, REMOVE, 0, REMOVE, 3,
      KERNEL, 0x1f]) + ALL_KINDS + settle + bytes([REMOVE, 0]) * 20)
print(len(list(corpus.iterdir())), "files,",
      sum(f.stat().st_size for f in corpus.iterdir()), "bytes")
END
