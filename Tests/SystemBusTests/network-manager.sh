#!/bin/sh
# SPDX-License-Identifier: MIT
# NetworkManager in namespaces of its own, with a veth whose connection is
# metered, a web server behind it that answers its connectivity check, and a
# tunnel:
#
#	unshare --net --mount network-manager.sh ROOT FOLDER
#
# ROOT has the unpacked packages; FOLDER has the socket of the bus and a file
# "check", the server's answer. A line in FOLDER/stop ends the server. No
# process outlives NetworkManager, which takes the place of this one; it looks
# for its callers in /proc, so they share a PID namespace.
set -eu
root=$1
folder=$2

with_this() {
	exec setpriv --pdeathsig KILL "$@"
}

mount -t tmpfs none /run
mount -t tmpfs none /var/lib
# Devices are managed without udev where /sys is read-only.
mount -t sysfs -o ro none /sys
mkdir -p /run/NetworkManager /var/lib/NetworkManager /run/connections

ip link set lo up
ip link add veth0 type veth peer name veth1
with_this unshare --net sleep infinity &
peer=$!
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
	:
done
ip link set veth1 netns $peer
ip tuntap add dev tun0 mode tun
ip address add 10.7.0.1/32 dev tun0
ip link set tun0 up
ip route add 198.51.100.1/32 dev tun0
nsenter --net=/proc/$peer/ns/net sh -c '
	ip address add 192.0.2.2/24 dev veth1 && ip link set veth1 up'
with_this nsenter --net=/proc/$peer/ns/net python3 -m http.server 8080 \
	--bind 192.0.2.2 --directory "$folder" >/dev/null 2>&1 &
server=$!
with_this sh -c 'read -r _ <"$0/stop" && kill "$1"' "$folder" $server &

cat >/run/connections/veth0.nmconnection <<-END
	[connection]
	id=veth0
	type=ethernet
	interface-name=veth0
	metered=1
	[ipv4]
	method=manual
	address1=192.0.2.1/24,192.0.2.2
	[ipv6]
	method=disabled
END
chmod 600 /run/connections/veth0.nmconnection
cat >/run/NetworkManager.conf <<-END
	[main]
	plugins=keyfile
	dns=none
	rc-manager=unmanaged
	[keyfile]
	path=/run/connections
	[connectivity]
	uri=http://192.0.2.2:8080/check
	response=ok
END
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$folder/bus"
export LD_LIBRARY_PATH="$root/usr/lib/$(uname -m)-linux-gnu:$root/lib/$(uname -m)-linux-gnu"
exec "$root/usr/sbin/NetworkManager" --debug --config=/run/NetworkManager.conf \
	--config-dir=/run/none --system-config-dir=/run/none \
	--intern-config=/run/NetworkManager/intern.conf \
	--state-file=/run/NetworkManager/state --pid-file=/run/NetworkManager/pid \
	>"$folder/log" 2>&1
