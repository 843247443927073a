#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bytes from outside that are not rtnetlink's, by libFuzzer: what each target executed and reached.
#
#   REACH_FUZZ_SECONDS=15 Tests/FuzzParsers/run.sh [FOLDER]    seconds a target; FOLDER is for what it finds
set -euo pipefail
shopt -s globstar
cd "$(dirname "$0")/../.."

out=${1:-$PWD/.build/ci/fuzz-parsers}
mkdir -p "$out"

fuzz() { # target, sources
	local target=$1 log=$out/$1.log
	shift
	clang -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		-fuse-ld=lld -Iinclude -ISources -ISources/CReach -ISources/CConnectivity/include \
		"Tests/FuzzParsers/$target.c" "$@" -lpthread -o "$out/$target"
	mkdir -p "$out/$target-found"
	"$out/$target" -max_total_time="${REACH_FUZZ_SECONDS:-15}" -max_len=8192 -print_final_stats=1 \
		-artifact_prefix="$out/$target-" "$out/$target-found" >"$log" 2>&1 || {
		tail -n 40 "$log"
		return 1
	}
	printf '%s: %d executions, %d edges, no finding\n' "$target" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
		"$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2)"
}

fuzz http Sources/CConnectivity/*.c
fuzz text Sources/CReach/base/*.c
