#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs `reachctl watch --prometheus` beside node_exporter and Prometheus, in a network namespace of their own.
#
#   Tests/Fleet/run.sh REACHCTL FOLDER-OF-PROMETHEUS
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
export tool work files PATH
tool=$(realpath "$1")
PATH=$(realpath "$2"):$PATH
files=$here/../../Sources/reachctl/prometheus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { echo "--- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}
# Waits until an expression of PromQL has a result.
await() { # expression
	local end=$((SECONDS + 120))
	until [ -n "$(promtool query instant http://127.0.0.1:9090 "$1" 2>"$work/error")" ]; do
		[ $SECONDS -lt $end ] || fail "$1 has no result: $(cat "$work/error" "$work"/*.log)"
		sleep 0.2
	done
}
export -f step fail await

step "the rules"
cp "$files/reachctl-alerts.yml" "$here/alerts.yml" "$work"
promtool check rules "$work/reachctl-alerts.yml"
promtool test rules "$work/alerts.yml"

# One host, and no patience.
sed -i 's/for: 5m/for: 0s/' "$work/reachctl-alerts.yml"
cat >"$work/prometheus.yml" <<-'END'
	global: { scrape_interval: 1s, evaluation_interval: 1s }
	rule_files: [reachctl-alerts.yml]
	scrape_configs: [{ job_name: node, static_configs: [{ targets: ['127.0.0.1:9100'] }] }]
	END

# shellcheck disable=SC2016
unshare -rmn bash -euo pipefail -c '
	trap "kill \$(jobs -p) || true" EXIT
	mkdir "$work/textfile"
	file=$work/textfile/reachctl.prom
	ip link set lo up
	ip link add eth0 type veth peer name p0
	ip link set eth0 up
	ip link set p0 up
	ip addr add 10.9.0.1/24 dev eth0
	ip route add default via 10.9.0.2
	"$tool" watch --prometheus "$file" internet 127.0.0.1 >"$work/lines.log" &
	watch=$!
	prometheus-node-exporter --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$work/textfile" --web.listen-address=127.0.0.1:9100 2>"$work/exporter.log" &
	prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
		--web.listen-address=127.0.0.1:9090 2>"$work/prometheus.log" &

	step "a state reaches Prometheus"
	await "network_reachable{target=\"internet\"} == 1"
	await "network_reachability_info{interface=\"eth0\", reason=\"\"}"
	await "node_textfile_scrape_error == 0"
	problems=$(promtool check metrics <"$file" 2>&1) && [ -z "$problems" ] || fail "$problems"

	step "a change reaches Prometheus, and sets off the alert"
	ip route del default
	await "network_reachable{target=\"internet\"} == 0"
	await "network_reachability_info{target=\"internet\", reason=\"noRoute\"}"
	await "network_reachability_changes_total{target=\"internet\"} == 1"
	await "ALERTS{alertname=\"TargetNotReachable\", alertstate=\"firing\", target=\"internet\"}"
	await "absent(ALERTS{target=\"127.0.0.1\"})"

	step "each panel of the dashboard has data"
	count=0
	while read -r expression; do
		await "$expression"
		count=$((count + 1))
	done < <(python3 -c "
import json, sys
for panel in json.load(open(sys.argv[1]))[\"panels\"]:
    for target in panel[\"targets\"]:
        print(target[\"expr\"].replace(\"\$target\", \".*\").replace(\"\$__rate_interval\", \"1m\"))" "$files/reachctl-dashboard.json")
	[ $count -eq 4 ] || fail "$count panels"

	step "after the end, the series are gone"
	kill $watch
	wait $watch
	[ -z "$(ls -A "$work/textfile")" ] || fail "$(ls -A "$work/textfile")"
	await "absent(network_reachable)"
	await "absent(network_reachability_info)"'
echo "all of Fleet passed"
