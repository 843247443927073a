// SPDX-License-Identifier: MIT
import CReach
import Testing

@Suite("targets")
struct TargetTests {
    /// The members that may gain a meaning.
    enum Reserved: CaseIterable {
        case target, remote, local
    }

    @Test(
        "what is reserved must be 0",
        arguments: Reserved.allCases,
        [
            reach_target_kind.REACH_TARGET_ADDRESS, .REACH_TARGET_ADDRESS_PAIR,
            .REACH_TARGET_INTERNET, .REACH_TARGET_LOCAL_WIFI, .REACH_TARGET_NAME,
        ])
    func reserved(member: Reserved, kind: reach_target_kind) throws {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, kind)
        try #require(unsafe reach_address_parse("192.0.2.1", &target.remote) == 0)
        let (before, after) = unsafe "a.example".withCString { name in
            unsafe target.name = name
            let before = unsafe reach_target_validate(&target)
            switch member {
            case .target: unsafe target.reserved = 1
            case .remote: unsafe target.remote.reserved = 1
            case .local: unsafe target.local.reserved = 1
            }
            return (before, unsafe reach_target_validate(&target))
        }
        #expect(before == 0)
        #expect(after == -22)
    }
}
