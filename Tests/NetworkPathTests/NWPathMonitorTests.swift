// SPDX-License-Identifier: MIT

import Dispatch
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import NetworkPath

@Suite("NWPathMonitor", .needsNamespaces, .timeLimit(.minutes(10)), .blocking)
struct NWPathMonitorTests {
    let namespace: Namespace
    let options = MonitorOptions(etcRoot: "")
    let told = Recorder<NWPath>()
    let queue = DispatchQueue(label: "NWPathMonitorTests")

    init() throws {
        namespace = try Namespace.withDefaultRoute()
    }

    func monitor() -> NWPathMonitor {
        let monitor = NWPathMonitor(in: .path(namespace.path), options: options, allowing: nil)
        monitor.pathUpdateHandler = { [told] in told.record($0) }
        return monitor
    }

    /// The next path that the handler receives.
    func next() async throws -> NWPath { try #require(await told.next()) }

    @Test(
        "Before the start the path is unsatisfied, and afterwards the handler receives the first path"
    )
    func first() async throws {
        let monitor = monitor()
        #expect(monitor.currentPath.status == .unsatisfied && monitor.queue == nil)
        #expect(monitor.currentPath.availableInterfaces.isEmpty)
        monitor.start(queue: queue)
        #expect(monitor.queue === queue)
        let path = try await next()
        #expect(path.status == .satisfied && path.supportsIPv4 && !path.supportsIPv6)
        #expect(path.availableInterfaces.map(\.name) == ["eth0"])
        #expect(path.availableInterfaces.first?.type == .other && path.usesInterfaceType(.other))
        #expect(!path.usesInterfaceType(.wifi) && !path.isExpensive && !path.isConstrained)
        #expect(path.gateways.map(\.debugDescription) == ["10.9.0.2:0"])
        #expect(
            path.debugDescription
                == "satisfied (Path is satisfied), interface: eth0, ipv4, uses other")
        #expect(path.localEndpoint == nil && path.remoteEndpoint == nil)
        #expect(queue.sync { monitor.currentPath } == path)
        monitor.cancel()
    }

    @Test(
        "A handler that is set after the start is called with the current path once, a later one isn't"
    )
    func late() async throws {
        let monitor = monitor()
        monitor.pathUpdateHandler = nil
        monitor.start(queue: queue)
        // The path is known without a handler, for clients that only read `currentPath`.
        while queue.sync(execute: { monitor.currentPath.status }) != .satisfied {
            await perform(on: queue)
        }
        for _ in 0..<2 { monitor.pathUpdateHandler = { [told] in told.record($0) } }
        await perform(on: queue)
        #expect(told.values.map(\.status) == [.satisfied])
        try namespace.ip("route del default")
        #expect(await told.first { $0.status == .unsatisfied } != nil)
        // A handler that replaces another one is not called with the current path.
        let other = Recorder<NWPath>()
        monitor.pathUpdateHandler = { other.record($0) }
        await perform(on: queue)
        #expect(other.values.isEmpty)
        try namespace.ip("route add default via 10.9.0.2")
        #expect(await other.next()?.status == .satisfied)
        monitor.cancel()
    }

    /// In its own process, since it blocks one of the few threads of the global queues.
    @Test("On a concurrent queue, a handler that is set after the start doesn't overlap itself")
    func concurrent() async {
        await #expect(processExitsWith: .success) {
            let namespace = try Namespace.withDefaultRoute()
            let options = MonitorOptions(etcRoot: "")
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            let monitor = NWPathMonitor(in: .path(namespace.path), options: options, allowing: nil)
            monitor.start(queue: queue)
            while monitor.currentPath.status != .satisfied { await perform(on: queue) }
            let (told, gate) = (Recorder<NWPath>(), DispatchSemaphore(value: 0))
            monitor.pathUpdateHandler = { path in
                told.record(path)
                gate.wait()
            }
            let first = await told.next()
            precondition(first?.status == .satisfied)
            // The handler still runs.
            try namespace.ip("route del default")
            let other = NWPathMonitor(in: .path(namespace.path), options: options, allowing: nil)
            for await path in other where path.status == .unsatisfied { break }
            await perform(on: queue)
            precondition(told.values.count == 1)
            for _ in 0..<2 { gate.signal() }
            let second = await told.next()
            precondition(second?.status == .unsatisfied)
            monitor.cancel()
        }
    }

    @Test("A loss of carrier causes one call, with no interface left")
    func cable() async throws {
        let monitor = monitor()
        monitor.start(queue: queue)
        #expect(try await next().status == .satisfied)
        try namespace.setCarrier(false)
        let unplugged = try await next()
        #expect(unplugged.status == .unsatisfied && unplugged.availableInterfaces.isEmpty)
        #expect(!unplugged.supportsIPv4 && unplugged.gateways.isEmpty)
        #expect(unplugged.debugDescription == "unsatisfied (No network route)")
        try namespace.setCarrier(true)
        #expect(await told.first { $0.status == .satisfied } != nil)
        monitor.cancel()
    }

    @Test("A monitor starts only once, and makes no calls after cancel()")
    func restart() async throws {
        let monitor = monitor()
        monitor.start(queue: queue)
        monitor.start(queue: .main)
        #expect(monitor.queue === queue)
        _ = await told.next()
        monitor.cancel()
        monitor.cancel()
        monitor.start(queue: queue)
        try namespace.ip("route del default")
        // Once another monitor has reported it, this one would have, too.
        let other = NWPathMonitor(in: .path(namespace.path), options: options, allowing: nil)
        let otherTold = Recorder<NWPath>()
        other.pathUpdateHandler = { otherTold.record($0) }
        other.start(queue: queue)
        #expect(await otherTold.next()?.status == .unsatisfied)
        queue.sync {}
        #expect(monitor.currentPath.status == .satisfied)
        other.cancel()
    }

    @Test("cancel() drops a call that waits for its queue, and closes the monitor")
    func pending() async throws {
        let closed = Recorder<Bool>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(true) })
        let path = NetworkNamespace.path(namespace.path)
        let monitor = NWPathMonitor(in: path, options: options, allowing: nil)
        monitor.pathUpdateHandler = { [told] in told.record($0) }
        queue.suspend()
        monitor.start(queue: queue)
        do {
            // Its path comes after that of the earlier monitor.
            let later = NWPathMonitor(in: path, options: options, allowing: nil)
            var iterator = later.makeAsyncIterator()
            #expect(await iterator.next()?.status == .satisfied)
        }
        monitor.cancel()
        queue.resume()
        queue.sync {}
        #expect(told.values.isEmpty && monitor.currentPath.status == .unsatisfied)
        #expect(await closed.next() == true)
    }

    @Test("A sequence begins with the current path, and ends with cancel()")
    func sequence() async throws {
        let monitor = monitor()
        var iterator = monitor.makeAsyncIterator()
        #expect(await iterator.next()?.status == .satisfied)
        try namespace.ip("route del default")
        #expect(await iterator.next()?.status == .unsatisfied)
        monitor.cancel()
        #expect(await iterator.next() == nil)
        var late = monitor.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test(
        "A started monitor lives until it is cancelled, any other until its last reference is gone"
    )
    func released() async throws {
        weak var started: NWPathMonitor?
        weak var other: NWPathMonitor?
        do {
            let monitor = monitor()
            started = monitor
            monitor.start(queue: queue)
            other = self.monitor()
        }
        #expect(other == nil)
        #expect(try await next().status == .satisfied)
        try namespace.ip("route del default")
        #expect(try await next().status == .unsatisfied)
        started?.cancel()
        // A running call may hold its last reference.
        await perform(on: queue)
        #expect(started == nil)
    }

    @Test("A monitor that can't be opened reports an unsatisfied path")
    func missing() async throws {
        let failing = NWPathMonitor(
            in: .named("no-such-namespace"), options: options, allowing: nil)
        failing.pathUpdateHandler = { [told] in told.record($0) }
        failing.start(queue: queue)
        #expect(try await next().status == .unsatisfied)
        var iterator = failing.makeAsyncIterator()
        #expect(await iterator.next()?.status == .unsatisfied)
        failing.cancel()
        #expect(await iterator.next() == nil)
        // Its path would come at once.
        var late = failing.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("A handler may remove itself and cancel its monitor")
    func reentrant() async throws {
        let monitor = monitor()
        let told = told
        monitor.pathUpdateHandler = { [weak monitor] path in
            monitor?.pathUpdateHandler = nil
            monitor?.cancel()
            told.record(path)
        }
        monitor.start(queue: queue)
        #expect(try await next().status == .satisfied)
        #expect(monitor.pathUpdateHandler == nil)
    }

    @Test("Cancelling a task ends its iteration and closes the monitor")
    func cancelled() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let closed = Recorder<Bool>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(true) })
        let path = NetworkNamespace.path(namespace.path)
        let begun = Recorder<NWPath>()
        let task = Task {
            for await path in NWPathMonitor(in: path, options: options, allowing: nil) {
                begun.record(path)
            }
        }
        #expect(await begun.next()?.status == .satisfied)
        task.cancel()
        await task.value
        #expect(await closed.next() == true)
    }
}
