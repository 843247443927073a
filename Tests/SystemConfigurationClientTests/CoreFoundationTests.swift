// SPDX-License-Identifier: MIT

import Foundation
import SwiftTestSupport
import SystemConfiguration
import Testing

/// Sources for Apple's systems pass targets and errors to Core Foundation.
@Suite("Core Foundation's functions", .timeLimit(.minutes(10)))
struct CoreFoundationTests {
    let target: SCNetworkReachability
    let other: SCNetworkReachability

    init() throws {
        target = try #require(SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"))
        other = try #require(SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"))
    }

    @Test("A target is equal to itself alone, and has a hash, a type, and a text")
    func targets() {
        let same = target
        let object: CFTypeRef = CFRunLoopGetMain()
        #expect(CFEqual(target, same) && !CFEqual(target, other))
        #expect(!CFEqual(target, object) && !CFEqual(object, same) && CFEqual(object, object))
        #expect(CFHash(target) == CFHash(same) && CFHash(target) != CFHash(other))
        #expect(CFGetTypeID(target) == SCNetworkReachabilityGetTypeID())
        #expect(CFGetTypeID(object) == CFRunLoopGetTypeID())
        let text = CFCopyDescription(target) as String
        #expect(text == "\(target)" && text.hasSuffix("{address = 127.0.0.1}"))
    }

    @Test("CFShow writes the text of a target to standard error")
    func show() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let target = try #require(SCNetworkReachabilityCreateWithName(nil, "127.0.0.1"))
            CFShow(target)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("{address = 127.0.0.1}\n"))
    }

    @Test("The last error has a code, a domain, and a text")
    func errors() {
        #expect(SCNetworkReachabilityCreateWithName(nil, "") == nil)
        #expect(CFErrorGetCode(SCCopyLastError()) == kSCStatusInvalidArgument)
        let error = SCCopyLastError()
        #expect(CFErrorGetDomain(error) as String == kCFErrorDomainSystemConfiguration as String)
        #expect(CFErrorCopyDescription(error) as String == "Invalid argument")
    }

    @Test("getCFRunLoop() returns the CFRunLoop of a RunLoop's thread, even on another thread")
    func runLoops() async throws {
        #expect(RunLoop.main.getCFRunLoop() === CFRunLoopGetMain())
        let thread = RunLoopThread()
        let (isOwn, address) = await thread.perform {
            (
                RunLoop.current.getCFRunLoop() === thread.runLoop,
                UInt(bitPattern: Unmanaged.passUnretained(RunLoop.current).toOpaque())
            )
        }
        #expect(isOwn)
        let pointer = try #require(UnsafeRawPointer(bitPattern: address))
        let distant = Unmanaged<RunLoop>.fromOpaque(pointer).takeUnretainedValue()
        #expect(distant.getCFRunLoop() === thread.runLoop)
        let mode = CFRunLoopMode.commonModes.rawValue
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, RunLoop.main.getCFRunLoop(), mode))
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), mode))
        await thread.end()
    }
}
