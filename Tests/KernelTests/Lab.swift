// SPDX-License-Identifier: MIT
import NetworkReachability
// With this import, every file of the test target sees SwiftTestSupport.
@_exported import SwiftTestSupport
import Testing

/// A monitored host, and the other ends of its cables in a second namespace.
struct Lab {
    let host: Namespace
    let peer: Namespace

    /// Lays the cables: `eth0` has 10.9.0.1/24 and 2001:db8:9::1/64, its peer `p0` the same with
    /// a 2 at the end; `eth1` has 10.9.1.1/24 and 2001:db8:9:1::1/64, and so on.
    init(links: Int = 1, defaultRoute: Bool = true) throws {
        host = try Namespace()
        peer = try Namespace()
        for number in 0..<links {
            try cable(number)
            try address(number)
        }
        for number in 0..<links {
            try host.awaitLocal(["2001:db8:9:", "fe80:"], on: "eth\(number)")
            try peer.awaitLocal(["2001:db8:9:", "fe80:"], on: "p\(number)")
        }
        if defaultRoute { try self.defaultRoute() }
    }

    /// Lays a cable and brings both ends up, with link-local addresses alone.
    func cable(_ number: Int) throws {
        try host.ip("link add eth\(number) type veth peer name p\(number) netns \(peer.path)")
        try peer.ip("link set p\(number) up")
        try host.ip("link set eth\(number) up")
    }

    func address(_ number: Int) throws {
        try host.ip("addr add 10.9.\(number).1/24 dev eth\(number)")
        try host.ip("addr add 2001:db8:9:\(number)::1/64 dev eth\(number) nodad")
        try peer.ip("addr add 10.9.\(number).2/24 dev p\(number)")
        try peer.ip("addr add 2001:db8:9:\(number)::2/64 dev p\(number) nodad")
    }

    func defaultRoute(_ number: Int = 0) throws {
        try host.ip("route add default via 10.9.\(number).2")
        try host.ip("-6 route add default via 2001:db8:9:\(number)::2")
    }

    /// Pulls or plugs the cable; the host's end notices within a second (linkwatch).
    func carrier(_ isOn: Bool, of number: Int = 0) throws {
        try peer.ip("link set p\(number) \(isOn ? "up" : "down")")
    }

    /// The route from `ip route get`, or nil if the kernel answers with an error.
    func routeGet(_ arguments: String) throws -> Route? {
        let six = arguments.contains(":") ? "-6 " : ""
        do {
            // Verdicts are those of TCP. IPv6 hashes the protocol to choose a leg.
            return Route(try host.ip("\(six)route get \(arguments) ipproto 6"))
        } catch let failure as CommandFailure where failure.output.contains("RTNETLINK answers") {
            return nil
        }
    }
}

/// A monitored target, whose snapshots a test takes one after the other.
///
/// It records them, since a test may run so late that an iteration would have a newer one alone.
struct Watch {
    private let manager: NetworkReachabilityManager
    private let snapshots = Recorder<ReachabilitySnapshot>()

    init(
        _ target: ReachabilityTarget, in namespace: Namespace, options: MonitorOptions = .standard
    ) throws {
        manager = try NetworkReachabilityManager(
            target: target.with(namespace: .path(namespace.path)), options: options)
        manager.addListener(queue: .test(), snapshots.record)
        try manager.startMonitoring()
    }

    /// Begins with the first snapshot, which must have these flags.
    init(
        _ target: ReachabilityTarget, in namespace: Namespace, options: MonitorOptions = .standard,
        expecting flags: ReachabilityFlags, _ reason: ReachabilityReason? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try self.init(target, in: namespace, options: options)
        try await expect(flags, reason, sourceLocation: sourceLocation)
    }

    /// All snapshots so far, taken or not.
    var all: [ReachabilitySnapshot] { snapshots.values }

    /// Takes the next snapshot, which must have these flags.
    @discardableResult
    func expect(
        _ flags: ReachabilityFlags, _ reason: ReachabilityReason? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReachabilitySnapshot {
        let snapshot = try #require(await snapshots.next())
        #expect(snapshot.flags == flags, "\(snapshot)", sourceLocation: sourceLocation)
        #expect(
            snapshot.reason == reason ?? snapshot.reason, "\(snapshot)",
            sourceLocation: sourceLocation)
        return snapshot
    }

    /// Takes snapshots until one is as wanted.
    @discardableResult
    func first(
        where isWanted: (ReachabilitySnapshot) -> Bool
    ) async throws -> ReachabilitySnapshot {
        try #require(await snapshots.first(where: isWanted))
    }
}

extension ReachabilityFlags {
    /// Those of the host's own addresses, except loopback ones.
    static let own: ReachabilityFlags = [.reachable, .isLocalAddress, .isDirect]
}

extension Namespace {
    /// The counters of the monitor of a ``Watch`` with the standard options.
    func statistics() throws -> MonitorStatistics {
        try #require(try NetworkHost.statistics(in: .path(path)))
    }
}

/// One answer of `ip route get`.
struct Route {
    private let words: [Substring]

    init(_ line: String) { words = line.split(whereSeparator: \.isWhitespace) }

    var interface: String { value(of: "dev") }
    var gateway: String { value(of: "via") }
    var source: String { value(of: "src") }

    private func value(of key: Substring) -> String {
        words.firstIndex(of: key).map { String(words[$0 + 1]) } ?? ""
    }
}

extension Namespace {
    /// Waits until the host takes packets to addresses of an interface, or to some with these prefixes.
    ///
    /// Even with `nodad`, a work queue of the kernel announces an IPv6 address and then adds its local route
    /// (addrconf_dad_work(), net/ipv6/addrconf.c). Until then, the address is one of the link.
    func awaitLocal(_ addresses: [String], on interface: String) throws {
        var routes = ""
        while !addresses.allSatisfy({ routes.contains("local \($0)") }) {
            try Task.checkCancellation()
            routes = try ip("-6 route show table local dev \(interface)")
        }
    }

    /// Waits until an interface has its link-local IPv6 address, and may use it.
    func awaitLinkLocal(_ interface: String) throws {
        var addresses = ""
        while !addresses.contains("fe80:") || addresses.contains("tentative") {
            try Task.checkCancellation()
            addresses = try ip("-6 -o addr show dev \(interface) scope link")
        }
    }
}
