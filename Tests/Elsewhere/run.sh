#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a package that depends on the products without a condition, twice: as on Linux, and with the conditions of
# the manifest turned round, as on a system without the C targets. Values are the same, and monitors throw.
#
#   Tests/Elsewhere/run.sh SCRATCH-PATH
set -euo pipefail
export LC_ALL=C
mkdir -p "$1"
scratch=$(cd "$1" && pwd)
cd "$(dirname "$0")"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

build() { # name, words of the environment
	env "${@:2}" swift build --scratch-path "$scratch/$1" 2>&1 | tee "$scratch/$1.log"
	! grep 'warning:' "$scratch/$1.log" || fail "the build of $1 warns"
	"$scratch/$1/debug/Elsewhere" values >"$scratch/$1.values"
	"$scratch/$1/debug/Elsewhere" >"$scratch/$1.calls"
	cat "$scratch/$1.calls"
}

build linux
build elsewhere REACH_ELSEWHERE=1
diff "$scratch"/{linux,elsewhere}.values || fail "values differ"
! grep -v -e ': works$' -e '^properties: false ' -e '^path: satisfied\|^path: unsatisfied' -e '^connectivity: [fln]' "$scratch/linux.calls" ||
	fail "a call on Linux"
[ "$(grep -c -e ': unsupportedSystem: .*run this on Linux' -e 'connectivity: unknown .*run this on Linux' \
	"$scratch/elsewhere.calls")" -eq 10 ] ||
	fail "a call without the C targets"
built=$(find "$scratch/elsewhere/debug/" -name '*.c.o')
[ -z "$built" ] || fail "it has built $built"
! readelf -d "$scratch/elsewhere/debug/Elsewhere" | grep libmnl || fail "it needs libmnl"
echo "all of Elsewhere passed"
