#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Imports the modules like a client that doesn't depend on the package: with the
# folder of the modules and the C module maps. Then builds a package that doesn't
# name this one, with the commands on the page of SystemConfiguration.
#
#   Tests/CanImport/run.sh BUILD-FOLDER SCRATCH-PATH
#
# BUILD-FOLDER is a finished build of the package (.build/debug).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
client=$here/Client/Sources/Client/Client.swift
read -ra found <<<"-I $build/Modules $("$root/Sources/module-maps.sh" --swiftc)"

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

step "each module can be imported with the folder of the modules and the module maps"
for module in NetworkReachability NetworkReachabilityTesting SystemServices \
	ReachabilityConnectivity AppleReachability CoreTelephony SystemConfiguration NetworkPath; do
	echo "import $module" >"$scratch/import.swift"
	for version in 5 6; do
		swiftc -typecheck -swift-version $version "${found[@]}" "$scratch/import.swift" || fail "import $module as Swift $version"
	done
done

# Lists the objects of some modules that SwiftPM links. The folder itself also has objects of deleted sources.
objects() {
	grep -hE "/($1)\\.build/" "$build"/*PackageTests.product/Objects.LinkFileList >"$scratch/objects"
}

step "a client of both systems, with the line that NetworkPath's page has for it"
objects 'NetworkPath|NetworkReachability|CReach'
for version in 5 6; do
	cp "$here/Porter.swift" "$scratch/main.swift"
	swiftc -warnings-as-errors -swift-version $version "${found[@]}" "$scratch/main.swift" \
		"@$scratch/objects" -lmnl -o "$scratch/porter"
	[ "$("$scratch/porter")" = true ] || fail "the client as Swift $version"
done

step "a client links and runs with the objects beside that folder"
echo 'print(canReach(host: "127.0.0.1") == true)' >"$scratch/main.swift"
objects 'SystemConfiguration|RunLoops|NetworkReachability|CReach'
swiftc "${found[@]}" "$client" "$scratch/main.swift" "@$scratch/objects" -lmnl \
	-o "$scratch/client"
[ "$("$scratch/client")" = true ] || fail "the client"

# Run the commands where the page says: in a package with this one among its checkouts.
step "a package that does not know of this one, built as the page says"
page=$root/Sources/SystemConfiguration/Documentation.docc/SystemConfiguration.md
sed -n '/^```sh$/,/^```$/ { /^```/d; p }' "$page" >"$scratch/commands"
[ -s "$scratch/commands" ] || fail "the page has no commands"
rm -rf "$scratch/app"
mkdir -p "$scratch/app/App/.build/checkouts"
cp -r "$here"/{App,Client} "$scratch/app"
ln -s "$root" "$scratch/app/App/.build/checkouts/swift-network-reachability"
sed -i "s|path: \"../../..\"|path: \"$root\"|" "$scratch/app/App/Package.swift"
(cd "$scratch/app/App" && bash -eu "$scratch/commands" 2>&1 | tee "$scratch/app/log")
! grep 'warning:' "$scratch/app/log" || fail "the build warns"
[ "$("$scratch/app/App/.build/debug/App")" = true ] || fail "the program"
[ "$(ls "$scratch/app/App/.build/checkouts")" = swift-network-reachability ] ||
	fail "it fetched $(ls "$scratch/app/App/.build/checkouts")"

# SwiftPM checks out every package that it fetches. The client builds a target without dependencies,
# for which SwiftPM still fetches the packages of all targets. The client depends on a branch, because
# versions leave fingerprints in the home folder.
step "a client by URL fetches this package and no other"
rm -rf "$scratch/fetch"
mkdir -p "$scratch"/fetch/{package,client/Sources/{Client,Nothing}}
tar -C "$root" --exclude=.build -c Package.swift Sources Tests include |
	tar -C "$scratch/fetch/package" -x
git -C "$scratch/fetch/package" init -q -b main
git -C "$scratch/fetch/package" add .
git -C "$scratch/fetch/package" -c user.name=test -c user.email=test@example.invalid \
	-c commit.gpgsign=false commit -q -m package
echo 'import NetworkReachability' >"$scratch/fetch/client/Sources/Client/main.swift"
echo >"$scratch/fetch/client/Sources/Nothing/Nothing.swift"
# Pin a version of the tool's parser that doesn't exist: the pins of this package must not affect clients.
sed -i '/swift-argument-parser/s/exact: "[^"]*"/exact: "0.0.0"/' "$scratch/fetch/package/Package.swift"
git -C "$scratch/fetch/package" -c user.name=test -c user.email=test@example.invalid \
	-c commit.gpgsign=false commit -q -a -m pinned
cat >"$scratch/fetch/client/Package.swift" <<-END
	// swift-tools-version: 6.2
	import PackageDescription

	let package = Package(
	    name: "Client",
	    dependencies: [.package(url: "file://$scratch/fetch/package", branch: "main")],
	    targets: [
	        .target(name: "Nothing"),
	        .executableTarget(
	            name: "Client",
	            dependencies: [.product(name: "NetworkReachability", package: "package")]),
	    ])
END
swift build --cache-path "$scratch/fetch/cache" --package-path "$scratch/fetch/client" \
	--target Nothing >&2 || fail "the client"
[ "$(ls "$scratch/fetch/client/.build/checkouts")" = package ] || fail "packages of the client"
git -C "$scratch/fetch/package" reset -q --hard HEAD~

step "a client that does not name the product builds and links nothing of it"
swift build --cache-path "$scratch/fetch/cache" --package-path "$scratch/fetch/client" \
	--product Client >&2 || fail "the client"
[ -z "$(find "$scratch/fetch/client/.build/debug/" -path '*Connectivity*.build/*.o')" ] ||
	fail "the client has built ReachabilityConnectivity"
! nm "$scratch/fetch/client/.build/debug/Client" | grep -qi 'connectivity_\|24ReachabilityConnectivity' ||
	fail "the client has linked ReachabilityConnectivity"

step "this package fetches what the tool needs"
swift package --cache-path "$scratch/fetch/cache" --package-path "$scratch/fetch/package" resolve
[ "$(ls "$scratch/fetch/package/.build/checkouts")" = swift-argument-parser ] ||
	fail "packages of the tool"
echo "all of CanImport passed"
