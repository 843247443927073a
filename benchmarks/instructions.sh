#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts instructions with valgrind's callgrind. The counts are exact, and the same on a busy machine. Fails if
# one is past its limit:
#
#   - per message, the reading of all its fields, by the library and by libmnl's idiom; makes the corpus first
#     if there is none
#   - per change, the work of a monitor when the default route of all targets goes, from the event to the last
#     change, and per target, that of an engine that looks all up again
#   - the growth of an engine's work with ten times the targets
#
# The last two are cases of Harness/scale_growth.c, and need root for a network namespace.
#
#   benchmarks/instructions.sh [COMPILER...]     default: gcc clang
set -euo pipefail
shopt -s globstar

cd "$(dirname "$0")/.."
corpus=${REACH_CORPUS:-$PWD/benchmarks/.build/corpus}
[ -s "$corpus/varied-events.dump" ] || benchmarks/make-corpus.sh "$corpus" >/dev/null
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

count() { # recording, reader, times: instructions and messages
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		"$scratch/decode" "$corpus/$1.dump" "$2" "$3" 2>&1 |
		awk '/ messages, /{ messages = $1 } / Collected : /{ all = $4 }
			END { print all, messages }'
}

each() { # recording, reader: instructions per message
	local once twice messages
	read -r once _ < <(count "$1" "$2" 1)
	read -r twice messages < <(count "$1" "$2" 2)
	echo $(((twice - once) / messages))
}

check() { # name, instructions, limit, further text
	local verdict=
	[ "$2" -le "$3" ] || { verdict="  OVER"; failed=1; }
	echo "$1: $2 instructions (at most $3)${4:-}$verdict"
}

[ $# -gt 0 ] || set -- gcc clang
for compiler; do
	"$compiler" -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach benchmarks/Harness/decode*.c \
		Sources/CReach/message/*.c Sources/CReach/base/base.c -lmnl -o "$scratch/decode"
	# Limits: the counts with gcc 12 and clang 21, plus 2 %. Time also depends on the
	# lengths of attributes, which the branch predictor must get right.
	for case in routes4:430 routes6:540 events:505 addresses:315 links:1515 varied-events:590; do
		recording=${case%:*}
		check "$compiler $recording, per message" "$(each "$recording" reach)" "${case#*:}" \
			", libmnl $(each "$recording" libmnl)"
	done
done

gcc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach benchmarks/Harness/scale*.c \
	Sources/CReach/**/*.c -lmnl -lpthread -o "$scratch/scale"

grow() { # case, targets: instructions
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		--toggle-collect=counted "$scratch/scale" "$@" 2>&1 |
		awk '/ Collected : / { print $4 }'
}

for case in 1:5620 20:16810 100:63600; do
	check "a change, targets: ${case%:*}" "$(grow dispatch "${case%:*}")" "${case#*:}"
done

check "an event that affects none of 10,000 targets" "$(grow elsewhere 10000)" 2010

# All lookups again, as after an overrun: two per target.
check "all targets looked up again, per target" $(($(grow refresh 10000) / 10000)) 2730

# The limit is in tenths, and has room for deeper searches.
growth() { # limit, cases
	local most=$1 name few many times verdict
	shift
	for name; do
		few=$(grow "$name" 1000)
		many=$(grow "$name" 10000)
		times=$((10 * many / few))
		verdict=
		[ $times -le "$most" ] || { verdict="  OVER"; failed=1; }
		echo "$name: $((times / 10)).$((times % 10)) times with ten times" \
			"the targets (at most $((most / 10)))$verdict"
	done
}

growth 120 add default remove pairs remove-pairs equal remove-equal blackholes links names \
	optimistic resolve remove-names carrier down
growth 20 elsewhere one resolve-one
exit $failed
