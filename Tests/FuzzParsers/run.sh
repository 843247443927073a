#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bytes from outside that are not rtnetlink's, by libFuzzer: what each target executed and reached.
#
#   REACH_FUZZ_SECONDS=15 Tests/FuzzParsers/run.sh [FOLDER]    seconds a target; FOLDER is for what it finds
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${1:-$PWD/.build/ci/fuzz-parsers}
mkdir -p "$out"

fuzz() { # target, sources
	local target=$1 log=$out/$1.log corpus=()
	[ ! -d "Tests/FuzzParsers/corpus/$1" ] || corpus=("Tests/FuzzParsers/corpus/$1")
	shift
	clang -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-fuse-ld=lld -Iinclude -ISources -ISources/CReach -ISources/CConnectivity/include \
		"Tests/FuzzParsers/$target.c" "$@" -lpthread -o "$out/$target"
	mkdir -p "$out/$target-found"
	"$out/$target" -max_total_time="${REACH_FUZZ_SECONDS:-15}" -max_len=8192 \
		-len_control=0 -print_final_stats=1 -artifact_prefix="$out/$target-" \
		"$out/$target-found" ${corpus[@]+"${corpus[@]}"} >"$log" 2>&1 || {
		tail -n 40 "$log"
		return 1
	}
	printf '%s: %d executions, %d edges, no finding\n' "$target" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
		"$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2)"
}

# By the fuzzer's clock and functions of sd-bus.
bus=()
for file in Sources/CSystemBus/*.c; do
	[ "$file" = Sources/CSystemBus/sdbus.c ] || bus+=("$file")
done
fuzz bus -ISources/CSystemBus/include -Dclock_gettime=system_bus_fuzz_clock "${bus[@]}"
fuzz http Sources/CConnectivity/*.c
fuzz text Sources/CReach/base/*.c
fuzz files Sources/CReach/names/resolver_files.c
