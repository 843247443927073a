#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages libreach1, libreach-dev, and reachctl.
#
#   .packaging/build.sh OUTPUT-FOLDER
#
# Requires debhelper, libmnl-dev, pkg-config, and Swift in PATH. Honors SWIFTFLAGS
# and SOURCE_DATE_EPOCH. A packager copies debian/ to the top of the sources; this
# script adds only the changelog, from the version in the headers.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 1 ] || {
	sed -n 's/^#   //p' "$0" >&2
	exit 64
}
mkdir -p "$1"
output=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

number=$(sed -n 's/^#define REACH_VERSION  *\([0-9]*\)$/\1/p' "$root/include/reach/reach.h")
version=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
date=$(date -R -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$root/include/reach/reach.h")}")
mkdir "$work/source"
cp -r "$root/.packaging/debian" "$work/source/debian"
cat >"$work/source/debian/changelog" <<END
swift-network-reachability ($version) unstable; urgency=medium

  * Release $version; see .github/CHANGELOG.md of the sources.

 -- $(sed -n 's/^Maintainer: //p' "$root/.packaging/debian/control")  $date
END
cd "$work/source"
# debhelper gives the build another HOME, in which SwiftPM has no cache.
SOURCE=$root SWIFTFLAGS="--cache-path $HOME/.cache/org.swift.swiftpm ${SWIFTFLAGS:-}" \
	DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}" \
	dpkg-buildpackage -us -uc -b
cp "$work"/*.deb "$work"/*.changes "$output"
