// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

/// The subscribers of a round in order, each with the value that it has and the new one.
private func texts(_ round: Subscribers<Int, String>.Round?) -> [String] {
    var texts: [String] = []
    round?.forEach { name, last in
        texts.append("\(name) \(last.map(String.init) ?? "-") \(round?.value ?? 0)")
    }
    return texts
}

@Suite("The subscribers to a value")
struct SubscribersTests {
    typealias List = Subscribers<Int, String>

    private var list = List()

    @Test("Subscribers are called by rank, then by age, and have the last value")
    mutating func order() {
        let ids = [("c", 1), ("a", 0), ("e", 2), ("d", 1), ("b", 0)].map { list.add($0, rank: $1) }
        #expect(texts(list.publish(1)) == ["a - 1", "b - 1", "c - 1", "d - 1", "e - 1"])
        #expect(list.remove(ids[0]) == "c" && list.remove(ids[0]) == nil)
        #expect(list[ids[1]] == "a" && list[ids[0]] == nil && list.contains { $0 == "e" })
        #expect(list.removeAll { $0 > "c" } == ["d", "e"])
        #expect(list.all == ["a", "b"] && texts(list.publish(2)) == ["a 1 2", "b 1 2"])
    }

    @Test("The current value comes once, with the first change or the call to catch up")
    mutating func first() {
        _ = list.add("a")
        #expect(list.catchUp() == nil && list.hasNew)
        _ = list.publish(1)
        _ = list.add("b")
        #expect(list.hasNew && texts(list.catchUp()) == ["b - 1"])
        #expect(list.catchUp() == nil && !list.hasNew)
        _ = list.add("c")
        #expect(texts(list.publish(2)) == ["a 1 2", "b 1 2", "c - 2"] && list.catchUp() == nil)
    }

    @Test("Only a subscriber without the value is called with an equal one")
    mutating func repetition() {
        func changed(_ round: List.Round) -> [String] {
            var names: [String] = []
            round.forEachChange { names.append($0) }
            return names
        }
        _ = list.add("a")
        #expect(changed(list.publish(1)) == ["a"])
        _ = list.add("b")
        #expect(changed(list.publish(1)) == ["b"] && changed(list.publish(1)) == [])
        #expect(changed(list.publish(2)) == ["a", "b"])
    }

    @Test("A value that isn't for new subscribers leaves them new")
    mutating func notForNew() {
        _ = list.add("a")
        _ = list.publish(1)
        _ = list.add("b")
        #expect(texts(list.publish(2, toNew: false)) == ["a 1 2"])
        #expect(texts(list.publish(3)) == ["a 2 3", "b - 3"])
    }

    @Test("After the value is forgotten, all subscribers are new")
    mutating func forgotten() {
        _ = list.add("a")
        _ = list.publish(1)
        list.forget()
        #expect(list.latest == nil && list.hasNew && list.catchUp() == nil)
        #expect(texts(list.publish(1)) == ["a - 1"])
    }

    @Test("A round doesn't change once it is returned")
    mutating func fixed() {
        let id = list.add("a")
        let round = list.publish(1)
        _ = list.add("b")
        #expect(list.remove(id) == "a" && texts(round) == ["a - 1"])
        #expect(texts(list.catchUp()) == ["b - 1"])
    }

    /// Counts its live objects under a lock that isn't recursive.
    private final class Counted: Sendable {
        let count: Lock<Int>

        init(_ count: Lock<Int>) {
            self.count = count
            count.withLock { $0 += 1 }
        }

        deinit {
            count.withLock { $0 -= 1 }
        }
    }

    @Test("A round and the result of a removal hold the subscribers")
    func lifetime() {
        let count = Lock(0)
        func live() -> Int { count.withLock { $0 } }
        var list = Subscribers<Int, Counted>()
        let id = list.add(Counted(count))
        _ = list.add(Counted(count))
        var round: Subscribers<Int, Counted>.Round? = list.publish(1)
        var removed: (Counted?, [Counted])? = (list.remove(id), list.removeAll { _ in true })
        #expect(list.isEmpty && live() == 2)
        removed = nil
        #expect(live() == 2)
        round = nil
        #expect(live() == 0 && removed == nil && round == nil)
    }
}
