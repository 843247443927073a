# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What several steps share. Each step sources this file first, and continues in the top folder.
set -euo pipefail
shopt -s globstar
exec </dev/null
export CI=true DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# In a workflow's container, the clone belongs to another user, and git would refuse it.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD
scratch=$PWD/.build/ci
mkdir -p "$scratch"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# Installs what a step needs and this machine lacks, or fails with its name. Words are Debian packages, and:
#   NAME==VERSION   a tool, which pip installs into a folder of its own
#   Swift           can't be installed here
#   root            or sudo
#   tests           Swift, and the packages that the README lists for `swift test`
need() { # word...
	local word packages=() tools=()
	for word; do
		case $word in
		tests)
			need_swift
			# shellcheck disable=SC2046
			packages+=($(awk '/^apt-get install -y /{ line = $0 } /^swift test/{ sub(/.* -y /, "", line); print line }' README.md))
			;;
		Swift) need_swift ;;
		root) [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || fail "needs root, or sudo" ;;
		*==*) tools+=("$word") ;;
		*) packages+=("$word") ;;
		esac
	done
	need_packages ${packages[@]+"${packages[@]}"}
	need_tools ${tools[@]+"${tools[@]}"}
}

need_swift() {
	command -v swiftc >/dev/null || fail "needs Swift 6.2 or later in PATH: see swift.org"
	toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
}

need_packages() { # package...
	local package lacking=()
	# Steps beside this one install, too, and apt-get doesn't wait for the lock of the lists.
	exec 8>"$scratch/apt.lock" && flock 8
	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || lacking+=("$package")
	done
	[ ${#lacking[@]} -eq 0 ] || install_packages "${lacking[@]}"
	exec 8>&-
}

install_packages() { # package...
	command -v "${as_root[0]:-apt-get}" >/dev/null ||
		fail "lacks packages, and can't become root. Run as root: apt-get install -y $*"
	# What a package starts mustn't hold the lock.
	apt() { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq "$@" >/dev/null 8>&-; }
	apt install -y --no-install-recommends "$@" 2>/dev/null || {
		apt update
		apt install -y --no-install-recommends "$@"
	} || fail "can't install $*"
}

need_tools() { # NAME==VERSION...
	local tool lacking=() venv=$scratch/venv
	for tool; do
		[ -e "$venv/$tool" ] || lacking+=("$tool")
	done
	[ ${#lacking[@]} -gt 0 ] || return 0
	need_packages python3
	[ -e "$venv/bin/pip" ] || {
		python3 -c 'import ensurepip' 2>/dev/null || need_packages python3-venv
		python3 -m venv "$venv"
	}
	"$venv/bin/pip" install -q "${lacking[@]}" || fail "pip can't install ${lacking[*]}"
	(cd "$venv" && touch "${lacking[@]}")
}

# Builds the package and its tests, with these arguments. "${tests[@]}" runs the tests.
build_tests() {
	swift build --build-tests "$@"
	tests=("$(swift build --show-bin-path "$@")"/*PackageTests.xctest --testing-library swift-testing)
}

# Warns of functions and expressions that take the type checker over 3 s.
slow=(-Xswiftc -Xfrontend -Xswiftc -warn-long-function-bodies=3000
	-Xswiftc -Xfrontend -Xswiftc -warn-long-expression-type-checking=3000)

# Builds all products under a sanitizer, without the tests. One process per module does a third less work than
# SwiftPM's groups of files.
build_sanitized() { # name, arguments
	local package=$scratch/$1/package
	mkdir -p "$package"
	ln -sfn "$PWD"/{Sources,Tests,include} "$package"
	cat Package.swift - >"$package/manifest.$$" <<-'END'

		let unneeded: Set = ["reachctl", "CReachFuzz"]
		package.dependencies = []
		package.targets.removeAll { $0.type == .test || unneeded.contains($0.name) }
	END
	mv "$package/manifest.$$" "$package/Package.swift" # At once: a build beside this one may read it.
	swift build --package-path "$package" --scratch-path "$scratch/$1" --disable-index-store -Xswiftc -wmo \
		-Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gline-tables-only "${@:2}"
}

# Links these products with the tests of the ordinary build: to compile the tests, which contain little unsafe code,
# would take four times as long as the products. Leaves out the tests of the tool, those of the kernel, which
# Tests/CInternals repeats in C, and those that are compiled twice. "${tests[@]}" runs the tests.
link_sanitized() { # name, sanitizer
	local debug=$scratch/$1/debug
	build_tests
	# The linker takes the first copy of what several modules contain, such as Mutex.withLock: the instrumented one.
	awk -v folder="$debug/" '
		{ object = $0; sub(".*/debug/", "", object); sanitized = folder object }
		object ~ /^(reachctl|ArgumentParser.*|ReachctlTests|KernelTests|.*Swift5ClientTests)\.build/ { next }
		(getline line <sanitized) < 0 { others[n++] = $0; next }
		{ close(sanitized); print sanitized }
		END { for (i = 0; i < n; i++) print others[i] }' .build/debug/*PackageTests.product/Objects.LinkFileList >"$scratch/$1/objects"
	swiftc -sanitize="$2" -g -lmnl @"$scratch/$1/objects" -o "$debug/Tests"
	tests=("$debug/Tests" --testing-library swift-testing)
}

# Prints a log without its colors.
plain() { sed 's/\x1b\[[0-9;]*m//g' "$1"; }

no_warning() { # log of a build
	! plain "$1" | grep 'warning:'
}

# Prints how many tests were skipped, and why. The step `daemons` runs those of daemons. Besides them and those that
# need namespaces, at most 18 may be skipped, because the kernel, the machine, or the user namespace lacks something.
check_skipped() { # log, "made" or "skipped" for what needs a namespace
	local all skipped namespaces daemons
	all=$(plain "$1" | sed -nE 's/.*Test run with ([0-9]+) tests .* passed .*/\1/p')
	skipped=$(plain "$1" | grep -cE '^. Test .* skipped(: ".*"|\.)$' || true)
	namespaces=$(plain "$1" | grep -cE '^. Test .* skipped: "needs network namespaces' || true)
	daemons=$(plain "$1" | grep -cE '^. Test .* skipped: "needs daemons' || true)
	printf '%7d tests, %d of them skipped\n' "$all" "$skipped"
	plain "$1" | sed -nE 's/^. Test .* skipped(: (.*)|\.)$/\2/p' | sort | uniq -c
	[ $((skipped - namespaces - daemons)) -le 18 ] && [ $((all - skipped)) -ge 150 ] &&
		case $2 in
		made) [ "$namespaces" -eq 0 ] ;;
		skipped) [ "$namespaces" -ge 100 ] ;;
		esac
}
