#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints how the library compares with its yardsticks on this machine, and
# fails if a ratio is over its limit. Ratios, because nanoseconds are the
# machine's. Makes the corpus first if there is none.
#
#   benchmarks/ratios.sh [further arguments for swift run]
set -euo pipefail

root=$(cd "$(dirname "$0")" && pwd)
export REACH_CORPUS=${REACH_CORPUS:-$root/.build/corpus}
[ -s "$REACH_CORPUS/events.dump" ] || "$root/make-corpus.sh" "$REACH_CORPUS" >/dev/null
exec swift run --package-path "$root" -c release "$@" BenchmarkRatios
