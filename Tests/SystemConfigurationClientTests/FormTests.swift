// SPDX-License-Identifier: MIT

import SwiftTestSupport
import SystemConfiguration
import Testing

/// Forms in sources for Apple's systems that the other clients don't use.
extension ClientTests {
    @Test("A client that imports declarations by name gets the flags of a host")
    func scoped() throws {
        #expect(try host.run { scopedFlags(host: "127.0.0.1") } == [.reachable, .isLocalAddress])
    }

    @Test("Socket addresses written in one expression make the right targets")
    func oneExpression() throws {
        func ends(_ target: SCNetworkReachability?, _ shape: String) throws -> Bool {
            "\(try #require(target))".hasSuffix(shape)
        }
        #expect(try ends(makeTarget(anyAddress()), "{default path}"))
        #expect(try ends(makeTarget(bareAddress()), "{default path}"))
        #expect(try ends(makeTarget(loopbackAddress()), "{address = ::1}"))
        #expect(try ends(makeTarget(localWiFiAddress()), "{address = 169.254.0.0}"))
        #expect(localWiFiAddress().sin_port == 7 << 8 && loopbackAddress().sin6_port == 7 << 8)
    }

    @Test("All names of the common modes mean the same mode")
    func modes() throws {
        let target = try #require(makeTarget(anyAddress()))
        #expect(schedulesByEachName(target) == 4)
    }
}
