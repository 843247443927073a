// SPDX-License-Identifier: MIT

import SwiftTestSupport
import SystemConfiguration
import Testing

/// What sources for Apple's systems write that the other clients do not.
extension ClientTests {
    @Test("A client that imports declarations by name asks as well as others")
    func scoped() throws {
        #expect(try host.run { scopedFlags(host: "127.0.0.1") } == [.reachable, .isLocalAddress])
    }

    @Test("Addresses in one expression are those they say")
    func oneExpression() throws {
        func ends(_ target: SCNetworkReachability?, _ shape: String) throws -> Bool {
            "\(try #require(target))".hasSuffix(shape)
        }
        #expect(try ends(makeTarget(anyAddress()), "{default path}"))
        #expect(try ends(makeTarget(bareAddress()), "{default path}"))
        #expect(try ends(makeTarget(loopbackAddress()), "{address = ::1}"))
        #expect(try ends(makeTarget(localWiFiAddress()), "{address = 169.254.0.0}"))
        #expect(localWiFiAddress().sin_port == 7 << 8)
        #expect(loopbackAddress().sin6_port == 7 << 8)
    }

    @Test("The common modes have one meaning by any of their names")
    func modes() throws {
        let target = try #require(makeTarget(anyAddress()))
        #expect(schedulesByEachName(target) == 4)
    }
}
