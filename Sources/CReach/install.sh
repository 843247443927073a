#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds libreach with a plain C compiler and installs it. With --tool it also
# builds and installs reachctl, which needs Swift.
set -eu

usage() {
	cat <<'END'
Usage: Sources/CReach/install.sh [--uninstall] [--tool] [--bundled-libmnl]
                                 [--prefix DIR] [--libdir DIR] [--destdir DIR]

Builds libreach.so and libreach.a, and installs them with the headers,
reach.pc, section 3 of the manual, and the license.

  --tool            also installs reachctl, its manual page, completions for
                    bash, zsh, and fish, its JSON schema, and systemd units.
                    Swift builds reachctl and links its libraries statically
  --bundled-libmnl  compiles the parts of libmnl that libreach uses, instead of
                    linking libmnl: for static programs, and for CC=musl-gcc
  --prefix DIR      the installation folder (default: /usr/local)
  --libdir DIR      the folder of libraries (default: PREFIX/lib)
  --destdir DIR     prepended to each installed path, for packagers
  --uninstall       removes the files that the same command without this option
                    installs, and folders that this leaves empty

Environment: CC, CFLAGS, LDFLAGS, AR, PKG_CONFIG, SWIFT, and SWIFTFLAGS (further
arguments of `swift build`).
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
uninstall=
tool=
bundled=
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h)
		usage
		exit 0
		;;
	--uninstall)
		uninstall=yes
		shift
		continue
		;;
	--tool)
		tool=yes
		shift
		continue
		;;
	--bundled-libmnl)
		bundled=yes
		shift
		continue
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
	*'
'*) bad_usage "'$directory' has more than one line" ;;
	/*) ;;
	*) bad_usage "'$directory' must be an absolute path" ;;
	esac
done
for directory in "$prefix" "$libdir"; do
	# pkg-config or sed would interpret these characters.
	case $directory in
	*[[:space:]\(\)\\\&\|\$\#\"\']*)
		bad_usage "'$directory' has a character that reach.pc cannot hold"
		;;
	esac
done

prefix=${prefix%/}

# All paths are relative from here on, since the checkout's may have spaces.
CDPATH= cd -- "$(dirname -- "$0")"
headers=include/reach
compiler=${CC:-cc}
archiver=${AR:-ar}
pkg_config=${PKG_CONFIG:-pkg-config}
swift=${SWIFT:-swift}

number=$(sed -n 's/^#define REACH_VERSION  *\([0-9]*\)$/\1/p' "$headers/reach.h")
[ -n "$number" ] || fail "no REACH_VERSION in $headers/reach.h"
major=$((number / 10000))
version=$major.$((number / 100 % 100)).$((number % 100))
soname=libreach.so.$major
manual=$destdir$prefix/share/man

work=$(mktemp -d) || fail "no temporary directory: is TMPDIR writable?"
cleanup() {
	[ ! -e "$work/staged" ] ||
		while IFS= read -r path; do
			rm -f "$path.new"
		done <"$work/staged"
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$work/man3" "$work/man1"
awk -v version="$version" -v out="$work/man3" -f ../../.packaging/man/headers.awk \
	"$headers"/*.h || fail "could not make the manual"

# Calls a command for every file with three arguments: its mode or "link", its
# source, and its destination.
for_each_file() {
	"$1" 755 "$work/libreach.so" "$destdir$libdir/libreach.so.$version"
	"$1" link "libreach.so.$version" "$destdir$libdir/$soname"
	"$1" link "$soname" "$destdir$libdir/libreach.so"
	"$1" 644 "$work/libreach.a" "$destdir$libdir/libreach.a"
	"$1" 644 "$work/reach.pc" "$destdir$libdir/pkgconfig/reach.pc"
	for header in "$headers"/*.h; do
		"$1" 644 "$header" "$destdir$prefix/include/reach/$(basename "$header")"
	done
	for page in "$work"/man3/*; do
		"$1" 644 "$page" "$manual/man3/$(basename "$page")"
	done
	"$1" 644 ../../LICENSE "$destdir$prefix/share/doc/reach/LICENSE"
	[ -z "$tool" ] || for_each_file_of_tool "$1"
}

for_each_file_of_tool() {
	share=$destdir$prefix/share
	"$1" 755 "$work/reachctl" "$destdir$prefix/bin/reachctl"
	"$1" 644 "$work/bash" "$share/bash-completion/completions/reachctl"
	"$1" 644 "$work/zsh" "$share/zsh/site-functions/_reachctl"
	"$1" 644 "$work/fish" "$share/fish/vendor_completions.d/reachctl.fish"
	"$1" 644 ../reachctl/schema/reachctl.schema.json "$share/reachctl/reachctl.schema.json"
	for unit in ../reachctl/*/*.service; do
		[ ! -e "$unit" ] || "$1" 644 "$work/$(basename "$unit")" \
			"$destdir$prefix/lib/systemd/system/$(basename "$unit")"
	done
	pages=$work/man1
	[ -z "$uninstall" ] || pages=$manual/man1
	for page in "$pages"/reachctl.1 "$pages"/reachctl-*.1; do
		[ ! -e "$page" ] || "$1" 644 "$page" "$manual/man1/$(basename "$page")"
	done
}

update_linker() {
	if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
		ldconfig || echo "install.sh: ldconfig failed; run it by hand" >&2
	fi
}

# Removes a file, then the folders above it that are empty. The prefix stays. In
# /usr and /usr/local, only folders named reach or reachctl are removed.
remove() { # mode, file, destination
	rm -f "$3" || fail "cannot remove $3: run as its owner"
	directory=$(dirname "$3")
	while rmdir_allowed "$directory" && rmdir "$directory" 2>/dev/null; do
		directory=$(dirname "$directory")
	done
}

rmdir_allowed() {
	case $destdir$prefix in
	/usr | /usr/local) case ${1##*/} in reach | reachctl) ;; *) false ;; esac ;;
	*) [ "${1#"$destdir$prefix"/}" != "$1" ] ;;
	esac
}

if [ -n "$uninstall" ]; then
	for_each_file remove
	update_linker
	echo "libreach $version is no longer in $destdir$prefix"
	exit 0
fi

# CC may hold arguments ("ccache cc"); its first word must exist.
command -v "${compiler%% *}" >/dev/null ||
	fail "no C compiler '$compiler': apt-get install -y gcc libc6-dev, or set CC"
command -v "${archiver%% *}" >/dev/null ||
	fail "no '$archiver': apt-get install -y binutils, or set AR"
if [ -n "$bundled" ]; then
	libmnl_cflags=-DREACH_BUNDLED_LIBMNL
	libmnl_libs=
else
	command -v "${pkg_config%% *}" >/dev/null ||
		fail "no '$pkg_config': apt-get install -y pkg-config, or set PKG_CONFIG"
	$pkg_config --exists libmnl ||
		fail "libmnl is missing: apt-get install -y libmnl-dev, or --bundled-libmnl"
	libmnl_cflags=$($pkg_config --cflags libmnl)
	libmnl_libs=$($pkg_config --libs libmnl)
fi
[ -z "$tool" ] || command -v "${swift%% *}" >/dev/null ||
	fail "no '$swift' to build reachctl with: see swift.org, or set SWIFT"

# Debian's musl-gcc finds only the headers of musl, not the kernel's.
has_kernel_headers() {
	# shellcheck disable=SC2086
	echo '#include <linux/rtnetlink.h>' |
		$compiler ${CFLAGS:-} -x c -fsyntax-only - 2>/dev/null
}
if ! has_kernel_headers; then
	mkdir "$work/kernel"
	for directory in /usr/include "/usr/include/$(uname -m)-linux-gnu"; do
		for name in linux asm asm-generic; do
			[ ! -d "$directory/$name" ] || ln -sfn "$directory/$name" "$work/kernel/$name"
		done
	done
	C_INCLUDE_PATH=$work/kernel${C_INCLUDE_PATH:+:$C_INCLUDE_PATH}
	export C_INCLUDE_PATH
	has_kernel_headers ||
		fail "no headers of the kernel: apt-get install -y linux-libc-dev"
fi

# Hardening as distributions use it for libraries. -D_FORTIFY_SOURCE=3 causes a
# warning where the compiler or the C library supports 2 at most.
hardening=-fstack-protector-strong
case ${CFLAGS:-} in
*FORTIFY_SOURCE* | *-O0*) ;;
*)
	level=3
	# shellcheck disable=SC2086
	echo '#include <stdio.h>' | $compiler -O2 ${CFLAGS:-} -U_FORTIFY_SOURCE \
		-D_FORTIFY_SOURCE=3 -Werror -x c -fsyntax-only - 2>/dev/null || level=2
	hardening="$hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level"
	;;
esac
# glibc before 2.34 has threads in a library of its own, so pass -pthread.
flags="-std=gnu11 -fPIC -fvisibility=hidden -pthread -Iinclude -I."
for source in $(find . -name "*.c"); do
	# shellcheck disable=SC2086
	$compiler -O2 $hardening ${CFLAGS:-} $flags $libmnl_cflags \
		-c "$source" -o "$work/$(basename "$source" .c).o" ||
		fail "could not compile $source"
done
# -z nodelete: a resolver that hangs outlives its monitor (reach_monitor_close()),
# and its code must not be unmapped by a dlclose().
# shellcheck disable=SC2086
$compiler -shared -pthread ${CFLAGS:-} ${LDFLAGS:-} -Wl,-soname,"$soname" \
	-Wl,--version-script=reach.map -Wl,-z,defs -Wl,-z,nodelete \
	-Wl,-z,relro -Wl,-z,now -Wl,--as-needed \
	-o "$work/libreach.so" "$work"/*.o $libmnl_libs ||
	fail "could not link $soname"
$archiver rcs "$work/libreach.a" "$work"/*.o || fail "could not make libreach.a"
sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" \
	-e "s|@VERSION@|$version|" ${bundled:+-e "/^Requires.private:/d"} \
	reach.pc.in >"$work/reach.pc" || fail "could not write reach.pc"

# Swift's own libraries go into the tool, so it starts faster and runs where
# Swift is not installed. SwiftPM's RUNPATH is $ORIGIN: a libsystemd or libcurl
# beside the tool would be loaded before the system's.
build_tool() {
	# shellcheck disable=SC2086
	set -- --package-path ../.. -c release --product reachctl \
		--static-swift-stdlib --disable-local-rpath \
		-Xlinker -z -Xlinker now -Xlinker -s \
		${bundled:+--traits BundledLibmnl} ${SWIFTFLAGS:-}
	unset CC CFLAGS LDFLAGS
	$swift build "$@" || fail "could not build reachctl"
	directory=$($swift build "$@" --show-bin-path) || fail "could not build reachctl"
	cp "$directory/reachctl" "$work/reachctl" || fail "could not copy reachctl"
	for shell in bash zsh fish; do
		"$work/reachctl" --generate-completion-script $shell >"$work/$shell" ||
			fail "could not make the completions of $shell"
	done
	# bash sources this file, but ArgumentParser makes it a script.
	sed -i '1{/^#!/d;}' "$work/bash"
	for unit in ../reachctl/*/*.service; do
		[ ! -e "$unit" ] || sed "s|^ExecStart=reachctl |ExecStart=$prefix/bin/reachctl |" "$unit" \
			>"$work/$(basename "$unit")" || fail "could not write $unit"
	done
	# The subcommands that the tool's help lists as "  name   summary".
	names=$("$work/reachctl" help | sed -n '/^SUBCOMMANDS:/,$s/^  \([a-z]*\)  .*/\1/p')
	pages=reachctl
	for name in $names; do
		pages="$pages reachctl-$name"
	done
	for page in $pages; do
		name=${page#reachctl}
		# shellcheck disable=SC2086
		"$work/reachctl" help ${name#-} | awk -v name="$page" -v version="$version" \
			-v others="$pages" -f ../../.packaging/man/commands.awk \
			>"$work/man1/$page.1" || fail "could not make $page.1"
	done
}
[ -z "$tool" ] || build_tool

# Everything is copied next to its place first and renamed at the end, so a
# full disk or a missing permission leaves what was there untouched, and a
# running program keeps the library it has mapped. Everyone can read the new
# folders, whatever the umask.
umask go+rx
stage() { # mode, file, destination
	directory=$(dirname "$3")
	mkdir -p "$directory" ||
		fail "cannot create $directory: choose another --prefix, or run as root"
	printf '%s\n' "$3" >>"$work/staged"
	# cp and chmod follow a symbolic link to wherever it leads.
	rm -f "$3.new" || fail "cannot remove $3.new: nothing was replaced"
	if [ "$1" = link ]; then
		ln -s "$2" "$3.new"
	else
		cp "$2" "$3.new" && chmod "$1" "$3.new"
	fi || fail "cannot write $3: nothing was replaced"
}

for_each_file stage
while IFS= read -r path; do
	mv -f "$path.new" "$path" || fail "cannot replace $path"
done <"$work/staged"
rm "$work/staged"

update_linker
echo "libreach $version is in $destdir$prefix"
