// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@Suite("Flags and statuses")
struct FlagsTests {
    typealias Row = (flags: ReachabilityFlags, status: NetworkReachabilityStatus)

    static let rule: [Row] = [
        ([], .notReachable),
        ([.connectionOnDemand], .notReachable),
        ([.isWWAN], .notReachable),
        ([.reachable], .reachableViaWiFi),
        ([.reachable, .transientConnection], .reachableViaWiFi),
        ([.reachable, .isLocalAddress, .isDirect], .reachableViaWiFi),
        ([.reachable, .connectionRequired], .notReachable),
        ([.reachable, .connectionRequired, .transientConnection], .notReachable),
        ([.reachable, .connectionRequired, .connectionOnDemand], .reachableViaWiFi),
        ([.reachable, .connectionRequired, .connectionOnTraffic], .reachableViaWiFi),
        ([.reachable, .connectionRequired, .connectionAutomatic], .reachableViaWiFi),
        ([.reachable, .connectionRequired, .interventionRequired], .notReachable),
        (
            [.reachable, .connectionRequired, .connectionOnTraffic, .interventionRequired],
            .notReachable
        ),
        ([.reachable, .isWWAN], .reachableViaWWAN),
        ([.reachable, .isWWAN, .connectionRequired], .notReachable),
    ]

    @Test("The status follows AFNetworkReachabilityManager's rule", arguments: rule)
    func status(row: Row) {
        #expect(row.flags.status == row.status)
        #expect(NetworkReachabilityStatus(flags: row.flags) == row.status)
    }

    @Test("Statuses have AFNetworkReachabilityManager's values and a name")
    func values() {
        let cases = NetworkReachabilityStatus.allCases
        #expect(cases.map(\.rawValue) == [-1, 0, 1, 2])
        let names = ["unknown", "notReachable", "reachableViaWWAN", "reachableViaWiFi"]
        #expect(cases.map(\.description) == names)
        #expect(cases.filter(\.isReachable) == [.reachableViaWWAN, .reachableViaWiFi])
    }

    @Test("Flags have the words of scutil, and the letters of Apple's sample")
    func letters() {
        let all = ReachabilityFlags(rawValue: 0x0007_003f)
        #expect(all.letters == "WR tcCiDld")
        #expect(ReachabilityFlags.reachable.letters == "-R -------")
        #expect(ReachabilityFlags().words == "Not Reachable")
        #expect(
            ReachabilityFlags([.reachable, .transientConnection]).words
                == "Reachable,Transient Connection")
        #expect("\(ReachabilityFlags.reachable)" == "Reachable")
    }

    @Test("Flags have Apple's bits")
    func bits() {
        let flags: [ReachabilityFlags] = [
            .transientConnection, .reachable, .connectionRequired, .connectionOnTraffic,
            .interventionRequired, .connectionOnDemand, .isLocalAddress, .isDirect, .isWWAN,
        ]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 0x10000, 0x20000, 0x40000])
    }

    #if compiler(>=6.3)
    @Test("statuses(of:into:) agrees with `status` for every combination of flags")
    func bulk() {
        let all = (UInt32(0)..<512).map { bits in
            ReachabilityFlags(rawValue: bits & 0x3f | (bits >> 6) << 16)
        }
        var statuses = [Int8](repeating: 99, count: all.count)
        var span = statuses.mutableSpan
        #expect(ReachabilityFlags.statuses(of: all.span, into: &span) == 512)
        #expect(statuses.map { Int($0) } == all.map(\.status.rawValue))
    }

    @Test(
        "statuses(of:into:) stops at the end of the shorter span",
        arguments: [(0, 3), (3, 0), (3, 2), (2, 3), (0, 0)])
    func bulkLengths(flags: Int, room: Int) {
        let flags = [ReachabilityFlags](repeating: .reachable, count: flags)
        var statuses = [Int8](repeating: 99, count: room)
        var span = statuses.mutableSpan
        let written = ReachabilityFlags.statuses(of: flags.span, into: &span)
        #expect(written == min(flags.count, room))
        #expect(statuses.filter { $0 == 2 }.count == written)
        #expect(statuses.filter { $0 == 99 }.count == room - written)
    }
    #endif
}
