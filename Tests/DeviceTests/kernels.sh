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

# The packages that a kernel consists of: since Linux 6.19 the image is one of
# its own, and since 7.2 the modules are. "<NAME>" is one that the archive has not:
# of a superseded kernel it drops the modules weeks before the image.
kernel_packages() { # version
	apt_of_archive apt-cache depends "linux-image-$1" |
		sed -n "s/^linux-image-/&/p; s/.*Depends: \(<\{0,1\}linux-[a-z]*-$1>\{0,1\}\)$/\1/p"
}

# The versions that the archive has all packages of, the oldest first.
kernel_versions() {
	local images
	mapfile -t images < <(apt_of_archive apt-cache search --names-only '^linux-image-[0-9].*-amd64$' |
		sed 's/ .*//' | grep -v -e cloud -e -rt-)
	apt_of_archive apt-cache depends "${images[@]}" |
		awk '/^linux-image-/ { image = $1; whole[image] = 1 }
			/Depends: <linux-(base|binary|modules)-/ { whole[image] = 0 }
			END { for (i in whole) if (whole[i]) print substr(i, 13) }' | sort -V
}

# Those that are asked for: a version, the newest of a series (6.12), of each
# series (all), or of all (newest).
choose_kernels() { # versions
	local asked found all
	all=$(kernel_versions)
	for asked in "$@"; do
		case $asked in
		all) found=$(sort -rV <<<"$all" | sort -t. -u -k1,2V) ;;
		newest) found=$(tail -n 1 <<<"$all") ;;
		*) found=$(grep -F -x -e "$asked" <<<"$all" || grep "^${asked//./\\.}[.]" <<<"$all" | tail -n 1) ;;
		esac
		[ -n "$found" ] || echo "SKIPPED: Linux $asked: the archive has not all of its packages" >&2
		[ -z "$found" ] || echo "$found"
	done | sort -uV
}

fetch_kernel() { # version
	local version=$1 image=$scratch/kernel-$1 packages
	[ ! -d "$image" ] || return 0
	packages=$(kernel_packages "$version")
	case $packages in *'<'*) fail "Linux $version: the archive has no" "$(grep '<' <<<"$packages")" ;; esac
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
