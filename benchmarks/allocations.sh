#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts the allocations per change, from the kernel's event to the call of a closure, in all threads of the
# process. Fails if a form takes more than its limit. Counts are the same on a busy machine. Only the
# sequence's count differs a little from run to run, depending on the thread that runs its task.
#
#   benchmarks/allocations.sh
set -euo pipefail

cd "$(dirname "$0")/.."
for product in Allocations AllocationsApple; do
	swift build --package-path benchmarks -c release --product $product >&2
done
failed=0
# Limits: the counts with Swift 6.3, plus one.
for case in monitor:0 listener:7 two:13 main:9 sequence:7 observer:8 managers:123 af:11 sc:9; do
	form=${case%:*} limit=${case#*:} program=Allocations
	[[ $form != af && $form != sc ]] || program=AllocationsApple
	each=$(timeout 120 benchmarks/.build/release/$program "$form")
	verdict=
	awk -v each="$each" -v limit="$limit" 'BEGIN { exit !(each < limit + 0.5) }' || { verdict="  OVER"; failed=1; }
	echo "$form: $each allocations per change (at most $limit)$verdict"
done
exit $failed
