#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds libreach with a plain C compiler and installs it. No Swift is needed.
set -eu

usage() {
	cat <<'END'
Usage: Sources/CReach/install.sh [--prefix DIR] [--libdir DIR] [--destdir DIR]

Builds libreach.so and libreach.a, and installs them with the headers and
reach.pc.

  --prefix DIR   where to install (default /usr/local)
  --libdir DIR   where libraries go (default PREFIX/lib)
  --destdir DIR  put in front of every installed path, for packagers

CC, CFLAGS, LDFLAGS, AR and PKG_CONFIG are honoured.
END
}

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

bad_usage() {
	echo "install.sh: $*" >&2
	usage >&2
	exit 64
}

prefix=/usr/local
libdir=
destdir=
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h)
		usage
		exit 0
		;;
	--prefix=* | --libdir=* | --destdir=*)
		option=${1%%=*}
		value=${1#*=}
		shift
		;;
	--prefix | --libdir | --destdir)
		[ $# -ge 2 ] || bad_usage "$1 needs a directory"
		option=$1
		value=$2
		shift 2
		;;
	*) bad_usage "unknown argument '$1'" ;;
	esac
	[ -n "$value" ] || bad_usage "$option needs a directory"
	case $option in
	--prefix) prefix=$value ;;
	--libdir) libdir=$value ;;
	--destdir) destdir=$value ;;
	esac
done
[ -n "$libdir" ] || libdir=$prefix/lib
for directory in "$prefix" "$libdir" ${destdir:+"$destdir"}; do
	case $directory in
	/*) ;;
	*) bad_usage "'$directory' must be an absolute path" ;;
	esac
	# pkg-config splits at white space and expands ${}; the rest is sed's.
	case $directory in
	*[[:space:]\\\&\|\$\#\"\']*)
		bad_usage "'$directory' has a character that reach.pc cannot hold"
		;;
	esac
done

# Relative from here on: the checkout's path may have spaces.
CDPATH= cd -- "$(dirname -- "$0")"
headers=include/reach
compiler=${CC:-cc}
archiver=${AR:-ar}
pkg_config=${PKG_CONFIG:-pkg-config}

# CC may hold arguments ("ccache cc"); its first word must exist.
command -v "${compiler%% *}" >/dev/null ||
	fail "no C compiler '$compiler': apt-get install -y gcc libc6-dev, or set CC"
command -v "${archiver%% *}" >/dev/null ||
	fail "no '$archiver': apt-get install -y binutils, or set AR"
command -v "${pkg_config%% *}" >/dev/null ||
	fail "no '$pkg_config': apt-get install -y pkg-config, or set PKG_CONFIG"
$pkg_config --exists libmnl ||
	fail "libmnl is missing: apt-get install -y libmnl-dev"

number=$(sed -n 's/^#define REACH_VERSION  *\([0-9]*\)$/\1/p' "$headers/reach.h")
[ -n "$number" ] || fail "no REACH_VERSION in $headers/reach.h"
major=$((number / 10000))
version=$major.$((number / 100 % 100)).$((number % 100))
soname=libreach.so.$major

work=$(mktemp -d) || fail "no temporary directory: is TMPDIR writable?"
staged=
cleanup() {
	rm -rf "$work"
	for file in $staged; do
		rm -f "$file"
	done
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# -pthread is in libc since glibc 2.34; older ones need the library.
flags="-std=gnu11 -fPIC -fvisibility=hidden -pthread -Iinclude"
objects=
for source in *.c; do
	object=$work/$(basename "$source" .c).o
	# shellcheck disable=SC2046,SC2086
	$compiler -O2 ${CFLAGS:-} $flags $($pkg_config --cflags libmnl) \
		-c "$source" -o "$object" || fail "could not compile $source"
	objects="$objects $object"
done
# -z nodelete: a resolver that hangs outlives its monitor (reach_monitor_close()),
# and its code must not be unmapped by a dlclose().
# shellcheck disable=SC2046,SC2086
$compiler -shared -pthread ${CFLAGS:-} ${LDFLAGS:-} -Wl,-soname,"$soname" \
	-Wl,--version-script=reach.map -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed \
	-o "$work/libreach.so" $objects $($pkg_config --libs libmnl) ||
	fail "could not link $soname"
# shellcheck disable=SC2086
$archiver rcs "$work/libreach.a" $objects || fail "could not make libreach.a"
sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" \
	-e "s|@VERSION@|$version|" reach.pc.in >"$work/reach.pc" ||
	fail "could not write reach.pc"

# Everything is copied next to its place first and renamed at the end, so a
# full disk or a missing permission leaves what was there untouched, and a
# running program keeps the library it has mapped.
stage() { # mode, file, destination
	directory=$(dirname "$3")
	mkdir -p "$directory" ||
		fail "cannot create $directory: choose another --prefix, or run as root"
	staged="$staged $3.new"
	{ cp "$2" "$3.new" && chmod "$1" "$3.new"; } ||
		fail "cannot write $3: nothing was replaced"
}

link() { # text of the link, destination
	staged="$staged $2.new"
	{ rm -f "$2.new" && ln -s "$1" "$2.new"; } ||
		fail "cannot write $2: nothing was replaced"
}

to=$destdir$libdir
stage 755 "$work/libreach.so" "$to/libreach.so.$version"
link "libreach.so.$version" "$to/$soname"
link "$soname" "$to/libreach.so"
stage 644 "$work/libreach.a" "$to/libreach.a"
stage 644 "$work/reach.pc" "$to/pkgconfig/reach.pc"
for header in "$headers"/*.h; do
	stage 644 "$header" "$destdir$prefix/include/reach/$(basename "$header")"
done
for file in $staged; do
	mv -f "$file" "${file%.new}" || fail "cannot replace ${file%.new}"
done
staged=

if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
	ldconfig || echo "install.sh: ldconfig failed; run it by hand" >&2
fi
echo "libreach $version is in $destdir$prefix"
