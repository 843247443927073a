#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes all parsers of untrusted bytes with libFuzzer. In rounds, each target gets its share of the
# processor time. The report has one line per target: executions, edges reached, findings.
#
#   Tests/Fuzz/run.sh TIME [FOLDER [TARGET...]]    TIME: 4h or 120s, summed over all processors
#
# FOLDER receives the programs, the report, the findings (FOLDER/findings), and the inputs that reach
# new edges (FOLDER/corpus). The next run starts with these inputs. A finding fails the run: add it to
# the target's corpus.
set -euo pipefail
shopt -s globstar nullglob
cd "$(dirname "$0")/../.."

case ${1:-} in
*h) budget=$(awk "BEGIN { print int(${1%h} * 3600) }") ;;
*s) budget=${1%s} ;;
*)
	echo "usage: $0 4h|120s [FOLDER [TARGET...]]" >&2
	exit 64
	;;
esac
out=$(mkdir -p "${2:-.build/ci/fuzz}" && cd "${2:-.build/ci/fuzz}" && pwd)
jobs=${REACH_FUZZ_JOBS:-$(nproc)}
declare -A spent executions edges findings shares=(
	[core]=50 [datagrams]=8 [bus]=14 [http]=8 [text]=6 [files]=4 [arguments]=10)
# The core has most of the code, so it goes first.
targets=("${@:3}")
[ $# -gt 2 ] || targets=(core datagrams bus http text files arguments)
mkdir -p "$out"/{findings,logs}

sanitized() { # program, arguments of clang
	clang -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-fuse-ld=lld -Iinclude -ISources -ISources/CReach -ISources/CConnectivity/include \
		-ITests "${@:2}" -lpthread -o "$out/$1"
}

build() { # target
	case $1 in
	core) sanitized core Tests/Fuzz/*.c Sources/CReach/**/*.c -lmnl ;;
	datagrams) sanitized datagrams Tests/FuzzParsers/datagrams.c Tests/Fuzz/decoder.c \
		Sources/CReach/{message,base}/*.c -lmnl ;;
	# The bus target brings its own clock and sd-bus functions.
	# shellcheck disable=SC2046
	bus) sanitized bus Tests/FuzzParsers/bus.c $(find Sources/CSystemBus -name '*.c' ! -name sdbus.c) -ISources/CSystemBus/include \
		-Dclock_gettime=system_bus_fuzz_clock ;;
	http) sanitized http Tests/FuzzParsers/http.c Sources/CConnectivity/*.c ;;
	text) sanitized text Tests/FuzzParsers/text.c Sources/CReach/base/*.c ;;
	files) sanitized files Tests/FuzzParsers/files.c Sources/CReach/names/resolver_files.c ;;
	arguments) build_arguments ;;
	*)
		echo "there is no target '$1', only: ${!shares[*]}" >&2
		exit 64
		;;
	esac
}

# Links the tool's objects without its main().
build_arguments() {
	local objects=() module modules=$out/swift/debug/Modules
	swift build --target reachctl --scratch-path "$out/swift" \
		-Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link
	for module in reachctl ArgumentParser ArgumentParserToolInfo NetworkReachability \
		ReachabilityConnectivity SystemServices CReach CSystemBus CConnectivity; do
		objects+=("$out/swift/debug/$module.build"/**/*.o)
	done
	# shellcheck disable=SC2046
	swiftc -sanitize=fuzzer -parse-as-library -swift-version 6 -strict-memory-safety \
		-I "$modules" $(Sources/module-maps.sh --swiftc) -Xcc -Iinclude \
		Tests/FuzzParsers/arguments.swift "${objects[@]}" -lmnl -o "$out/arguments"
}

committed() { # target
	case $1 in
	core | datagrams) echo Tests/Fuzz/corpus ;;
	*) echo "Tests/FuzzParsers/corpus/$1" ;;
	esac
}

# Replays earlier findings, which must not fail again. From here on, only FOLDER is read.
replay() {
	local target
	for target in "${targets[@]}"; do
		mkdir -p "$out/corpus/$target"
		cp -R "$(committed "$target")/." "$out/corpus/$target"
		"$out/$target" -runs=0 "$out/corpus/$target" >"$out/logs/$target" 2>&1 || {
			tail -n 40 "$out/logs/$target"
			return 1
		}
		printf '%s: %d inputs replayed\n' "$target" \
			"$(sed -n 's/^#\([0-9]*\).*DONE.*/\1/p' "$out/logs/$target")"
	done
}

# Fuzzes a target for some seconds, and adds to its numbers in the report.
fuzz() { # target, seconds
	local target=$1 log=$out/logs/$1 times
	# An input that fails doesn't end the run: the report counts it.
	TIMEFORMAT='%U %S'
	times=$({
		time "$out/$target" -fork="$jobs" -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 \
			-timeout=60 -report_slow_units=60 -rss_limit_mb=4096 -max_len=8192 -max_total_time="$2" \
			-artifact_prefix="$out/findings/$target-" "$out/corpus/$target" >"$log" 2>&1 || true
	} 2>&1)
	grep -q '^INFO: exiting' "$log" || {
		tail -n 40 "$log"
		return 1
	}
	spent[$target]=$(awk "BEGIN { print ${spent[$target]:-0} + ${times/ / + } }")
	executions[$target]=$((${executions[$target]:-0} + $(last '^#\([0-9]*\):.*' "$log")))
	edges[$target]=$(last '.* cov: \([0-9]*\) .*' "$log")
	findings[$target]=$(find "$out/findings" -name "$target-*" | wc -l)
}

last() { # pattern, log
	sed -n "s/$1/\1/p" "$2" | tail -n 1 | grep . || echo 0
}

report() {
	local target
	printf '%-10s %9s %12s %7s %9s\n' target CPU-hours executions edges findings
	for target in "${targets[@]}"; do
		printf '%-10s %9.3f %12d %7d %9d\n' "$target" \
			"$(awk "BEGIN { print ${spent[$target]:-0} / 3600 }")" \
			"${executions[$target]:-0}" "${edges[$target]:-0}" "${findings[$target]:-0}"
	done
}

# Reduces the corpus to inputs that together reach the same edges.
merge() {
	local target merged=$out/merged
	for target in "${targets[@]}"; do
		rm -rf "$merged"
		mkdir "$merged"
		"$out/$target" -merge=1 "$merged" "$out/corpus/$target" >"$out/logs/$target-merge" 2>&1
		rm -rf "$out/corpus/$target"
		mv "$merged" "$out/corpus/$target"
	done
}

# Rounds take some minutes, so that the report soon has numbers for all targets.
run() {
	local target seconds left=1 longest=$((budget / 8 > 600 ? budget / 8 : 600))
	while [ $left -gt 0 ]; do
		left=0
		for target in "${targets[@]}"; do
			seconds=$(awk "BEGIN {
				left = $budget * ${shares[$target]} / 100 - ${spent[$target]:-0}
				most = $longest * ${shares[$target]} / 100
				if (left > most) left = most
				left /= $jobs
				print left < 1 ? (${spent[$target]:-0} ? 0 : 1) : int(left)
			}")
			[ "$seconds" -gt 0 ] || continue
			left=1
			fuzz "$target" "$seconds"
			report >"$out/report"
		done
	done
}

for target in "${targets[@]}"; do build "$target"; done
replay
run
merge
cat "$out/report"
[ -z "$(find "$out/findings" -type f)" ] || {
	find "$out/findings" -type f >&2
	exit 1
}
