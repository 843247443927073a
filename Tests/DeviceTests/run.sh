#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Real drivers on the distribution's own kernel, in an emulated machine: Wi-Fi,
# USB modems and tethers, PPP, WireGuard, VRF, and what is layered over them.
# guest/ drives them there and checks what the library says.
#
#	run.sh [SCRATCH]	SCRATCH keeps the kernel for the next run
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ $# -gt 0 ]; then
	mkdir -p "$1"
	scratch=$(cd "$1" && pwd)
else
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
fi
tree=$scratch/tree
# In seconds; on a machine without other load it is a tenth of that.
limit=600

# Loaded by name in init, by the alias of a kind of link, or when a driver asks
# (ciphers of Wi-Fi).
modules=(
	mac80211_hwsim ccm ctr cmac libcomposite
	dummy_hcd usb_f_ecm usb_f_ncm usb_f_rndis cdc_ether cdc_ncm rndis_host
	ppp_async wireguard vrf 8021q bonding bridge macvlan dummy veth tun ifb
	team ipip ip_gre sit vxlan geneve xfrm_interface nlmon
)
# busybox's own shell and its own "ip" would be in the way.
tools=(dash hostapd wpa_supplicant iw ip pppd ping kmod)
applets=(mount mkdir rmdir ln rm cat dmesg tail poweroff)

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIPPED: devices are tested on x86_64 only, this is $(uname -m)"
	exit 0
fi

step "packages"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends \
	gcc libc6-dev libmnl-dev pkg-config cpio kmod busybox-static \
	dash qemu-system-x86 hostapd wpasupplicant iw iproute2 iputils-ping ppp >/dev/null
PATH=$PATH:/usr/sbin:/sbin

step "kernel"
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p')
[ -n "$kernel" ] || fail "no package linux-image-amd64: a Debian kernel is needed"
version=${kernel#linux-image-}
image=$scratch/$kernel
if [ ! -d "$image" ]; then
	(cd "$scratch" && apt-get -o APT::Sandbox::User=root download -qq "$kernel")
	rm -rf "$image.new"
	dpkg-deb -x "$scratch/${kernel}"_*.deb "$image.new"
	depmod -b "$image.new" "$version"
	mv "$image.new" "$image"
fi

step "program"
mkdir -p "$scratch/objects"
# shellcheck disable=SC2046
gcc -O1 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion \
	-Wstrict-prototypes -Wmissing-prototypes -Werror -I"$root/include" \
	$(pkg-config --cflags libmnl) "$here"/guest/*.c "$root"/Sources/CReach/*.c \
	-o "$scratch/guest" $(pkg-config --libs libmnl) -pthread

step "initial file system"
rm -rf "$tree"
mkdir -p "$tree"/{bin,sbin,etc/ppp,proc,sys,dev,run,tmp,var}
ln -s ../run "$tree/var/run"
touch "$tree/etc/ppp/options"
cp "$here"/etc/*.conf "$tree/etc"
cp "$here/init" "$tree"
cp "$here/gadget" "$scratch/guest" "$(command -v busybox)" "$tree/bin"
for tool in "${tools[@]}"; do
	cp -L "$(command -v "$tool")" "$tree/sbin"
done
ln -s kmod "$tree/sbin/modprobe"
ln -s ../sbin/dash "$tree/bin/sh"
for applet in "${applets[@]}"; do
	ln -s busybox "$tree/bin/$applet"
done
# Each library, and the loader, where the program looks for it.
for program in "$tree"/sbin/* "$tree/bin/guest"; do
	ldd "$program"
done | grep -o '/[^ ]*' | grep -v ':$' | sort -u | xargs cp -L --parents -t "$tree"
for module in "${modules[@]}"; do
	modprobe -d "$image" -S "$version" --show-depends "$module" ||
		fail "$kernel has no module $module"
done | sed -n "s|^insmod $image/\([^ ]*\).*|\1|p" | sort -u >"$scratch/modules"
(cd "$image" && xargs cp --parents -t "$tree" <"$scratch/modules")
cp "$image/lib/modules/$version"/modules.{builtin,order}* "$tree/lib/modules/$version"
depmod -b "$tree" "$version"
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet) >"$scratch/initramfs"

step "machine"
status=0
begin=$SECONDS
# KVM is not asked for: what a container offers of it may only hang.
timeout --kill-after=10 $limit qemu-system-x86_64 -machine q35,accel=tcg \
	-cpu Nehalem,+rdrand -m 512 -nodefaults -no-user-config -display none \
	-serial stdio -no-reboot -kernel "$image/boot/vmlinuz-$version" \
	-initrd "$scratch/initramfs" -append "console=ttyS0 quiet panic=-1" \
	</dev/null | tee "$scratch/console" || status=$?
[ $status -ne 124 ] || fail "it did not end in $limit s"
[ $status -eq 0 ] || fail "exit status $status of qemu"
echo "it ran for $((SECONDS - begin)) s"
grep -q '^[1-9][0-9]* passed, 0 failed' "$scratch/console" || fail "see above"
grep -q '^exit status: 0' "$scratch/console" || fail "see above"
echo "all of DeviceTests passed"
