#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the installed library's ABI with the committed one: symbols, types,
# and values of enumerators. libabigail reads the types from debug information
# (apt-get install abigail-tools). A break fails. Growth (a new function, or a new
# member at the end of a struct) fails too, until you commit it:
#
#   Tests/CConsumer/abi.sh            compares
#   Tests/CConsumer/abi.sh --renew    writes libreach.abi and libreach.values
#
# Then it tests that growth is compatible: programs and libraries of two
# versions, one of which has longer structs, work together.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The structs that begin with `size`, except reach_change: it grows by its last
# member, a reach_state.
sized='reach_(target|monitor_options|interface_facts|state|explanation|interface|interface_address|stats)'
cat >"$work/growth" <<END
[suppress_type]
  name_regexp = ^$sized\$
  has_data_member_inserted_at = end
END

install() { # sources, where to
	make -s -j "$(nproc)" -C "$1/Sources/CReach" BUILD="$work/$2-build" CFLAGS="-g -Og -fsanitize=address" \
		install PREFIX="$work/$2" >/dev/null
}

describe() { # installed library
	local out=$work/$1
	# abidw takes a type for public if its header has the basename of a public one, as monitor/monitor.h has.
	sed -n 's/^struct \(reach_[a-z_]*\);$/[suppress_type]\n  name = \1\n  drop = yes/p' \
		"$out"/include/reach/*.h >"$out/opaque"
	abidw --suppressions "$out/opaque" --headers-dir "$out/include" --drop-private-types --drop-undefined-syms \
		--exported-interfaces-only --no-show-locs --no-corpus-path --no-comp-dir-path \
		--no-architecture --no-elf-needed --no-parameter-names --no-write-default-sizes \
		--out-file "$out/libreach.abi" "$out/lib/libreach.so"
	# Most members have integer types, so the functions don't refer to the enums,
	# and libabigail doesn't see them.
	cpp -P -I"$out/include" "$out/include/reach/reach.h" | tr -s ' \n\t' ' ' |
		grep -oE '\bREACH_[A-Z0-9_]+ = [^,}]*[^,} ]' | sort >"$out/libreach.values"
}

# With the suppression, abidiff ignores every change of a struct that has grown.
# So the members are compared too.
compare() { # old folder, new folder: prints "same", "grown", or "broken" and how
	abidiff --no-added-syms --suppressions "$work/growth" "$1/libreach.abi" "$2/libreach.abi" &&
		! comm -23 <(python3 "$here/layouts.py" "$1/libreach.abi" | sort) \
			<(python3 "$here/layouts.py" "$2/libreach.abi" | sort) | grep . &&
		! comm -23 "$1/libreach.values" "$2/libreach.values" | grep . || {
		echo broken
		return
	}
	if abidiff "$1/libreach.abi" "$2/libreach.abi" &&
		diff "$1/libreach.values" "$2/libreach.values"; then
		echo same
	else
		echo grown
	fi
}

verdict() { compare "$@" | tail -n 1; }

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

install "$root" today
describe today
if [ "${1:-}" = --renew ]; then
	cp "$work"/today/libreach.{abi,values} "$here"
	exit
fi
compare "$here" "$work/today" >"$work/compared"
case $(tail -n 1 "$work/compared") in
same) ;;
grown)
	cat "$work/compared"
	fail "the ABI grew: run Tests/CConsumer/abi.sh --renew and commit"
	;;
*)
	cat "$work/compared"
	fail "the ABI changed: programs built against the old one break"
	;;
esac

# Installs a copy of the sources whose headers an awk program has edited.
variant() { # name, program
	local header
	mkdir -p "$work/$1-sources/Sources"
	cp -r "$root/include" "$root/LICENSE" "$root/.packaging" "$work/$1-sources"
	cp -r "$root/Sources/CReach" "$work/$1-sources/Sources"
	for header in "$root"/include/reach/*.h; do
		awk "$2" "$header" >"$work/$1-sources/include/reach/${header##*/}"
	done
	install "$work/$1-sources" "$1"
	describe "$1"
}

longer="/^struct $sized [{]\$/ { inside = 1 }
	inside && /^};\$/ { print \"\\tuint64_t added[2];\"; inside = 0 }"
variant grown "$longer { print }"
[ "$(grep -c "var-decl name='added'" "$work/grown/libreach.abi")" -eq 8 ] || fail "no struct has grown"
[ "$(verdict "$work/today" "$work/grown")" = grown ] || fail "growth is taken for a break"
[ "$(verdict "$work/grown" "$work/today")" = broken ] || fail "a lost member is no break"
variant broken "$longer
	/^struct reach_state [{]\$/, /^};\$/ { sub(/int32_t error;/, \"uint32_t error;\") } { print }"
[ "$(verdict "$work/today" "$work/broken")" = broken ] || fail "a break is taken for growth"

for headers in today grown; do
	cc -g -std=c99 -fsanitize=address -I"$work/$headers/include" "$here/consumer.c" \
		-o "$work/consumer" -L"$work/$headers/lib" -lreach
	for library in today grown; do
		LD_LIBRARY_PATH=$work/$library/lib timeout 120 "$work/consumer" >"$work/out" 2>&1 || {
			cat "$work/out"
			fail "a program with the headers of $headers, the library of $library"
		}
	done
done
