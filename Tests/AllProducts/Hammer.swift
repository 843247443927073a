// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import SwiftTestSupport
import Synchronization

/// The threads, and their random operations.
final class Hammer: Sendable {
    private static let threads = 8
    private static let patience = 120

    private let world: World
    private let products: [any Product]
    private let counts: Mutex<[Int]>
    private let seed: UInt64
    private let deadline = Mutex(0.0)
    private let watchdog = Watchdog(workers: threads + 1, patience: patience)

    init(_ world: World, seed: UInt64, forks: Bool) throws {
        self.world = world
        self.seed = seed
        products = try allProducts(forks: forks, world.simulated, scheme: "http", world.server.port)
        counts = Mutex(Array(repeating: 0, count: products.count))
    }

    func run(_ seconds: Double) {
        deadline.withLock { $0 = monotonicSeconds() + seconds }
        let ended = DispatchSemaphore(value: 0)
        for thread in 0..<Self.threads {
            Thread.detachNewThread { [self] in
                act(thread)
                ended.signal()
            }
        }
        Thread.detachNewThread { [self] in
            changeWorld(Self.threads)
            ended.signal()
        }
        for _ in 0...Self.threads { ended.wait() }
        let counts = counts.withLock { $0 }
        for (product, count) in zip(products, counts) { print("\(count) of \(product.name)") }
        print("\(counts.reduce(0, +)) operations")
        fflush(nil)
        guard counts.allSatisfy({ $0 > 0 }) else { fatalError("a product was not used") }
    }

    private var isOver: Bool { deadline.withLock { monotonicSeconds() >= $0 } }

    private func act(_ thread: Int) {
        var hand = Hand(seed: seed + UInt64(thread))
        var own = Array(repeating: 0, count: products.count)
        while !isOver {
            let place = hand.below(products.count)
            do {
                try products[place].act(&hand)
            } catch {
                fatalError("\(products[place].name): \(error)")
            }
            own[place] += 1
            watchdog.step(thread)
        }
        hand.endAll()
        counts.withLock { counts in
            for place in own.indices { counts[place] += own[place] }
        }
        watchdog.leave(thread)
    }

    private func changeWorld(_ thread: Int) {
        var hand = Hand(seed: seed + UInt64(thread))
        do {
            while !isOver {
                switch hand.below(32) {
                case 0: try world.restartBus()
                case 1...3:
                    try world.set(hasServices: false)
                    try world.set(hasServices: true)
                case 4: world.server.behave(.answer(http(204)))
                case 5: world.server.behave(.answer(http(200, body: "a portal")))
                case 6: world.server.behave(.hang)
                case 7: world.server.behave(.reset)
                default: try world.set(isOnline: hand.below(2) == 0)
                }
                watchdog.step(thread)
            }
            world.server.behave(.answer(http(204)))
        } catch {
            fatalError("\(error)")
        }
        watchdog.leave(thread)
    }

    /// Checks that each product still reports changes.
    func hearChanges() throws {
        try world.set(isOnline: false)
        for product in products {
            let heard = Mutex<Bool?>(nil)
            let told = DispatchSemaphore(value: 0)
            let end = try product.listen { isOnline in
                heard.withLock { $0 = isOnline }
                told.signal()
            }
            for isOnline in [false, true, false] {
                try world.set(isOnline: isOnline)
                while heard.withLock({ $0 }) != isOnline {
                    guard told.wait(timeout: .now() + .seconds(Self.patience)) == .success else {
                        fatalError("\(product.name) does not report \(isOnline)")
                    }
                }
            }
            end()
        }
    }

    /// Checks the modes of the main run loop, after ``hearChanges()``.
    func checkMainRunLoop() throws {
        try AllProducts.checkMainRunLoop(world)
    }

    func end(exits: Int) throws {
        for product in products { product.end() }
        wait(until: "all tasks have ended") { Hand.tasks.load(ordering: .relaxed) == 0 }
        try checkExits(world, count: exits, seed: seed)
        world.server.end()
        world.place.endBus()
        watchdog.end()
    }
}
