#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts the instructions that a message takes until every field of it was read,
# by the library and by libmnl's idiom, and fails if a recording takes more than
# its limit. The count is that of valgrind's callgrind: exact, and the same on a
# busy machine. Makes the corpus first if there is none.
#
# And fails if with ten times the targets an engine takes more than ten times
# the instructions, or more at all where only few are affected: the cases are in
# Harness/scale_growth.c. Needs root for a network namespace.
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
		"$scratch/decode" "$corpus" --count "$@" 2>&1 |
		awk '/ messages, /{ messages = $1 } / Collected : /{ all = $4 }
			END { print all, messages }'
}

each() { # recording, reader: instructions a message
	local once twice messages
	read -r once _ < <(count "$1" "$2" 1)
	read -r twice messages < <(count "$1" "$2" 2)
	echo $(((twice - once) / messages))
}

workloads=benchmarks/Sources/CWorkloads
[ $# -gt 0 ] || set -- gcc clang
for compiler; do
	# shellcheck disable=SC2046
	"$compiler" -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach -I$workloads -I$workloads/include \
		-ITests/Fuzz benchmarks/Harness/decode*.c $workloads/{corpus,idiom,reach}.c \
		Tests/Fuzz/{decoder,reference*}.c Sources/CReach/message/*.c Sources/CReach/base/{address,sized}.c \
		$(pkg-config --cflags --libs libmnl) -o "$scratch/decode"
	# Limits: what gcc 12 and clang 21 came to, and a tenth. Time also depends on
	# the lengths of attributes, which the branch predictor must get right.
	for case in routes4:400 routes6:520 events:480 addresses:300 links:1520 mixed:540; do
		recording=${case%:*} limit=${case#*:}
		each=$(each "$recording" reach)
		verdict=
		[ "$each" -le "$limit" ] || { verdict="  OVER"; failed=1; }
		echo "$compiler $recording: $each instructions a message (at most $limit)," \
			"libmnl $(each "$recording" libmnl)$verdict"
	done
done

gcc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach benchmarks/Harness/scale*.c \
	Sources/CReach/**/*.c -lmnl -lpthread -o "$scratch/scale"

grow() { # case, targets: instructions
	valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
		--toggle-collect=counted "$scratch/scale" "$@" 2>&1 |
		awk '/ Collected : / { print $4 }'
}

# Tenths, with room for the depth of what is searched.
growth() { # most, cases
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

growth 120 add default remove pairs remove-pairs remove-halves remove-leaders blackholes links names resolve remove-names
growth 20 elsewhere one carrier down resolve-one
exit $failed
