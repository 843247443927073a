// SPDX-License-Identifier: MIT

import Dispatch
import SwiftTestSupport
import Synchronization
import Testing

@testable import NetworkReachability

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The threads that wait for a monitor", .timeLimit(.minutes(1)))
struct MonitorThreadsTests {
    /// Closes its pipe when the last that knows it lets go of it.
    private final class Pipe: Sendable {
        let ends: [CInt]
        let gone: AsyncStream<Void>.Continuation

        init(_ gone: AsyncStream<Void>.Continuation) throws {
            var ends: [CInt] = [-1, -1]
            let error = unsafe pipe(&ends)
            try #require(error == 0)
            self.ends = ends
            self.gone = gone
        }

        deinit {
            for end in ends { close(end) }
            gone.finish()
        }

        func put() {
            var byte: UInt8 = 0
            let count = unsafe write(ends[1], &byte, 1)
            #expect(count == 1)
        }

        func take() {
            var byte: UInt8 = 0
            let count = unsafe read(ends[0], &byte, 1)
            #expect(count == 1)
        }
    }

    @Test("they work once for each byte, take no signals of others, and let go of all in the end")
    func life() async throws {
        let (gone, end) = AsyncStream<Void>.makeStream()
        let (calls, call) = AsyncStream<Bool>.makeStream()
        var pipe: Pipe? = try Pipe(end)
        do {
            let known = try #require(pipe)
            let threads = try MonitorThreads(
                waitingFor: known.ends[0], keeping: KeptCall()
            ) { _ in
                known.take()
                var blocked = sigset_t()
                unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
                let isOurs = { signal in unsafe sigismember(&blocked, signal) == 0 }
                call.yield(
                    !isOurs(SIGTERM) && !isOurs(SIGUSR1) && isOurs(SIGSEGV) && isOurs(SIGPIPE))
            }
            var each = calls.makeAsyncIterator()
            for _ in 0..<3 {
                known.put()
                #expect(await each.next() == true)
            }
            _ = consume threads
        }
        pipe = nil
        for await _ in gone {}
    }

    @Test("one works at a time")
    func alone() async throws {
        let (_, end) = AsyncStream<Void>.makeStream()
        let pipe = try Pipe(end)
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let (works, work) = AsyncStream<Void>.makeStream()
        let threads = try MonitorThreads(
            waitingFor: pipe.ends[0], keeping: KeptCall()
        ) { _ in
            if inside.add(1, ordering: .relaxed).newValue > 1 {
                overlaps.add(1, ordering: .relaxed)
            }
            pipe.take()
            for _ in 0..<10 { sched_yield() }
            work.yield()
            inside.subtract(1, ordering: .relaxed)
        }
        var each = works.makeAsyncIterator()
        // So many that two would meet.
        for _ in 0..<2000 { pipe.put() }
        for _ in 0..<2000 { await each.next() }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        _ = consume threads
    }

    @Test("who works calls the only callback itself, and while it is there the other one works")
    func calling() async throws {
        let (_, end) = AsyncStream<Void>.makeStream()
        let pipe = try Pipe(end)
        let queue = DispatchQueue.test()
        let called = Recorder<Int>()
        let worked = Recorder<pthread_t>()
        let release = DispatchSemaphore(value: 0)
        let callback = Callback(queue: queue, byStatus: false) { snapshot in
            dispatchPrecondition(condition: .onQueue(queue))
            called.record(Int(snapshot.flags.rawValue) << 1 | (worked.values.last == own ? 1 : 0))
            if snapshot.flags.rawValue == 1 { release.wait() }
        }
        let session = Session(manager: NetworkReachabilityManager())
        let threads = try MonitorThreads(
            waitingFor: pipe.ends[0], keeping: KeptCall()
        ) { courier in
            pipe.take()
            let number = UInt32(worked.values.count + 1)
            worked.record(own)
            let snapshot = ReachabilitySnapshot(flags: ReachabilityFlags(rawValue: number))
            courier.take(Callback.Letter(snapshot: snapshot, session: session), to: callback)
        }
        pipe.put()
        // Called by the thread that worked, which stays there.
        #expect(await called.next() == 1 << 1 | 1)
        await worked.next()
        for _ in 2...3 {
            pipe.put()
            await worked.next()
        }
        release.signal()
        await perform(on: queue)
        await perform(on: queue)
        #expect(called.values.map { $0 >> 1 } == [1, 2, 3])
        #expect(Set(worked.values).count == 2 && worked.values[1] == worked.values[2])
        // From when it is back, the caller is again who works.
        for number in 4... {
            pipe.put()
            if await called.first(where: { $0 >> 1 == number }) == number << 1 | 1 { break }
        }
        _ = consume threads
    }
}

/// The calling thread.
private var own: pthread_t { pthread_self() }
