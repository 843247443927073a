// SPDX-License-Identifier: MIT
import CReach
import Testing

@Suite("Targets")
struct TargetTests {
    /// The members to which a later version may give a meaning.
    enum Reserved: CaseIterable {
        case remote, local
    }

    @Test(
        "Reserved members must be 0",
        arguments: Reserved.allCases,
        [
            reach_target_kind.REACH_TARGET_ADDRESS, .REACH_TARGET_ADDRESS_PAIR,
            .REACH_TARGET_INTERNET, .REACH_TARGET_LOCAL_WIFI, .REACH_TARGET_NAME,
        ])
    func reserved(member: Reserved, kind: reach_target_kind) throws {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, kind)
        // Internet and name targets may have only a family.
        let isFamily = kind == .REACH_TARGET_INTERNET || kind == .REACH_TARGET_NAME
        let text = isFamily ? "0.0.0.0" : "192.0.2.1"
        try #require(unsafe reach_address_parse(text, &target.remote) == 0)
        let (before, after) = unsafe "a.example".withCString { name in
            unsafe target.name = name
            let before = unsafe reach_target_validate(&target)
            switch member {
            case .remote: unsafe target.remote.reserved = 1
            case .local: unsafe target.local.reserved = 1
            }
            return (before, unsafe reach_target_validate(&target))
        }
        #expect(before == 0)
        #expect(after == -22)
    }

    @Test("An unknown report is rejected")
    func report() {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, .REACH_TARGET_INTERNET)
        #expect(unsafe target.report == reach_report.REACH_REPORT_VERDICT.rawValue)
        unsafe target.report = reach_report.REACH_REPORT_PATH.rawValue
        #expect(unsafe reach_target_validate(&target) == 0)
        unsafe target.report += 1
        #expect(unsafe reach_target_validate(&target) == -22)
    }
}
