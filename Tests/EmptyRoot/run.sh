#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs static programs in a root that holds nothing else, as in an image FROM
# scratch: the core built with musl-gcc, and the tool with glibc.
#
#   Tests/EmptyRoot/run.sh [SCRATCH-PATH]
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=${1:-$root/.build/empty-root}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}
is_static() {
	readelf -lW "$1" >"$work/headers"
	! grep -E 'INTERP|DYNAMIC' "$work/headers" || fail "$1 is not static"
}
expect() { # output, command
	local expected=$1 output
	shift
	output=$("$@" 2>&1) || true
	[ "$output" = "$expected" ] || fail "$*: '$output', not '$expected'"
}

step "the core, built with musl-gcc"
make -s -C "$root/Sources/CReach" BUILD="$work/build" CC=musl-gcc BUNDLED_LIBMNL=1 install PREFIX="$work/musl" >/dev/null
mkdir "$work/root"
for program in "$root/Tests/CConsumer/consumer.c" "$here/resolve.c"; do
	output=$work/root/$(basename "$program" .c)
	musl-gcc -static -std=c99 -Wall -Wextra -Werror -I"$work/musl/include" "$program" \
		"$work/musl/lib/libreach.a" -o "$output"
	is_static "$output"
done

step "the tool, built with --static-executable"
swift build --package-path "$root" --scratch-path "$scratch" -c release --product reachctl \
	--traits BundledLibmnl -Xswiftc -static-executable >"$work/log" 2>&1 ||
	fail "$(tail -n 50 "$work/log")"
cp "$scratch/release/reachctl" "$work/root"
is_static "$work/root/reachctl"
file_count=$(find "$work/root" -type f | wc -l)
[ "$file_count" = 3 ] || fail "the root is not empty"

# Use a separate network namespace, so that a name server can listen on a loopback
# that nothing else uses.
export -f step fail expect
export work here
# shellcheck disable=SC2016
unshare -rmn bash -euo pipefail -c '
	ip link set lo up
	inside() { chroot "$work/root" "$@"; }

	step "without /proc, /sys and /etc"
	inside /consumer
	[ "$(find "$work/root" -type f | wc -l)" = 3 ] || fail "the root is not empty"

	# Without /proc, a static Swift program aborts before main (Swift 6.3).
	step "with /proc, as containers have it"
	mkdir "$work/root/proc"
	mount --rbind /proc "$work/root/proc"
	expect "Reachable,Local Address" inside /reachctl status 127.0.0.1
	inside /reachctl interfaces | grep -qE "^1 +lo +loopback" || fail "interfaces"
	timeout --signal=INT 120 chroot "$work/root" /reachctl watch 127.0.0.1 |
		sed 1q | grep -q "Reachable,Local Address" || fail "watch"

	step "the health check of a container, and metrics"
	inside /reachctl wait --timeout 0 -q 127.0.0.1 || fail "$?"
	! inside /reachctl wait --timeout 0 -q internet 2>"$work/offline" || fail "offline"
	timeout --signal=INT 120 chroot "$work/root" /reachctl watch --prometheus /x.prom 127.0.0.1 | sed 1q >/dev/null
	[ ! -e "$work/root/x.prom" ] || fail "x.prom is left"

	step "options that need a library say so at once"
	for words in "wait --connectivity http://127.0.0.1/" "status --connectivity networkmanager" "watch --radio"; do
		message="reachctl: ${words#* }" && message=${message% [hn]*}
		# shellcheck disable=SC2086
		timeout 120 chroot "$work/root" /reachctl $words >"$work/refused" 2>&1 && fail "$words"
		grep -q "^$message needs a shared library.*Debian packages" "$work/refused" || fail "$(cat "$work/refused")"
	done

	step "names of /etc/hosts"
	mkdir "$work/root/etc"
	echo "192.0.2.7 hosts.example" >"$work/root/etc/hosts"
	expect 192.0.2.7 inside /resolve hosts.example
	inside /reachctl status --json hosts.example >"$work/json" || true
	grep -q "\"addresses\":\[\"192.0.2.7\"\]" "$work/json" || fail "$(cat "$work/json")"

	step "names of a name server"
	echo "nameserver 127.0.0.1" >"$work/root/etc/resolv.conf"
	coproc server { exec python3 "$here/nameserver.py"; }
	read -r ready <&"${server[0]}"
	trap "kill $server_PID" EXIT
	expect 192.0.2.9 inside /resolve dns.example
	expect noSuchName inside /resolve none.example
	inside /reachctl status --json dns.example none.example >"$work/json" || true
	grep -q "\"addresses\":\[\"192.0.2.9\"\]" "$work/json" || fail "$(cat "$work/json")"
	grep -q "\"reason\":\"noSuchName\"" "$work/json" || fail "$(cat "$work/json")"

	step "with services of nsswitch.conf that are not in the image"
	echo "hosts: resolve [!UNAVAIL=return] mdns4_minimal files dns" >"$work/root/etc/nsswitch.conf"
	inside /reachctl status --json hosts.example dns.example >"$work/json" || true
	[ "$(grep -cE "\"addresses\":\[\"192.0.2.[79]\"\]" "$work/json")" = 2 ] ||
		fail "$(cat "$work/json")"'
echo "all of EmptyRoot passed"
