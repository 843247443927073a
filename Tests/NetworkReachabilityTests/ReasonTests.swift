// SPDX-License-Identifier: MIT

import CReach
import Testing

@testable import NetworkReachability

@Suite("Reasons")
struct ReasonTests {
    @Test("each reason of C has a case of the same name, and other numbers are unknown")
    func names() {
        var found: Set<ReachabilityReason> = []
        for number in UInt32(0)..<1000 {
            let name = unsafe String(cString: reach_reason_name(number))
            let reason = ReachabilityReason(rawReason: number)
            #expect(reason.rawValue == (name.isEmpty && number > 0 ? "unknown" : name))
            found.insert(reason)
        }
        #expect(found == Set(ReachabilityReason.allCases))
    }
}
