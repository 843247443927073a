// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import AppleReachability
@testable import NetworkReachability

// The notifier.
extension ReachabilityTests {
    /// Runs a test with a notifier on a run loop of its own.
    func notifying(
        _ reachability: Reachability,
        _ body: (RunLoopThread, Feed, Recorder<String>) async throws -> Void
    ) async throws {
        let loop = RunLoopThread()
        #expect(await loop.perform { reachability.startNotifier() })
        let feed = Feed(reachability.core)
        let text: @Sendable (Notification) -> String = {
            let object = $0.object as? Reachability
            return object.map { "\($0.currentReachabilityStatus())" } ?? "-"
        }
        try await recording(kReachabilityChangedNotification, of: reachability, text) { posted in
            try await body(loop, feed, posted)
        }
        await loop.end()
    }

    @Test("A change is posted on the run loop's thread, with the object and without user info")
    func posts() async throws {
        try await notifying(reachability) { loop, feed, posted in
            let thread = await loop.perform { ObjectIdentifier(Thread.current) }
            let seen: @Sendable (Notification) -> Bool = { [reachability] in
                ObjectIdentifier(Thread.current) == thread && $0.userInfo == nil
                    && $0.object as? Reachability === reachability
            }
            await recording(kReachabilityChangedNotification, of: reachability, seen) { details in
                await feed.send([])
                #expect(await posted.next() == "NotReachable")
                #expect(await details.next() == true)
                await feed.send(.wwan)
                #expect(await posted.next() == "ReachableViaWWAN")
            }
        }
    }

    // Earlier centers recognize only an NSObject.
    #if compiler(>=6.3)
    @Test("An observer of a Reachability is called")
    func observer() async throws {
        try await notifying(reachability) { _, feed, _ in
            let calls = Recorder<Void>()
            let token = NotificationCenter.default.addObserver(
                forName: kReachabilityChangedNotification, object: reachability, queue: nil
            ) { _ in calls.record(()) }
            await feed.send([])
            await calls.next()
            NotificationCenter.default.removeObserver(token)
        }
    }
    #endif

    @Test("An observer on the main operation queue doesn't block the main queue")
    func mainObserver() async {
        // A post waits for observers on a queue other than `OperationQueue.current`. In its own process, since
        // other tests run loops on the main queue, which isn't the current one there.
        await #expect(processExitsWith: .success) {
            let reachability = try Reachability(
                target: .address("127.0.0.1"), isLocalWiFi: false, options: testOptions)
            _ = await MainActor.run { reachability.startNotifier() }
            let feed = Feed(reachability.core)
            let seen = Recorder<Void>()
            let token = NotificationCenter.default.addObserver(
                forName: kReachabilityChangedNotification, object: nil, queue: .main
            ) { _ in seen.record(()) }
            await feed.send([])
            await seen.next()
            await MainActor.run {}
            NotificationCenter.default.removeObserver(token)
        }
    }

    /// Runs a test with a notifier that takes its first value from the feed, too.
    func starting(
        known: ReachabilitySnapshot?,
        _ body: (ReachabilityNotifier, Feed, RunLoopThread, Recorder<Void>) async throws -> Void
    ) async throws {
        let loop = RunLoopThread()
        let notifier = ReachabilityNotifier(baseline: known) { [reachability] in
            reachability.notify($0, isBaseline: $1)
        }
        let feed = Feed(reachability.core)
        let core = reachability.core
        let hasStarted = await loop.perform { (try? notifier.start(core)) != nil }
        #expect(hasStarted)
        try await recording(kReachabilityChangedNotification, of: reachability, { _ in }) {
            try await body(notifier, feed, loop, $0)
        }
        await loop.perform { notifier.end() }
        await loop.end()
    }

    @Test(
        "An address posts nothing at the start, and later a value that differs from the known one"
    )
    func silent() async throws {
        try await starting(known: ReachabilitySnapshot(flags: .reachable)) {
            _, feed, loop, posted in
            await feed.send(.reachable)
            await perform(on: ReachabilityNotifier.queue)
            await loop.perform {}
            #expect(posted.values.isEmpty)
            await feed.send([])
            await posted.next()
            #expect(posted.values.count == 1)
        }
    }

    @Test(
        "A first value that differs from the known one is posted, even if only the interface differs",
        arguments: [
            ReachabilitySnapshot(flags: []),
            ReachabilitySnapshot(
                flags: .reachable,
                interface: .init(index: 2, name: "eth0", interfaceClass: .wiredEthernet)),
        ])
    func differs(first: ReachabilitySnapshot) async throws {
        try await starting(known: ReachabilitySnapshot(flags: .reachable)) { _, feed, _, posted in
            await feed.send(first)
            await posted.next()
        }
    }

    @Test("After a query before the first value, a different value is posted")
    func asksFirst() async throws {
        try await starting(known: ReachabilitySnapshot(flags: .reachable)) {
            notifier, feed, _, posted in
            notifier.note(ReachabilitySnapshot(flags: []))
            await feed.send(.reachable)
            await posted.next()
        }
    }

    @Test("A change that waits for the run loop when the notifier ends there isn't posted")
    func ended() async throws {
        try await starting(known: ReachabilitySnapshot(flags: .reachable)) {
            notifier, feed, loop, posted in
            let isInside = Recorder<Void>()
            let hasChanged = DispatchSemaphore(value: 0)
            async let end: Void = loop.perform {
                isInside.record(())
                hasChanged.wait()
                notifier.end()
            }
            await isInside.next()
            await feed.send([])
            await perform(on: ReachabilityNotifier.queue)
            hasChanged.signal()
            await end
            await loop.perform {}
            await loop.perform {}
            #expect(posted.values.isEmpty)
        }
    }

    @Test("The first value of a name is always posted")
    func firstOfName() async throws {
        let name = try Reachability(
            target: .domain("localhost"), isLocalWiFi: false, options: testOptions)
        #expect(try name.baseline() == nil)
        #expect(try reachability.baseline()?.flags == [.reachable, .isLocalAddress])
        try await starting(known: nil) { _, feed, _, posted in
            await feed.send(.reachable)
            await posted.next()
            #expect(posted.values.count == 1)
        }
    }

    @Test("Changes while the run loop is busy are posted once, with the latest value")
    func coalesces() async throws {
        try await notifying(reachability) { loop, feed, posted in
            let gate = DispatchSemaphore(value: 0)
            await loop.hold(gate)
            for flags: ReachabilityFlags in [.reachable, [], .wwan, [], .reachable, .wwan] {
                await feed.send(flags)
            }
            await perform(on: ReachabilityNotifier.queue)
            gate.signal()
            #expect(await posted.next() == "ReachableViaWWAN")
            await loop.perform {}
            #expect(posted.values.count == 1)
        }
    }

    @Test(
        "reachableBlock or unreachableBlock is called, then reachabilityBlock, before the notification"
    )
    func blocks() async throws {
        let order = Recorder<String>()
        reachability.reachableBlock = { _ in order.record("reachable") }
        reachability.unreachableBlock = { _ in order.record("unreachable") }
        reachability.reachabilityBlock = { order.record("\($0.description) \($1.letters)") }
        try await notifying(reachability) { loop, feed, posted in
            await feed.send([])
            order.record("posted \(await posted.next() ?? "")")
            await feed.send(.reachable)
            order.record("posted \(await posted.next() ?? "")")
            reachability.allowsCellularConnection = false
            await feed.send(.wwan)
            order.record("posted \(await posted.next() ?? "")")
            reachability.unreachableBlock = nil
            reachability.reachabilityBlock = nil
            await feed.send([])
            order.record("posted \(await posted.next() ?? "")")
        }
        #expect(
            order.values == [
                "unreachable", "-- ------- -- -------", "posted NotReachable",
                "reachable", "-R ------- -R -------", "posted ReachableViaWiFi",
                "unreachable", "WR -t----- WR t------", "posted NotReachable",
                "posted NotReachable",
            ])
    }

    @Test("Nothing is posted after a stop on the run loop's thread, and a start posts again")
    func stops() async throws {
        try await notifying(reachability) { loop, feed, posted in
            await feed.send([])
            _ = await posted.next()
            let gate = DispatchSemaphore(value: 0)
            await loop.hold(gate) { [reachability] in
                reachability.stopNotifier()
                reachability.stopNotifier()
            }
            await feed.send(.wwan)
            await perform(on: ReachabilityNotifier.queue)
            gate.signal()
            await loop.perform {}
            #expect(posted.values.count == 1 && !reachability.core.isMonitoring)
            await loop.perform { [reachability] in reachability.startNotifier() }
            await Feed(reachability.core).send(.wwan)
            #expect(await posted.next() == "ReachableViaWWAN")
        }
    }

    @Test("A notifier that is started again stays on its run loop or moves to another")
    func moves() async throws {
        try await notifying(reachability) { loop, feed, posted in
            let stays = await loop.perform { [reachability] in reachability.startNotifier() }
            #expect(stays)
            await feed.send(.wwan)
            #expect(await posted.next() == "ReachableViaWWAN")
            let other = RunLoopThread()
            let moves = await other.perform { [reachability] in reachability.startNotifier() }
            #expect(moves)
            let second = Feed(reachability.core)
            let thread = await other.perform { ObjectIdentifier(Thread.current) }
            let isThere: @Sendable (Notification) -> Bool = { _ in
                ObjectIdentifier(Thread.current) == thread
            }
            await recording(kReachabilityChangedNotification, of: reachability, isThere) {
                await second.send([])
                #expect(await $0.next() == true)
            }
            await other.perform { [reachability] in reachability.stopNotifier() }
            await other.end()
        }
    }

    @Test("A block may stop and start its notifier, and release the last reference")
    func reentrancy() async throws {
        let owner = Mutex<Reachability?>(
            try Reachability(target: .internet, isLocalWiFi: false, options: testOptions))
        weak var gone: Reachability?
        gone = owner.withLock { $0 }
        let core = try #require(owner.withLock { $0?.core })
        let loop = RunLoopThread()
        let told = Recorder<NetworkStatus>()
        await loop.perform {
            let reachability = owner.withLock { $0 }
            reachability?.unreachableBlock = { reachability in
                reachability.stopNotifier()
                reachability.startNotifier()
                reachability.unreachableBlock = nil
                owner.withLock { $0 = nil }
                told.record(reachability.status(of: []))
            }
            reachability?.startNotifier()
        }
        let feed = Feed(core)
        await feed.send(.wwan)
        await feed.send([])
        #expect(await told.next() == .NotReachable)
        await loop.perform {}
        #expect(gone == nil && !core.isMonitoring)
        await loop.end()
    }

    @Test("After its run loop has ended, a notifier can be stopped and started again")
    func runLoopEnds() async throws {
        try await notifying(reachability) { loop, _, _ in }
        let feed = Feed(reachability.core)
        for flags: ReachabilityFlags in [.wwan, [], .reachable] { await feed.send(flags) }
        reachability.stopNotifier()
        try await notifying(reachability) { _, feed, posted in
            await feed.send(.wwan)
            #expect(await posted.next() == "ReachableViaWWAN")
        }
    }
}
