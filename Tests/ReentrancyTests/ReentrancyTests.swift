// SPDX-License-Identifier: MIT
import BusTestSupport
import NetworkReachability
import SwiftTestSupport
import Testing

/// Every closure that the library calls may call every function of the library.
///
/// Not on the threads of tests that block, where each step would wait for all other tests in the queue.
@Suite("Calls in closures", .needsNamespaces, .serialized, .timeLimit(.minutes(10)))
struct ReentrancyTests {
    private static let world = Result { try World() }
    /// Prints the stacks of all threads if a test hangs, which a time limit would not do.
    private static let watchdog = Watchdog(workers: 1, patience: 300)

    @Test(
        "A closure that calls the library returns, and later changes are reported",
        arguments: Site.allCases.filter { $0 != .bus }, Action.possible)
    func closures(_ site: Site, _ action: Action) async throws {
        try await check(site, action)
    }

    @Test(
        "A bus listener that calls the library returns, and later changes are reported",
        arguments: Action.possible)
    func bus(_ action: Action) async throws {
        try await check(.bus, action)
    }

    private func check(_ site: Site, _ action: Action) async throws {
        Self.watchdog.step(0)
        defer { Self.watchdog.leave(0) }
        let world = try Self.world.get()
        try world.set(isOnline: false)
        let witness = try Stage(world)
        let seen = Recorder<Bool>()
        witness.add { manager in
            manager.addStatusListener(queue: .test()) { seen.record($0.isReachable) }
        }
        try witness.manager?.startMonitoring()
        let stage = try Stage(world)
        let called = Recorder<Bool>()
        let acted = Recorder<Void>()
        try await site.subscribe(stage) { [weak stage] isOnline in
            called.record(isOnline)
            guard isOnline, let stage, stage.isFirst else { return }
            action.perform(on: stage)
            acted.record(())
        }
        #expect(await called.first { !$0 } != nil)
        #expect(await seen.first { !$0 } != nil)
        try world.set(isOnline: true)
        site.provoke(stage)
        await acted.next()
        #expect(await seen.first { $0 } != nil)
        try world.set(isOnline: false)
        #expect(await seen.first { !$0 } != nil)
        if !site.endedBy.contains(action) { #expect(await called.first { !$0 } != nil) }
        await stage.end()
        await witness.end()
    }
}
