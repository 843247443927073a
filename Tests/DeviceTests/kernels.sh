# SPDX-License-Identifier: MIT
# Functions that fetch kernels from the distribution's archive and unpack them
# without installing them, and that build initramfs images. run.sh and arm64.sh
# define `$architecture` and source this file. $1 is `$scratch`, or a new folder.
shopt -s globstar
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

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

install_packages() { # package...
	local as_root=()
	step "packages"
	[ "$(id -u)" -eq 0 ] || as_root=(sudo)
	"${as_root[@]}" apt-get update -qq
	"${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
	PATH=$PATH:/usr/sbin:/sbin
}

# Runs apt with its own sources: the suites may differ from the machine's.
apt_of_archive() { # command, arguments
	"$1" -o Dir::Etc::SourceList="$scratch/archive/sources" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::State="$scratch/archive/state" \
		-o Dir::State::status=/dev/null -o Dir::Cache="$scratch/archive/cache" \
		-o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false "${@:2}"
}

# Uses the machine's own server. If a suite doesn't exist, the others still work.
ask_archive() { # suites
	local server suite
	server=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Label: Debian' | head -n 1)
	for suite in "$@"; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $server $suite main"
	done >"$scratch/archive/sources"
	apt_of_archive apt-get update -qq || true
}

# The oldest release on the server has the oldest kernel. The newest is in stable's
# backports or in unstable.
open_archive() {
	local stable
	mkdir -p "$scratch"/archive/{state/lists,cache/archives}/partial
	ask_archive stable
	stable=$(sed -n 's/^Codename: //p' "$scratch"/archive/state/lists/*_stable_InRelease)
	ask_archive oldoldstable oldstable stable "${stable:-stable}-backports" unstable
}

# Prints a kernel's packages. From Linux 6.19 on, the image and the modules have
# packages of their own. apt prints <NAME> for a package that the archive lacks:
# it drops a superseded kernel's modules long before its image.
kernel_packages() { # version
	apt_of_archive apt-cache depends "linux-image-$1" |
		sed -n "s/^linux-image-/&/p; s/.*Depends: \(<\{0,1\}linux-[a-z]*-$1>\{0,1\}\)$/\1/p"
}

# Prints the versions for which the archive has all packages, oldest first.
kernel_versions() {
	local images
	mapfile -t images < <(apt_of_archive apt-cache search --names-only "^linux-image-[0-9].*-$architecture\$" |
		sed 's/ .*//' | grep -v -e cloud -e -rt-)
	apt_of_archive apt-cache depends "${images[@]}" |
		awk '/^linux-image-/ { image = $1; whole[image] = 1 }
			/Depends: <linux-(base|binary|modules)-/ { whole[image] = 0 }
			END { for (i in whole) if (whole[i]) print substr(i, 13) }' | sort -V
}

# Prints the versions of the requested kernels, each once.
choose_kernels() { # kernels
	local asked found versions
	versions=$(kernel_versions)
	for asked in "$@"; do
		case $asked in
		oldest) found=$(head -n 1 <<<"$versions") ;;
		stable) found=$(apt_of_archive apt-cache -o APT::Default-Release=stable depends \
			"linux-image-$architecture" | sed -n 's/.*Depends: linux-image-//p') ;;
		newest) found=$(tail -n 1 <<<"$versions") ;;
		all) found=$(sort -rV <<<"$versions" | sort -t. -u -k1,2V) ;;
		*) found=$(grep -e "^${asked//./\\.}\($\|[.]\)" <<<"$versions" | tail -n 1) || true ;;
		esac
		if [ -n "$found" ]; then
			echo "$found"
		else
			echo "SKIPPED: Linux $asked: the archive lacks it, or one of its packages" >&2
		fi
	done | sort -uV
}

fetch_kernel() { # version
	local version=$1 image=$scratch/kernel-$1 packages
	[ ! -d "$image" ] || return 0
	packages=$(kernel_packages "$version")
	case $packages in
	*'<'*) fail "Linux $version: the archive lacks" $(grep '<' <<<"$packages") ;;
	esac
	rm -rf "$image.new" "$scratch/debs"
	mkdir "$scratch/debs"
	# shellcheck disable=SC2086
	(cd "$scratch/debs" && apt_of_archive apt-get download -qq $packages)
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

install_modules() { # tree, version, modules
	local tree=$1 version=$2 image=$scratch/kernel-$2 module
	for module in "${@:3}"; do
		modprobe -d "$image" -S "$version" --show-depends "$module" ||
			fail "Linux $version has no module $module"
	done | sed -n "s|^insmod $image/\([^ ]*\).*|\1|p" | sort -u >"$scratch/modules"
	(cd "$image" && xargs cp --parents -t "$tree" <"$scratch/modules")
	cp "$image/lib/modules/$version"/modules.{builtin,order}* "$tree/lib/modules/$version"
	depmod -b "$tree" "$version"
}

make_initramfs() { # tree, file
	(cd "$1" && find . | cpio -o -H newc -R 0:0 --quiet) >"$2"
}
