#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the library into a temporary directory and uses it as a user would:
# headers, exported symbols, C99, C++17, and Python programs, projects of CMake
# and Meson, bindgen, the README's C examples, valgrind, and the errors of the
# Makefile.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
strict="-pedantic -Wall -Wextra -Werror"

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}
# Targets and variables of make.
library() { make -s -j "$(nproc)" -C "$root/Sources/CReach" BUILD="$work/build" "$@"; }

step "every header compiles alone as C99, C11 and C++17"
for header in "$root"/include/reach/{,internal/}*.h; do
	# export.h has only macros, and C requires at least one declaration.
	line="#include <${header#"$root/include/"}>
extern int nothing;"
	for std in c99 c11; do
		# shellcheck disable=SC2086
		echo "$line" | cc -std=$std $strict -I"$root/include" \
			-fsyntax-only -x c - || fail "$header as $std"
	done
	# shellcheck disable=SC2086
	echo "$line" | c++ -std=c++17 $strict -I"$root/include" \
		-fsyntax-only -x c++ - || fail "$header as C++17"
	! grep -nE '#include <(linux|libmnl)/' "$header" ||
		fail "$header includes a header that a user may not have"
done

step "install"
number=$(sed -n 's/^#define REACH_VERSION  *\([0-9]*\)$/\1/p' "$root/include/reach/reach.h")
version=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
library install PREFIX="$prefix"
shared=$prefix/lib/libreach.so.1
for file in lib/libreach.so lib/libreach.so.1 "lib/libreach.so.$version" \
	lib/libreach.a lib/pkgconfig/reach.pc include/reach/reach.h \
	share/doc/reach/LICENSE share/man/man3/libreach.3 share/man/man3/reach_monitor.3; do
	[ -s "$prefix/$file" ] || fail "$file is not installed"
done
[ -z "$(find "$prefix" -name '*.new')" ] || fail "staged files were left"
diff <(cd "$root/include/reach" && printf '%s\n' *.h) <(cd "$prefix/include" && find . -type f -printf '%P\n' | sed 's,^reach/,,' | sort) ||
	fail "the installed headers are not those of include/reach"

step "the library needs only libmnl and libc"
dynamic=$(readelf -d "$shared")
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic" | sort | xargs)
[ "$needed" = "libc.so.6 libmnl.so.0" ] || fail "NEEDED is '$needed'"
grep -q 'SONAME.*\[libreach.so.1\]' <<<"$dynamic" || fail "wrong SONAME"
! grep -qE 'RPATH|RUNPATH|TEXTREL' <<<"$dynamic" || fail "RPATH or TEXTREL"
# Calls within the library take no detour, and no other library can replace them.
! readelf -rW "$shared" | grep ' reach_' || fail "the library calls itself through relocations"
# A worker whose resolver hangs keeps running after reach_monitor_close().
grep -q 'FLAGS_1.*NODELETE' <<<"$dynamic" || fail "dlclose() unmaps it under a worker"

step "the library is hardened"
grep -q 'FLAGS_1.*NOW' <<<"$dynamic" || fail "symbols are bound lazily"
readelf -lW "$shared" | grep -q GNU_RELRO || fail "relocations stay writable"
imports=$(nm -D --undefined-only "$shared")
grep -q __stack_chk_fail <<<"$imports" || fail "no stack protector"
grep -q '__[a-z]*_chk\b' <<<"$imports" || fail "no _FORTIFY_SOURCE"

step "the library exports what reach.map lists and the headers declare, and nothing else"
exported() { nm -D --defined-only "$1" | sed -n 's/.* \(.*\)@@REACH_1$/\1/p' | grep -vx REACH_1 | sort; }
sed -n 's/^\t\(reach_[a-z0-9_]*\);$/\1/p' "$root/Sources/CReach/reach.map" >"$work/symbols"
exported "$shared" | diff "$work/symbols" - || fail "reach.map and the library"
tr '\n' ' ' < <(sed '/^#/d' "$prefix"/include/reach/*.h) | grep -oE 'REACH_API [^;(]*\(' |
	grep -oE 'reach_[a-z0-9_]+\($' | tr -d '(' | sort | diff "$work/symbols" - ||
	fail "reach.map and the headers"
while read -r symbol; do
	grep -q "\b$symbol(" "$here/consumer.c" || fail "consumer.c does not call $symbol"
	# The manual page has the declaration, and a line that whatis(1) finds.
	page=$prefix/share/man/man3/$symbol.3
	grep -q "\b$symbol(.*[,;]$" "$page" &&
		grep -q "^$symbol .. ." "$page" || fail "$page: $(cat "$page")"
done < <(cat "$work/symbols" && printf '%s\n' reach_target_init reach_monitor_options_init)

step "a C99 and a C++17 program, shared and static"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib
# The shell has to split the output of pkg-config, and $strict.
# shellcheck disable=SC2046,SC2086
{
	cc -g -std=c99 $strict "$here/consumer.c" -o "$work/c99" \
		$(pkg-config --cflags --libs reach)
	c++ -x c++ -std=c++17 $strict "$here/consumer.c" -o "$work/cxx17" \
		$(pkg-config --cflags --libs reach)
	cc -std=c99 $strict "$here/consumer.c" -o "$work/static" \
		$(pkg-config --cflags reach) "$prefix/lib/libreach.a" \
		$(pkg-config --static --libs reach | sed 's/-lreach//')
}
for program in c99 cxx17 static; do
	timeout 60 "$work/$program" || fail "$program"
done

step "a C++ program, by both compilers"
grep '_name$' "$work/symbols" | while read -r symbol; do
	grep -q "\b$symbol(" "$here/consumer.cpp" || fail "consumer.cpp does not call $symbol"
done
for compiler in g++ clang++; do
	# shellcheck disable=SC2046
	$compiler -std=c++17 -Wall -Wextra -Wpedantic -Werror "$here/consumer.cpp" \
		-o "$work/$compiler" $(pkg-config --cflags --libs reach)
	timeout 60 "$work/$compiler" || fail "the program of $compiler"
done

step "a Python program, from the headers as they are"
"$here/consumer.py" "$prefix" || fail "consumer.py"

step "programs of CMake and Meson, with the lines of reach.h"
mkdir "$work/project"
cp "$here/consumer.c" "$work/project/main.c"
{
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(main C)' 'add_executable(main main.c)'
	sed -n 's/^ \*\t\(.*(.*PkgConfig.*\|pkg_check_modules.*\)/\1/p' "$prefix/include/reach/reach.h"
} >"$work/project/CMakeLists.txt"
{
	echo "project('main', 'c')"
	sed -n 's/^ \*\t\(executable.*\)/\1/p' "$prefix/include/reach/reach.h"
} >"$work/project/meson.build"
{
	cmake -S "$work/project" -B "$work/cmake" && cmake --build "$work/cmake"
	meson setup "$work/meson" "$work/project" && meson compile -C "$work/meson"
} >"$work/out" 2>&1 || fail "$(cat "$work/out")"
for program in cmake meson; do
	timeout 60 "$work/$program/main" || fail "the program of $program"
done

step "Rust's bindgen finds all functions"
bindgen "$prefix/include/reach/reach.h" -- -I"$prefix/include" >"$work/reach.rs"
grep -oE 'pub fn reach_[a-z0-9_]+' "$work/reach.rs" | cut -d ' ' -f 3 | sort | diff "$work/symbols" - ||
	fail "bindgen"

step "the output of pkg-config"
# libmnl.pc lists libmnl's own dependencies.
libraries=$(pkg-config --static --libs reach | xargs)
[[ $libraries == *-lreach*-lmnl* ]] || fail "static: $libraries"
[ "$(pkg-config --print-requires-private reach)" = libmnl ] || fail "Requires.private"
[ "$(pkg-config --modversion reach)" = "$version" ] || fail "wrong version"

step "valgrind"
timeout 120 valgrind -q --leak-check=full --show-leak-kinds=definite \
	--errors-for-leak-kinds=definite --error-exitcode=9 "$work/c99" ||
	fail "valgrind"

step "the README's C examples compile, link and run"
awk -v stem="$work/readme" '
	/^```c$/ { file = stem (++count) ".c"; next }
	/^```/ { file = ""; next }
	file { print > file }' "$root/README.md"
[ -s "$work/readme1.c" ] || fail "the README has no C example"
for source in "$work"/readme*.c; do
	# shellcheck disable=SC2046,SC2086
	cc -std=gnu11 -Wall -Wextra -Werror "$source" -o "${source%.c}" \
		$(pkg-config --cflags --libs reach)
	# An example that watches never ends, so timeout ends it with status 124.
	status=0
	timeout 2 "${source%.c}" || status=$?
	[ $status -eq 0 ] || [ $status -eq 124 ] || fail "$source: $status"
done

refused() { # pattern that the error message must match, command
	local pattern=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		fail "should have failed: $*"
	fi
	grep -qE "$pattern" "$work/out" ||
		fail "no '$pattern' in: $(cat "$work/out")"
}

step "make check, and what it compiles again"
library check
! library --no-silent all | grep "$work" || fail "a second run compiles again"
library --no-silent -W include/reach/flags.h all >"$work/out"
grep -q ' -c flags/flags.c ' "$work/out" || fail "a changed header compiles nothing"

step "the manual has the day of the release"
echo "## $version - 2026-01-31" >"$work/changes.md"
library BUILD="$work/dated" CHANGELOG="$work/changes.md" all
grep -qx '.TH libreach 3 "2026-01-31" .*' "$work/dated/man3/libreach.3" || fail "the page has no date"

step "make reports what is missing and replaces nothing"
refused "must be an absolute path" library install PREFIX=relative
refused "must be an absolute path" library install PREFIX=
refused "must be an absolute path" library install DESTDIR=relative
refused "reach.pc cannot hold" library install PREFIX="/tmp/with space"
refused "reach.pc cannot hold" library install LIBDIR="/tmp/a(b)"
refused "apt-get install -y gcc" env CC=/no/cc make -C "$root/Sources/CReach"
refused "apt-get install -y gcc" library CC=/no/cc
refused "apt-get install -y binutils" library AR=/no/ar
refused "apt-get install -y pkg-config" library PKG_CONFIG=/no/pkg-config
refused "apt-get install -y libmnl-dev .or BUNDLED_LIBMNL=1" \
	env PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=/no make -C "$root/Sources/CReach" BUILD="$work/build"
refused "see swift.org" make -C "$root/Sources/reachctl" SWIFT=/no/swift install PREFIX="$prefix"
refused "cannot create" library install PREFIX=/proc/reach
if unshare -rm true 2>/dev/null; then
	mkdir "$work/full"
	export -f library
	export root work
	# shellcheck disable=SC2016
	refused "nothing was replaced" unshare -rm bash -euc '
		mount -t tmpfs -o size=64k tmpfs "$1"
		mkdir "$1/lib"
		echo old >"$1/lib/libreach.so.$2"
		status=0
		library install PREFIX="$1" || status=$?
		[ "$(cat "$1/lib/libreach.so.$2")" = old ] || exit 0
		[ -z "$(find "$1" -name "*.new")" ] || exit 0
		exit $status' - "$work/full" "$version"

	# Nothing may reach the real cache of the dynamic linker.
	unshare -rm bash -euc '
		mount -t tmpfs tmpfs /usr/local
		mount --bind /bin/true "$(PATH=$PATH:/usr/sbin:/sbin command -v ldconfig)"
		library install >/dev/null
		[ -s /usr/local/lib/libreach.so.1 ]
		library uninstall >/dev/null
		[ -z "$(find /usr/local ! -type d -o -name reach)" ] && [ -d /usr/local/share/man/man3 ]' ||
		fail "the default prefix, in which only folders named reach are removed"
else
	echo "skipped: a full disk and /usr/local need a mount namespace"
fi

step "BUNDLED_LIBMNL=1 needs no libmnl and exports the same symbols"
bundled=$work/bundled
library install BUNDLED_LIBMNL=1 PKG_CONFIG=/no/pkg-config PREFIX="$bundled" >/dev/null
readelf -d "$bundled/lib/libreach.so" >"$work/out"
! grep libmnl "$work/out" || fail "BUNDLED_LIBMNL=1: libmnl is needed"
exported "$bundled/lib/libreach.so" | diff "$work/symbols" - ||
	fail "BUNDLED_LIBMNL=1: the exported symbols"
[ -z "$(PKG_CONFIG_PATH=$bundled/lib/pkgconfig pkg-config --print-requires-private reach)" ] ||
	fail "BUNDLED_LIBMNL=1: Requires.private"
cc -std=c99 -I"$bundled/include" "$here/consumer.c" "$bundled/lib/libreach.a" -pthread \
	-o "$work/bundled-c99"
timeout 60 "$work/bundled-c99" || fail "BUNDLED_LIBMNL=1: the C99 program"

step "a second install over the first follows no symbolic link; DESTDIR, libdir, CFLAGS"
echo mine >"$work/victim"
chmod 600 "$work/victim"
for file in lib/libreach.a lib/libreach.so.1 include/reach/reach.h; do
	ln -s "$work/victim" "$prefix/$file.new"
done
library install PREFIX="$prefix" >/dev/null
[ "$(cat "$work/victim")" = mine ] || fail "it wrote through a symbolic link"
[ "$(stat -c %a "$work/victim")" = 600 ] || fail "it changed the mode behind a symbolic link"
[ -f "$prefix/include/reach/reach.h" ] && [ ! -L "$prefix/include/reach/reach.h" ] ||
	fail "a symbolic link was installed"
CFLAGS="-g -O1" LDFLAGS=-Wl,--build-id=0x12345678 \
	library install prefix=/usr libdir=/usr/lib/reach DESTDIR="$work/dest" >/dev/null
[ -s "$work/dest/usr/lib/reach/libreach.so.1" ] || fail "DESTDIR"
grep -q '^libdir=/usr/lib/reach$' "$work/dest/usr/lib/reach/pkgconfig/reach.pc" ||
	fail "libdir is not in reach.pc"
readelf -SnW "$work/dest/usr/lib/reach/libreach.so.1" >"$work/out"
grep -q debug_info "$work/out" && grep -q 'Build ID: 12345678' "$work/out" || fail "CFLAGS or LDFLAGS"

step "other users can read the files despite a strict umask"
(umask 077 && library install PREFIX="$work/strict/deep/" >/dev/null)
closed=$(find "$work/strict" ! -type l ! -perm -044 -o -type d ! -perm -055)
[ -z "$closed" ] || fail "not readable by others: $closed"
grep -qx "prefix=$work/strict/deep" "$work/strict/deep/lib/pkgconfig/reach.pc" || fail "a slash at the end"

step "folders with odd names, and other packages' files in them"
odd="$work/odd [ab]* name"
mkdir -p "$work/odd a name/usr/lib" "$odd/usr/lib/pkgconfig" "$work/usr[12]" "$work/usr1/lib"
other="$work/odd a name/usr/lib/libreach.so.1.new"
for file in "$other" "$work/usr1/lib/libreach.so.1.new" "$odd/usr/lib/pkgconfig/other.pc"; do
	echo other >"$file"
done
library install DESTDIR="$odd" PREFIX=/usr >/dev/null
library install PREFIX="$work/usr[12]" >/dev/null
for file in "$other" "$work/usr1/lib/libreach.so.1.new" "$odd/usr/lib/pkgconfig/other.pc"; do
	[ "$(cat "$file")" = other ] || fail "$file was touched"
done
[ -s "$odd/usr/lib/libreach.so.1" ] || fail "not in $odd"
[ -s "$work/usr[12]/lib/libreach.so.1" ] || fail "not in $work/usr[12]"

step "make uninstall removes what was installed, and nothing else; it needs no compiler"
tool() { make -s -C "$root/Sources/reachctl" BUILD="$work/tool" SWIFT=/no/swift "$@"; }
pages=usr/share/man/man1
mkdir -p "$odd/usr/bin" "$odd/$pages"
touch "$odd/usr/bin/reachctl" "$odd/$pages"/{reachctl,reachctl-status,reach}.1
tool uninstall DESTDIR="$odd" PREFIX=/usr >/dev/null
library uninstall DESTDIR="$odd" PREFIX=/usr CC=/no/cc >/dev/null
library uninstall PREFIX="$work/usr[12]" >/dev/null
library uninstall PREFIX="$work/strict/deep/" >/dev/null
library uninstall PREFIX=/usr LIBDIR=/usr/lib/reach DESTDIR="$work/dest" >/dev/null
[ "$(cd "$odd" && find . -type f -o -type l | sort | xargs)" = "./usr/lib/pkgconfig/other.pc ./$pages/reach.1" ] ||
	fail "make uninstall left: $(find "$odd")"
for directory in "$work/usr[12]" "$work/strict/deep" "$work/dest/usr"; do
	[ -z "$(ls -A "$directory")" ] || fail "make uninstall left: $(find "$directory")"
done
[ -s "$other" ] || fail "make uninstall took $other"
[ -s "$shared" ] || fail "make uninstall took another prefix's library"
library uninstall PREFIX="$prefix" >/dev/null
! find "$prefix" ! -type d | grep . || fail "make uninstall left files"
echo "all of CConsumer passed"
