#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Records the corpus of the benchmarks in two network namespaces. The first has
# 50 veth pairs, 500 addresses, 20,000 IPv4 and 20,000 IPv6 routes, and the
# events of 5,000 route changes. The second, recorded as varied-*.dump, has links
# of many kinds with ports and alternative names, routes with metrics, legs,
# nexthops, and expiry, and the events of changes to all of them. Needs iproute2,
# Python 3, and root or user namespaces.
#
#   benchmarks/make-corpus.sh [DIRECTORY]     default: benchmarks/.build/corpus
set -euo pipefail

root=$(cd "$(dirname "$0")" && pwd)

begin_events() { # file
	coproc RECORD { exec "$root/record.py" events "$1"; }
	read -r ready <&"${RECORD[0]}"
	[ "$ready" = ready ]
}

end_events() {
	local pid=$RECORD_PID
	eval "exec ${RECORD[1]}>&-"
	wait "$pid"
}

if [ "${1:-}" = --inside ]; then
	out=$2
	{
		echo "link set lo up"
		for i in $(seq 0 49); do
			echo "link add veth$i type veth peer name peer$i"
			echo "link set veth$i up"
			echo "link set peer$i up"
			for j in $(seq 1 5); do
				echo "address add 10.$i.$j.1/24 dev veth$i"
				echo "address add fd00:$i:$j::1/64 dev veth$i nodad"
			done
		done
	} | ip -batch -
	awk 'BEGIN {
		for (i = 0; i < 20000; i++)
			printf "route add 100.%d.%d.0/24 via 10.%d.1.2 metric %d\n",
				64 + i / 256, i % 256, i % 50, 100 + i % 7
	}' | ip -batch -
	awk 'BEGIN {
		for (i = 0; i < 20000; i++)
			printf "route add 2001:db8:%x::/48 via fd00:%d:1::2 metric 1024\n",
				i, i % 50
	}' | ip -6 -batch -
	for what in links addresses routes4 routes6; do
		"$root/record.py" dump "$out/$what.dump" $what
	done
	begin_events "$out/events.dump"
	awk 'BEGIN {
		for (i = 0; i < 1000; i++) {
			printf "route add 172.%d.%d.0/24 via 10.%d.1.2\n",
				16 + i / 256, i % 256, i % 50
			if (i % 2)
				printf "route replace 172.%d.%d.0/24 via 10.%d.2.2\n",
					16 + i / 256, i % 256, i % 50
		}
		for (i = 0; i < 1000; i++)
			printf "route del 172.%d.%d.0/24\n", 16 + i / 256, i % 256
	}' | ip -batch -
	awk 'BEGIN {
		for (i = 0; i < 1250; i++)
			printf "route add 2001:db9:%x::/48 via fd00:%d:1::2\n", i, i % 50
		for (i = 0; i < 1250; i++)
			printf "route del 2001:db9:%x::/48\n", i
	}' | ip -6 -batch -
	end_events
	exit
fi

# Runs ip once per line: a batch would end at the first kind of link that the kernel lacks.
each() {
	local line error
	while read -r line; do
		# shellcheck disable=SC2086
		error=$(ip $line 2>&1) || case $error in
		*"Unknown device type"* | *"Cannot find device"* | *"Device does not exist"*) ;;
		*) echo "ip $line: $error" >&2 && exit 1 ;;
		esac
	done
}

varied_links() {
	local i name
	printf '%s\n' "link set lo up" "link add bridge0 type bridge" \
		"link add bond0 type bond mode active-backup"
	for i in $(seq 0 31); do
		echo "link add uplink$i mtu $((1400 + i)) type veth peer name p$i"
		echo "link add link uplink$i name uplink$i.7 type vlan id $((i + 7))"
		echo "link add port$i type veth peer name q$i"
		case $((i % 8)) in
		0) echo "link add x$i type vxlan id $((i + 1)) dstport 4789 local 10.0.$i.1" ;;
		1) echo "link add x$i type gre local 10.0.$i.1 remote 10.9.9.$i" ;;
		2) echo "link add x$i type sit local 10.0.$i.1" ;;
		3) echo "link add x$i type wireguard" ;;
		4) echo "link add x$i type vrf table $((100 + i))" ;;
		5) echo "link add x$i type ifb" ;;
		6) echo "link add link p$i name x$i type macvlan mode bridge" ;;
		7) echo "tuntap add x$i mode tun" ;;
		esac
		case $((i % 4)) in
		0) echo "link set port$i master bridge0" ;;
		1) echo "link set port$i master bond0" ;;
		2) echo "link property add dev port$i altname port-with-a-long-name-$i" ;;
		esac
		for name in uplink$i p$i uplink$i.7 port$i x$i; do
			echo "link set $name up"
		done
		echo "address add 10.0.$i.1/24 dev uplink$i brd + label uplink$i:a"
		echo "address add 10.1.$i.1 peer 10.1.$i.2 dev p$i valid_lft $((900 + i)) preferred_lft 800"
		echo "address add fd00:$i::1/64 dev uplink$i nodad"
		echo "address add fd01:$i::1/64 dev port$i nodad valid_lft 9000 preferred_lft 800"
		echo "nexthop add id $((i + 1)) via 10.0.$i.2 dev uplink$i"
	done
	printf '%s\n' "nexthop add id 100 group 1/2,3/4" "link set bridge0 up" "link set bond0 up"
}

varied_routes() { # verb, how many
	awk -v verb="$1" -v count="$2" 'BEGIN {
		split(" via 10.0.%d.2 metric 9| dev uplink%d mtu 1300 advmss 1200" \
			"| nexthop via 10.0.40.2 dev uplink1 onlink nexthop via 10.0.%d.2 weight 3" \
			"| nhid %d| dev p%d src 10.0.3.1 table 77" \
			"| via inet6 fe80::2 dev uplink%d onlink rtt 30ms window 9", how, "|")
		for (i = 0; i < count; i++)
			printf "route %s 100.%d.%d.0/24" how[1 + i % 6] "\n", verb,
				64 + i / 256, i % 256, 1 + i % 31
	}' | ip -batch -
	awk -v verb="$1" -v count="$2" 'BEGIN {
		split(" via fd00:%d::2 metric 1024| dev uplink%d expires 900" \
			"| nexthop via fd00:1::2 nexthop via fd00:%d::2| dev p%d mtu 1300 pref high" \
			"| via fd00:%d::2 src fd00:1::1 table 78", how, "|")
		for (i = 0; i < count; i++)
			printf "route %s 2001:db8:%x::/48" how[1 + i % 5] "\n", verb, i,
				2 + i % 30
	}' | ip -6 -batch -
}

varied_events() {
	local i
	for i in $(seq 0 31); do
		echo "link set port$i down"
		echo "link set uplink$i mtu $((1300 + i))"
		echo "link property add dev p$i altname other-name-$i"
		echo "address del 10.0.$i.1/24 dev uplink$i"
		echo "address add 10.0.$i.1/24 dev uplink$i"
		echo "rule add from 10.0.$i.0/24 fwmark $i table 77"
		echo "link set port$i up"
		echo "link set p$i down"
		echo "link set p$i up"
	done
}

if [ "${1:-}" = --varied ]; then
	out=$2
	varied_links | each
	varied_routes add 6000
	for what in links addresses routes4 routes6; do
		"$root/record.py" dump "$out/varied-$what.dump" $what
	done
	begin_events "$out/varied-events.dump"
	varied_routes del 1200
	varied_routes add 1200
	varied_events | each
	end_events
	exit
fi

out=${1:-$root/.build/corpus}
mkdir -p "$out"
out=$(cd "$out" && pwd)
namespace=-n
[ "$(id -u)" -eq 0 ] || namespace=-Urn
unshare $namespace "$0" --inside "$out"
unshare $namespace "$0" --varied "$out"
ls -l "$out"
