// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
import ReachabilityConnectivity
import SwiftTestSupport
import Synchronization

/// A host with cables to two networks with IPv4 and IPv6, and default routes over the first.
///
///     eth0  10.9.0.1  fd00:9::1   first   10.9.0.2  fd00:9::2
///     eth1  10.8.0.1  fd00:8::1   second  10.8.0.2  fd00:8::2
///
/// 192.0.2.1 and 2001:db8::1 are addresses of both networks.
final class Networks: Sendable {
    let host: Namespace
    let first: Namespace
    let second: Namespace
    private let servers = Mutex<[Server]>([])

    init() throws {
        host = try Namespace()
        first = try Namespace()
        second = try Namespace()
        for (number, network) in [(9, first), (8, second)] {
            let name = "eth\(9 - number)"
            try host.ip("link add \(name) type veth peer name p0 netns \(network.path)")
            try network.batch([
                "link set p0 up", "addr add 10.\(number).0.2/24 dev p0",
                "addr add fd00:\(number)::2/64 dev p0 nodad", "addr add 192.0.2.1/32 dev lo",
                "addr add 2001:db8::1/128 dev lo", "link set lo up",
            ])
            try host.batch([
                "link set \(name) up", "addr add 10.\(number).0.1/24 dev \(name)",
                "addr add fd00:\(number)::1/64 dev \(name) nodad",
                "route add default via 10.\(number).0.2 metric \(10 - number)",
                "route add default via fd00:\(number)::2 metric \(10 - number)",
            ])
            try host.awaitCarrier(of: name)
            try network.awaitCarrier(of: "p0")
        }
    }

    /// Removes IPv4, so that the host has only IPv6.
    func removeIPv4() throws {
        for name in ["eth0", "eth1"] { try host.ip("-4 addr flush dev \(name)") }
    }

    /// Removes the first network, so that routes use the second one, or brings it back.
    func setFirst(_ isOn: Bool) throws {
        guard isOn else {
            try host.ip("link set eth0 down")
            return
        }
        try host.batch([
            "link set eth0 up", "addr replace fd00:9::1/64 dev eth0 nodad",
            "route replace default via 10.9.0.2 metric 1",
            "route replace default via fd00:9::2 metric 1",
        ])
        try host.awaitCarrier(of: "eth0")
        try first.awaitCarrier(of: "p0")
    }

    deinit {
        for server in servers.withLock(\.self) { server.end() }
    }

    /// Starts a server in the first network or another one, which ends with the networks.
    @discardableResult
    func serve(
        _ behavior: Server.Behavior, in network: Namespace? = nil, port: UInt16 = 0
    ) throws -> Server {
        let server = try Server(in: network ?? first, behavior, port: port)
        servers.withLock { $0.append(server) }
        return server
    }

    var target: ReachabilityTarget {
        ReachabilityTarget.internet.with(namespace: .path(host.path))
    }
}

extension ConnectivityProbe {
    /// A probe that times out on no machine, however busy.
    static func patient(_ url: String) throws -> ConnectivityProbe {
        try .http(url, timeout: .seconds(3600))
    }
}

/// Waits until a condition holds, up to the time limit of the test.
func eventually(_ isSo: () throws -> Bool) async throws {
    while !(try isSo()) { try await Task.sleep(for: .milliseconds(5)) }
}
