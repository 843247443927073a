// SPDX-License-Identifier: MIT
import CReach
import Testing

/// The report of a target decides which changes are published, but not which state you read.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ReportTests {
    /// A family's addresses in a lab.
    enum Family: CaseIterable {
        case inet, inet6

        var far: String { self == .inet ? "192.0.2.1" : "2001:db8:ffff::1" }
        var route: String { self == .inet ? "route" : "-6 route" }

        func near(_ host: Int) -> String {
            self == .inet ? "10.9.0.\(host)" : "2001:db8:9::\(host)"
        }
    }

    /// One target with each kind of report, whose states must be equal.
    struct Pair {
        let watcher: Watcher
        let path: UInt64
        let verdict: UInt64

        init(_ watcher: Watcher, _ target: Target) throws {
            self.watcher = watcher
            path = try watcher.add(target, reporting: .REACH_REPORT_PATH)
            verdict = try watcher.add(target)
        }

        /// Waits for the next change of the path, and checks that both targets have that state.
        func expectPath(
            _ flags: Flags, reason: String = "", sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> State {
            let state = try watcher.expect(
                path, flags, reason: reason, sourceLocation: sourceLocation)
            #expect(try watcher.state(path) == state, sourceLocation: sourceLocation)
            #expect(try watcher.state(verdict) == state, sourceLocation: sourceLocation)
            return state
        }
    }

    /// Adds 100 targets: with so many, the monitor asks the kernel for the routes that match.
    private func crowd(_ watcher: Watcher, _ family: Family) throws {
        for host in 1...100 {
            try watcher.add(
                .address(family == .inet ? "198.51.101.\(host)" : "2001:db8:fffe::\(host)"))
        }
        try watcher.settle()
    }

    @Test(
        "A new gateway or source is a change of the path",
        arguments: Family.allCases, [false, true])
    func paths(family: Family, isCrowded: Bool) throws {
        let lab = try Lab()
        if family == .inet {
            try lab.host.ip("addr add \(family.near(9))/24 dev eth0")
        } else {
            try lab.host.addInet6(family.near(9), on: "eth0")
        }
        let watcher = try Watcher(lab.host)
        if isCrowded { try crowd(watcher, family) }
        let pair = try Pair(watcher, .address(family.far))
        let internet = try Pair(watcher, .internet)
        try watcher.settle()
        // Where both families have a route, the internet's path is that of IPv4.
        let isInternet = family == .inet

        try lab.host.ip("\(family.route) replace default via \(family.near(3))")
        let state = try pair.expectPath(.reachable)
        #expect(state.gateway == family.near(3))
        if isInternet {
            #expect(try internet.expectPath(.reachable).gateway == family.near(3))
        }
        let other = family.near(state.source == family.near(9) ? 1 : 9)
        try lab.host.ip("\(family.route) replace default via \(family.near(3)) src \(other)")
        #expect(try pair.expectPath(.reachable).source == other)
        if isInternet {
            #expect(try internet.expectPath(.reachable).source == other)
        }
        try watcher.expectNoChange()
    }

    @Test(
        "A new name of the interface is a change of the path",
        .needs(Features.liveRename, "renaming a link that is up"), arguments: Family.allCases)
    func rename(family: Family) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let pair = try Pair(watcher, .address(family.far))
        let internet = try Pair(watcher, .internet)
        try watcher.settle()
        try lab.host.ip("link set eth0 name lan0")
        #expect(try pair.expectPath(.reachable).interfaceName == "lan0")
        #expect(try internet.expectPath(.reachable).interfaceName == "lan0")
        try watcher.expectNoChange()
    }

    @Test("A new reason is a change of the path", arguments: Family.allCases, [false, true])
    func reasons(family: Family, isCrowded: Bool) throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        if isCrowded { try crowd(watcher, family) }
        let pair = try Pair(watcher, .address(family.far))
        try watcher.settle()
        try lab.host.ip("\(family.route) add unreachable default")
        #expect(try pair.expectPath([], reason: "unreachable").error != 0)
        try lab.host.ip("\(family.route) replace blackhole default")
        _ = try pair.expectPath([], reason: "blackhole")
        try lab.host.ip("\(family.route) del blackhole default")
        _ = try pair.expectPath([], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test("A new source after a promotion of addresses is a change of the path")
    func chosenSource() throws {
        let lab = try Lab()
        try lab.host.ip("addr add 10.9.0.9/24 dev eth0")
        try lab.host.set("ipv4/conf/eth0/promote_secondaries", to: "1")
        let watcher = try Watcher(lab.host)
        let pair = try Pair(watcher, .address("10.9.0.77"))
        try watcher.settle()
        #expect(try watcher.state(pair.path).source == "10.9.0.1")
        try lab.host.ip("addr del 10.9.0.1/24 dev eth0")
        try watcher.expectSoon(pair.verdict) { $0.source == "10.9.0.9" }
        try watcher.expectSoon(pair.path) { $0.source == "10.9.0.9" }
        #expect(watcher.published[pair.path]?.source == "10.9.0.9")
    }
}
