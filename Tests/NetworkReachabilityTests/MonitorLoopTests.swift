// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("The process's loop", .timeLimit(.minutes(10)))
struct MonitorLoopTests {
    let queue = DispatchQueue.test()
    let told = Recorder<String>()
    let session = MonitoringSession(receiver: NetworkReachabilityManager())

    /// A call that records a name.
    func call(_ name: String, on queue: DispatchQueue? = nil) -> Delivery {
        .on(queue ?? self.queue) { [told] in told.record(name) }
    }

    /// A callback that records its name and the raw value of the flags.
    func callback(_ name: String) -> Callback {
        Callback(queue: queue, part: .everything) { [told] snapshot in
            told.record("\(name)\(snapshot.flags.rawValue)")
        }
    }

    func snapshot(_ number: UInt32) -> ReachabilitySnapshot {
        ReachabilitySnapshot(flags: ReachabilityFlags(rawValue: number))
    }

    @Test("The only call of a job is made on its queue by the thread of the job")
    func onlyCall() async {
        let threads = Recorder<pthread_t>()
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in
                MonitorLoop.perform { [queue] in
                    threads.record(own)
                    return [
                        .on(queue) {
                            dispatchPrecondition(condition: .onQueue(queue))
                            threads.record(own)
                            continuation.resume()
                        }
                    ]
                }
            }
        }
        let all = threads.values
        // Jobs of other tests may run in the same round, and then neither call is the only one.
        #expect(stride(from: 0, to: 200, by: 2).contains { all[$0] == all[$0 + 1] })
    }

    @Test("A job's calls on several queues are made by the thread of the job, in order")
    func ownCalls() async {
        let queues = (0..<20).map { DispatchQueue.test("\($0)") }
        let rounds = Recorder<Bool>()
        for _ in 0..<100 {
            let threads = Recorder<pthread_t>()
            await withCheckedContinuation { continuation in
                MonitorLoop.perform {
                    threads.record(own)
                    return queues.map { queue in
                        .on(queue) {
                            dispatchPrecondition(condition: .onQueue(queue))
                            threads.record(own)
                            if queue === queues[19] { continuation.resume() }
                        }
                    }
                }
            }
            rounds.record(threads.values.count == 21 && Set(threads.values).count == 1)
        }
        // On a busy machine, calls may have to be submitted.
        #expect(rounds.values.contains(true))
    }

    @Test("A call that blocks doesn't keep the other calls of its job waiting")
    func blockedCall() async {
        let others = (0..<2).map { DispatchQueue.test("other \($0)") }
        for round in 0..<20 {
            queue.suspend()
            await withCheckedContinuation { continuation in
                MonitorLoop.perform {
                    [call("blocked"), call("second")] + [
                        call("other", on: others[0]),
                        .on(others[1]) { continuation.resume() },
                    ]
                }
            }
            // Calls that were submitted run at once: the second of these queues may come first.
            await perform(on: others[0])
            #expect(told.values[(3 * round)...] == ["other"])
            queue.resume()
            await perform(on: queue)
            #expect(told.values[(3 * round)...] == ["other", "blocked", "second"])
        }
    }

    @Test("A blocked queue delays no other queue, and receives all calls in order")
    func overtaken() async {
        let other = DispatchQueue.test("other")
        queue.suspend()
        for number in 0..<20 {
            await inLoop { [call("\(number)")] }
            await perform(on: other)
        }
        #expect(told.values.isEmpty)
        queue.resume()
        await perform(on: queue)
        #expect(told.values == (0..<20).map { "\($0)" })
    }

    @Test("A call of a job that waits for others goes before later calls on its queue")
    func earlier() async {
        let other = DispatchQueue.test("other")
        for round in 0..<100 {
            queue.suspend()
            await withCheckedContinuation { continuation in
                MonitorLoop.perform {
                    MonitorLoop.perform {
                        [call("later", on: other), .on(other) { continuation.resume() }]
                    }
                    return [call("blocked"), call("earlier", on: other)]
                }
            }
            queue.resume()
            await perform(on: queue)
            #expect(told.values[(3 * round)...] == ["earlier", "later", "blocked"])
        }
    }

    @Test("Jobs and their calls run one after the other")
    func serial() async {
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let done = Recorder<Int>()
        for number in 0..<500 {
            MonitorLoop.perform { [queue] in
                if inside.add(1, ordering: .relaxed).newValue > 1 {
                    overlaps.add(1, ordering: .relaxed)
                }
                for _ in 0..<10 { sched_yield() }
                inside.subtract(1, ordering: .relaxed)
                return [.on(queue) { done.record(number) }]
            }
        }
        await perform(on: queue)
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(done.values == Array(0..<500))
    }

    @Test("The loop does not wait for the main queue")
    func mainQueue() async {
        await inLoop { [call("m", on: .main)] }
        await perform(on: .main)
        #expect(told.values == ["m"])
    }

    @Test("Pending calls of an ended session or a cancelled callback are not made")
    func unwanted() async {
        let next = MonitoringSession(receiver: NetworkReachabilityManager())
        let one = callback("a")
        let two = callback("b")
        queue.suspend()
        await inLoop { [session] in
            [
                one.delivery(of: snapshot(1), from: session),
                one.delivery(of: snapshot(2), from: next),
                two.delivery(of: snapshot(3), from: next),
            ]
        }
        session.end()
        two.cancel()
        queue.resume()
        await perform(on: queue)
        #expect(told.values == ["a2"])
    }

    /// A callback that only the loop still holds may own an object that uses the loop.
    @Test("An object that is released by a call may use the loop")
    func letsGo() async {
        final class Owned: Sendable {
            let gone: Recorder<String>
            init(_ gone: Recorder<String>) { self.gone = gone }
            deinit { MonitorLoop.perform { [gone] in [.here { gone.record("gone") }] } }
        }
        do {
            let owned = Owned(told)
            let one = Callback(queue: queue, part: .everything) { _ in
                withExtendedLifetime(owned) {}
            }
            await inLoop { [session] in [one.delivery(of: snapshot(1), from: session)] }
        }
        #expect(await told.next() == "gone")
    }

    /// Runs in its own process, where nothing else uses the loop.
    @Test(
        "Calls that don't return occupy up to seven threads, and further calls go to their queues"
    )
    func threads() async {
        await #expect(processExitsWith: .success) {
            let threads = { threadNames().count }
            let queues = (0..<20).map { DispatchQueue.test("\($0)") }
            let told = Recorder<Int>()
            await inLoop()
            // One of these threads is the loop's.
            let before = threads()
            for queue in queues { queue.suspend() }
            for (number, queue) in queues.enumerated() {
                await inLoop { [.on(queue) { told.record(number) }] }
                await inLoop()
                let now = threads()
                precondition(now <= before + 7)
            }
            for queue in queues { queue.resume() }
            for queue in queues { await perform(on: queue) }
            precondition(told.values.sorted() == Array(0..<20))
            let deadline = monotonicSeconds() + 120
            while threads() > before + 1 { precondition(monotonicSeconds() < deadline) }
        }
    }

    @Test("The loop's threads block signals, except those that they cause themselves")
    func signals() async {
        await inLoop {
            var blocked = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
            let isOurs = { signal in unsafe sigismember(&blocked, signal) == 0 }
            #expect(!isOurs(SIGTERM) && !isOurs(SIGUSR1) && isOurs(SIGSEGV) && isOurs(SIGPIPE))
            return []
        }
    }
}

/// The calling thread.
private var own: pthread_t { pthread_self() }
