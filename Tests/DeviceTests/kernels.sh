# SPDX-License-Identifier: MIT
# Kernels of the distribution's archive, fetched and unpacked, never installed.
# Sourced by run.sh, which has `fail` and `$scratch`.

# An apt of its own: the suites that are asked for may not be the machine's.
apt_of_archive() { # command, arguments
	"$1" -o Dir::Etc::SourceList="$scratch/archive/sources" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::State="$scratch/archive/state" \
		-o Dir::State::status=/dev/null -o Dir::Cache="$scratch/archive/cache" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false "${@:2}"
}

# The server is the machine's own; a suite that is not there leaves the others.
ask_archive() { # suites
	local server suite
	server=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 		'Origin: Debian' 'Label: Debian' | head -n 1)
	for suite in "$@"; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $server $suite main"
	done >"$scratch/archive/sources"
	apt_of_archive apt-get update -qq || true
}

# The oldest release that is still served has the oldest kernel; backports of
# the stable one, or unstable, the newest.
open_archive() {
	local stable
	mkdir -p "$scratch"/archive/{state/lists,cache/archives}/partial
	ask_archive stable
	stable=$(sed -n 's/^Codename: //p' "$scratch"/archive/state/lists/*_stable_InRelease)
	ask_archive oldoldstable oldstable stable "${stable:-stable}-backports" unstable
}

# The versions that there are kernels of, the oldest first.
kernel_versions() {
	apt_of_archive apt-cache search --names-only '^linux-image-[0-9].*-amd64$' |
		sed -n 's/^linux-image-\([0-9][^ ]*\) .*/\1/p' | grep -v -e cloud -e -rt- | sort -V
}

# From Linux 7.1 on the image is a package of its own, and so are the modules.
fetch_kernel() { # version
	local version=$1 image=$scratch/kernel-$1 packages
	[ ! -d "$image" ] || return 0
	packages=$(apt_of_archive apt-cache depends "linux-image-$version" |
		sed -n "s/.*Depends: \(linux-[a-z]*-$version\)\$/\1/p")
	rm -rf "$image.new" "$scratch/debs"
	mkdir "$scratch/debs"
	# shellcheck disable=SC2086
	(cd "$scratch/debs" && apt_of_archive apt-get download -qq "linux-image-$version" $packages)
	for package in "$scratch"/debs/*.deb; do
		dpkg-deb -x "$package" "$image.new"
	done
	[ -d "$image.new/lib/modules" ] || ln -s usr/lib "$image.new/lib"
	[ -e "$image.new/boot/vmlinuz-$version" ] || {
		mkdir -p "$image.new/boot"
		cp "$image.new/lib/modules/$version/vmlinuz" "$image.new/boot/vmlinuz-$version"
	}
	depmod -b "$image.new" "$version"
	mv "$image.new" "$image"
	rm -rf "$scratch/debs"
}
