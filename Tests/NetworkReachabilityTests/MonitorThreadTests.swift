// SPDX-License-Identifier: MIT

import SwiftTestSupport
import Testing

@testable import NetworkReachability

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The thread that waits for a monitor", .timeLimit(.minutes(1)))
struct MonitorThreadTests {
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

    @Test("it calls once for each byte, takes no signals, and lets go of all when it is let go of")
    func life() async throws {
        let (gone, end) = AsyncStream<Void>.makeStream()
        let (calls, call) = AsyncStream<Bool>.makeStream()
        var pipe: Pipe? = try Pipe(end)
        do {
            let known = try #require(pipe)
            let thread = try MonitorThread(waitingFor: known.ends[0]) {
                known.take()
                var blocked = sigset_t()
                unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
                call.yield([SIGTERM, SIGUSR1].allSatisfy { unsafe sigismember(&blocked, $0) == 1 })
            }
            var each = calls.makeAsyncIterator()
            for _ in 0..<3 {
                known.put()
                #expect(await each.next() == true)
            }
            _ = consume thread
        }
        pipe = nil
        for await _ in gone {}
    }
}
