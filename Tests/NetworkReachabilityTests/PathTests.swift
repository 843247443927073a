// SPDX-License-Identifier: MIT

import CReach
import Foundation
import Testing

@testable import NetworkReachability

/// Properties that Apple's NWPath has, too.
@Suite("Paths")
struct PathTests {
    @Test(
        "A snapshot is expensive if it is metered, or of unknown cost over cellular",
        arguments: NetworkInterfaceClass.allCases)
    func expensive(interfaceClass: NetworkInterfaceClass) {
        let interface = ReachabilitySnapshot.Interface(
            index: 7, name: "x", interfaceClass: interfaceClass)
        let snapshot = ReachabilitySnapshot(flags: .reachable, interface: interface)
        #expect(snapshot.isExpensive == (interfaceClass == .cellular))
        #expect(ReachabilitySnapshot(flags: .wwan).isExpensive)
        #expect(!ReachabilitySnapshot.unknown.isExpensive)
        for isMetered in [true, false] {
            let told = ReachabilitySnapshot(
                flags: .wwan, interface: interface, isMetered: isMetered)
            #expect(told.isExpensive == isMetered)
        }
    }

    @Test("changes(from:) contains exactly the properties that differ")
    func changes() throws {
        let address = try NetworkAddress("192.0.2.1")
        let base = ReachabilitySnapshot(flags: .reachable)
        let interface = ReachabilitySnapshot.Interface(
            index: 2, name: "eth0", interfaceClass: .wiredEthernet)
        let cases: [(ReachabilitySnapshot, Set<PartialKeyPath<ReachabilitySnapshot>>)] = [
            (base, []),
            (ReachabilitySnapshot(flags: [.reachable, .isDirect]), [\.flags]),
            (ReachabilitySnapshot(flags: [], reason: .reachable), [\.flags, \.status]),
            (ReachabilitySnapshot(flags: .reachable, interface: interface), [\.interface]),
            (ReachabilitySnapshot(flags: .reachable, source: address), [\.source]),
            (ReachabilitySnapshot(flags: .reachable, gateway: address), [\.gateway]),
            (ReachabilitySnapshot(flags: .reachable, nextHopCount: 2), [\.nextHopCount]),
            (
                ReachabilitySnapshot(flags: .reachable, usableNextHopCount: 1),
                [\.usableNextHopCount]
            ),
            (ReachabilitySnapshot(flags: .reachable, addresses: [address]), [\.addresses]),
            (ReachabilitySnapshot(flags: .reachable, reason: .dormant), [\.reason]),
            (ReachabilitySnapshot(flags: .reachable, resolution: .done), [\.resolution]),
            (ReachabilitySnapshot(flags: .reachable, error: .outOfMemory), [\.error]),
            (ReachabilitySnapshot(flags: .reachable, isMetered: false), [\.isMetered]),
        ]
        for (snapshot, changes) in cases {
            #expect(snapshot.changes(from: base) == changes)
            #expect(base.changes(from: snapshot) == changes)
        }
        let values = try #require(Mirror(reflecting: base).descendant("box", "values"))
        #expect(Set(cases.flatMap { $0.1 }).count == Mirror(reflecting: values).children.count)
    }

    @Test("The first three name servers are read, as resolv.conf(5) says")
    func nameServers() throws {
        func read(_ text: String) -> [String] {
            ResolverConfiguration(text).nameServers.map { ($0.isConfigured ? "" : "?") + $0.text }
        }
        #expect(read("") == ["?127.0.0.1"] && read("nameserver 192.0.2.1\n") == ["192.0.2.1"])
        #expect(
            read("# nameserver 192.0.2.9\nsearch x\nnameserver\t2001:db8::1 # a\r\n;nameserver ::1")
                == ["2001:db8::1"])
        #expect(
            read("nameserver none\nnameserver\n nameserver 192.0.2.1\nnameservers ::1")
                == ["?127.0.0.1"])
        #expect(
            read("nameserver 192.0.2.1\nnameserver ::2\nnameserver ::3\nnameserver ::4")
                == ["192.0.2.1", "::2", "::3"])
        // As NetworkManager writes it. The link of a scoped server need not exist.
        let scoped = "nameserver fe80::1%none0\nnameserver fe80::2%7\nnameserver ::1%lo"
        #expect(read(scoped) == ["fe80::1%none0", "fe80::2%7"])
        let domains = "# search comment.example\ndomain old.example\nsearch a.example\tb.example\n"
        #expect(ResolverConfiguration(domains).searchDomains == ["a.example", "b.example"])
        #expect(ResolverConfiguration("").searchDomains.isEmpty)
        let target = try ReachabilityTarget.address("fe80::1").with(interface: "none0")
        #expect(ResolverConfiguration(scoped).nameServers.first?.target == target)
    }

    @Test("A resolv.conf that can't be read counts as empty, and blocks nobody")
    func notAFile() throws {
        let folder = try Folder("reach")
        let fifo = folder.file("fifo").path
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        for path in ["/none/resolv.conf", "/dev/zero", "/proc", fifo] {
            let read = ResolverConfiguration(at: path)
            #expect(read.nameServers.map(\.text) == ["127.0.0.1"] && read.searchDomains.isEmpty)
        }
    }

    @Test("The C library receives the family and the interface classes of a target")
    func cValues() throws {
        /// Family and classes of the C struct.
        func value(of target: ReachabilityTarget) -> (family: UInt16, classes: UInt32) {
            var value: (UInt16, UInt32) = (0, 0)
            _ = unsafe target.withCValue {
                value = unsafe ($0.pointee.remote.family, $0.pointee.interface_classes)
                return 0
            }
            return value
        }
        #expect(value(of: .internet) == (0, 0) && value(of: .internet(.ipv4)) == (2, 0))
        #expect(value(of: .internet(.ipv6)) == (10, 0))
        for interfaceClass in NetworkInterfaceClass.allCases {
            let target = ReachabilityTarget.internet.with(interfaceClass: interfaceClass)
            let bits = value(of: target).classes
            #expect(
                NetworkInterfaceClass(rawClass: UInt32(bits.trailingZeroBitCount))
                    == interfaceClass)
            #expect(bits.nonzeroBitCount == 1)
            try target.validate()
        }
        let two = ReachabilityTarget.internet.with(interfaceClass: .wifi, .wiredEthernet)
        #expect(two.interfaceClasses == [.wifi, .wiredEthernet] && two != .internet)
        #expect(ReachabilityTarget.internet(.ipv6).description == "internet (IPv6)")
        #expect(ReachabilityTarget.internet(.ipv6) != .internet)
    }
}
