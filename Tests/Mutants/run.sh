#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether the tests see what they are said to see: each *.mutant breaks one promise, and each
# test that it names has to fail then.
#
#   Tests/Mutants/run.sh [FOLDER [MUTANT...]]    FOLDER is for objects
#
# A mutant is lines of
#   breaks: the promise
#   test: PROGRAM TEST...     of Tests/PROGRAM, by the words that its main() takes
#   in: FILE
#   - what stands there once  (any white space is like any other)
#   + what takes its place
# One whose text is not found, or found twice, or that does not compile, is a failure, and so is
# a test that fails without it. Network namespaces need root.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${1:-$PWD/.build/ci/mutants}
shift $(($# > 0))
mutants=("$@")
[ $# -gt 0 ] || mutants=(Tests/Mutants/*.mutant)
rm -rf "$out"
mkdir -p "$out/objects"
export out flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -w -fsanitize=address,undefined
	-fno-sanitize-recover=all -Iinclude -ISources -ISources/CReach -ITests/CInternals
	-ISources/CSystemBus/include -ISources/CConnectivity/include"

# Sources of a program, each of which has an object of its own.
sources() { # program
	case $1 in
	CInternals) find Tests/CInternals Sources/CReach -name '*.c' ;;
	CParsers) find Tests/CParsers Sources/CSystemBus Sources/CConnectivity -name '*.c' ;;
	*) echo "there is no program $1" >&2 && return 1 ;;
	esac
}

object() { echo "$out/objects/${1//\//.}.o"; } # source

build() { # program, its file, a source that has another object, the object
	local source objects=()
	while read -r source; do
		[ "$source" = "${3-}" ] && objects+=("$4") || objects+=("$(object "$source")")
	done < <(sources "$1")
	clang -fsanitize=address,undefined -fuse-ld=lld "${objects[@]}" -lmnl -lpthread -o "$2"
}

fields() { sed -n "s/^$2: //p" "$1"; } # mutant, name

# The mutant's copy of the file. Without it nothing is written.
mutate() { # mutant, copy
	python3 - "$@" <<-'END'
		import re, sys
		lines = open(sys.argv[1]).read().splitlines()
		old, new = ("\n".join(line[2:] for line in lines if line[:1] == sign) for sign in "-+")
		path = next(line[4:] for line in lines if line.startswith("in: "))
		text = open(path).read()
		words = [re.escape(word) for word in old.split()]
		found = list(re.finditer(r"\s+".join(words), text)) if words else []
		if len(found) != 1:
		    sys.exit(f"{sys.argv[1]}: its text stands {len(found)} times in {path}")
		at = found[0]
		open(sys.argv[2], "w").write(text[:at.start()] + new + text[at.end():])
	END
}

# Each test fails, by itself, in no more than a minute.
judge() { # mutant
	local stem file copy program test status
	stem=$out/$(basename "$1" .mutant)
	file=$(fields "$1" in)
	# Headers of its folder are found beside it, and not in the scratch folder.
	copy=$stem.c
	[ -n "$(fields "$1" breaks)" ] && [ -n "$(fields "$1" test)" ] ||
		{ echo "$1: it does not say what it breaks, or for which test" && return 1; }
	mutate "$1" "$copy" || return 1
	# shellcheck disable=SC2086
	clang $flags -iquote "$(dirname "$file")" -c "$copy" -o "$copy.o" ||
		{ echo "$1: it does not compile" && return 1; }
	while read -r program tests; do
		build "$program" "$stem.run" "$file" "$copy.o" || return 1
		for test in $tests; do
			status=0
			timeout 60 "$stem.run" "$test" >"$stem.log" 2>&1 || status=$?
			case $status in
			0 | 64) echo "$1: it lives ($program $test): $(fields "$1" breaks)" && return 1 ;;
			esac
		done
	done < <(fields "$1" test)
	rm -f "$stem.run"
	echo "$(basename "$1" .mutant): dead"
}

compile() { # source
	# shellcheck disable=SC2086
	clang $flags -c "$1" -o "$(object "$1")"
}
export -f sources object build fields mutate judge compile

programs=$(sed -n 's/^test: \([^ ]*\).*/\1/p' "${mutants[@]}" | sort -u)
for program in $programs; do sources "$program"; done |
	xargs -P "$(nproc)" -I '{}' bash -euc 'compile "{}"'
for program in $programs; do
	build "$program" "$out/$program"
	# shellcheck disable=SC2046
	timeout 300 "$out/$program" $(sed -n "s/^test: $program //p" "${mutants[@]}" | tr ' ' '\n' | sort -u)
done
printf '%s\n' "${mutants[@]}" | xargs -P "$(nproc)" -I '{}' bash -uc 'judge "{}" || exit 1' ||
	{ echo "not every mutant died" && exit 1; }
echo "${#mutants[@]} mutants, all dead"
