#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Links the consumer statically, copies it to a folder without other files of the
# package, and checks its texts there: in every language, and from an
# application's own table.
#
#   Tests/AppleConsumer/run.sh [SCRATCH-PATH]
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=${1:-$root/.build/static}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

swift build --package-path "$root" --scratch-path "$scratch" -c release \
	--static-swift-stdlib --product AppleConsumer
cp "$scratch/release/AppleConsumer" "$work/program"
! ldd "$work/program" | grep -E 'libFoundation|libswift|libdispatch' ||
	fail "the program is not linked statically"
# The modems and the bus belong to other products.
nm "$work/program" >"$work/symbols"
grep -q 17AppleReachability "$work/symbols" || fail "the program has no symbols"
! grep -iE 'system_bus|sdbus|modem_manager|14SystemServices|13CoreTelephony' "$work/symbols" ||
	fail "the program has linked modems, or the bus"

# Each language, and its text for "not reachable".
while IFS='|' read -r language expected; do
	output=$(cd / && LC_ALL=$language timeout 60 "$work/program")
	[ "$(head -n 1 <<<"$output")" = "$expected" ] || fail "$language: $output"
	[ "$(wc -l <<<"$output")" = 6 ] || fail "$language: $output"
done <<-END
	C|Not Reachable
	en_GB.UTF-8|Not Reachable
	zh_CN.UTF-8|无法连接
	zh_TW.UTF-8|無法連線
	ja_JP.UTF-8|接続できません
	ko_KR.UTF-8|연결할 수 없음
	de_AT.UTF-8|Nicht erreichbar
	fr_FR.UTF-8|Injoignable
	es_MX.UTF-8|No accesible
	it_IT.UTF-8|Non raggiungibile
	pt_BR.UTF-8|Inacessível
	ru_RU.UTF-8|Недоступно
	ar_EG.UTF-8|غير قابل للوصول
END

mkdir "$work/de.lproj"
echo '"Not Reachable" = "Kein Netz";' >"$work/de.lproj/AFNetworking.strings"
output=$(cd / && LC_ALL=de_DE.UTF-8 timeout 60 "$work/program")
[ "$(head -n 1 <<<"$output")" = "Kein Netz" ] || fail "the application's table: $output"
[ "$(sed -n 4p <<<"$output")" = "Unbekannt" ] || fail "a table with a gap: $output"
# Lines that must not compile, and the remedy that the error names: calls that Objective-C marks as
# NS_UNAVAILABLE.
modules=$(find "$scratch/release/" -name AppleReachability.swiftmodule -printf '%h\n' | head -n 1)
while IFS='|' read -r call mend; do
	printf 'import AppleReachability\nlet value = %s\n' "$call" >"$work/refused.swift"
	# shellcheck disable=SC2046
	! output=$(swiftc -typecheck $("$root/Sources/module-maps.sh" --swiftc) -I "$modules" \
		"$work/refused.swift" 2>&1) ||
		fail "$call compiles"
	grep -q "$mend" <<<"$output" || fail "$call: $output"
done <<-END
	AFNetworkReachabilityManager()|is unavailable: use shared(), manager()
	AFNetworkReachabilityManager.new()|is unavailable: use shared(), manager()
END
echo "all of AppleConsumer passed"
