#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the programs in benchmarks/Harness, which need a process or a network
# namespace of their own, and runs them beside their yardsticks and peers. Each
# prints ratios, and exits with 1 if one is past its limit. The limits are in its
# source: a goal, and the room that a shared machine needs.
#
# Needs root, iproute2, gcc, make, pkg-config, libmnl-dev, libnl-route-3-dev, and
# libglib2.0-dev. flags, latency, and start also need Swift, and start Python 3.
#
#   benchmarks/harness.sh [--short] [NAME...]     default: all, one by one
#   benchmarks/harness.sh --plot                  all of them, and the scripts beside this one; writes
#                                                 figures.txt, speed.svg, and the table of README.md
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/benchmarks/.build/harness
peers=(libnl-route-3.0 gio-2.0)
short=()
tries=1

everything() {
	local script failed=0
	sed -n 's/^model name[^:]*: /processor: /p' /proc/cpuinfo | head -n 1
	echo "cores: $(nproc), kernel: $(uname -r), load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
	swift --version 2>/dev/null | head -n 1
	"$root/benchmarks/harness.sh" || failed=1
	for script in ratios instructions allocations build; do
		printf '\n== %s\n' $script
		"$root/benchmarks/$script.sh" || failed=1
	done
	return $failed
}

if [ "${1:-}" = --plot ]; then
	set +e
	everything | tee "$root/benchmarks/figures.txt"
	status=$?
	set -e
	"$root/benchmarks/figures.py"
	exit $status
fi
if [ "${1:-}" = --short ]; then
	short=(--short)
	tries=3
	shift
fi
[ $# -gt 0 ] || set -- flags scale storm first_answer latency start

cd "$root"
mkdir -p "$build"
make -s -C Sources/CReach BUILD="$build/libreach" CFLAGS=-O2 install PREFIX="$build/reach" >/dev/null
library=("$build/reach/lib/libreach.a" -lmnl -lpthread)

compile() { # program, sources and other arguments
	local program=$1
	shift
	"${compiler:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -ISources/CReach \
		"$@" -o "$build/$program"
}

run() { # program and arguments
	local program=$1
	shift
	"$build/$program" "$@" ${short[@]+"${short[@]}"}
}

# clang vectorizes the pass over the memory.
flags() {
	compiler=clang compile flags benchmarks/Harness/flags.c benchmarks/Sources/CWorkloads/flags.c \
		-Ibenchmarks/Sources/CWorkloads/include "${library[@]}"
	run flags
}

scale() {
	compile scale benchmarks/Harness/scale*.c "${library[@]}"
	run scale
}

storm() {
	# shellcheck disable=SC2046
	compile storm benchmarks/Harness/{storm*,peer*}.c "${library[@]}" \
		$(pkg-config --cflags --libs "${peers[@]}")
	run storm
}

# This measures the start of a process, so each contender is a program.
first_answer() {
	local contender=(benchmarks/Harness/first_answer_contender.c benchmarks/Sources/CBoard/*.c)
	compile first_answer benchmarks/Harness/first_answer.c benchmarks/Sources/CBoard/board.c -lmnl
	compile raw -DRAW "${contender[@]}"
	compile library -DLIBRARY "${contender[@]}" -L"$build/reach/lib" -lreach \
		-Wl,-rpath,"$build/reach/lib"
	# shellcheck disable=SC2046
	compile glib -DCONTENDER=peer_glib "${contender[@]}" benchmarks/Harness/peer_glib.c \
		$(pkg-config --cflags --libs gio-2.0)
	# shellcheck disable=SC2046
	compile libnl -DCONTENDER=peer_libnl "${contender[@]}" benchmarks/Harness/peer_libnl.c \
		$(pkg-config --cflags --libs libnl-route-3.0)
	run first_answer "$build"
}

latency() {
	local swift=(--package-path benchmarks -c release)
	# shellcheck disable=SC2046
	compile latency benchmarks/Harness/{latency*,peer*}.c benchmarks/Sources/CBoard/*.c \
		"${library[@]}" $(pkg-config --cflags --libs "${peers[@]}")
	swift build "${swift[@]}" --product LatencyListener >&2
	swift build "${swift[@]}" --product LatencyApple >&2
	run latency "$(swift build "${swift[@]}" --show-bin-path)"
}

# Measures how long the tool takes to start, as .packaging/test.sh builds it: `reachctl flags 0`, which sends
# nothing to the kernel. The yardstick is an empty Swift program, which loads Swift's runtime as shared libraries.
# The two take turns, and the ratio is that of the minima.
start() {
	local tool=(--package-path "$root" --scratch-path "$root/.build/debian" -c release
		--product reachctl --static-swift-stdlib)
	swift build "${tool[@]}" >&2
	: >"$build/main.swift"
	swiftc -O "$build/main.swift" -o "$build/empty"
	python3 - "$(swift build "${tool[@]}" --show-bin-path)/reachctl" "$build/empty" \
		${short[@]+"${short[@]}"} <<-'END'
		import os, sys, time
		GOAL = 2.0
		quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
		def start(program):
		    begin = time.monotonic_ns()
		    pid = os.posix_spawn(program, [program, "flags", "0"], os.environ, file_actions=quiet)
		    if os.waitpid(pid, 0)[1]:
		        sys.exit(f"{program} failed")
		    return (time.monotonic_ns() - begin) / 1e6
		rounds = range(60 if "--short" in sys.argv else 300)
		tool, empty = map(min, zip(*([start(program) for program in sys.argv[1:3]] for _ in rounds)))
		print(f"reachctl flags 0: {tool:.2f} ms, an empty Swift program: {empty:.2f} ms,"
		      f" ratio {tool / empty:.2f} (goal {GOAL}){'  OVER ITS LIMIT' if tool / empty > GOAL else ''}")
		sys.exit(tool / empty > GOAL)
	END
}

failed=()
for name; do
	# Retry: other load on the machine passes, but a slow program stays slow.
	for try in $(seq "$tries"); do
		printf '\n== %s\n' "$name"
		echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
		# In a condition, bash ignores `set -e`, and the function would go on after an error.
		set +e
		(set -e && "$name")
		status=$?
		set -e
		[ $status -ne 0 ] || break
		[ "$try" -eq "$tries" ] || echo "past a limit: trying again"
	done
	[ $status -eq 0 ] || failed+=("$name")
done
[ ${#failed[@]} -eq 0 ] || { echo "past a limit: ${failed[*]}"; exit 1; }
