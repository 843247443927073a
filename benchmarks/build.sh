#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures what the package costs a client: the CPU seconds (user and system) of a clean release build, with
# one job, of a program that depends on one product. Also builds a program that depends on swift-log, and
# one without dependencies. Fails if the ratio of NetworkReachability to swift-log is past its limit.
#
#   benchmarks/build.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$root/benchmarks/.build/clients
# The ratio to swift-log: 20 seconds where swift-log takes 4.4.
goal=4.5
# On a busy machine, two builds of the same source differ by 10 %.
room=1.6

make_client() { # product, package, its line in the manifest
	local product=
	[ -z "$2" ] || product=".product(name: \"$1\", package: \"$2\")"
	rm -rf "${scratch:?}/$1"
	mkdir -p "$scratch/$1/Sources/Client"
	cat >"$scratch/$1/Package.swift" <<-END
		// swift-tools-version: 6.2
		import PackageDescription
		let package = Package(
		    name: "client", dependencies: [$3],
		    targets: [
		        .executableTarget(
		            name: "Client",
		            dependencies: [$product])
		    ])
	END
	echo "${2:+import $1}" >"$scratch/$1/Sources/Client/main.swift"
}

# Resolves the dependencies first, so that SwiftPM's cache has them.
build() { # product
	local client=$scratch/$1 TIMEFORMAT='%U %S'
	swift package --package-path "$client" resolve >/dev/null 2>&1
	rm -rf "$client/.build"
	{ time swift build --package-path "$client" -c release -j 1 >"$client/log" 2>&1; } 2>&1 |
		awk '{ print $1 + $2 }'
	grep -q 'Build complete' "$client/log" || { cat "$client/log" >&2; return 1; }
}

declare -A seconds
make_client None "" ""
make_client CReach reach ".package(name: \"reach\", path: \"$root\")"
make_client NetworkReachability reach ".package(name: \"reach\", path: \"$root\")"
make_client Logging swift-log '.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")'
for product in None CReach NetworkReachability Logging; do
	seconds[$product]=$(build "$product")
done
awk -v none="${seconds[None]}" -v core="${seconds[CReach]}" -v all="${seconds[NetworkReachability]}" \
	-v yardstick="${seconds[Logging]}" -v goal=$goal -v room=$room 'BEGIN {
	printf "NetworkReachability: %.1f s of CPU: C %.1f, Swift %.1f, a program without dependencies %.1f\n",
		all, core - none, all - core, none
	over = all > goal * room * yardstick
	printf "swift-log: %.1f s; ratio %.2f (goal %.1f)%s\n", yardstick, all / yardstick, goal,
		over ? "  OVER ITS LIMIT" : ""
	exit over
}'
