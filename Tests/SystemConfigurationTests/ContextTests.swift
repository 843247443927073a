// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import SystemConfiguration

// Contexts of callbacks.
extension CallbackTests {
    @Test("SetCallback retains info before it returns, and releases info that it replaces")
    func replaced() {
        let first = Info()
        let second = Info()
        #expect(first.listen(to: target) && first.holds == 1)
        #expect(second.listen(to: target))
        #expect(first.holds == 0 && second.holds == 1)
        #expect(second.listen(to: target) && second.holds == 1)
        stopListening(to: target)
        stopListening(to: target)
        #expect(second.holds == 0 && first.releases.load(ordering: .relaxed) == 1)
        #expect(second.releases.load(ordering: .relaxed) == 2)
    }

    @Test("A target releases info when it is released itself")
    func withTarget() throws {
        let info = Info()
        do {
            let target = try #require(SocketAddress("192.0.2.1").target)
            info.listen(to: target)
            #expect(info.holds == 1)
        }
        #expect(info.holds == 0)
    }

    @Test("Info is retained before each callback, and released after it")
    func calls() async throws {
        let counts = Recorder<Int>()
        let owner = Mutex<Info?>(nil)
        let info = Info { _ in counts.record(owner.withLock { $0?.holds ?? 0 }) }
        owner.withLock { $0 = info }
        try info.listen(to: target, on: queue, in: namespace)
        for (number, isUp) in [false, true, false].enumerated() {
            try namespace.setAddress(isUp)
            #expect(await counts.next() == 2)
            await settle(queue)
            #expect(info.holds == 1 && info.retains.load(ordering: .relaxed) == number + 2)
        }
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        stopListening(to: target)
        #expect(info.holds == 0)
        owner.withLock { $0 = nil }
    }

    @Test("The release function may call any function with its own target")
    func release() throws {
        let target = target
        let info = Info(onRelease: {
            _ = flags(of: target)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            stopListening(to: target)
        })
        try info.listen(to: target, on: queue, in: namespace)
        stopListening(to: target)
        #expect(info.holds == 0 && target.scheduledPath == nil)
    }

    @Test("The pointer that retain returns replaces info")
    func otherPointer() async throws {
        let seen = Recorder<UInt>()
        let owner = unsafe Unmanaged.passRetained(seen)
        defer { unsafe owner.release() }
        // Each retain adds 1 to the address. The callback gets the second result.
        var context = unsafe SCNetworkReachabilityContext()
        unsafe context.info = unsafe owner.toOpaque()
        unsafe context.retain = { unsafe $0 + 1 }
        let base = unsafe UInt(bitPattern: owner.toOpaque())
        unsafe SCNetworkReachabilitySetCallback(
            target,
            { _, _, info in
                let address = UInt(bitPattern: info)
                guard let info = unsafe info else { return }
                let recorder = unsafe Unmanaged<Recorder<UInt>>.fromOpaque(info - 2)
                unsafe recorder.takeUnretainedValue().record(address)
            }, &context)
        #expect(try namespace.schedule(target, queue))
        try namespace.setAddress(false)
        #expect(await seen.next() == base + 2)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        await settle(queue)
        stopListening(to: target)
    }

    @Test("A callback needs no context, and a context no functions")
    func bare() async throws {
        let seen = Recorder<Bool>()
        unsafe SCNetworkReachabilitySetCallback(
            target, { _, _, info in seen.record(unsafe info == nil) }, nil)
        #expect(try namespace.schedule(target, queue))
        try namespace.setAddress(false)
        #expect(await seen.next() == true)
        var context = unsafe SCNetworkReachabilityContext()
        unsafe context.info = unsafe UnsafeMutableRawPointer(bitPattern: 16)
        unsafe SCNetworkReachabilitySetCallback(
            target, { _, _, info in seen.record(UInt(bitPattern: info) == 16) }, &context)
        try namespace.setAddress(true)
        #expect(await seen.next() == true)
    }

    @Test("Without a retain function, info is released once, whatever the number of callbacks")
    func releaseOnly() async throws {
        let calls = Recorder<Int>()
        let info = Info()
        let count = { info.releases.load(ordering: .relaxed) }
        // After passRetained(), info needs no retain and one release.
        var context = unsafe SCNetworkReachabilityContext(
            version: 99, info: Unmanaged.passRetained(info).toOpaque(), retain: nil,
            release: { info in
                let owner = unsafe Unmanaged<Info>.fromOpaque(info).takeRetainedValue()
                owner.releases.add(1, ordering: .relaxed)
            }, copyDescription: nil)
        unsafe SCNetworkReachabilitySetCallback(
            target, { [calls] _, _, _ in calls.record(0) }, &context)
        #expect(try namespace.schedule(target, queue))
        for isUp in [false, true] {
            try namespace.setAddress(isUp)
            _ = await calls.next()
            await settle(queue)
            try #require(count() == 0)
        }
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        stopListening(to: target)
        #expect(count() == 1)
    }

    @Test("A context without a callback is kept and released, too")
    func contextOnly() {
        let info = Info()
        info.listen(to: target)
        var context = unsafe SCNetworkReachabilityContext()
        unsafe context.info = unsafe Unmanaged.passUnretained(info).toOpaque()
        unsafe context.release = { info in
            unsafe Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().releases.add(
                1, ordering: .relaxed)
        }
        unsafe SCNetworkReachabilitySetCallback(target, nil, &context)
        #expect(info.releases.load(ordering: .relaxed) == 1)
        stopListening(to: target)
        #expect(info.releases.load(ordering: .relaxed) == 2)
    }
}
