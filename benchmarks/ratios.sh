#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the benchmark target and prints the ratios of its benchmarks to their yardsticks: a pass over the memory
# for flags in C, and C for Swift. Fails if a ratio stays past its limit in three runs. A figure is that of a
# benchmark's fastest iteration, since other load only adds time.
#
#   benchmarks/ratios.sh
set -euo pipefail

cd "$(dirname "$0")/.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

ratios() { # result files
	python3 - "$@" <<-'END'
		import json, sys
		best = {}
		for path in sys.argv[1:]:
		    for result in json.load(open(path)):
		        name = result["benchmark"].split(".")[-1].replace("_", " ")
		        speed = max(result["primaryMetric"]["rawData"][0])
		        best[name] = max(speed, best.get(name, 0))
		rows = [("128 Ki flags, C", "128 Ki flags, memory pass", 1.4),
		        ("128 Ki flags, Swift", "128 Ki flags, C", 1.3)]
		failed = False
		for name, yardstick, most in rows:
		    ratio = best[yardstick] / best[name]
		    failed |= ratio > most
		    print(f"{name} / {yardstick}: {ratio:.2f} (at most {most:.2f})"
		          + ("  OVER" if ratio > most else ""))
		sys.exit(failed)
	END
}

for try in 1 2 3; do
	mkdir "$results/$try"
	swift package --package-path benchmarks --disable-sandbox benchmark --no-progress \
		--format jmh --path "$results/$try" >"$results/log" 2>&1 || { cat "$results/log"; exit 1; }
	! ratios "$results"/*/*.json || exit 0
	echo "past a limit: trying again"
done
exit 1
