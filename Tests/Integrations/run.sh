#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles and runs the recipes of the page Integrations.md against SwiftNIO, AsyncHTTPClient,
# ServiceLifecycle, swift-log, and swift-metrics.
#
#   Tests/Integrations/run.sh SCRATCH-PATH [--lowest]
#
# With --lowest, uses the lowest versions that the manifest allows instead of the newest.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../Sources/NetworkReachability/Documentation.docc/Integrations.md
recipes=$here/Sources/Recipes

rm -rf "$recipes"
mkdir -p "$recipes"
awk -v stem="$recipes/Recipe" '
	/^```swift$/ { file = stem (++count) ".swift"; next }
	/^```/ { file = ""; next }
	file { print > file }' "$page"
package=$here
[ "${2:-}" != --lowest ] || {
	package=$1/package
	rm -rf "$package"
	mkdir -p "$package"
	cp -r "$here"/{Sources,Tests} "$package"
	# A mirror may lack a version. SwiftPM's error would name no package, so check first.
	sed -nE 's/.*url: "([^"]+)", from: "([^"]+)".*/\1 \2/p' "$here/Package.swift" |
		while read -r url version; do
			git ls-remote --exit-code --tags "$url" "$version" >/dev/null || {
				echo "$url has no version $version here" >&2
				exit 1
			}
		done
	sed "s,from: ,exact: ,; s,path: \"../..\",path: \"${here%/*/*}\"," "$here/Package.swift" \
		>"$package/Package.swift"
}
swift test --package-path "$package" --scratch-path "$1" --disable-xctest -Xswiftc -warnings-as-errors
