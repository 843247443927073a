#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The recipes of the page Integrations.md, compiled and run against SwiftNIO, ServiceLifecycle, swift-log,
# and swift-metrics.
#
#   Tests/Integrations/run.sh SCRATCH-PATH
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
swift test --package-path "$here" --scratch-path "$1" --disable-xctest -Xswiftc -warnings-as-errors
