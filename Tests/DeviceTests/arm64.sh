#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs Tests/CInternals on an arm64 kernel from the distribution's archive, in an
# emulated machine: qemu-user would translate netlink, and the tests need the
# kernel's own answers. The machine's programs are Debian's; the tests are
# cross-built. There is no Swift, so instead of Tests/KernelTests the judge
# (monitor/judge.c) compares verdicts with packets in random configurations, some
# with a VRF.
#
#	arm64.sh [SCRATCH [KERNEL [TEST...]]]	like run.sh; KERNEL defaults to "stable"
set -euo pipefail
architecture=arm64
. "$(dirname "$0")/kernels.sh"
# In seconds. An idle machine takes a fifth of this.
limit=3600
modules=(veth dummy bridge macvlan 8021q bonding tun ip_gre vrf)
libraries=usr/lib/aarch64-linux-gnu

install_packages qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross libmnl-dev cpio kmod
open_archive
version=$(choose_kernels "${2:-stable}")
[ -n "$version" ] || fail "no kernel: is the archive Debian's?"
fetch_kernel "$version"

step "machine"
tree=$scratch/tree
rm -rf "$tree"
mkdir -p "$tree"/{usr/bin,usr/sbin,usr/lib,etc,proc,sys,dev,run,tmp}
ln -s usr/{bin,sbin,lib} "$tree"
apt_of_archive apt-get install -y -qq --download-only --no-install-recommends -t stable \
	iproute2 libmnl0 kmod busybox-static dash >/dev/null
for package in "$scratch"/archive/cache/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$tree"
done
for applet in awk cat mount poweroff seq; do
	ln -sf busybox "$tree/usr/bin/$applet"
done
cp "$here/init-arm64" "$tree/init"
tests=("${@:3}")
[ ${#tests[@]} -gt 0 ] ||
	mapfile -t tests < <(grep -oP '\bTEST\(\K\w+' "$root/Tests/CInternals/check.h")
echo "${tests[@]}" >"$tree/etc/tests"
touch "$tree"/etc/{resolv,nsswitch}.conf
echo '127.0.0.1 localhost' >"$tree/etc/hosts"

step "program"
mkdir -p "$scratch/include"
cp -r "$(pkg-config --variable=includedir libmnl)/libmnl" "$scratch/include"
rm -rf "$scratch/objects"
mkdir "$scratch/objects"
printf '%s\0' "$root"/{Tests/CInternals,Sources/CReach}/**/*.c |
	xargs -0 -P "$(nproc)" -I '{}' bash -euc 'path=${2#"$1"/}
		aarch64-linux-gnu-gcc -g -O1 -std=gnu11 -D_GNU_SOURCE -I"$1/include" -I"$1/Sources/CReach" \
			-I"$1/Tests/CInternals" -I"$0/include" -c "$2" -o "$0/objects/${path//\//.}.o"' \
		"$scratch" "$root" '{}'
aarch64-linux-gnu-gcc "$scratch"/objects/*.o "$tree/$libraries/libmnl.so.0" -lpthread \
	-o "$tree/usr/bin/internals"

step "Linux $version"
install_modules "$tree" "$version" "${modules[@]}"
make_initramfs "$tree" "$scratch/initramfs"
begin=$SECONDS
status=0
timeout --kill-after=10 $limit qemu-system-aarch64 -machine virt -cpu cortex-a72 -accel tcg \
	-smp 2 -m 1024 -nodefaults -no-user-config -display none -serial stdio -no-reboot \
	-kernel "$scratch/kernel-$version/boot/vmlinuz-$version" -initrd "$scratch/initramfs" \
	-append "console=ttyAMA0 quiet panic=-1" \
	</dev/null | tee "$scratch/console" || status=$?
[ $status -eq 0 ] || fail "exit status $status of qemu"
grep -aq '^[1-9][0-9]* passed, 0 failed' "$scratch/console" || fail "see above"
grep -aq '^failed: none' "$scratch/console" || fail "see above"
[[ " ${tests[*]} " != *" judge "* ]] ||
	grep -aq '^judge: [1-9][0-9]* of them with a VRF' "$scratch/console" || fail "the judge had no VRF"
echo "it ran for $((SECONDS - begin)) s"
