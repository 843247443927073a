// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Testing

@testable import SystemConfiguration

/// A resolver whose answers a test controls.
private final class Answers: Sendable {
    private let known: [String: [String]]
    private let gate = DispatchSemaphore(value: 0)
    private let isGated: Bool

    init(_ known: [String: [String]], gated: Bool = false) {
        isGated = gated
        self.known = known
    }

    func open() {
        gate.signal()
    }

    var options: MonitorOptions {
        MonitorOptions(resolver: { [self] name in
            if isGated {
                gate.wait()
                // The gate stays open, because a change of the network resolves the name again.
                gate.signal()
            }
            return (known[name] ?? []).compactMap { try? NetworkAddress($0) }
        })
    }
}

@Suite("Callbacks of names", .timeLimit(.minutes(10)), .needsNamespaces)
struct NameTests {
    let queue = DispatchQueue.test()
    let info = Info()

    private func name(_ name: String, _ answers: Answers) throws -> SCNetworkReachability {
        try SCNetworkReachability(Endpoint(name: name), options: answers.options)
    }

    @Test("A name that is not scheduled has the flags of the default path")
    func unscheduled() throws {
        let host = try Namespace.withDefaultRoute()
        let lonely = try Namespace()
        for input in ["no-such-name.test", "https://www.example.com/", "localhost"] {
            let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, input))
            #expect(try host.run { flags(of: target) } == .reachable)
            #expect(try lonely.run { flags(of: target) } == [])
        }
    }

    @Test("A name calls back with the default path's flags, and again once it is resolved")
    func optimistic() async throws {
        let host = try Namespace.withDefaultRoute()
        let answers = Answers(["here.test": ["127.0.0.1"]], gated: true)
        let target = try name("here.test", answers)
        try info.listen(to: target, on: queue, in: host)
        #expect(await info.flags.next() == .reachable)
        #expect(
            target.description.contains("{name = here.test (DNS query active), flags = 0x00000002"))
        answers.open()
        #expect(await info.flags.next() == .loopback)
        #expect(target.description.contains("{name = here.test (complete, 127.0.0.1), flags"))
        #expect(flags(of: target) == .loopback)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test(
        "Text that is not a valid name is resolved without an address",
        arguments: ["https://www.example.com/", "192.0.2.1:80", "a b", "fe80::1%no-such-if"])
    func impossible(input: String) async throws {
        let host = try Namespace.withDefaultRoute()
        let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, input))
        try info.listen(to: target, on: queue, in: host)
        #expect(await info.flags.next() == .reachable)
        #expect(await info.flags.next() == [])
        #expect(flags(of: target) == [])
        #expect(target.description.contains("{name = \(input) (complete, no addresses), flags"))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        #expect(try host.run { flags(of: target) } == .reachable)
    }

    @Test("Resolving a name causes a callback even if the flags stay the same")
    func sameFlags() async throws {
        let host = try Namespace.withDefaultRoute()
        let answers = Answers(["far.test": ["198.51.100.1", "198.51.100.2"]], gated: true)
        let target = try name("far.test", answers)
        try info.listen(to: target, on: queue, in: host)
        #expect(await info.flags.next() == .reachable)
        answers.open()
        #expect(await info.flags.next() == .reachable)
        #expect(target.description.contains("(complete, 198.51.100.1, 198.51.100.2)"))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("The first callback has optimistic flags, however fast the name is resolved")
    func fast() async throws {
        let host = try Namespace.withDefaultRoute()
        for asks in [true, false] {
            let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "a b"))
            let info = Info()
            #expect(try host.schedule(target, queue))
            await settle(queue)
            queue.suspend()
            info.listen(to: target)
            if asks { #expect(flags(of: target) == .reachable) }
            queue.resume()
            #expect(await info.flags.first { $0 == [] } == [])
            #expect(info.flags.values == (asks ? [[]] : [.reachable, []]))
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        }
    }

    @Test("Without a callback, flags are final as soon as the name is resolved")
    func asks() async throws {
        let host = try Namespace.withDefaultRoute()
        let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "a b"))
        #expect(try host.schedule(target, queue))
        await settle(queue)
        #expect(flags(of: target) == [])
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("Reading the flags replaces the first callback")
    func suppressed() async throws {
        let namespace = try Namespace()
        let answers = Answers([:], gated: true)
        let asked = try name("asked.test", answers)
        info.listen(to: asked)
        queue.suspend()
        #expect(try namespace.schedule(asked, queue) && flags(of: asked) == [])
        queue.resume()
        await settle(queue)
        #expect(info.flags.values.isEmpty)
        // The answer changes neither flags nor the number of addresses.
        answers.open()
        while !asked.description.contains("(complete, no addresses)") && !Task.isCancelled {
            await settle(queue)
        }
        await settle(queue)
        #expect(info.flags.values.isEmpty)
        SCNetworkReachabilitySetDispatchQueue(asked, nil)
    }

    @Test("A callback that is set after scheduling gets its first call, once")
    func late() async throws {
        let namespace = try Namespace()
        let answers = Answers([:], gated: true)
        let target = try name("late.test", answers)
        #expect(try namespace.schedule(target, queue))
        await settle(queue)
        info.listen(to: target)
        #expect(await info.flags.next() == [])
        info.listen(to: target)
        await settle(queue)
        #expect(info.flags.values == [[]])
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        answers.open()
    }

    @Test("A target that is scheduled again calls back again")
    func restart() async throws {
        let namespace = try Namespace()
        let answers = Answers(["here.test": ["127.0.0.1"]])
        let target = try name("here.test", answers)
        info.listen(to: target)
        for _ in 0..<3 {
            #expect(try namespace.schedule(target, queue))
            #expect(await info.flags.first { $0 == .loopback } == .loopback)
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
            await settle(queue)
        }
    }

    @Test("A target can be released while its name is being resolved")
    func pending() async throws {
        let namespace = try Namespace()
        let answers = Answers([:], gated: true)
        weak var gone: SCNetworkReachability?
        do {
            let target = try name("pending.test", answers)
            #expect(try namespace.schedule(target, queue))
            gone = target
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        }
        await settle(queue)
        #expect(gone == nil)
        answers.open()
    }
}
