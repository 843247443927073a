// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@testable import SystemConfiguration

@Suite("One monitor for targets and managers", .timeLimit(.minutes(10)), .needsNamespaces)
struct SharedMonitorTests {
    let namespace: Namespace
    let queue = DispatchQueue.test()

    init() throws {
        namespace = try Namespace.withAddress()
    }

    @Test(
        "Targets and managers of a namespace share a monitor, which is closed with the last of them"
    )
    func shared() async throws {
        let target = try #require(SocketAddress("192.0.2.1").target)
        let info = Info()
        info.listen(to: target)
        let manager = try NetworkReachabilityManager(target: .address("192.0.2.1"))
        let statuses = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener(queue: queue) { statuses.record($0) }
        try namespace.run { try manager.startMonitoring() }
        #expect(try namespace.schedule(target, queue))
        #expect(await statuses.next() == .reachableViaWiFi)
        #expect(namespace.watchers == 1)
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        #expect(await statuses.next() == .notReachable)
        manager.stopMonitoring()
        #expect(namespace.watchers == 1)
        try namespace.setAddress(true)
        #expect(await info.flags.next() == .own)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        // The library's loop closes the socket some time later.
        while namespace.watchers != 0 && !Task.isCancelled { await settle(queue) }
    }
}
