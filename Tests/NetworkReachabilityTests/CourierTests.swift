// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Testing

@testable import NetworkReachability

@Suite("How callbacks come to their queues", .timeLimit(.minutes(1)))
struct CourierTests {
    let queue = DispatchQueue.test()
    let told = Recorder<String>()
    let session = Session(manager: NetworkReachabilityManager())
    let kept = KeptCall()

    /// Tells its name and the number of the flags, whatever they mean.
    func callback(_ name: String, on queue: DispatchQueue? = nil) -> Callback {
        Callback(queue: queue ?? self.queue, byStatus: false) { [told] snapshot in
            told.record("\(name)\(snapshot.flags.rawValue)")
        }
    }

    func letter(_ number: UInt32) -> Callback.Letter {
        Callback.Letter(
            snapshot: ReachabilitySnapshot(flags: ReachabilityFlags(rawValue: number)),
            session: session)
    }

    func keeping() -> Courier { Courier(kept, isCaller: true) }

    func sending() -> Courier { Courier(kept, isCaller: false) }

    @Test("the only one is kept, and called on its queue by the calling thread")
    func keepsOne() {
        var courier = keeping()
        courier.take(letter(1), to: callback("a"))
        #expect(courier.hasKept)
        #expect(told.values == [])
        kept.call()
        #expect(told.values == ["a1"])
        var next = keeping()
        next.take(letter(2), to: callback("a"))
        kept.call()
        #expect(told.values == ["a1", "a2"])
    }

    @Test("what is kept goes before whatever comes by another way, and only once")
    func overtaken() async {
        var first = keeping()
        var second = keeping()
        queue.suspend()
        first.take(letter(1), to: callback("a"))
        second.take(letter(2), to: callback("b"))
        #expect(first.hasKept && !second.hasKept)
        queue.resume()
        kept.call()
        await perform(on: queue)
        #expect(told.values == ["a1", "b2"])
    }

    @Test("so it does while who calls waits for the queue")
    func overtakenWaiting() async throws {
        let begun = Recorder<Void>()
        let waiter = Recorder<Void>()
        queue.suspend()
        var first = keeping()
        first.take(letter(1), to: callback("a"))
        let thread = Thread { [kept] in
            begun.record(())
            kept.call()
            waiter.record(())
        }
        thread.start()
        await begun.next()
        var second = sending()
        second.take(letter(2), to: callback("b"))
        queue.resume()
        await waiter.next()
        await perform(on: queue)
        #expect(told.values == ["a1", "b2"])
    }

    @Test("of several all go to the queue, in order, and nothing is left to call")
    func several() async {
        var courier = keeping()
        queue.suspend()
        for name in ["a", "b", "c"] { courier.take(letter(1), to: callback(name)) }
        // Does not wait for the queue, since nothing is left.
        kept.call()
        queue.resume()
        await perform(on: queue)
        #expect(told.values == ["a1", "b1", "c1"])
    }

    @Test("what was kept goes to the queue before what is sent for another reason")
    func sendsKept() async {
        var courier = keeping()
        queue.suspend()
        courier.take(letter(1), to: callback("a"))
        var other = sending()
        other.sendKept()
        queue.async { [told] in told.record("x") }
        courier.take(letter(1), to: callback("b"))
        kept.call()
        queue.resume()
        await perform(on: queue)
        #expect(told.values == ["a1", "x", "b1"])
    }

    @Test("nothing is kept unless it is asked for, and nothing of the main queue ever")
    func keepsNothing() async {
        var courier = sending()
        courier.take(letter(1), to: callback("a"))
        #expect(!courier.hasKept)
        await perform(on: queue)
        var other = keeping()
        other.take(letter(2), to: callback("m", on: .main))
        #expect(!other.hasKept)
        other.take(letter(3), to: callback("b"))
        #expect(await told.first { $0.hasPrefix("m") } == "m2")
        #expect(told.values == ["a1", "m2"])
        kept.call()
        #expect(told.values == ["a1", "m2", "b3"])
    }

    @Test("a letter of a session that has ended is not told, however it goes")
    func endedSession() async {
        let one = callback("a")
        let next = Session(manager: NetworkReachabilityManager())
        var courier = sending()
        var keeping = keeping()
        queue.suspend()
        courier.take(letter(1), to: one)
        courier.take(Callback.Letter(snapshot: letter(2).snapshot, session: next), to: one)
        keeping.take(letter(3), to: one)
        session.end()
        queue.resume()
        kept.call()
        #expect(told.values == ["a2"])
    }

    @Test("a cancelled callback is not called, however it goes")
    func cancelled() async {
        let one = callback("a")
        var courier = sending()
        var keeping = keeping()
        queue.suspend()
        courier.take(letter(1), to: one)
        keeping.take(letter(2), to: one)
        one.cancel()
        queue.resume()
        kept.call()
        #expect(told.values == [])
    }

    /// Its last reference may be the courier's, and its closure may own what calls back into us.
    @Test("a callback is let go of by who calls, and not while others are told")
    func letsGoLate() async {
        final class Owned: Sendable {
            let gone: Recorder<String>
            init(_ gone: Recorder<String>) { self.gone = gone }
            deinit { gone.record("gone") }
        }
        let gone = Recorder<String>()
        var courier = keeping()
        do {
            let owned = Owned(gone)
            let one = Callback(queue: queue, byStatus: false) { _ in withExtendedLifetime(owned) {}
            }
            courier.take(letter(1), to: one)
        }
        courier.take(letter(2), to: callback("b"))
        await perform(on: queue)
        #expect(gone.values == [])
        kept.call()
        #expect(gone.values == ["gone"])
    }
}
