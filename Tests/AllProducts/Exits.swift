// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import Foundation
import NetworkReachability
import NetworkReachabilityTesting
import ReachabilityConnectivity
import SwiftTestSupport

/// How a process ends, with its exit status.
enum Ending: CInt, CaseIterable {
    /// The main thread runs out of statements.
    case ofMain = 0
    /// A thread calls exit().
    case ofThread = 41
    /// A work item of a queue calls exit().
    case ofQueue = 42
}

/// Ends processes that use all products, at random points: each must have its own exit status.
func checkExits(_ world: World, count: Int, seed: UInt64) throws {
    // A TLS server that accepts and says nothing.
    world.server.behave(.hang)
    try world.set(isOnline: true)
    // What other threads hold at the end is no leak. While the sanitizer writes its report of a fault, exit()
    // would end the process with its own status.
    unsafe setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_abort=0", 1)
    // Swift's report of a crash suspends all threads, and may hang.
    unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
    for number in 0..<count {
        let ending = Ending.allCases[number % Ending.allCases.count]
        let words = ["\(ending.rawValue)", "\(seed + UInt64(number))", "\(world.server.port)"]
        let (output, status) = try Child.run(
            ["/proc/self/exe", "--end"] + words, in: world.namespace.descriptor)
        guard status == ending.rawValue else {
            fatalError("--end \(words.joined(separator: " ")) ended with \(status): \(output)")
        }
    }
    print("\(count) exits")
}

/// Uses all products in threads, and returns, or ends the process, after a random number of operations.
func use(until ending: Ending, seed: UInt64, port: UInt16) throws {
    alarm(120)
    let products = try allProducts(forks: false, SimulatedReachability(), scheme: "https", port)
    // The resolver's server doesn't answer.
    let named = try NetworkReachabilityManager(domain: "name\(seed).example.com")
    try named.startMonitoring()
    // TLS libraries read all certificates for each probe: most of the time, one of these probes is doing that.
    var options = ConnectivityOptions()
    options.retryInterval = .milliseconds(10)
    let monitors = try (0..<5).map { number in
        try ConnectivityMonitor(
            target: .address(World.address),
            probe: .http("https://\(World.address):\(port)/\(number)", timeout: .milliseconds(60)),
            options: options)
    }
    for monitor in monitors { monitor.addListener(queue: .global()) { _ in } }
    defer { withExtendedLifetime(monitors) {} }
    @Sendable func act(_ seed: UInt64, _ count: Int = .max) {
        var hand = Hand(seed: seed)
        for _ in 0..<count {
            do {
                try products[hand.below(products.count)].act(&hand)
            } catch {
                fatalError("\(error)")
            }
        }
    }
    for thread in 1...3 { Thread.detachNewThread { act(seed &* 4 + UInt64(thread)) } }
    var hand = Hand(seed: seed)
    let count = hand.below(600)
    switch ending {
    case .ofMain: act(seed &* 4, count)
    case .ofThread:
        Thread.detachNewThread {
            act(seed &* 4, count)
            exit(ending.rawValue)
        }
        runMainRunLoop()
    case .ofQueue:
        DispatchQueue(label: "end").async {
            act(seed &* 4, count)
            exit(ending.rawValue)
        }
        dispatchMain()
    }
}
