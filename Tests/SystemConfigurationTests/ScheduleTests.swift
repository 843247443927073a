// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SystemConfiguration

@Suite("Scheduling", .timeLimit(.minutes(10)))
struct ScheduleTests {
    let target: SCNetworkReachability
    let queue = DispatchQueue.test()
    let one = RunLoopThread()
    let other = RunLoopThread()
    let mode: CFString = "a mode"
    let otherMode: CFString = "another mode"

    init() throws {
        target = try #require(SocketAddress("127.0.0.1").target)
    }

    /// Whether a call fails with `kSCStatusInvalidArgument`.
    func isRefused(_ call: () -> Bool) -> Bool {
        ThreadStatus.current = 0
        return !call() && SCError() == kSCStatusInvalidArgument
    }

    func schedule(_ thread: RunLoopThread, _ mode: CFString) -> Bool {
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.runLoop, mode)
    }

    func unschedule(_ thread: RunLoopThread, _ mode: CFString) -> Bool {
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.runLoop, mode)
    }

    @Test("Unscheduling a target that is not scheduled is rejected and has no effect")
    func idle() {
        stopListening(to: target)
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, nil) })
        #expect(isRefused { unschedule(one, mode) })
        #expect(flags(of: target) == .loopback)
    }

    @Test("A pair of the same address twice is that address")
    func same() throws {
        let address = SocketAddress("127.0.0.1")
        #expect(flags(of: try #require(pair(address, address))) == .loopback)
        #expect(flags(of: try #require(pair(address, nil))) != [])
    }

    @Test("A target on a queue rejects another queue and any run loop")
    func queues() {
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, queue) })
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, .main) })
        #expect(isRefused { schedule(one, mode) })
        #expect(isRefused { unschedule(one, mode) })
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, nil) })
    }

    @Test("A target on a run loop rejects queues, and unscheduling from elsewhere")
    func runLoops() {
        #expect(schedule(one, mode))
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, queue) })
        #expect(isRefused { SCNetworkReachabilitySetDispatchQueue(target, nil) })
        #expect(isRefused { unschedule(one, otherMode) })
        #expect(isRefused { unschedule(other, mode) })
        #expect(unschedule(one, mode))
        #expect(isRefused { unschedule(one, mode) })
    }

    @Test("A target scheduled twice must be unscheduled twice")
    func twice() {
        #expect(schedule(one, mode) && schedule(one, mode))
        #expect(unschedule(one, mode) && target.scheduledPath != nil)
        #expect(unschedule(one, mode) && target.scheduledPath == nil)
        #expect(isRefused { unschedule(one, mode) })
    }

    @Test("A target can be on several run loops and modes")
    func several() {
        #expect(schedule(one, mode) && schedule(one, otherMode))
        #expect(schedule(other, mode) && unschedule(one, mode))
        #expect(unschedule(other, mode) && target.scheduledPath != nil)
        #expect(unschedule(one, otherMode) && target.scheduledPath == nil)
    }

    @Test("After unscheduling, a target can be scheduled again on a queue or a run loop")
    func again() {
        for _ in 0..<3 {
            #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
            #expect(flags(of: target) == .loopback)
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil) && schedule(one, mode))
            #expect(flags(of: target) == .loopback)
            #expect(unschedule(one, mode))
        }
    }

    @Test("Core Foundation's own mode strings are accepted")
    func modes() {
        #expect(
            SCNetworkReachabilityScheduleWithRunLoop(target, one.runLoop, kCFRunLoopCommonModes))
        #expect(unschedule(one, CFRunLoopMode.commonModes.rawValue))
        #expect(schedule(one, RunLoop.Mode.default.rawValue as CFString))
        #expect(
            SCNetworkReachabilityUnscheduleFromRunLoop(target, one.runLoop, kCFRunLoopDefaultMode))
    }

    @Test("The description of a scheduled target has its flags and its interface")
    func description() throws {
        let index = unsafe if_nametoindex("lo")
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(
            target.description.hasSuffix(
                "> {address = 127.0.0.1, flags = 0x00010002, if_index = \(index)}"))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(target.description.hasSuffix("> {address = 127.0.0.1}"))
        #expect(target.debugDescription == target.description)
        let form = /<SCNetworkReachability 0x[0-9a-f]+ \[0x[0-9a-f]+\]> \{.*\}/
        #expect(target.description.wholeMatch(of: form) != nil)
    }
}
