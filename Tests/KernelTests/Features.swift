// SPDX-License-Identifier: MIT
import CTestSupport
import Foundation
import Glibc
import Testing

/// The features of this kernel and this user; tests that need others are skipped with a reason.
enum Features {
    /// /dev/net/tun may be opened.
    static let tun = succeeds { namespace in
        let descriptor = try namespace.run { unsafe test_tun_open("tun0") }
        try SystemFailure.check("tun", descriptor)
        close(descriptor)
    }

    static let macvlan = succeeds {
        try $0.ip("link add veth0 type veth peer name veth1")
        try $0.ip("link add mac0 link veth0 type macvlan")
    }

    static let seccomp = succeeds { namespace in
        let result = try namespace.run { test_refuse_groups(EOPNOTSUPP) }
        try SystemFailure.check("seccomp", result)
    }

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
