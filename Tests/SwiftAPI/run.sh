#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the public declarations of each Swift product with the agreed ones, in MODULE.txt beside
# this script, as Tests/CConsumer/abi.sh does for C. A line that disappears breaks clients.
# `swift package diagnose-api-breaking-changes` (6.3) reports neither another default value of a parameter
# nor a typed throw that becomes untyped.
#
#   Tests/SwiftAPI/run.sh BUILD [--renew]     BUILD: a build of the package, .build/debug
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
cd "$here/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

target=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p' | head -n 1)
mapfile -t modules < <(sed -n 's/^ *\.library(name: "\([A-Z][A-Za-z]*\)".*/\1/p' Package.swift | grep -v '^CReach$')
for module in "${modules[@]}"; do
	# shellcheck disable=SC2046
	swift symbolgraph-extract -module-name "$module" -target "$target" -I "$build/Modules" \
		$(Sources/module-maps.sh --swiftc) -minimum-access-level public -skip-synthesized-members \
		-skip-inherited-docs -output-dir "$out"
done
python3 - "$out" "$here" "${2:-}" "${modules[@]}" <<-'END'
	import difflib, json, pathlib, sys
	graphs, agreed, renew, modules = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
	failed = False
	for module in modules:
	    lines = set()
	    # Extensions of other modules' types are in separate graphs, MODULE@OTHER.
	    for graph in [*graphs.glob(f"{module}.symbols.json"), *graphs.glob(f"{module}@*.symbols.json")]:
	        content, names = json.loads(graph.read_text()), {}
	        for symbol in content["symbols"]:
	            names[symbol["identifier"]["precise"]] = name = ".".join(symbol["pathComponents"])
	            text = "".join(part["spelling"] for part in symbol["declarationFragments"])
	            lines.add(f"{name}: {' '.join(text.split())}")
	        for relation in content["relationships"]:
	            if relation["kind"] == "conformsTo" and relation["source"] in names:
	                protocol = relation.get("targetFallback", names.get(relation["target"], ""))
	                # Every type has these, by the compiler's own rules.
	                if protocol not in ("Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"):
	                    lines.add(f"{names[relation['source']]}: is {protocol}")
	    file, text = agreed / f"{module}.txt", "\n".join(sorted(lines)) + "\n"
	    if renew == "--renew":
	        file.write_text(text)
	    before = file.read_text() if file.exists() else ""
	    print(f"{len(lines):7} public declarations of {module}")
	    if before != text:
	        failed = True
	        sys.stdout.writelines(difflib.unified_diff(
	            before.splitlines(True), text.splitlines(True), f"{module}, agreed on", f"{module}, built"))
	if failed:
	    sys.exit("the public declarations are others: if they are meant to be, Tests/SwiftAPI/run.sh BUILD --renew")
END
