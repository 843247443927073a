#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests real drivers and verdicts on kernels from the distribution's archive, each
# in an emulated machine. guest/ uses Wi-Fi, USB modems and tethers, PPP, WireGuard,
# and devices layered over them, and checks the library's states.
# Tests/KernelTests runs unchanged.
#
#	run.sh [SCRATCH [KERNEL...]]	SCRATCH keeps kernels for the next run
#
# A KERNEL is a version, a series (6.12: its newest version), "oldest", "stable"
# (the stable release's), "newest", or "all" (the newest of each series). By
# default, the oldest and the newest (5.10 and 7.3) run everything. Stable (6.12)
# runs the judge, and the tests beside it.
set -euo pipefail
architecture=amd64
. "$(dirname "$0")/kernels.sh"
kernels=("${@:2}")
# In seconds, enough for a machine with other load.
limit=1500

# Modules that init loads by name, that `ip` loads by the alias of a link type, or
# that a driver loads on demand (Wi-Fi ciphers).
modules=(
	mac80211_hwsim crypto-aes ccm ctr cmac libcomposite
	dummy_hcd usb_f_ecm usb_f_ncm usb_f_rndis cdc_ether cdc_ncm rndis_host
	ppp_async wireguard vrf 8021q bonding bridge macvlan dummy veth tun ifb
	team team_mode_activebackup ipvlan macsec ipip ip_gre sit vxlan geneve xfrm_interface nlmon
)
# The full tools: busybox's shell and its "ip" don't suffice.
tools=(dash hostapd wpa_supplicant wpa_cli teamd iw ip pppd ping kmod)
applets=(mount mkdir rmdir ln rm cat dmesg grep tail poweroff tr)

. "$here/wwan.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo "SKIPPED: devices are tested on x86_64 only, this is $(uname -m)"
	exit 0
fi

install_packages gcc libc6-dev binutils xz-utils libmnl-dev pkg-config cpio kmod busybox-static \
	dash qemu-system-x86 hostapd wpasupplicant libteam-utils iw iproute2 iputils-ping ppp

step "program"
mkdir -p "$scratch/objects"
# shellcheck disable=SC2046
gcc -O1 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion \
	-Wstrict-prototypes -Wmissing-prototypes -Werror -I"$root/include" -I"$root/Sources/CReach" \
	-I"$root/Tests/CTestSupport/include" $(pkg-config --cflags libmnl) "$here"/guest/*.c \
	"$root/Tests/CTestSupport/connect.c" "$root"/Sources/CReach/**/*.c \
	-o "$scratch/guest" $(pkg-config --libs libmnl) -pthread

# shellcheck disable=SC2046
gcc -O1 -g -std=gnu11 -D_GNU_SOURCE -I"$root/include" -I"$root/Sources/CReach" \
	-I"$root/Tests/CInternals" $(pkg-config --cflags libmnl) \
	"$root"/{Tests/CInternals,Sources/CReach}/**/*.c -o "$scratch/internals" \
	$(pkg-config --libs libmnl) -pthread

step "kernel tests"
(cd "$root" && swift build --build-tests)
bundle=$(cd "$root" && swift build --show-bin-path)/swift-network-reachabilityPackageTests.xctest

# Copies the programs, and each library to the path where they look for it.
install_programs() { # tree
	local tree=$1 tool applet program
	mkdir -p "$tree"/{bin,sbin,etc/ppp,proc,sys,dev,run,tmp,var,tests}
	ln -s ../run "$tree/var/run"
	touch "$tree/etc/ppp/options"
	cp "$here"/etc/*.conf "$tree/etc"
	cp "$here/init" "$tree"
	cp "$here/gadget" "$scratch/guest" "$scratch/internals" "$(command -v busybox)" "$tree/bin"
	strip -g "$bundle" -o "$tree/tests/tests.xctest"
	strip -g "$(dirname "$bundle")/reachctl" -o "$tree/tests/reachctl"
	for tool in "${tools[@]}"; do
		cp -L "$(command -v "$tool")" "$tree/sbin"
	done
	ln -s kmod "$tree/sbin/modprobe"
	ln -s ../sbin/dash "$tree/bin/sh"
	for applet in "${applets[@]}"; do
		ln -s busybox "$tree/bin/$applet"
	done
	for program in "$tree"/sbin/* "$tree/bin/guest" "$tree/bin/internals" "$bundle"; do
		ldd "$program"
	done | grep -o '/[^ ]*' | grep -v ':$' | sort -u | xargs cp -L --parents -t "$tree"
}

make_machine() { # version
	local tree=$scratch/tree
	rm -rf "$tree"
	install_programs "$tree"
	install_modules "$tree" "$1" "${modules[@]}" $(wwan_module "$1")
	make_initramfs "$tree" "$scratch/initramfs-$1"
}

list_of() { if [ "$1" = "$short" ]; then echo short; else echo full; fi; } # version

# Doesn't use KVM, which may hang in a container. no_timer_check: on a host under load,
# the kernel's check of its timer fails, and the kernel panics (check_timer(),
# arch/x86/kernel/apic/io_apic.c).
boot() { # version
	timeout --kill-after=10 $limit qemu-system-x86_64 -machine q35,accel=tcg \
		-cpu Nehalem,+rdrand -m 1024 -nodefaults -no-user-config -display none \
		-serial stdio -no-reboot -kernel "$scratch/kernel-$1/boot/vmlinuz-$1" \
		-initrd "$scratch/initramfs-$1" -append "console=ttyS0 quiet panic=-1 no_timer_check -- $(list_of "$1")" \
		</dev/null >"$scratch/console-$1"
}

check() { # version, exit status of qemu
	local console=$scratch/console-$1
	# Without these lines the rest still shows which test was running at a timeout.
	grep -av ' started\.' "$console" || true
	[ "$2" -ne 124 ] || fail "Linux $1 did not end in $limit s"
	[ "$2" -eq 0 ] || fail "exit status $2 of qemu"
	[ "$(list_of "$1")" = short ] || {
		expect_line "$console" '^[1-9][0-9]* passed, 0 failed' "the devices"
		expect_line "$console" '^exit status: 0' "the devices"
		expect_line "$console" 'Test run with [1-9][0-9]* tests* in .* passed' "Tests/KernelTests"
	}
	expect_line "$console" "^judge's exit status: 0" "the judge"
	expect_line "$console" '^judge: [1-9][0-9]* of them with a VRF' "the judge's VRF"
}

# Prints the failures again, because they are far above the end of the console.
expect_line() { # console, expression, whose line it is
	! grep -aq "$2" "$1" || return 0
	echo "--- what failed on ${1##*/console-}"
	grep -aE -B 25 'not true:|status 0x|failed:|^REACH_JUDGE|AddressSanitizer|runtime error|✘|exit status: [^0]' "$1" | tail -n 150 || true
	fail "$3, on Linux ${1##*/console-}"
}

step "kernels"
open_archive
short=
if [ ${#kernels[@]} -eq 0 ]; then
	kernels=(oldest stable newest)
	short=$(choose_kernels stable)
fi
mapfile -t versions < <(choose_kernels "${kernels[@]}")
[ ${#versions[@]} -gt 0 ] || fail "the archive has none of ${kernels[*]}; is it Debian's?"
[ "$short" != "${versions[0]}" ] && [ "$short" != "${versions[-1]}" ] || short=
for version in "${versions[@]}"; do
	fetch_kernel "$version"
	[ "$version" = "$short" ] || build_wwan "$version"
	make_machine "$version"
done

run_machines() { # versions
	local version status machines=()
	for version in "$@"; do
		boot "$version" &
		machines+=($!)
	done
	for version in "$@"; do
		status=0
		wait "${machines[0]}" || status=$?
		machines=("${machines[@]:1}")
		step "Linux $version"
		check "$version" $status
	done
}

step "machines"
begin=$SECONDS
for ((i = 0; i < ${#versions[@]}; i += 3)); do
	run_machines "${versions[@]:i:3}"
done
echo "they ran for $((SECONDS - begin)) s"
echo "all of DeviceTests passed"
