// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Synchronization
import Testing

@testable import SystemConfiguration

@Suite("Callbacks on run loops", .timeLimit(.minutes(10)), .needsNamespaces)
struct RunLoopTests {
    let namespace: Namespace
    let target: SCNetworkReachability
    let thread = RunLoopThread()
    let other = RunLoopThread()
    let defaultMode = CFRunLoopMode.defaultMode.rawValue as String
    let commonModes = CFRunLoopMode.commonModes.rawValue as String

    init() throws {
        namespace = try Namespace.withAddress()
        target = try #require(SocketAddress("192.0.2.1").target)
    }

    func schedule(_ thread: RunLoopThread, _ mode: String) throws {
        let result = try namespace.run {
            schedules(target, thread.runLoop, mode)
        }
        #expect(result)
    }

    func unschedule(_ thread: RunLoopThread, _ mode: String) {
        #expect(unschedules(target, thread.runLoop, mode))
    }

    /// Waits until the run loops have made their pending calls.
    func settle() async {
        await inLoop()
        await thread.settle()
        await other.settle()
    }

    /// An info that records the run loop it is called on.
    func recordsLoop(_ loops: Recorder<Bool>) -> Info {
        let thread = thread
        return Info { _ in loops.record(CFRunLoopGetCurrent() === thread.runLoop) }
    }

    @Test("Callbacks are called on the run loop's thread, in the default and the common modes")
    func thread() async throws {
        for mode in [defaultMode, commonModes] {
            let loops = Recorder<Bool>()
            let info = recordsLoop(loops)
            info.listen(to: target)
            try schedule(thread, mode)
            await settle()
            #expect(info.flags.values.isEmpty)
            try namespace.setAddress(false)
            #expect(await loops.next() == true)
            try namespace.setAddress(true)
            #expect(await loops.next() == true)
            #expect(info.flags.values == [[], .own])
            unschedule(thread, mode)
        }
    }

    @Test("A callback is called only when the run loop runs in the mode of the target")
    func mode() async throws {
        let info = Info()
        info.listen(to: target)
        let witness = try Witness(in: namespace)
        try schedule(thread, "seldom")
        try await witness.set(false)
        try await witness.set(true)
        await settle()
        #expect(info.flags.values.isEmpty)
        await thread.perform {
            let mode = unsafe CFStringCreateWithCharacters(nil, Array("seldom".utf16), 6)
            CFRunLoopRunInMode(mode, 0, true)
        }
        #expect(info.flags.values == [.own])
        unschedule(thread, "seldom")
    }

    @Test("The main queue serves the main run loop, which async main doesn't run")
    func mainQueue() async throws {
        let calls = Recorder<Void>()
        Info { _ in
            // dispatch_main() serves the main queue on any thread.
            dispatchPrecondition(condition: .onQueue(.main))
            calls.record(())
        }.listen(to: target)
        let otherMode = try #require(SocketAddress("192.0.2.1").target)
        let info = Info()
        info.listen(to: otherMode)
        try namespace.run {
            for (target, mode) in [(target, defaultMode), (otherMode, "seldom")] {
                #expect(schedules(target, CFRunLoopGetMain(), mode))
            }
        }
        for isReachable in [false, true] {
            try namespace.setAddress(isReachable)
            await calls.next()
        }
        await MainActor.run {}
        #expect(info.flags.values.isEmpty)
        for (target, mode) in [(target, defaultMode), (otherMode, "seldom")] {
            #expect(unschedules(target, CFRunLoopGetMain(), mode))
        }
    }

    @Test("A target that was unscheduled from the main run loop isn't called there")
    func mainRemoved() async throws {
        let info = Info()
        info.listen(to: target)
        let witness = try Witness(in: namespace)
        try schedule(thread, "seldom")
        let (main, mode) = try (#require(CFRunLoopGetMain()), defaultMode)
        let result = try namespace.run {
            schedules(target, main, mode)
        }
        #expect(result && unschedules(target, main, mode))
        try await witness.set(false)
        await settle()
        await MainActor.run {}
        #expect(info.flags.values.isEmpty)
        unschedule(thread, "seldom")
    }

    @Test("On the main queue, the current run loop is the main one, on whatever thread")
    func mainActor() async throws {
        // A name gets a first call without a change.
        let name = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "localhost"))
        let calls = Recorder<Void>()
        Info { _ in calls.record(()) }.listen(to: name)
        let mode = defaultMode
        await MainActor.run {
            #expect(schedules(name, CFRunLoopGetCurrent(), mode))
        }
        await calls.next()
        #expect(unschedules(name, CFRunLoopGetMain(), mode))
    }

    @Test("A thread's run loop that stood for the main one calls nothing off the main queue")
    func standIn() async throws {
        let name = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "localhost"))
        let areOnMain = Recorder<Bool>()
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        Info { _ in areOnMain.record(DispatchQueue.getSpecific(key: key) == true) }.listen(to: name)
        let mode = defaultMode
        // The thread and the main queue race for each call.
        for _ in 0..<30 {
            await thread.perform {
                // After dispatch_main(), this runs on the calling thread.
                DispatchQueue.main.sync {
                    #expect(schedules(name, CFRunLoopGetCurrent(), mode))
                }
            }
            await areOnMain.next()
            #expect(unschedules(name, thread.runLoop, mode))
        }
        await settle()
        #expect(!areOnMain.values.contains(false))
    }

    @Test("A thread's run loop that stood for the main one can be scheduled on its own later")
    func formerStandIn() async throws {
        let info = Info()
        info.listen(to: target)
        try schedule(other, defaultMode)
        let (target, mode) = (target, defaultMode)
        await thread.perform {
            DispatchQueue.main.sync {
                #expect(schedules(target, CFRunLoopGetCurrent(), mode))
            }
        }
        unschedule(thread, defaultMode)
        try schedule(thread, defaultMode)
        unschedule(other, defaultMode)
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        unschedule(thread, defaultMode)
    }

    /// Unschedules with the run loop that the client passed, on another thread.
    @Test("A target on two run loops gets one callback per change")
    func two() async throws {
        let loops = Recorder<Bool>()
        recordsLoop(loops).listen(to: target)
        let witness = try Witness(in: namespace)
        try schedule(thread, defaultMode)
        try schedule(other, defaultMode)
        try await witness.set(false)
        _ = await loops.next()
        await settle()
        #expect(loops.values.count == 1)
        unschedule(thread, defaultMode)
        try namespace.setAddress(true)
        #expect(await loops.next() == false)
        unschedule(other, defaultMode)
    }

    @Test("A callback may move its target from the run loop to a queue")
    func moves() async throws {
        let queue = DispatchQueue.test()
        let namespace = namespace
        let moved = Recorder<Bool>()
        let mode = defaultMode
        let info = Info { target in
            let isUnscheduled = unschedules(target, CFRunLoopGetCurrent(), mode)
            guard isUnscheduled else { return }
            moved.record((try? namespace.schedule(target, queue)) == true)
        }
        info.listen(to: target)
        try schedule(thread, mode)
        try namespace.setAddress(false)
        #expect(await moved.next() == true)
        try namespace.setAddress(true)
        #expect(await info.flags.first { $0 == .own } == .own)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("After a run loop has ended, the target works on another one")
    func ends() async throws {
        let info = Info()
        info.listen(to: target)
        let witness = try Witness(in: namespace)
        try schedule(thread, defaultMode)
        await thread.end()
        try await witness.set(false)
        #expect(info.flags.values.isEmpty && flags(of: target) == [])
        try schedule(other, defaultMode)
        #expect(await info.flags.next() == [])
        try namespace.setAddress(true)
        #expect(await info.flags.first { $0 == .own } == .own)
        unschedule(thread, defaultMode)
        unschedule(other, defaultMode)
        // The callback releases its info after it has returned.
        await other.settle()
        #expect(info.holds == 1)
        stopListening(to: target)
        #expect(info.holds == 0)
    }

    @Test("A released target lives until it is unscheduled, and then releases its info")
    func lifetime() async throws {
        weak var gone: SCNetworkReachability?
        let info = Info()
        do {
            let target = try #require(SocketAddress("192.0.2.1").target)
            info.listen(to: target)
            gone = target
            #expect(schedules(target, thread.runLoop, defaultMode))
        }
        await settle()
        do {
            let target = try #require(gone)
            #expect(unschedules(target, thread.runLoop, defaultMode))
        }
        await settle()
        #expect(gone == nil && info.holds == 0)
    }
}
