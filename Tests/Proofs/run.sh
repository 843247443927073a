#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves properties of the code that reads the kernel's bytes, with CBMC (bounded model checking). For
# any bytes there is no access outside of a message, no overflow, and no endless loop, and the
# assertions of proof_*() hold.
#
#   Tests/Proofs/run.sh [FOLDER [PROOF...]]    FOLDER receives CBMC and the logs
#
# Debian 12 has no CBMC. So the script unpacks Debian 13's, with the libraries it was built for, and
# doesn't install it.
set -euo pipefail
cd "$(dirname "$0")/../.."

mkdir -p "${1:-.build/ci/proofs}"
out=$(cd "${1:-.build/ci/proofs}" && pwd)
shift $(($# > 0))
wanted=("$@")

cbmc_packages() {
	local apt=$out/apt package keys=/usr/share/keyrings/debian-archive-keyring.gpg as_root=()
	[ "$(id -u)" -eq 0 ] || as_root=(sudo)
	# On Ubuntu, a package has the keys.
	[ -e "$keys" ] || "${as_root[@]}" apt-get install -y -qq debian-archive-keyring
	mkdir -p "$apt"/{lists,archives}/partial
	: >"$apt/status"
	echo "deb [signed-by=$keys] http://deb.debian.org/debian trixie main" \
		>"$apt/sources"
	local options=(-qq -o APT::Sandbox::User=root -o APT::Install-Recommends=0
		-o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt"
		-o Dir::Etc::SourceList="$apt/sources" -o Dir::Etc::SourceParts=/dev/null)
	apt-get "${options[@]}" update
	(cd "$apt/archives" && apt-get "${options[@]}" download cbmc minisat libc6 libstdc++6 libgcc-s1 zlib1g)
	for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$out/root"; done
	touch "$out/root/complete"
}

cbmc() {
	"$(echo "$out"/root/usr/lib/*/ld-linux-*.so.*)" \
		--library-path "$(echo "$out"/root/usr/lib/*-linux-gnu):$out/root/usr/lib" \
		"$out/root/usr/bin/cbmc" -Iinclude -ISources/CReach -ITests/Proofs --unwinding-assertions \
		--bounds-check --pointer-check --pointer-overflow-check --signed-overflow-check \
		--undefined-shift-check --div-by-zero-check "$@"
}

# A loop that takes more than UNWIND rounds is a failure. One proof per processor runs at a time.
prove() { # name, function, unwind, arguments
	[ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]] || return 0
	[ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n || true
	run "$@" &
}

run() { # as prove()
	local start=$SECONDS log=$out/$1.log
	if timeout 300 bash -c 'cbmc "$@"' - --function "$2" --unwind "$3" "${@:4}" >"$log" 2>&1; then
		printf '%4d s  %s\n' $((SECONDS - start)) "$1"
	else
		grep FAILURE "$log" || tail -n 5 "$log"
		echo "not proven: $1" | tee -a "$out/failed" >&2
	fi
}
export out
export -f cbmc

attributes() {
	local proof
	for proof in align begin step inside number address string; do
		prove "$proof" "proof_$proof" 18 Tests/Proofs/attributes.c
	done
}

# Proves the decoder of each message's fixed header.
fixed() { # file, decoder
	prove "fixed_$2" proof_fixed 33 Tests/Proofs/fixed.c -DDECODE="reach_decode_$2" \
		-DDECODER="\"message/decode_$1.c\""
}

bodies() {
	local proof
	for proof in rule netconf; do
		prove "$proof" "proof_$proof" 17 Tests/Proofs/rare.c
		fixed rare "$proof"
	done
	for proof in address_attribute endpoints; do
		prove "$proof" "proof_$proof" 17 Tests/Proofs/address.c
	done
	fixed address address
	prove link proof_link 18 Tests/Proofs/link.c
	prove tunnel proof_tunnel 18 Tests/Proofs/link.c Sources/CReach/base/base.c
	fixed link link
	for proof in via expiry copy4 copy6; do
		prove "$proof" "proof_$proof" 17 Tests/Proofs/route.c
	done
	prove legs proof_legs 6 Tests/Proofs/route.c
	fixed route route
}

# Proves the event filter's program for these prefixes, which are sorted and disjoint. The interpreter
# refuses loads from outside the message, so CBMC's default checks can be off.
filter() { # name, family, lengths of IPv4 prefixes, number of IPv6 prefixes, rules
	prove "filter_$1" proof_filter 17 -ITests/CInternals \
		Tests/Proofs/filter.c Sources/CReach/filter/filter_{program,tree}.c \
		--unwindset run.0:400,meet.0:129,any_prefixes.1:33,find_attribute.0:10,find.0:10 \
		--object-bits 14 --max-field-sensitivity-array-size 400 --no-standard-checks \
		-DFAMILY="$2" -DINET="$3" -DINET6="$4" -DSTOCK="$5"
}

[ -e "$out/root/complete" ] || cbmc_packages
rm -f "$out/failed"
attributes
prove header proof_header 17 Tests/Proofs/header.c Sources/CReach/message/decode.c \
	Sources/CReach/base/base.c
bodies
prove status proof_status 2 Tests/Proofs/flags.c Sources/CReach/flags/flags.c
prove in_prefix proof_in_prefix 129 Tests/Proofs/prefixes.c Sources/CReach/base/base.c
prove cut proof_cut 129 Tests/Proofs/prefixes.c Sources/CReach/base/base.c
filter none 0 "" 0 3
filter inet AF_INET 20,32,9,24,24 0 1
filter inet6 AF_INET6 "" 5 2
filter tables AF_INET6 24 1 0
wait
[ ! -e "$out/failed" ]
