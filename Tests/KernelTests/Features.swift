// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Glibc
import Testing

/// What this kernel and this user have; tests that need more are skipped, and say so.
enum Features {
    /// /dev/net/tun may be opened.
    static let tun = succeeds { namespace in
        let descriptor = unsafe test_tun_open(namespace.descriptor, "tun0", 0)
        try SystemFailure.check("tun", descriptor)
        close(descriptor)
    }

    /// Nexthop objects (Linux 5.3).
    static let nexthop = succeeds { try $0.ip("nexthop add id 1 blackhole") }

    static let bridge = succeeds { try $0.ip("link add br0 type bridge") }

    static let macvlan = succeeds {
        try $0.ip("link add veth0 type veth peer name veth1")
        try $0.ip("link add mac0 link veth0 type macvlan")
    }

    static let skipNotify = succeeds { try $0.set("ipv6/route/skip_notify_on_dev_down", to: "1") }

    static let nexthopCompatibility = succeeds { try $0.set("ipv4/nexthop_compat_mode", to: "0") }

    /// The user namespace has an unprivileged uid to become.
    static let nobody = unsafe test_netns_run(-1, uid_t(TEST_NOBODY), { _ in 0 }, nil) == 0

    /// The clock may be set: CAP_SYS_TIME in the initial user namespace.
    static let clock = test_clock_touch() == 0

    private static func succeeds(_ body: (Namespace) throws -> Void) -> Bool {
        do {
            try body(Namespace())
            return true
        } catch {
            return false
        }
    }
}

extension Trait where Self == ConditionTrait {
    static func needs(_ feature: Bool, _ what: String) -> Self {
        .enabled(if: feature, "needs \(what), which is not here")
    }
}
