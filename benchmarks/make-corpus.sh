#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the corpus of the benchmarks in a network namespace of its own:
# 50 veth pairs, 500 addresses, 20,000 IPv4 and 20,000 IPv6 routes, and the
# events of 5,000 route changes. Needs iproute2, and root or user namespaces.
#
#   benchmarks/make-corpus.sh [DIRECTORY]     default: benchmarks/.build/corpus
set -euo pipefail

root=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = --inside ]; then
	recorder=$2
	out=$3
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
		"$recorder" dump "$out/$what.dump" $what
	done
	coproc RECORD { exec "$recorder" events "$out/events.dump"; }
	read -r ready <&"${RECORD[0]}"
	[ "$ready" = ready ]
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
	pid=$RECORD_PID
	eval "exec ${RECORD[1]}>&-"
	wait "$pid"
	exit
fi

out=${1:-$root/.build/corpus}
mkdir -p "$out"
out=$(cd "$out" && pwd)
recorder=$(mktemp)
trap 'rm -f "$recorder"' EXIT
cc -O2 -Wall -Wextra -Werror "$root/Sources/Recorder/recorder.c" -o "$recorder"
if [ "$(id -u)" -eq 0 ]; then
	unshare -n "$0" --inside "$recorder" "$out"
else
	unshare -Urn "$0" --inside "$recorder" "$out"
fi
ls -l "$out"
