#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether the tests see what they are said to see: each *.mutant breaks one promise, and each
# test that it names has to fail then.
#
#   Tests/Mutants/run.sh [FOLDER [MUTANT...]]    FOLDER is for objects
#
# A mutant is lines of
#   breaks: the promise
#   test: PROGRAM TEST...     of Tests/PROGRAM, by the words that its main() takes; of Fuzz
#                             and FuzzParsers they are the corpora that are replayed
#   hangs: TEST...            those that need not fail: they don't end within 10 seconds
#   in: FILE
#   - what stands there once  (any white space is like any other)
#   + what takes its place
# One whose text is not found, or found twice, or that does not compile, is a failure, and so is
# a test that fails without it, and one of the invariants' table (Sources/CReach/README.md) that no
# mutant names. Network namespaces need root.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${1:-$PWD/.build/ci/mutants}
shift $(($# > 0))
mutants=("$@")
[ $# -gt 0 ] || mutants=(Tests/Mutants/*.mutant)
rm -rf "$out"
mkdir -p "$out/objects"
# The same random configurations each time.
export REACH_JUDGE_SEED=1
export out flags="-gline-tables-only -O1 -std=gnu11 -D_GNU_SOURCE -w -fsanitize=address,undefined
	-fno-sanitize-recover=all -Iinclude -ISources -ISources/CReach -ITests/CInternals
	-ISources/CSystemBus/include -ISources/CConnectivity/include"

# Sources of a program, each of which has an object of its own.
sources() { # program
	case $1 in
	CInternals) find Tests/CInternals Sources/CReach -name '*.c' ;;
	CParsers) find Tests/CParsers Sources/CSystemBus Sources/CConnectivity -name '*.c' ;;
	Fuzz) find Tests/Fuzz Sources/CReach -name '*.c' ;;
	# By the fuzzer's functions of sd-bus.
	FuzzParsers) find Tests/FuzzParsers/bus.c Sources/CSystemBus -name '*.c' ! -name sdbus.c ;;
	*) echo "there is no program $1" >&2 && return 1 ;;
	esac
}

object() { echo "$out/objects/${1//\//.}.o"; } # source

build() { # program, its file, a source that has another object, the object
	local source objects=()
	while read -r source; do
		[ "$source" = "${3-}" ] && objects+=("$4") || objects+=("$(object "$source")")
	done < <(sources "$1")
	# And by its clock.
	[ "$1" != FuzzParsers ] || objects+=(-fsanitize=fuzzer -Wl,--wrap=clock_gettime
		-Wl,--defsym=__wrap_clock_gettime=system_bus_fuzz_clock)
	clang -fsanitize=address,undefined -fuse-ld=lld "${objects[@]}" -lmnl -lpthread -o "$2"
}

run() { # program, its file, tests
	local tests=("${@:3}")
	case $1 in
	FuzzParsers) "$2" -runs=0 -artifact_prefix="$out/" "${tests[@]/#/Tests/FuzzParsers/corpus/}" ;;
	# Of each test: the files whose names begin with it.
	Fuzz) for test in "${tests[@]}"; do "$2" "Tests/Fuzz/corpus/$test"* || return 1; done ;;
	*) "$2" "${tests[@]}" ;;
	esac
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
	local stem file copy program test status limit
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
			limit=60
			[[ " $(fields "$1" hangs) " != *" $test "* ]] || limit=10
			timeout $limit bash -c 'run "$@"' - "$program" "$stem.run" "$test" \
				>"$stem.log" 2>&1 || status=$?
			case $status in
			0 | 64) echo "$1: it lives ($program $test): $(fields "$1" breaks)" && return 1 ;;
			124)
				[[ " $(fields "$1" hangs) " == *" $test "* ]] ||
					{ echo "$1: it hangs ($program $test), and doesn't say so" && return 1; }
				;;
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
export -f sources object build fields mutate run judge compile

# Each test that the table names has a mutant.
check_table() {
	local file test tests
	while read -r file; do
		tests=
		for test in $(sed -n 's/^void test_\([a-z_0-9]*\)(.*/\1/p' "Tests/$file"); do
			tests+=$(sed -n 's/^test: //p' Tests/Mutants/*.mutant | grep -w "$test" || true)
		done
		[ -n "$tests" ] || { echo "no mutant names the test of Tests/$file" && return 1; }
	done < <(sed -n '/^## Invariants/,/^## Facts/s/^|.*|\([^|]*\)|$/\1/p' Sources/CReach/README.md |
		grep -o '`[^`]*\.c`' | tr -d '`' | sed 's,^\([a-z_]*\.c\)$,CInternals/engine/\1,')
}

check_table
programs=$(sed -n 's/^test: \([^ ]*\).*/\1/p' "${mutants[@]}" | sort -u)
for program in $programs; do sources "$program"; done |
	xargs -P "$(nproc)" -I '{}' bash -euc 'compile "{}"'
for program in $programs; do
	build "$program" "$out/$program"
	# shellcheck disable=SC2046
	timeout 300 bash -c 'run "$@"' - "$program" "$out/$program" $(sed -n "s/^test: $program //p" "${mutants[@]}" | tr ' ' '\n' | sort -u)
done
printf '%s\n' "${mutants[@]}" | xargs -P "$(nproc)" -I '{}' bash -uc 'judge "{}" || exit 1' ||
	{ echo "not every mutant died" && exit 1; }
echo "${#mutants[@]} mutants, all dead"
