// SPDX-License-Identifier: MIT
import BusTestSupport
import CSystemBus
import Foundation
import SwiftTestSupport
import Testing

@Suite("The real NetworkManager", .needsDaemons, .blocking, .timeLimit(.minutes(10)))
struct RealDaemonTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private func answer(_ text: String) throws {
        try place.folder.write(text, to: "check")
    }

    private func run(_ arguments: [String]) throws {
        let (output, status) = try Child.run(arguments)
        try #require(status == 0, "\(output)")
    }

    private func call(_ member: String) throws {
        try run([
            "dbus-send", "--bus=\(place.address)", "--print-reply", "--reply-timeout=60000",
            "--dest=org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
            "org.freedesktop.NetworkManager.\(member)",
        ])
    }

    private func metered(_ value: String) throws {
        try run([
            "env", "DBUS_SYSTEM_BUS_ADDRESS=\(place.address)",
            "LD_LIBRARY_PATH=\(daemons ?? "")/usr/lib/\(machine)-linux-gnu",
            "\(daemons ?? "")/usr/bin/nmcli", "device", "modify", "veth0", "connection.metered",
            value,
        ])
    }

    private func daemon() throws -> Child {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("network-manager.sh").path
        return try Child([
            "unshare", "--net", "--mount", script, daemons ?? "", place.folder.url.path,
        ])
    }

    /// The output of `reachctl status` in NetworkManager's namespace.
    private func status(of target: String, beside process: CInt) throws -> String {
        try Child.run([
            "nsenter", "--net=/proc/\(process)/ns/net", "env",
            "DBUS_SYSTEM_BUS_ADDRESS=\(place.address)", program("reachctl"), "status", "--json",
            target,
        ]).output
    }

    @Test("Changes of a veth's connectivity and metered value are reported, as is the daemon's end")
    func veth() throws {
        try run(["mkfifo", place.folder.file("stop").path])
        try answer("ok")
        try place.startBus()
        let daemon = try daemon()
        let client = try Client(place, watching: network)
        #expect(client.wait { $0.state.metered == 1 && $0.state.connectivity == 4 })
        #expect(client.state.checks == 1)
        #expect(client.checkURI == "http://192.0.2.2:8080/check")
        let veth = client.devices.values.first { $0.interface == "veth0" }
        #expect(veth?.metered == 1 && veth?.connectivity.first == 4)
        #expect(veth?.state == 100)
        // NetworkManager knows nothing about a tunnel, and reports a guess.
        #expect(
            client.wait {
                $0.devices.values.contains { $0.interface == "tun0" && $0.metered == 4 }
            })
        let tunnel = try status(of: "198.51.100.1", beside: daemon.pid)
        #expect(
            tunnel.contains(#""name":"tun0","class":"vpn""#) && tunnel.contains(#""metered":true"#))
        try answer("please log in")
        try call("CheckConnectivity")
        #expect(client.wait { $0.state.connectivity == 2 })
        try "stop\n".write(
            toFile: place.folder.file("stop").path, atomically: false,
            encoding: .utf8)
        #expect(
            client.wait {
                (try? call("CheckConnectivity")) != nil && $0.state.connectivity == 3
            })
        try metered("no")
        #expect(client.wait { $0.state.metered == 2 })
        let free = try status(of: "198.51.100.1", beside: daemon.pid)
        #expect(free.contains(#""metered":false"#))
        end(daemon)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_NO_DAEMON))
    }

    private func end(_ daemon: consuming Child) {}
}

#if arch(x86_64)
private let machine = "x86_64"
#else
private let machine = "aarch64"
#endif
