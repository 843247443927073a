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

    @Test("A namespace that cannot be had is refused by name", arguments: bad)
    func refused(row: Bad) {
        let target = ReachabilityTarget.internet.with(namespace: row.namespace)
        let attempts: [() throws -> Void] = [
            { try NetworkReachabilityManager(target: target).startMonitoring() },
            { _ = try NetworkReachabilityManager(target: target).currentSnapshot() },
            { _ = try NetworkInterface.all(in: row.namespace) },
        ]
        for attempt in attempts {
            let error = #expect(throws: ReachabilityError.self) { try attempt() }
            #expect(error?.code == row.code)
            #expect(error?.input == row.namespace.description)
            #expect(error?.description.isEmpty == false)
        }
    }

    @Test("A manager that could not start can be tried again, and is not monitoring")
    func retry() throws {
        let target = ReachabilityTarget.internet.with(namespace: .path("/dev/null"))
        let manager = try NetworkReachabilityManager(target: target)
        for _ in 0..<3 {
            #expect(throws: ReachabilityError.self) { try manager.startMonitoring() }
            #expect(!manager.isMonitoring)
            #expect(manager.networkReachabilityStatus == .unknown)
        }
    }
}
