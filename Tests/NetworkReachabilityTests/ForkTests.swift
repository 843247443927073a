// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Testing

@testable import NetworkReachability

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("A child of fork()", .needsNamespaces, .timeLimit(.minutes(10)))
struct ForkTests {
    @Test("A child stops, releases, and starts managers, and both processes receive later changes")
    func child() async {
        await #expect(processExitsWith: .success) {
            let namespace = try Namespace()
            let target = try ReachabilityTarget.address("192.0.2.1")
                .with(namespace: .path(namespace.path))
            let told = Recorder<NetworkReachabilityStatus>()
            let kept = try NetworkReachabilityManager(target: target)
            kept.addStatusListener(queue: .test("kept")) { told.record($0) }
            try kept.startMonitoring()
            var dropped: NetworkReachabilityManager? = try NetworkReachabilityManager(
                target: target)
            try dropped?.startMonitoring()
            let first = await told.next()
            precondition(first == .notReachable)
            try await rehearse(target, namespace, told)
            // Repeats, because another thread may be anywhere in its work when the process forks.
            for round in 0..<20 {
                let pipe = try Pipe()
                let child = fork {
                    dropped = nil
                    kept.stopMonitoring()
                    precondition(!kept.isMonitoring)
                    return isTold(of: target, pipe) ? 0 : 1
                }
                // The child's manager has its first value.
                precondition(pipe.take())
                try namespace.ip("addr \(round % 2 == 0 ? "add" : "del") 192.0.2.1/32 dev lo")
                let next = await told.next()
                precondition(next == (round % 2 == 0 ? .reachableViaWiFi : .notReachable))
                precondition(wait(for: child) == 0)
            }
            precondition(kept.isMonitoring && dropped?.isMonitoring == true)
        }
    }

    @Test("A child stops, reads, and leaves a manager whose lock a thread of its parent holds")
    func heldLock() async {
        await #expect(processExitsWith: .success) {
            let manager = NetworkReachabilityManager()
            let queue = DispatchQueue.test()
            let listener = manager.addListener(queue: queue) { _ in }
            var observation: ReachabilityObservation? = manager.observe(\.flags, queue: queue) {
                _, _ in
            }
            let isHeld = DispatchSemaphore(value: 0)
            let gate = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                manager.state.withLock { _ in
                    isHeld.signal()
                    gate.wait()
                }
            }
            isHeld.wait()
            let child = fork {
                // A child that hangs is killed.
                alarm(60)
                listener.cancel()
                observation = nil
                manager.stopMonitoring()
                let isUnknown = manager.networkReachabilityStatus == .unknown && manager.flags == []
                let current = try? manager.currentSnapshot()
                let isDone = !manager.isMonitoring && observation == nil
                return isDone && isUnknown && current != nil ? 0 : 1
            }
            precondition(wait(for: child) == 0)
            gate.signal()
        }
    }

    @Test("Threads of a child may use a manager at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let manager = NetworkReachabilityManager()
            precondition(!manager.isMonitoring)
            runInThreadsOfChild { _ = manager.isMonitoring }
        }
    }

    @Test("A child may start a manager that its parent has started")
    func sameManager() async {
        await #expect(processExitsWith: .success) {
            let manager = NetworkReachabilityManager(address: try NetworkAddress("127.0.0.1"))
            let told = Recorder<Void>()
            let values = DispatchSemaphore(value: 0)
            let queue = DispatchQueue.test()
            manager.addListener(queue: queue) { _ in
                told.record(())
                values.signal()
            }
            try manager.startMonitoring()
            await told.next()
            values.wait()
            // A queue that is busy during the fork would stay busy in the child.
            queue.sync {}
            let child = fork {
                precondition(!manager.isMonitoring)
                precondition((try? manager.startMonitoring()) != nil)
                precondition(manager.isMonitoring)
                let isTold = values.wait(timeout: .now() + 120) == .success
                manager.stopMonitoring()
                return isTold && !manager.isMonitoring ? 0 : 1
            }
            precondition(wait(for: child) == 0)
            precondition(manager.isMonitoring)
        }
    }
}

/// Does in this process what a child will do.
///
/// The Swift runtime holds a lock while it creates the metadata of a generic type. A child that is forked
/// meanwhile would wait for it forever, so all metadata must exist.
private func rehearse(
    _ target: ReachabilityTarget, _ namespace: Namespace,
    _ told: Recorder<NetworkReachabilityStatus>
) async throws {
    let pipe = try Pipe()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        precondition(isTold(of: target, pipe))
        ended.signal()
    }
    precondition(pipe.take())
    for verb in ["add", "del"] {
        try namespace.ip("addr \(verb) 192.0.2.1/32 dev lo")
        await told.next()
        if verb == "add" { ended.wait() }
    }
}

/// Whether both listeners of a new manager receive two values; writes a byte after the first.
private func isTold(of target: ReachabilityTarget, _ pipe: borrowing Pipe) -> Bool {
    let values = DispatchSemaphore(value: 0)
    let others = DispatchSemaphore(value: 0)
    guard let manager = try? NetworkReachabilityManager(target: target) else { return false }
    manager.addStatusListener(queue: .test("child")) { _ in values.signal() }
    manager.addStatusListener(queue: .test("other")) { _ in others.signal() }
    guard (try? manager.startMonitoring()) != nil, values.wait(timeout: .now() + 120) == .success,
        others.wait(timeout: .now() + 120) == .success
    else { return false }
    pipe.put()
    return values.wait(timeout: .now() + 120) == .success
        && others.wait(timeout: .now() + 120) == .success
}

private struct Pipe: ~Copyable {
    private let ends: [CInt]

    init() throws {
        var ends: [CInt] = [-1, -1]
        try SystemFailure.check("pipe", unsafe pipe(&ends))
        self.ends = ends
    }

    deinit {
        for end in ends { close(end) }
    }

    func put() {
        var byte: UInt8 = 0
        _ = unsafe write(ends[1], &byte, 1)
    }

    /// Waits for a byte, for 120 s at most.
    func take() -> Bool {
        guard waitReadable(ends[0], until: monotonicSeconds() + 120) else { return false }
        var byte: UInt8 = 0
        return unsafe read(ends[0], &byte, 1) == 1
    }
}
