// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Foundation
import Glibc
import Testing

/// The features of this kernel and this user; tests that need others are skipped with a reason.
enum Features {
    /// /dev/net/tun may be opened.
    static let tun = succeeds { namespace in
        let descriptor = unsafe test_tun_open(namespace.descriptor, "tun0", 0)
        try SystemFailure.check("tun", descriptor)
        close(descriptor)
    }

    /// Nexthop objects (Linux 5.3).
    static let nexthop = succeeds { try $0.ip("nexthop add id 1 blackhole") }

    /// Answers to lookups name the encapsulation of a route, as those of Linux 6.12 do and those of 5.10
    /// don't.
    static let encapsulation = succeeds { namespace in
        try namespace.ip("link add veth0 type veth peer name veth1")
        try namespace.ip("link set veth0 up")
        try namespace.ip("route add 10.9.9.9 encap ip id 7 dst 10.9.9.8 dev veth0")
        let isNamed = try namespace.ip("route get 10.9.9.9").contains("encap ip")
        try SystemFailure.check("encap", isNamed ? 0 : -EOPNOTSUPP)
    }

    static let bridge = succeeds { try $0.ip("link add br0 type bridge") }

    static let macvlan = succeeds {
        try $0.ip("link add veth0 type veth peer name veth1")
        try $0.ip("link add mac0 link veth0 type macvlan")
    }

    /// The kernel announces `net.ipv6.conf.IF.ignore_routes_with_linkdown` of one link.
    ///
    /// Linux 5.10 announces only the value for all links (`addrconf_fixup_linkdown`), 6.18 both.
    static let linkdownAnnounced = succeeds { namespace in
        try namespace.ip("link add veth0 type veth peer name veth1")
        var monitor = try Child(["ip", "monitor", "netconf"], in: namespace.descriptor)
        // `ip monitor` listens once it has printed something.
        var value = 0
        repeat {
            value = 1 - value
            try namespace.set("ipv6/conf/veth0/forwarding", to: "\(value)")
        } while monitor.line(within: 0.1) == nil
        try namespace.set("ipv6/conf/veth0/ignore_routes_with_linkdown", to: "1")
        try namespace.set("ipv6/conf/veth1/forwarding", to: "1")
        while let line = monitor.line() {
            if line.contains("ignore_routes_with_linkdown") { return }
            if line.contains("veth1") { break }
        }
        try SystemFailure.check("ignore_routes_with_linkdown is not announced", -ENOTSUP)
    }

    static let seccomp = succeeds { namespace in
        let result = try namespace.run { test_refuse_groups(EOPNOTSUPP) }
        try SystemFailure.check("seccomp", result)
    }

    /// Root, who runs the tests, and if possible an unprivileged user, who can't force a receive
    /// buffer to be larger.
    static let users: [uid_t] = canBecomeNobody ? [0, uid_t(TEST_NOBODY)] : [0]

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
