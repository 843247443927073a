// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Synchronization
import Testing

@testable import SystemConfiguration

@Suite("Callbacks of addresses", .timeLimit(.minutes(10)), .needsNamespaces)
final class CallbackTests: Sendable {
    let namespace: Namespace
    let target: SCNetworkReachability
    let queue = DispatchQueue.test()
    let info = Info()

    init() throws {
        namespace = try Namespace.withAddress()
        target = try #require(SocketAddress("192.0.2.1").target)
    }

    deinit {
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("An address calls back for changes, and not at the start")
    func changes() async throws {
        try info.listen(to: target, on: queue, in: namespace)
        await settle(queue)
        #expect(info.flags.values.isEmpty)
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        #expect(flags(of: target) == [])
        try namespace.setAddress(true)
        #expect(await info.flags.next() == .own)
    }

    @Test("Without a callback, flags stay current, and a callback can be set later")
    func withoutCallback() async throws {
        #expect(try namespace.schedule(target, queue))
        let witness = try Witness(in: namespace)
        try await witness.set(false)
        // A call that the queue has yet to make would find the callback that is set below.
        await settle(queue)
        #expect(flags(of: target) == [])
        info.listen(to: target)
        await settle(queue)
        #expect(info.flags.values.isEmpty)
        try namespace.setAddress(true)
        #expect(await info.flags.next() == .own)
    }

    /// In its own process, since it blocks one of the few threads of the global queues.
    @Test("On a concurrent queue, callbacks don't overlap, and the last one has the latest flags")
    func concurrent() async {
        await #expect(processExitsWith: .success) {
            let namespace = try Namespace.withAddress()
            let target = try #require(SocketAddress("192.0.2.1").target)
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            let gate = DispatchSemaphore(value: 0)
            let info = Info { _ in gate.wait() }
            info.listen(to: target)
            let isScheduled = try namespace.schedule(target, queue)
            precondition(isScheduled)
            let witness = try Witness(in: namespace)
            try namespace.setAddress(false)
            let first = await info.flags.next()
            precondition(first == [])
            // The callback still runs.
            for isSet in [true, false, true] {
                try await witness.set(isSet)
            }
            await settle(queue)
            precondition(info.flags.values.count == 1)
            for _ in 0..<2 { gate.signal() }
            let last = await info.flags.next()
            precondition(last == .own)
            await settle(queue)
            precondition(info.flags.values.count == 2)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
        }
    }

    @Test("While a target is unreachable, a new reason causes no callback")
    func stillUnreachable() async throws {
        let target = try #require(SocketAddress("198.51.100.1").target)
        try info.listen(to: target, on: queue, in: namespace)
        let witness = try Witness(in: namespace)
        try namespace.ip("route add unreachable 198.51.100.1")
        try namespace.ip("route replace blackhole 198.51.100.1")
        try await witness.set(false)
        await settle(queue)
        #expect(info.flags.values.isEmpty && flags(of: target) == [])
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("Changes before a callback can be made cause one callback, with the latest flags")
    func coalesces() async throws {
        try info.listen(to: target, on: queue, in: namespace)
        let witness = try Witness(in: namespace)
        queue.suspend()
        for isUp in [false, true, false] {
            try await witness.set(isUp)
        }
        queue.resume()
        await settle(queue)
        #expect(info.flags.values == [[]])
    }

    @Test("Unscheduling a target drops its pending callback")
    func dropped() async throws {
        try info.listen(to: target, on: queue, in: namespace)
        let witness = try Witness(in: namespace)
        queue.suspend()
        try await witness.set(false)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        // Scheduling the target again must not revive the callback.
        #expect(try namespace.schedule(target, queue))
        queue.resume()
        await settle(queue)
        #expect(info.flags.values.isEmpty)
        try namespace.setAddress(true)
        #expect(await info.flags.next() == .own)
    }

    @Test("A callback may call any function with its own target, and unschedule it")
    func reentrant() async throws {
        let queue = queue
        let inside = Recorder<[Bool]>()
        let info = Info { target in
            let known = flags(of: target) == []
            let refused = SCNetworkReachabilitySetDispatchQueue(target, queue)
            let described = target.description.contains("flags = 0x00000000")
            let stopped = SCNetworkReachabilitySetDispatchQueue(target, nil)
            stopListening(to: target)
            inside.record([known, !refused, described, stopped])
        }
        try info.listen(to: target, on: queue, in: namespace)
        let witness = try Witness(in: namespace)
        try await witness.set(false)
        #expect(await inside.next() == [true, true, true, true])
        try await witness.set(true)
        await settle(queue)
        #expect(info.flags.values == [[]] && info.holds == 0)
    }

    @Test("Unscheduling does not wait for a running callback, which keeps its info")
    func underWay() async throws {
        let entered = Recorder<Bool>()
        let gate = DispatchSemaphore(value: 0)
        weak var gone: Info?
        do {
            let info = Info { _ in
                entered.record(true)
                gate.wait()
            }
            info.listen(to: target)
            gone = info
        }
        #expect(try namespace.schedule(target, queue))
        try namespace.setAddress(false)
        #expect(await entered.next() == true)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        stopListening(to: target)
        #expect(gone != nil)
        gate.signal()
        await settle(queue)
        #expect(gone == nil)
    }

    @Test("A callback may release the last reference to its target")
    func releases() async throws {
        let owner = Mutex<SCNetworkReachability?>(SocketAddress("192.0.2.1").target)
        weak var gone: SCNetworkReachability?
        gone = owner.withLock { $0 }
        let stopped = Recorder<Bool>()
        do {
            let target = try #require(gone)
            let info = Info { target in
                _ = owner.withLock { $0.take() }
                stopped.record(SCNetworkReachabilitySetDispatchQueue(target, nil))
            }
            try info.listen(to: target, on: queue, in: namespace)
        }
        try namespace.setAddress(false)
        #expect(await stopped.next() == true)
        await settle(queue)
        #expect(gone == nil)
    }

    @Test("After the monitor fails, flags are unknown until the target is scheduled again")
    func failure() async throws {
        let fault = Mutex<ReachabilityErrno?>(nil)
        let target = SCNetworkReachability(
            Endpoint(address: try NetworkAddress("192.0.2.1")),
            options: MonitorOptions(fault: { fault.withLock { $0 } }))
        info.listen(to: target)
        #expect(try namespace.schedule(target, queue) && flags(of: target) == .own)
        fault.withLock { $0 = .permissionDenied }
        // A round of the loop that began before would report the change, and then the failure.
        await inLoop()
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        #expect(flags(of: target) == nil && SCError() == kSCStatusReachabilityUnknown)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        try namespace.setAddress(true)
        let (isRefused, status) = try namespace.run {
            (!SCNetworkReachabilitySetDispatchQueue(target, queue), SCError())
        }
        #expect(isRefused && status == EACCES)
        fault.withLock { $0 = nil }
        #expect(try namespace.schedule(target, queue) && flags(of: target) == .own)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("A rejected queue or unscheduling leaves the target on its queue")
    func notReplaced() async throws {
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let places = Recorder<Bool>()
        let info = Info { _ in places.record(DispatchQueue.getSpecific(key: key) == true) }
        info.listen(to: target)
        #expect(try namespace.schedule(target, queue) && !namespace.schedule(target, .global()))
        #expect(
            !SCNetworkReachabilityUnscheduleFromRunLoop(
                target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue))
        try namespace.setAddress(false)
        #expect(await places.next() == true)
    }

    @Test("Targets and managers of a namespace share an event socket, closed with the last of them")
    func shared() async throws {
        let targets = try (0..<50).map { number in
            try #require(SocketAddress("127.0.1.\(number)").target)
        }
        let manager = try NetworkReachabilityManager(target: .address("192.0.2.1"))
        try namespace.run { try manager.startMonitoring() }
        for target in targets { #expect(try namespace.schedule(target, queue)) }
        #expect(namespace.watchers == 1)
        manager.stopMonitoring()
        #expect(namespace.watchers == 1)
        for target in targets { #expect(SCNetworkReachabilitySetDispatchQueue(target, nil)) }
        // The library's loop closes the socket some time later.
        while namespace.watchers != 0 && !Task.isCancelled { await settle(queue) }
    }
}
