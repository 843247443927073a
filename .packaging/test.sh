#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages and runs lintian. Installs, uses, and removes the
# packages in an overlay over the running system that hides Swift's libraries.
# That needs no download, and dpkg checks the packages' dependencies.
#
#   .packaging/test.sh [SCRATCH-PATH]
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")" && pwd)
scratch=${1:-$here/../.build/debian}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

step "the packages"
SWIFTFLAGS="--scratch-path $scratch" "$here/build.sh" "$work/packages" >"$work/log" 2>&1 ||
	fail "$(tail -n 50 "$work/log")"
names=$(cd "$work/packages" && echo *.deb | sed 's/_[^ ]*//g')
[ "$names" = "libreach-dev libreach1 reachctl" ] || fail "the packages are $names"
for package in "$work"/packages/*.deb; do
	dpkg-deb --field "$package" Package Version Depends | xargs
done
dpkg-deb --contents "$work"/packages/reachctl_*.deb >"$work/contents"
for file in bin/reachctl share/man/man1/reachctl.1.gz share/man/man1/reachctl-status.1.gz \
	share/bash-completion/completions/reachctl share/zsh/vendor-completions/_reachctl \
	share/fish/vendor_completions.d/reachctl.fish share/reachctl/reachctl.schema.json \
	share/reachctl/reachctl-alerts.yml share/reachctl/reachctl-dashboard.json \
	lib/systemd/system/reachctl-wait@.service lib/systemd/system/reachctl-watch@.service; do
	grep -q " ./usr/$file$" "$work/contents" || fail "reachctl has no $file"
done

step "the tool has no RPATH, and is hardened and stripped"
dpkg-deb --extract "$work"/packages/reachctl_*.deb "$work/tool"
readelf -dlSW "$work/tool/usr/bin/reachctl" >"$work/elf"
! grep -E 'RPATH|RUNPATH' "$work/elf" || fail "reachctl has a search path for libraries"
grep -q 'FLAGS.*NOW' "$work/elf" || fail "symbols of reachctl are bound lazily"
grep -q GNU_RELRO "$work/elf" || fail "relocations of reachctl stay writable"
! grep -F .symtab "$work/elf" || fail "reachctl is not stripped"

step "a program depends on the version that has its symbols"
dpkg-deb --control "$work"/packages/libreach1_*.deb "$work/control"
grep -qxE ' reach_check@REACH_1 [0-9.]+' "$work/control/symbols" || fail "$(cat "$work/control/symbols")"
diff <(sed -n 's/^ \(.*\)@REACH_1 .*/\1/p' "$work/control/symbols" | grep -v '^REACH_1$') \
	<(sed -n 's/^\t\(reach_.*\);$/\1/p' "$here/../Sources/CReach/reach.map") || fail "symbols of libreach1"

step "lintian"
lintian --allow-root --fail-on error,warning "$work"/packages/*.deb

step "installed, used and removed in an overlay"
swift=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift
cp "$here/../Tests/CConsumer/consumer.c" "$work/packages"
# shellcheck disable=SC2016
"${as_root[@]}" unshare -m bash -euo pipefail -c '
	work=$1 swift=$2
	fail() { echo "FAILED: $*" >&2; exit 1; }
	mkdir "$work/layers"
	mount -t tmpfs layers "$work/layers"
	mkdir "$work"/layers/{upper,work,root}
	root=$work/layers/root
	mount -t overlay -o "lowerdir=/,upperdir=$work/layers/upper,workdir=$work/layers/work" \
		overlay "$root"
	mount --rbind /proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs hidden "$root$swift"
	mount -t tmpfs packages "$root/mnt"
	cp "$work"/packages/{*.deb,consumer.c} "$root/mnt"
	inside() { chroot "$root" "$@"; }

	inside bash -c "dpkg --install /mnt/*.deb" >"$work/dpkg" 2>&1 || fail "$(cat "$work/dpkg")"
	inside ldd /usr/bin/reachctl >"$work/libraries"
	! grep -E "not found|libswift" "$work/libraries" || fail "reachctl lacks a library"
	[ "$(inside /usr/bin/reachctl status 127.0.0.1)" = "Reachable,Local Address" ] || fail "reachctl"
	inside bash -c "source /usr/share/bash-completion/completions/reachctl
		complete -p reachctl" >/dev/null || fail "completion"
	inside sh -c "cc -std=c99 /mnt/consumer.c \$(pkg-config --cflags --libs reach) -o /mnt/a.out"
	inside ldd /mnt/a.out | grep -q "libreach.so.1 => .*/usr/lib/\|libreach.so.1 => /lib/" ||
		fail "the program does not use the library"
	inside timeout 60 /mnt/a.out || fail "the program"

	inside dpkg --purge reachctl libreach-dev libreach1 >"$work/dpkg" 2>&1 ||
		fail "$(cat "$work/dpkg")"
	# Only files of dpkg and its triggers may still differ from the lower root.
	left=$(cd "$work/layers/upper" && find . ! -type d | grep -vE \
		"^\./(var/(lib/dpkg|log|cache)/|etc/ld\.so\.cache$)" || true)
	[ -z "$left" ] || fail "left behind: $left"' - "$work" "$swift"
echo "all packages passed"
