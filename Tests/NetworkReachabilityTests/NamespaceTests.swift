// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@Suite("Network namespaces")
struct NamespaceTests {
    typealias Bad = (namespace: NetworkNamespace, code: ReachabilityError.Code)

    static let bad: [Bad] = [
        (.named("no-such-namespace"), .namespaceNotFound),
        (.named(""), .invalidNamespace),
        (.named(".."), .invalidNamespace),
        (.named("../../proc/1/ns/net"), .invalidNamespace),
        (.named("a\0b"), .invalidNamespace),
        (.path("/no/such/file"), .namespaceNotFound),
        (.path(""), .invalidNamespace),
        (.path("/dev/null"), .notANamespace),
        (.path("/"), .notANamespace),
        (.path("/proc/self/ns/uts"), .notANamespace),
        (.process(0), .invalidNamespace),
        (.process(-1), .invalidNamespace),
        (.process(Int32.max), .namespaceNotFound),
    ]

    @Test(
        "An invalid or missing namespace is rejected with an error that quotes it", arguments: bad)
    func refused(row: Bad) async {
        let target = ReachabilityTarget.internet.with(namespace: row.namespace)
        let attempts: [() async throws -> Void] = [
            { try NetworkReachabilityManager(target: target).startMonitoring() },
            { _ = try NetworkReachabilityManager(target: target).currentSnapshot() },
            { _ = try NetworkInterface.all(in: row.namespace) },
            { _ = try await NetworkReachabilityManager(target: target).check() },
            { try await NetworkReachabilityManager(target: target).waitUntilReachable() },
        ]
        for attempt in attempts {
            let error = await #expect(throws: ReachabilityError.self) { try await attempt() }
            #expect(error?.code == row.code && error?.input == row.namespace.description)
            #expect(error?.description.isEmpty == false)
        }
    }

    @Test("A manager that can't start throws at each attempt, and is not monitoring")
    func retry() throws {
        let target = ReachabilityTarget.internet.with(namespace: .path("/dev/null"))
        let manager = try NetworkReachabilityManager(target: target)
        for _ in 0..<3 {
            #expect(throws: ReachabilityError.self) { try manager.startMonitoring() }
            #expect(!manager.isMonitoring && manager.networkReachabilityStatus == .unknown)
        }
    }
}
