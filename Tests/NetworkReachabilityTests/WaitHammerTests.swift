// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@Suite("Waits under the hammer", .needsNamespaces, .timeLimit(.minutes(10)))
struct WaitHammerTests {
    private static let workers = 8

    @Test("waits that begin and are cancelled at random all end, and leave nothing")
    func hammer() async throws {
        let host = try Namespace.withDefaultRoute()
        let closed = Recorder<Void>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(()) })
        let manager = try NetworkReachabilityManager(
            target: .domain("192.0.2.1").with(namespace: .path(host.path)), options: options)
        // It keeps the monitor open: opening it is not what is tested.
        try manager.startMonitoring()
        let watchdog = Watchdog(workers: Self.workers + 1, patience: 120)
        let deadline = monotonicSeconds() + 3
        await withTaskGroup { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    while monotonicSeconds() < deadline {
                        await Self.round(manager, &random)
                        watchdog.step(worker)
                    }
                    watchdog.leave(worker)
                }
            }
            group.addTask {
                let change = ["route del default", "route add default via 10.9.0.2"]
                await onThread {
                    while monotonicSeconds() < deadline {
                        try? host.batch((0..<20).map { change[$0 % 2] })
                        watchdog.step(Self.workers)
                    }
                    watchdog.leave(Self.workers)
                }
            }
        }
        watchdog.end()
        manager.stopMonitoring()
        await closed.next()
        #expect(closed.values.count == 1)
        // A child that another test is starting has copies of the sockets until it calls exec.
        while host.watchers > 0 { await Task.yield() }
    }

    /// Eight waits, some of which are cancelled while they begin, last or end.
    private static func round(
        _ manager: NetworkReachabilityManager, _ random: inout SystemRandomNumberGenerator
    ) async {
        let tasks = (0..<8).map { _ in
            let timeouts: [Duration?] = [nil, .zero, .microseconds(300)]
            let timeout = timeouts.randomElement(using: &random) ?? nil
            let isReachable = Bool.random(using: &random)
            return Task {
                try await manager.wait(timeout: timeout) {
                    $0.status.isReachable == isReachable
                }
            }
        }
        for _ in 0..<Int.random(in: 0..<8, using: &random) { await Task.yield() }
        for task in tasks where Int.random(in: 0..<4, using: &random) > 0 { task.cancel() }
        if Bool.random(using: &random) { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks {
            if case .failure(let error) = await task.result {
                let code = (error as? ReachabilityError)?.code
                #expect(code == .cancelled || code == .timedOut, "\(error)")
            }
        }
    }
}
