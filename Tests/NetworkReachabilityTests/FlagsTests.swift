// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@Suite("Flags and statuses")
struct FlagsTests {
    @Test("Statuses have AFNetworkReachabilityManager's values and a name")
    func values() {
        let cases = NetworkReachabilityStatus.allCases
        #expect(cases.map(\.rawValue) == [-1, 0, 1, 2])
        let names = ["unknown", "notReachable", "reachableViaWWAN", "reachableViaWiFi"]
        #expect(cases.map(\.description) == names)
        #expect(cases.filter(\.isReachable) == [.reachableViaWWAN, .reachableViaWiFi])
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
