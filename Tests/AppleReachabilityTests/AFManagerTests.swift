// SPDX-License-Identifier: MIT

import Foundation
import Observation
import Synchronization
import Testing

@testable import AppleReachability
@testable import NetworkReachability

@Suite("AFNetworkReachabilityManager", .timeLimit(.minutes(10)))
struct AFManagerTests {
    typealias Status = AFNetworkReachabilityStatus

    let manager = AFNetworkReachabilityManager(options: testOptions) { .internet }
    let recorder = Recorder<String>()

    func feed(_ manager: AFNetworkReachabilityManager) throws -> Feed {
        Feed(try manager.core.get())
    }

    static func status(_ notification: Notification) -> Status? {
        let item = notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem]
        return (item as? NSNumber).flatMap { Status(rawValue: $0.intValue) }
    }

    @Test("A manager is an NSObject, which every version of NotificationCenter recognizes")
    func object() {
        let manager = AFNetworkReachabilityManager(forDomain: "127.0.0.1")
        #expect((manager as Any) is NSObject)
    }

    @Test(
        "A new manager has the status unknown",
        arguments: [
            AFNetworkReachabilityManager.manager(), .shared(),
            AFNetworkReachabilityManager(forDomain: "localhost"),
            AFNetworkReachabilityManager(reachability: .localWiFi),
        ])
    func startsUnknown(manager: AFNetworkReachabilityManager) {
        #expect(manager.networkReachabilityStatus == .unknown)
        #expect(!manager.isReachable && !manager.isReachableViaWWAN && !manager.isReachableViaWiFi)
        #expect(manager.lastError == nil)
    }

    @Test("shared() returns one manager and manager() a new one, both for the internet")
    func shared() throws {
        #expect(AFNetworkReachabilityManager.shared() === AFNetworkReachabilityManager.shared())
        let other = AFNetworkReachabilityManager.manager()
        #expect(other !== AFNetworkReachabilityManager.shared())
        #expect(try other.core.get().target == .internet)
        #expect(try AFNetworkReachabilityManager.shared().core.get().target == .internet)
    }

    @Test("Names, keys, and values are AFNetworking's")
    func constants() {
        #expect(
            NSNotification.Name.AFNetworkingReachabilityDidChange.rawValue
                == "com.alamofire.networking.reachability.change")
        #expect(
            AFNetworkingReachabilityNotificationStatusItem
                == "AFNetworkingReachabilityNotificationStatusItem")
        #expect(
            [Status.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi].map(\.rawValue)
                == [-1, 0, 1, 2])
        for key in ["reachable", "reachableViaWWAN", "reachableViaWiFi"] {
            #expect(
                AFNetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: key)
                    == ["networkReachabilityStatus"])
        }
    }

    @Test(
        "A reachable address or domain is reported by notification and block",
        arguments: ["127.0.0.1", "localhost"])
    func reachable(domain: String) async throws {
        let manager = AFNetworkReachabilityManager(options: testOptions) {
            () throws(ReachabilityError) in try .domain(domain, policy: .strict)
        }
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        await recording(.AFNetworkingReachabilityDidChange, of: manager, Self.status) { posted in
            manager.startMonitoring()
            #expect(await posted.first { $0?.isReachable == true } == .reachableViaWiFi)
            #expect(await blocks.first { $0.isReachable } == .reachableViaWiFi)
            #expect(manager.isReachable && manager.isReachableViaWiFi)
        }
        manager.stopMonitoring()
        #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("Property, block, and notification follow in this order, on the main queue")
    func order() async throws {
        let feed = try feed(manager)
        let recorder = recorder
        withObservationTracking {
            _ = manager.isReachable
        } onChange: { [weak manager] in
            dispatchPrecondition(condition: .onQueue(.main))
            recorder.record("observation \(manager?.networkReachabilityStatus ?? .notReachable)")
        }
        manager.setReachabilityStatusChange { [weak manager] in
            dispatchPrecondition(condition: .onQueue(.main))
            recorder.record("block \($0) \(manager?.networkReachabilityStatus ?? .unknown)")
        }
        let text: @Sendable (Notification) -> String = { [manager] in
            dispatchPrecondition(condition: .onQueue(.main))
            return "\(Self.status($0) ?? .unknown) \(manager.networkReachabilityStatus)"
        }
        await recording(.AFNetworkingReachabilityDidChange, of: manager, text) { posted in
            await feed.send(.wwan)
            recorder.record("posted \(await posted.next() ?? "")")
        }
        #expect(
            recorder.values == [
                "observation reachableViaWWAN", "block reachableViaWWAN reachableViaWWAN",
                "posted reachableViaWWAN reachableViaWWAN",
            ])
    }

    @Test("An equal status is reported again if another property has changed")
    func notDeduplicated() async throws {
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        let feed = try feed(manager)
        for flags: ReachabilityFlags in [.reachable, [.reachable, .isDirect], .reachable, []] {
            await feed.send(flags)
        }
        await mainDeliveries()
        #expect(
            blocks.values
                == [.reachableViaWiFi, .reachableViaWiFi, .reachableViaWiFi, .notReachable])
    }

    @Test("All 512 combinations of flags give AFNetworking's status", arguments: FlagsTable.rows)
    func rule(row: FlagsTable.Row) {
        #expect("\(Status(flags: row.flags))" == row.networkReachabilityStatus)
    }

    @Test("Every start delivers the current state once, even while monitoring")
    func restarts() async throws {
        let manager = AFNetworkReachabilityManager(options: testOptions) {
            () throws(ReachabilityError) in try .address("127.0.0.1")
        }
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        for count in 1...10 {
            manager.startMonitoring()
            #expect(await blocks.next() == .reachableViaWiFi)
            if count.isMultiple(of: 2) { manager.stopMonitoring() }
            #expect(blocks.values.count == count)
        }
    }

    @Test("A stop on the main queue drops a whole delivery: property, block, and notification")
    func stopsWhole() async throws {
        let told = Recorder<String>()
        manager.setReachabilityStatusChange { _ in told.record("block") }
        let feed = try feed(manager)
        let note: @Sendable (Notification) -> Void = { _ in told.record("notification") }
        await recording(.AFNetworkingReachabilityDidChange, of: manager, note) { _ in
            let gate = DispatchSemaphore(value: 0)
            DispatchQueue.main.async { gate.wait() }
            await feed.send(.wwan)
            DispatchQueue.main.async { [manager] in
                manager.stopMonitoring()
                told.record("stop")
            }
            gate.signal()
            await mainDeliveries()
        }
        #expect(told.values == ["stop"] && manager.networkReachabilityStatus == .unknown)
    }

    @Test("A second block replaces the first, and nil removes it")
    func replaces() async throws {
        let (first, second) = (Recorder<Status>(), Recorder<Status>())
        let feed = try feed(manager)
        manager.setReachabilityStatusChange { first.record($0) }
        await feed.send([])
        await mainDeliveries()
        manager.setReachabilityStatusChange { second.record($0) }
        await feed.send(.wwan)
        await mainDeliveries()
        manager.setReachabilityStatusChange(nil)
        await feed.send(.reachable)
        await mainDeliveries()
        #expect(first.values == [.notReachable] && second.values == [.reachableViaWWAN])
        #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("observe() reports each assignment on the main queue, as key-value observing does")
    func observe() async throws {
        let manager = AFNetworkReachabilityManager(options: testOptions) { .internet }
        let told = Recorder<String>()
        manager.setReachabilityStatusChange { told.record("block \($0.rawValue)") }
        let observation = manager.observe(
            \.networkReachabilityStatus, options: [.initial, .prior, .old, .new]
        ) { manager, change in
            let values = [change.oldValue, change.newValue].map {
                $0.map { "\($0.rawValue)" } ?? "-"
            }
            let now = manager.networkReachabilityStatus.rawValue
            told.record(
                "\(change.isPrior ? "prior" : "now") \(values.joined(separator: " ")) \(now)")
            MainActor.preconditionIsolated()
        }
        let derived = manager.observe(\.isReachable) { _, change in
            #expect(change.newValue == nil && change.oldValue == nil)
            told.record("derived")
        }
        let feed = Feed(try manager.core.get())
        for flags: ReachabilityFlags in [.reachable, []] { await feed.send(flags) }
        await mainDeliveries()
        #expect(
            told.values == [
                "now - -1 -1",
                "prior -1 - -1", "now -1 2 2", "derived", "block 2",
                "prior 2 - 2", "now 2 0 0", "derived", "block 0",
            ])
        observation.invalidate()
        observation.invalidate()
        derived.invalidate()
        await feed.send(.wwan)
        await mainDeliveries()
        #expect(told.values.last == "block 1" && told.values.count == 10)
    }

    @Test("An observer that invalidates itself in the prior call is not called again")
    func invalidatesItself() async throws {
        let manager = AFNetworkReachabilityManager(options: testOptions) { .internet }
        let told = Recorder<Bool>()
        let own = Mutex<ReachabilityObservation?>(nil)
        let observation = manager.observe(\.isReachable, options: .prior) { _, change in
            told.record(change.isPrior)
            own.withLock { $0 }?.invalidate()
        }
        own.withLock { $0 = observation }
        await Feed(try manager.core.get()).send(.reachable)
        await mainDeliveries()
        #expect(told.values == [true])
        own.withLock { $0 = nil }
    }

    @Test("An observer on the main operation queue doesn't block the main queue")
    func mainObserver() async {
        // In its own process, since a failure blocks the main queue.
        await #expect(processExitsWith: .success) {
            let manager = AFNetworkReachabilityManager(options: testOptions) { .internet }
            let bad = AFNetworkReachabilityManager(forDomain: "")
            let seen = Recorder<String>()
            func expect(_ text: String) async {
                let next = await seen.next()
                precondition(next == text, next ?? "-")
            }
            let token = NotificationCenter.default.addObserver(
                forName: .AFNetworkingReachabilityDidChange, object: nil, queue: .main
            ) { seen.record("observer \(AFManagerTests.status($0)?.rawValue ?? 9)") }
            manager.setReachabilityStatusChange { seen.record("block \($0.rawValue)") }
            bad.startMonitoring()
            await expect("observer 0")
            let feed = Feed(try manager.core.get())
            for flags: ReachabilityFlags in [.reachable, []] {
                await feed.send(flags)
                let status = flags.isEmpty ? 0 : 2
                await expect("block \(status)")
                await expect("observer \(status)")
            }
            // Operations that wait delay notifications, but nothing else.
            OperationQueue.main.isSuspended = true
            await feed.send(.reachable)
            await expect("block 2")
            await MainActor.run {}
            OperationQueue.main.isSuspended = false
            await expect("observer 2")
            NotificationCenter.default.removeObserver(token)
        }
    }
}
