// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Synchronization
import Testing

@testable import SystemConfiguration

/// Everything at once, for a race detector to look at: many threads, queues and run loops, targets that
/// go in their callbacks, and a network that changes all the time.
@Suite("Under the hammer", .timeLimit(.minutes(10)), .needsNamespaces, .serialized)
struct HammerTests {
    static let threads = 4

    /// What the contexts point to; counts how many there are.
    private final class Owner: Sendable {
        static let alive = Atomic(0)
        let target: Mutex<SCNetworkReachability?>
        let namespace: Namespace
        let seed: Int

        init(_ target: SCNetworkReachability, _ namespace: Namespace, seed: Int) {
            self.target = Mutex(target)
            self.namespace = namespace
            self.seed = seed
            Self.alive.add(1, ordering: .relaxed)
        }

        deinit {
            Self.alive.subtract(1, ordering: .relaxed)
        }

        /// What a callback does: asks, unschedules, schedules again, or lets its target go.
        func called(_ target: SCNetworkReachability) {
            _ = flags(of: target)
            switch seed % 4 {
            case 0:
                SCNetworkReachabilitySetDispatchQueue(target, nil)
                _ = self.target.withLock { $0.take() }
            case 1:
                SCNetworkReachabilitySetDispatchQueue(target, nil)
                SCNetworkReachabilitySetDispatchQueue(target, .global())
            case 2: stopListening(to: target)
            default: _ = target.description
            }
        }

        func listen() {
            guard let target = target.withLock({ $0 }) else { return }
            var context = unsafe SCNetworkReachabilityContext(
                version: 0, info: Unmanaged.passUnretained(self).toOpaque(),
                retain: { info in
                    unsafe UnsafeRawPointer(Unmanaged<Owner>.fromOpaque(info).retain().toOpaque())
                },
                release: { info in unsafe Unmanaged<Owner>.fromOpaque(info).release() },
                copyDescription: nil)
            unsafe SCNetworkReachabilitySetCallback(
                target,
                { target, _, info in
                    guard let info = unsafe info else { return }
                    unsafe Unmanaged<Owner>.fromOpaque(info).takeUnretainedValue().called(target)
                }, &context)
        }
    }

    /// Runs `work` on threads in the namespace, as often as there are threads, and waits for them.
    private func onThreads(
        _ namespace: Namespace, _ work: @escaping @Sendable (Int) -> Void
    ) async {
        let done = Recorder<Int>()
        for thread in 0..<Self.threads {
            Thread.detachNewThread {
                try? namespace.run { work(thread) }
                done.record(thread)
            }
        }
        for _ in 0..<Self.threads { _ = await done.next() }
    }

    /// All targets of a test.
    private final class Litter: Sendable {
        private let targets = Mutex<[SCNetworkReachability]>([])

        func add(_ target: SCNetworkReachability) {
            targets.withLock { $0.append(target) }
        }

        /// Stops all until nothing is left, since a callback under way may start its target again.
        func drain(_ namespace: Namespace) async {
            repeat {
                for target in targets.withLock({ $0 }) {
                    SCNetworkReachabilitySetDispatchQueue(target, nil)
                    stopListening(to: target)
                }
                await settle(.global())
            } while Owner.alive.load(ordering: .relaxed) != 0 || namespace.watchers != 0
            let all = targets.withLock { targets in
                defer { targets = [] }
                return targets.map { Weak(target: $0) }
            }
            while all.contains(where: { $0.target != nil }) && !Task.isCancelled {
                await settle(.global())
            }
        }
    }

    private struct Weak {
        weak var target: SCNetworkReachability?
    }

    private static let options = MonitorOptions(resolver: { name in
        name.count % 2 == 0 ? [] : (try? [NetworkAddress("192.0.2.1")]) ?? []
    })

    private static func target(_ number: Int) -> SCNetworkReachability? {
        switch number % 5 {
        case 0: SocketAddress("192.0.2.1").target
        case 1: SocketAddress("0.0.0.0").target
        case 2: unsafe SCNetworkReachabilityCreateWithName(nil, "no name")
        case 3: pair(SocketAddress("192.0.2.1"), SocketAddress("127.0.0.1"))
        default:
            (try? Endpoint(name: "name-\(number % 100).test")).map {
                SCNetworkReachability($0, options: options)
            }
        }
    }

    @Test("targets come, are called, stop, start again and go on queues")
    func queues() async throws {
        let namespace = try Namespace.withAddress()
        let weather = Weather(namespace)
        let litter = Litter()
        await onThreads(namespace) { thread in
            let queues = [DispatchQueue(label: "a"), DispatchQueue(label: "b"), .global()]
            for number in 0..<1000 {
                guard let target = Self.target(number) else { continue }
                let owner = Owner(target, namespace, seed: number / 5 + thread)
                SCNetworkReachabilitySetDispatchQueue(target, queues[number % queues.count])
                owner.listen()
                _ = flags(of: target)
                litter.add(target)
                if number % 3 == 0 { sched_yield() }
                stopListening(to: target)
                SCNetworkReachabilitySetDispatchQueue(target, nil)
                SCNetworkReachabilitySetDispatchQueue(target, queues[0])
                owner.listen()
                // From the target's own queue as well as from here.
                queues[0].async {
                    stopListening(to: target)
                    SCNetworkReachabilitySetDispatchQueue(target, nil)
                }
            }
            for queue in queues.dropLast() { queue.sync {} }
        }
        await weather.end()
        await litter.drain(namespace)
    }

    @Test("threads fight over the same targets")
    func shared() async throws {
        let namespace = try Namespace.withAddress()
        let weather = Weather(namespace)
        var targets = (0..<10).compactMap(Self.target)
        let loop = RunLoopThread()
        await onThreads(namespace) { [targets] thread in
            for number in 0..<5000 {
                let target = targets[(number + thread) % targets.count]
                switch (number / targets.count + thread) % 7 {
                case 0: SCNetworkReachabilitySetDispatchQueue(target, .global())
                case 1: SCNetworkReachabilitySetDispatchQueue(target, nil)
                case 2: Owner(target, namespace, seed: number).listen()
                case 3: _ = flags(of: target)
                case 4:
                    SCNetworkReachabilityScheduleWithRunLoop(
                        target, loop.runLoop, CFRunLoopMode.commonModes.rawValue)
                case 5:
                    SCNetworkReachabilityUnscheduleFromRunLoop(
                        target, loop.runLoop, CFRunLoopMode.commonModes.rawValue)
                default: _ = target.description
                }
            }
        }
        await weather.end()
        let litter = Litter()
        for target in targets {
            litter.add(target)
            while SCNetworkReachabilitySetDispatchQueue(target, nil)
                || SCNetworkReachabilityUnscheduleFromRunLoop(
                    target, loop.runLoop, CFRunLoopMode.commonModes.rawValue)
            {}
        }
        targets = []
        await loop.end()
        await litter.drain(namespace)
    }

    @Test("run loops end with targets on them")
    func runLoops() async throws {
        let namespace = try Namespace.withAddress()
        let weather = Weather(namespace)
        let litter = Litter()
        await onThreads(namespace) { thread in
            for round in 0..<25 {
                let ended = DispatchSemaphore(value: 0)
                let own = Mutex<[SCNetworkReachability]>([])
                let loop = Mutex<UInt>(0)
                let runner = Thread {
                    try? namespace.run {
                        guard let current = CFRunLoopGetCurrent() else { return }
                        loop.withLock {
                            $0 = unsafe UInt(
                                bitPattern: Unmanaged.passRetained(current).toOpaque())
                        }
                        for number in 0..<10 {
                            guard let target = Self.target(number) else { continue }
                            Owner(target, namespace, seed: round + number).listen()
                            SCNetworkReachabilityScheduleWithRunLoop(
                                target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
                            own.withLock { $0.append(target) }
                        }
                        // Handles what is there, and ends with the rest.
                        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, true)
                        if round % 2 == 0 {
                            for target in own.withLock({ $0 }) {
                                SCNetworkReachabilityUnscheduleFromRunLoop(
                                    target, CFRunLoopGetCurrent(),
                                    CFRunLoopMode.defaultMode.rawValue)
                            }
                        }
                    }
                    ended.signal()
                }
                runner.start()
                ended.wait()
                guard
                    let pointer = unsafe UnsafeRawPointer(bitPattern: loop.withLock { $0 })
                else { continue }
                let gone = unsafe Unmanaged<CFRunLoop>.fromOpaque(pointer).takeRetainedValue()
                for target in own.withLock({ $0 }) {
                    SCNetworkReachabilityUnscheduleFromRunLoop(
                        target, gone, CFRunLoopMode.defaultMode.rawValue)
                    litter.add(target)
                }
            }
        }
        await weather.end()
        await litter.drain(namespace)
    }
}
