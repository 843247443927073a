#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that the tests detect the bugs that they claim to detect: each *.mutant breaks one promise,
# and each test that it names must then fail.
#
#   Tests/Mutants/run.sh [FOLDER [MUTANT...]]    FOLDER receives the objects
#
# A mutant has these lines:
#   breaks: the promise
#   test: PROGRAM TEST...     tests of Tests/PROGRAM, as its main() takes them; for Fuzz and
#                             FuzzParsers, the corpora to replay
#   hangs: TEST...            tests that may hang instead of failing; the limit is 10 seconds
#   in: FILE
#   - text that FILE contains once  (any white space matches any other)
#   + its replacement
# The run fails if a mutant's text isn't found exactly once, if a mutant doesn't compile, if a test
# fails without a mutant, or if a test in the table of invariants (Sources/CReach/README.md) has no
# mutant. Network namespaces require root.
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

# Prints the sources of a program.
sources() { # program
	case $1 in
	CInternals) find Tests/CInternals Sources/CReach -name '*.c' ;;
	CParsers) find Tests/CParsers Sources/CConnectivity -name '*.c' ;;
	Fuzz) find Tests/Fuzz Sources/CReach -name '*.c' ;;
	# The fuzzer has sd-bus functions of its own.
	FuzzParsers) find Tests/FuzzParsers/bus.c Sources/CSystemBus -name '*.c' ! -name sdbus.c ;;
	*) echo "no program '$1'" >&2 && return 1 ;;
	esac
}

object() { echo "$out/objects/${1//\//.}.o"; } # source

build() { # program, output file, a source to replace, the object that replaces it
	local source objects=()
	while read -r source; do
		[ "$source" = "${3-}" ] && objects+=("$4") || objects+=("$(object "$source")")
	done < <(sources "$1")
	# The fuzzer also has its own clock.
	[ "$1" != FuzzParsers ] || objects+=(-fsanitize=fuzzer -Wl,--wrap=clock_gettime
		-Wl,--defsym=__wrap_clock_gettime=system_bus_fuzz_clock)
	clang -fsanitize=address,undefined -fuse-ld=lld "${objects[@]}" -lmnl -lpthread -o "$2"
}

run() { # program, its file, tests
	local tests=("${@:3}")
	case $1 in
	FuzzParsers) "$2" -runs=0 -artifact_prefix="$out/" "${tests[@]/#/Tests/FuzzParsers/corpus/}" ;;
	# Replays the files whose names begin with the test's name.
	Fuzz) for test in "${tests[@]}"; do "$2" "Tests/Fuzz/corpus/$test"* || return 1; done ;;
	*) "$2" "${tests[@]}" ;;
	esac
}

fields() { sed -n "s/^$2: //p" "$1"; } # mutant, name

# Writes a copy of the file with the mutant's change.
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
		    sys.exit(f"{sys.argv[1]}: found its text {len(found)} times in {path}, not once")
		at = found[0]
		open(sys.argv[2], "w").write(text[:at.start()] + new + text[at.end():])
	END
}

# Checks that each test of a mutant fails when it runs alone. Its limit is for a hang: other load makes a test slow.
judge() { # mutant
	local stem file copy program test status limit
	stem=$out/$(basename "$1" .mutant)
	file=$(fields "$1" in)
	# The copy isn't in the folder of its headers, so -iquote adds that folder.
	copy=$stem.c
	[ -n "$(fields "$1" breaks)" ] && [ -n "$(fields "$1" test)" ] ||
		{ echo "$1: a 'breaks:' or 'test:' line is missing" && return 1; }
	mutate "$1" "$copy" || return 1
	# shellcheck disable=SC2086
	clang $flags -iquote "$(dirname "$file")" -c "$copy" -o "$copy.o" ||
		{ echo "$1: doesn't compile" && return 1; }
	while read -r program tests; do
		build "$program" "$stem.run" "$file" "$copy.o" || return 1
		for test in $tests; do
			status=0
			limit=600
			[[ " $(fields "$1" hangs) " != *" $test "* ]] || limit=10
			# Without a mutant, the same tests have just passed with more patience.
			REACH_PATIENCE=5000 timeout $limit bash -c 'run "$@"' - "$program" "$stem.run" "$test" \
				>"$stem.log" 2>&1 &
			wait $! || status=$?
			# A test that fails may leave its children behind. timeout(1) leads a group of processes.
			kill -KILL -- -$! 2>/dev/null || true
			case $status in
			0 | 64) echo "$1: $program $test didn't fail: $(fields "$1" breaks)" && return 1 ;;
			124)
				[[ " $(fields "$1" hangs) " == *" $test "* ]] ||
					{ echo "$1: $program $test hangs, without a 'hangs:' line" && return 1; }
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

# Checks that each test in the table of invariants has a mutant.
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
	REACH_ALARM=1500 timeout 1500 bash -c 'run "$@"' - "$program" "$out/$program" $(sed -n "s/^test: $program //p" "${mutants[@]}" | tr ' ' '\n' | sort -u)
done
# Broken code mostly waits, so there are more of them than processors.
printf '%s\n' "${mutants[@]}" | xargs -P "$((4 * $(nproc)))" -I '{}' bash -uc 'judge "{}" || exit 1' ||
	{ echo "not all mutants are dead" && exit 1; }
echo "${#mutants[@]} mutants, all dead"
