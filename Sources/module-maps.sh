#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the folders of the C modules that this package's Swift modules import, as
# arguments for `swift build`, or with --swiftc for the compiler itself. A package
# that imports one of the Swift modules without depending on this package needs them:
#
#   swift build $(PATH-TO-THIS-PACKAGE/Sources/module-maps.sh)
set -eu

sources=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
case $sources in
*[[:space:]]*)
	echo "module-maps.sh: '$sources' has white space; move the package elsewhere" >&2
	exit 1
	;;
esac
pass=-Xswiftc
[ "${1:-}" != --swiftc ] || pass=
for folder in CReach/include Cepoll CSystemBus/include CConnectivity/include; do
	printf '%s ' $pass "-I$sources/$folder"
done
echo
