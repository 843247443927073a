# SPDX-License-Identifier: MIT
# Builds wwan_hwsim, the simulator of the wwan core's modems. Debian's kernels don't
# have it, so it is built from Debian's unmodified kernel source. The tools in the
# headers package run only on the kernel's Debian release, so this uses the host's
# compiler and linker. run.sh sources this file after kernels.sh.

# Unpacks a kernel's headers, and wwan_hwsim.c from its source.
fetch_wwan_source() { # version, directory
	local version=$1 to=$2 release packages package source
	release=$(apt_of_archive apt-cache show "linux-headers-$version" |
		sed -n 's/^Version: //p' | head -n 1)
	packages=$(apt_of_archive apt-cache depends "linux-headers-$version" |
		sed -n 's/.*Depends: \(linux-headers-.*-common\)$/\1/p')
	source=linux-source-$(cut -d. -f1,2 <<<"$version")
	# shellcheck disable=SC2086
	(cd "$to" && apt_of_archive apt-get download -qq "linux-headers-$version" $packages \
		"$source=$release") || return 1
	for package in "$to"/linux-headers-*.deb; do
		dpkg-deb -x "$package" "$to"
	done
	# Ignores the writers' errors: the reader ends before them.
	dpkg-deb --fsys-tarfile "$to/$source"_*.deb 2>/dev/null |
		tar -xO "./usr/src/$source.tar.xz" 2>/dev/null | xz -dc -T0 2>/dev/null |
		tar -xO --wildcards --occurrence=1 '*/drivers/net/wwan/wwan_hwsim.c' \
			>"$to/wwan_hwsim.c" || true
	[ -s "$to/wwan_hwsim.c" ]
}

compile_wwan() { # directory of fetch_wwan_source(), file
	local headers common include
	headers=$(echo "$1"/usr/src/linux-headers-*-amd64)
	common=$(echo "$1"/usr/src/linux-headers-*-common)
	for include in {"$common"/arch/x86/include,"$headers"/arch/x86/include/generated,"$common"/include,"$headers"/include}{,/uapi}; do
		set -- "$@" "-I$include"
	done
	# The flags of arch/x86/Makefile, without mitigations.
	gcc -w -c -O2 -std=gnu11 -fms-extensions -nostdinc "${@:3}" \
		-include "$here/module/config.h" -D__KERNEL__ -DMODULE -DCC_USING_FENTRY \
		-DKBUILD_MODNAME='"wwan_hwsim"' -DKBUILD_MODFILE='"wwan_hwsim"' \
		-DKBUILD_BASENAME='"wwan_hwsim"' -D__KBUILD_MODNAME=kmod_wwan_hwsim \
		-m64 -mcmodel=kernel -mno-red-zone -mno-sse -fno-PIE -fno-common -fshort-wchar \
		-fno-strict-aliasing -fno-strict-overflow -fno-delete-null-pointer-checks \
		-fno-asynchronous-unwind-tables -fno-stack-protector -falign-functions=16 \
		"$2" -o "$1/$(basename "$2" .c).o"
}

link_wwan() { # directory, module
	ld -r -m elf_x86_64 -T "$1"/usr/src/linux-headers-*-amd64/arch/x86/module.lds \
		-o "$2" "$1/wwan_hwsim.o" "$1/module.o"
}

# Prints the module's name if the kernel has it.
wwan_module() { # version
	modprobe -d "$scratch/kernel-$1" -S "$1" -q --show-depends wwan_hwsim >/dev/null &&
		echo wwan_hwsim || true
}

# Adds the module to a kernel of fetch_kernel(), or prints why it can't.
build_wwan() { # version
	local version=$1 image=$scratch/kernel-$1 to=$scratch/wwan module
	module=$image/lib/modules/$version/kernel/drivers/net/wwan/wwan_hwsim.ko
	if [ -n "$(wwan_module "$version")" ]; then
		return
	elif dpkg --compare-versions "$version" lt 5.13; then
		echo "SKIPPED: the wwan core on Linux $version: it came with 5.13"
		return
	fi
	rm -rf "$to"
	mkdir "$to"
	if ! fetch_wwan_source "$version" "$to"; then
		echo "SKIPPED: the wwan core on Linux $version: its source is not in the archive"
	elif ! compile_wwan "$to" "$to/wwan_hwsim.c" ||
		! compile_wwan "$to" "$here/module/module.c" || ! link_wwan "$to" "$module"; then
		echo "SKIPPED: the wwan core on Linux $version: wwan_hwsim does not compile here"
		rm -f "$module"
	fi
	depmod -b "$image" "$version"
	rm -rf "$to"
}
