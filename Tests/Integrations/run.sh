#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The recipes of the page Integrations.md, compiled and run against SwiftNIO, ServiceLifecycle, swift-log,
# and swift-metrics.
#
#   Tests/Integrations/run.sh SCRATCH-PATH [--lowest]
#
# With --lowest it takes the lowest version of each that the manifest allows, not the newest.
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
	# Says which version is missing, where there is a mirror; SwiftPM names no package then.
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
