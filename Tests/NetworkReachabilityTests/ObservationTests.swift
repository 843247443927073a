// SPDX-License-Identifier: MIT

import Dispatch
import Observation
import Synchronization
import Testing

@testable import NetworkReachability

extension NetworkReachabilityManager {
    /// A property that a program may add and observe.
    var isDirect: Bool { flags.contains(.isDirect) }
}

@Suite("Observation", .timeLimit(.minutes(10)))
struct ObservationTests {
    let manager = NetworkReachabilityManager()
    let queue = DispatchQueue.test()

    func record<Value: Sendable>(
        _ keyPath: any KeyPath<NetworkReachabilityManager, Value> & Sendable,
        _ options: ReachabilityObservingOptions
    ) -> (ReachabilityObservation, Recorder<String>) {
        let recorder = Recorder<String>()
        let observation = manager.observe(keyPath, options: options, queue: queue) { _, change in
            let old = change.oldValue.map { "\($0)" } ?? "-"
            let new = change.newValue.map { "\($0)" } ?? "-"
            recorder.record("\(change.isPrior ? "prior " : "")\(old) \(new)")
        }
        return (observation, recorder)
    }

    /// Waits until observers are in place and their pending calls are made.
    func settle() async {
        await inLoop()
        await perform(on: queue)
    }

    @Test("The options decide which calls come and which values they carry")
    func options() async throws {
        let none = record(\.networkReachabilityStatus, [])
        let initial = record(\.networkReachabilityStatus, [.initial, .new, .old])
        let both = record(\.networkReachabilityStatus, [.old, .new])
        let prior = record(\.networkReachabilityStatus, [.prior, .old, .new])
        let all = record(\.networkReachabilityStatus, [.initial, .prior, .old, .new])
        let feed = try Feed(manager)
        await feed.send(.reachable)
        await feed.send([])
        await settle()
        #expect(none.1.values == ["- -", "- -"])
        #expect(
            initial.1.values == [
                "- unknown", "unknown reachableViaWiFi", "reachableViaWiFi notReachable",
            ])
        #expect(both.1.values == ["unknown reachableViaWiFi", "reachableViaWiFi notReachable"])
        #expect(
            prior.1.values == [
                "prior unknown -", "unknown reachableViaWiFi", "prior reachableViaWiFi -",
                "reachableViaWiFi notReachable",
            ])
        #expect(all.1.values == ["- unknown"] + prior.1.values)
    }

    @Test("Properties derived from the status are reported when the status changes, and only then")
    func derived() async throws {
        let reachable = record(\.isReachable, [.old, .new])
        let wwan = record(\.isReachableViaWWAN, [.old, .new])
        let wifi = record(\.isReachableViaWiFi, [.old, .new])
        let feed = try Feed(manager)
        for flags: ReachabilityFlags in [.reachable, [.reachable, .isDirect], .wwan, []] {
            await feed.send(flags)
        }
        await settle()
        #expect(reachable.1.values == ["false true", "true true", "true false"])
        #expect(wwan.1.values == ["false false", "false true", "true false"])
        #expect(wifi.1.values == ["false true", "true false", "false false"])
    }

    @Test("Any other property, including a program's own, is reported with every published change")
    func others() async throws {
        let flags = record(\.flags.letters, [.new])
        let own = record(\.isDirect, [.new])
        let feed = try Feed(manager)
        for flags: ReachabilityFlags in [
            .reachable, [.reachable, .isDirect], [.reachable, .isDirect],
        ] {
            await feed.send(flags)
        }
        await settle()
        #expect(flags.1.values == ["- -R -------", "- -R ------d"])
        #expect(own.1.values == ["- false", "- true"])
    }

    @Test("An observer is not called after invalidate() returns, nor once it is released")
    func invalidates() async throws {
        let (observation, recorder) = record(\.isReachable, [.initial, .new])
        var kept: (ReachabilityObservation, Recorder<String>)? = record(\.isReachable, [.new])
        let dropped = try #require(kept).1
        let feed = try Feed(manager)
        await feed.send(.reachable)
        await settle()
        await perform(on: queue) {
            observation.invalidate()
            observation.invalidate()
        }
        kept = nil
        await feed.send([])
        await settle()
        #expect(recorder.values == ["- false", "- true"] && dropped.values == ["- true"])
        #expect(manager.state.withLock { $0.subscribers.isEmpty })
        #expect(kept == nil)
    }

    /// Records when a change of what `read` reads is reported.
    func changes(of read: () -> Void) -> Recorder<Bool> {
        let recorder = Recorder<Bool>()
        withObservationTracking(read) { recorder.record(true) }
        return recorder
    }

    @Test("withObservationTracking works for a property if nothing else was read before")
    func nothingElseRead() async throws {
        let other = NetworkReachabilityManager()
        let snapshot = changes { _ = manager.snapshot }
        let status = changes { _ = other.networkReachabilityStatus }
        for manager in [manager, other] { try await Feed(manager).send(.reachable) }
        #expect(snapshot.values == [true] && status.values == [true])
    }

    @Test("An observer that invalidates itself in the prior call is not called again")
    func invalidatesItself() async throws {
        let observation = Mutex<ReachabilityObservation?>(nil)
        let recorder = Recorder<Bool>()
        let made = manager.observe(\.isReachable, options: [.prior], queue: queue) { _, change in
            recorder.record(change.isPrior)
            observation.withLock { $0 }?.invalidate()
        }
        observation.withLock { $0 = made }
        let feed = try Feed(manager)
        await feed.send(.reachable)
        await settle()
        #expect(recorder.values == [true])
    }

    @Test("An observer that stops its manager in the prior call is not called again")
    func stopsInPriorCall() async throws {
        let recorder = Recorder<Bool>()
        let observation = manager.observe(\.isReachable, options: [.prior], queue: queue) {
            manager, change in
            recorder.record(change.isPrior)
            manager.stopMonitoring()
        }
        let feed = try Feed(manager)
        await feed.send(.reachable)
        await settle()
        #expect(recorder.values == [true])
        observation.invalidate()
    }

    @Test("An observer does not miss a change that comes while it is added")
    func registration() async throws {
        for _ in 0..<200 {
            let manager = NetworkReachabilityManager()
            let feed = try Feed(manager)
            let sending = Task { await feed.send(.reachable) }
            let recorder = Recorder<Bool>()
            let observation = manager.observe(
                \.isReachable, options: [.initial, .new], queue: queue
            ) { _, change in recorder.record(change.newValue ?? false) }
            await sending.value
            await settle()
            #expect(recorder.values.last == true)
            observation.invalidate()
        }
    }

    @Test("Keys have the dependencies that they have in AFNetworkReachabilityManager")
    func keys() {
        for key in ["reachable", "reachableViaWWAN", "reachableViaWiFi", "isReachable"] {
            #expect(
                NetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: key)
                    == ["networkReachabilityStatus"])
        }
        for key in ["networkReachabilityStatus", "snapshot", "", "nonsense"] {
            #expect(NetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: key).isEmpty)
        }
    }

    @Test("withObservationTracking of a derived property reports changes of the status alone")
    func tracking() async throws {
        let feed = try Feed(manager)
        await feed.send(.reachable)
        let status = changes { _ = manager.isReachable }
        let snapshot = changes { _ = manager.snapshot }
        await feed.send([.reachable, .isDirect])
        #expect(status.values.isEmpty && snapshot.values == [true])
        await feed.send([])
        #expect(status.values == [true])
    }

    @Test("The onChange closure of withObservationTracking reads the new value")
    func trackingReadsNewValue() async throws {
        let feed = try Feed(manager)
        let read = Recorder<NetworkReachabilityStatus>()
        withObservationTracking {
            _ = (manager.snapshot, manager.networkReachabilityStatus)
        } onChange: { [manager] in
            read.record(manager.networkReachabilityStatus)
        }
        await feed.send(.reachable)
        #expect(read.values == [.reachableViaWiFi])
    }

    @Test("`Observations` follows the status to its latest value")
    func observations() async throws {
        let feed = try Feed(manager)
        let task = Task { [manager] in
            for await status in Observations({ manager.networkReachabilityStatus })
            where status == .reachableViaWWAN {
                return true
            }
            return false
        }
        for flags: ReachabilityFlags in [[], .reachable, .wwan] { await feed.send(flags) }
        #expect(await task.value)
    }
}
