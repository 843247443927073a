// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing

@testable import AppleReachability
@testable import NetworkReachability

@Suite("Closures that need not be Sendable", .timeLimit(.minutes(10)))
struct BlockTests {
    @Test("A block called on several threads gets each argument once")
    func concurrently() {
        let seen = Recorder<Int>()
        let block = Block<Int> { seen.record($0) }
        DispatchQueue.concurrentPerform(iterations: 10_000) { block.call($0) }
        #expect(seen.values.sorted() == Array(0..<10_000))
    }

    @Test("A block called within its own call finishes the inner call first")
    func nested() {
        let seen = Recorder<Int>()
        let inner = Shared<Block<Int>?>(nil)
        let block = Block<Int> { number in
            if number > 0 { inner.value.withLock { $0 }?.call(number - 1) }
            seen.record(number)
        }
        inner.value.withLock { $0 = block }
        block.call(3)
        inner.value.withLock { $0 = nil }
        #expect(seen.values == [0, 1, 2, 3])
    }

    @Test("A block keeps no argument after a call")
    func arguments() {
        final class Owned: Sendable {}
        weak var gone: Owned?
        let block = Block<Owned> { _ in }
        do {
            let owned = Owned()
            gone = owned
            block.call(owned)
        }
        #expect(gone == nil)
    }

    @Test(
        "A block is released when it is replaced, whether it was called or not", arguments: [0, 1])
    func released(calls: Int) async {
        final class Owned: Sendable {}
        weak var gone: Owned?
        let manager = AFNetworkReachabilityManager(options: testOptions) { .internet }
        do {
            let owned = Owned()
            gone = owned
            let block = Block<Int> { _ in withExtendedLifetime(owned) {} }
            for _ in 0..<calls { block.call(0) }
            manager.setReachabilityStatusChange { _ in block.call(0) }
        }
        #expect(gone != nil)
        manager.setReachabilityStatusChange(nil)
        #expect(gone == nil)
    }
}
