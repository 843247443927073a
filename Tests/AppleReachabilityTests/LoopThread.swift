// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

@testable import AppleReachability

/// A thread that does nothing but run its run loop, in the default mode.
final class LoopThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var signal: RunLoopSignal?
        var isStopped = false
        var ended: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    static func start() async -> LoopThread {
        let thread = LoopThread()
        await withCheckedContinuation { continuation in
            Thread { thread.main { continuation.resume() } }.start()
        }
        return thread
    }

    private func main(_ started: () -> Void) {
        let signal = RunLoopSignal { [weak self] in self?.drain() }
        state.withLock { $0.signal = signal }
        started()
        while !state.withLock({ $0.isStopped }) {
            _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
        signal.invalidate()
        state.withLock { $0.ended.take() }?.resume()
    }

    private func drain() {
        let jobs = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job() }
    }

    /// Runs `work` on the thread, from its run loop.
    @discardableResult
    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            post { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` some time.
    func post(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.jobs.append(work)
            return state.signal
        }?.fire()
    }

    /// Returns when the run loop is left.
    func stop() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.ended = continuation }
            post { self.state.withLock { $0.isStopped = true } }
        }
    }
}
