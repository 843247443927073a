// SPDX-License-Identifier: MIT

import Foundation
import SwiftTestSupport
import SystemConfiguration
import Testing

/// Tests with reachable hosts and addresses, over a default route that the test creates.
@Suite("Clients written for Apple's systems", .timeLimit(.minutes(10)), .needsNamespaces)
struct ClientTests {
    typealias Status = StatusListener.Status

    let host: Namespace
    let queue = DispatchQueue(label: "test clients")

    init() throws {
        host = try Namespace.withDefaultRoute()
    }

    /// The kinds of listener: by name and by the zero address.
    enum Kind: CaseIterable {
        case host, zero

        var listener: StatusListener? {
            self == .host ? StatusListener(host: "localhost") : StatusListener()
        }
    }

    // MARK: Status listeners

    @Test("A listener has a status before it starts", arguments: Kind.allCases)
    func starts(kind: Kind) throws {
        let listener = try #require(kind.listener)
        #expect(try host.run { listener.status } == .reachable(isCellular: false))
        #expect(try Namespace().run { listener.status } == .notReachable)
    }

    @Test(
        "A listener is called once when it starts, and again after a restart",
        arguments: Kind.allCases)
    func restarts(kind: Kind) async throws {
        let listener = try #require(kind.listener)
        let recorder = Recorder<Status>()
        for round in 1...3 {
            #expect(try host.run { listener.start(on: queue) { recorder.record($0) } })
            #expect(await recorder.next() == .reachable(isCellular: false))
            // The callback after the name is resolved has the same status.
            await perform(on: listener.reachabilityQueue)
            await perform(on: queue)
            #expect(recorder.values.count == round)
            listener.stop()
        }
        #expect(try host.run { listener.status } == .reachable(isCellular: false))
    }

    @Test("A listener is called when the default route is deleted and added again")
    func changes() async throws {
        let listener = try #require(StatusListener())
        let recorder = Recorder<Status>()
        #expect(try host.run { listener.start(on: queue) { recorder.record($0) } })
        #expect(await recorder.next() == .reachable(isCellular: false))
        try host.ip("route del default")
        #expect(await recorder.next() == .notReachable)
        try host.ip("route add default via 10.9.0.2")
        #expect(await recorder.next() == .reachable(isCellular: false))
        listener.stop()
    }

    @Test(
        "A listener is freed after it is stopped, and also if it is not",
        arguments: Kind.allCases)
    func deinitialized(kind: Kind) async throws {
        for stops in [true, false] {
            weak var gone: StatusListener?
            let reachabilityQueue: DispatchQueue
            do {
                let listener = try #require(kind.listener)
                gone = listener
                reachabilityQueue = listener.reachabilityQueue
                #expect(try host.run { listener.start(on: queue) { _ in } })
                if stops { listener.stop() }
            }
            await perform(on: reachabilityQueue)
            #expect(gone == nil)
        }
    }

    // MARK: Flags notifiers

    @Test("An invalid host is reported reachable, and then unreachable, once each")
    func invalidHost() async throws {
        let notifier = try FlagsNotifier(hostname: "bad host", notificationQueue: queue)
        let recorder = Recorder<Bool>()
        notifier.whenReachable = { _ in recorder.record(true) }
        notifier.whenUnreachable = { _ in recorder.record(false) }
        try host.run { try notifier.start() }
        #expect(await recorder.first { !$0 } == false)
        notifier.stop()
        await perform(on: queue)
        #expect(recorder.values == [true, false])
    }

    @Test("A notification is posted for each change, and after a restart only if the flags differ")
    func notifications() async throws {
        let notifier = try FlagsNotifier(notificationQueue: queue)
        let center = NotificationCenter()
        notifier.notificationCenter = center
        let recorder = Recorder<Bool>()
        // No object: Swift 6.2's center recognizes only an NSObject.
        let token = center.addObserver(forName: .flagsChanged, object: nil, queue: nil) {
            recorder.record(($0.object as? FlagsNotifier)?.isReachable == true)
        }
        try host.run { try notifier.start() }
        #expect(await recorder.next() == true)
        notifier.stop()
        try host.run { try notifier.start() }
        try host.ip("route del default")
        #expect(await recorder.next() == false)
        try host.run { try notifier.start() }
        notifier.stop()
        await perform(on: queue)
        #expect(recorder.values == [true, false])
        center.removeObserver(token)
    }

    @Test("Without a host name, clients fail with the reason")
    func errors() {
        #expect(throws: NotifierError.self) { try FlagsNotifier(hostname: "") }
        #expect(StatusListener(host: "") == nil)
        #expect(lastErrorText() == "Invalid argument (1002, com.apple.SystemConfiguration)")
    }

    // MARK: Run loops and single checks

    @Test("A client on a run loop is called by that run loop")
    func runLoop() async throws {
        let recorder = Recorder<SCNetworkReachabilityFlags>()
        let host = host
        Thread.detachNewThread {
            try? host.run {
                guard
                    let notifier = RunLoopNotifier(
                        address: "198.51.100.1",
                        onChange: { flags in
                            recorder.record(flags)
                            if flags.contains(.reachable) { CFRunLoopStop(CFRunLoopGetCurrent()) }
                        }), notifier.start()
                else { return }
                recorder.record(.reachable)
                CFRunLoopRun()
                notifier.stop()
            }
        }
        #expect(await recorder.next() == .reachable)
        try host.ip("route del default")
        #expect(await recorder.next() == [])
        try host.ip("route add default via 10.9.0.2")
        #expect(await recorder.next() == .reachable)
    }

    @Test("A single check answers at once")
    func once() throws {
        #expect(try host.run { canReach(host: "198.51.100.1") })
        #expect(try host.run { canReach(host: "no-such-host.example.com") })
        #expect(try Namespace().run { !canReach(host: "198.51.100.1") })
    }

    // MARK: The rest

    @Test("An info that a client hands over is released once, when the client stops")
    func handsOver() async throws {
        let released = Recorder<Bool>()
        let client = try #require(HandingOver(from: "10.9.0.1", to: "10.9.0.2"))
        #expect(try host.run { client.isLocal })
        #expect(try host.run { client.start { released.record(true) } })
        #expect(released.values.isEmpty)
        #expect(client.stop())
        #expect(released.values == [true])
        #expect(!client.stop())
    }

    @Test("A client gets the flags of an address, or an error for another family")
    func asksMore() throws {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_INET)
        #expect(try host.run { describeReach(of: &address) } == "2")
        address.sa_family = sa_family_t(AF_UNIX)
        #expect(describeReach(of: &address) == "Invalid argument" && canCompare())
    }
}
