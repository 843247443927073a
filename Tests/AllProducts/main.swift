// SPDX-License-Identifier: MIT

// A program that uses all products at once, for ThreadSanitizer and LeakSanitizer. Threads start,
// stop, cancel, release, and replace objects at random, while the network, the bus, and a server
// change. In the end each product must report a change, and no memory may be leaked: when a process
// exits, LeakSanitizer looks for memory that nothing refers to.
//
// Then it starts processes that end while they use all products (`Exits.swift`): REACH_HAMMER_EXITS, by default 6.
//
// REACH_HAMMER_SECONDS or REACH_HAMMER_MINUTES sets the duration (default: 3 s). REACH_HAMMER_SEED
// repeats a run's choices. REACH_HAMMER_FORK=0 omits fork(), which ThreadSanitizer doesn't support.

import BusTestSupport
import Foundation
import SwiftTestSupport
import Synchronization

private let environment = ProcessInfo.processInfo.environment

/// The number in an environment variable.
private func number(_ name: String) -> Double? {
    environment[name].flatMap(Double.init)
}

private let seconds =
    number("REACH_HAMMER_MINUTES").map { $0 * 60 } ?? number("REACH_HAMMER_SECONDS") ?? 3
private let seed =
    environment["REACH_HAMMER_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)

private func prepare() throws -> Hammer {
    let world = try World()
    // Before this program has another thread, so that later threads are in the namespace, too.
    try world.namespace.enter()
    unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", world.place.address, 1)
    print("seed \(seed), \(seconds) s")
    fflush(nil)
    return try Hammer(world, seed: seed, forks: environment["REACH_HAMMER_FORK"] != "0")
}

/// Whether this is a process of `checkExits()`, which ends here or returns.
private func isExit() throws -> Bool {
    let words = CommandLine.arguments
    guard words.count == 5, words[1] == "--end", let ending = CInt(words[2]).flatMap(Ending.init),
        let seed = UInt64(words[3]), let port = UInt16(words[4])
    else { return false }
    try use(until: ending, seed: seed, port: port)
    return true
}

private func hammer() throws -> Never {
    // Released before the end: LeakSanitizer does not follow weak references.
    let hammer = Mutex<Hammer?>(try prepare())
    Thread.detachNewThread {
        do {
            func strike(_ hammer: Hammer?) throws {
                hammer?.run(seconds)
                try hammer?.hearChanges()
                try hammer?.checkMainRunLoop()
                try hammer?.end(exits: number("REACH_HAMMER_EXITS").map(Int.init) ?? 6)
            }
            try strike(hammer.withLock { $0.take() })
            try waitForRest()
            exit(0)
        } catch {
            fatalError("\(error)")
        }
    }
    runMainRunLoop()
}

do {
    if try !isExit() { try hammer() }
} catch {
    fatalError("\(error)")
}
