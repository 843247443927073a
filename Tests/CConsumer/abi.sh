#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The installed library against the committed ABI: symbols and types, which
# libabigail reads from debug information (apt-get install abigail-tools), and
# the values of enumerators. A change fails, and so does an addition until it is
# committed:
#
#   Tests/CConsumer/abi.sh            compares
#   Tests/CConsumer/abi.sh --renew    writes libreach.abi and libreach.values
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

CFLAGS="-g -Og" "$here/../../Sources/CReach/install.sh" --prefix "$work" >/dev/null
abidw --headers-dir "$work/include" --drop-private-types --drop-undefined-syms \
	--exported-interfaces-only --no-show-locs --no-corpus-path --no-comp-dir-path \
	--no-architecture --no-elf-needed --no-parameter-names --no-write-default-sizes \
	--out-file "$work/libreach.abi" "$work/lib/libreach.so"
# Most members have integer types, so that no function refers to the enums.
cpp -P -I"$work/include" "$work/include/reach/reach.h" | tr -s ' \n\t' ' ' |
	grep -oE '\bREACH_[A-Z0-9_]+ = [^,}]*[^,} ]' | sort >"$work/libreach.values"
if [ "${1:-}" = --renew ]; then
	cp "$work"/libreach.{abi,values} "$here"
	exit
fi
abidiff --no-added-syms "$here/libreach.abi" "$work/libreach.abi" &&
	! comm -23 "$here/libreach.values" "$work/libreach.values" | grep . || {
	echo "FAILED: the ABI changed: programs built against the old one break" >&2
	exit 1
}
abidiff "$here/libreach.abi" "$work/libreach.abi" &&
	diff "$here/libreach.values" "$work/libreach.values" || {
	echo "FAILED: the ABI grew: run Tests/CConsumer/abi.sh --renew and commit" >&2
	exit 1
}
