// SPDX-License-Identifier: MIT

import Dispatch
import Testing

@testable import NetworkReachability

@Suite("How callbacks come to their queues", .timeLimit(.minutes(1)))
struct CourierTests {
    let queue = DispatchQueue.test()
    let told = Recorder<String>()
    let session = Session(manager: NetworkReachabilityManager())

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

    @Test("the only one is kept, and called on its queue by the calling thread")
    func keepsOne() {
        var courier = Courier(keepingOne: true)
        courier.take(letter(1), to: callback("a"))
        #expect(told.values == [])
        courier.callKept()
        #expect(told.values == ["a1"])
    }

    @Test("what was kept goes before what comes by another way meanwhile, and only once")
    func overtaken() async {
        let one = callback("a")
        var first = Courier(keepingOne: true)
        var second = Courier()
        queue.suspend()
        first.take(letter(1), to: one)
        second.take(letter(2), to: one)
        queue.resume()
        first.callKept()
        await perform(on: queue)
        #expect(told.values == ["a1", "a2"])
    }

    @Test("of several all go to the queue, in order, and nothing is left to call")
    func several() async {
        var courier = Courier(keepingOne: true)
        queue.suspend()
        for name in ["a", "b", "c"] { courier.take(letter(1), to: callback(name)) }
        // Would wait for the queue for ever.
        courier.callKept()
        queue.resume()
        await perform(on: queue)
        #expect(told.values == ["a1", "b1", "c1"])
    }

    @Test("what was kept goes to the queue before what is sent for another reason")
    func sendsKept() async {
        var courier = Courier(keepingOne: true)
        queue.suspend()
        courier.take(letter(1), to: callback("a"))
        courier.sendKept()
        queue.async { [told] in told.record("x") }
        courier.take(letter(1), to: callback("b"))
        courier.callKept()
        queue.resume()
        await perform(on: queue)
        #expect(told.values == ["a1", "x", "b1"])
    }

    @Test("nothing is kept unless it is asked for, and nothing of the main queue ever")
    func keepsNothing() async {
        var courier = Courier()
        courier.take(letter(1), to: callback("a"))
        courier.callKept()
        await perform(on: queue)
        var other = Courier(keepingOne: true)
        other.take(letter(2), to: callback("m", on: .main))
        other.take(letter(3), to: callback("b"))
        #expect(await told.first { $0.hasPrefix("m") } == "m2")
        #expect(told.values == ["a1", "m2"])
        other.callKept()
        #expect(told.values == ["a1", "m2", "b3"])
    }

    @Test("a letter of a session that has ended is not told, however it goes")
    func endedSession() async {
        let one = callback("a")
        let next = Session(manager: NetworkReachabilityManager())
        var courier = Courier()
        var keeping = Courier(keepingOne: true)
        queue.suspend()
        courier.take(letter(1), to: one)
        courier.take(Callback.Letter(snapshot: letter(2).snapshot, session: next), to: one)
        keeping.take(letter(3), to: one)
        session.end()
        queue.resume()
        keeping.callKept()
        #expect(told.values == ["a2"])
    }

    @Test("a cancelled callback is not called, however it goes")
    func cancelled() async {
        let one = callback("a")
        var courier = Courier()
        var keeping = Courier(keepingOne: true)
        queue.suspend()
        courier.take(letter(1), to: one)
        keeping.take(letter(2), to: one)
        one.cancel()
        queue.resume()
        keeping.callKept()
        #expect(told.values == [])
    }
}
