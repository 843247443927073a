// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Foundation
import Testing

/// A temporary directory, deleted with the object.
private final class Scratch {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/reach-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path + "/etc", withIntermediateDirectories: true)
        for file in ["hosts", "resolv.conf", "nsswitch.conf"] { try write("", to: "etc/\(file)") }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ text: String, to file: String, atomically: Bool = false) throws {
        try text.write(toFile: "\(path)/\(file)", atomically: atomically, encoding: .utf8)
    }
}

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
@safe struct NameTests {
    private let lab: Lab
    private let scratch: Scratch
    private let resolver: OpaquePointer

    init() throws {
        lab = try Lab()
        scratch = try Scratch()
        guard let created = unsafe test_resolver_create(scratch.path) else {
            throw SystemFailure(doing: "test_resolver_create", code: errno)
        }
        unsafe resolver = created
    }

    private func watcher() throws -> Watcher {
        let etc = scratch.path + "/etc"
        return try unsafe etc.withCString { etc in
            try unsafe Watcher(lab.host) { options in
                unsafe options.etc_root = etc
                unsafe options.resolve_context = UnsafeMutableRawPointer(resolver)
                unsafe options.resolve = { context, name, addresses, capacity in
                    unsafe lookUp(context, name, addresses, capacity)
                }
            }
        }
    }

    /// Sets the addresses to which a name resolves.
    private func answer(_ name: String, _ addresses: String...) throws {
        try scratch.write(addresses.joined(separator: "\n") + "\n", to: name, atomically: true)
    }

    @Test("A name has the flags of its best address, and its state lists all addresses")
    func bestAddress() throws {
        try answer("both.test", "2001:db8:ffff::1", "10.9.0.2")
        try lab.host.ip("-6 route del default")
        let watcher = try watcher()
        let id = try watcher.add(.name("both.test", strict: true))
        try watcher.expect(id, [], reason: "resolving")
        let state = try watcher.expect(id, [.reachable, .direct], on: "eth0")
        #expect(Set(state.addresses) == ["2001:db8:ffff::1", "10.9.0.2"])
        #expect(state.resolution == reach_resolution.REACH_RESOLUTION_DONE.rawValue)
        try watcher.expectNoChange()
        try lab.host.ip("link set eth0 down")
        try watcher.expect(id, [], reason: nil)
    }

    @Test(
        "Until a name is resolved, its policy decides whether it is reachable",
        arguments: [true, false])
    func policies(strict: Bool) throws {
        try answer("hang.test", "10.9.0.2")
        try answer("quick.test", "10.9.0.2")
        let watcher = try watcher()
        let slow = try watcher.add(.name("hang.test", strict: strict))
        if strict {
            try watcher.expect(slow, [], reason: "resolving")
        } else {
            try watcher.expect(slow, .reachable, reason: nil)
        }
        #expect(
            try watcher.state(slow).resolution == reach_resolution.REACH_RESOLUTION_PENDING.rawValue
        )
        // A name whose resolver hangs does not delay another.
        let quick = try watcher.add(.name("quick.test", strict: true))
        try watcher.expect(quick, [], reason: "resolving")
        try watcher.expect(quick, [.reachable, .direct])
        try watcher.expectNoChange()
        if !strict {
            try lab.host.ip("route del default")
            try lab.host.ip("-6 route del default")
            try watcher.expect(slow, [], reason: nil)
        }
        unsafe test_resolver_open_gate(resolver)
        try watcher.expect(slow, [.reachable, .direct])
    }

    @Test("Closing does not wait for a resolver that hangs")
    func closeWhileResolving() throws {
        var watcher: Watcher? = try watcher()
        let id = try watcher?.add(.name("hang.test", strict: true))
        if let watcher, let id {
            try watcher.expect(id, [], reason: "resolving")
            // Waits until a worker thread is in the resolver.
            while unsafe test_resolver_calls(resolver) == 0 { sched_yield() }
        }
        watcher = nil
        #expect(unsafe test_resolver_calls(resolver) == 1)
        unsafe test_resolver_open_gate(resolver)
    }

    @Test(
        "A name without an address is not reachable, under either policy", arguments: [true, false])
    func noAddress(strict: Bool) throws {
        let watcher = try watcher()
        let id = try watcher.add(.name("nowhere.test", strict: strict))
        try watcher.expectSoon(id) { $0.reason == "noSuchName" && $0.flags == [] }
        // No event announces that the name exists now. It is resolved again after a second.
        try answer("nowhere.test", "192.0.2.1")
        try watcher.expectSoon(id) { $0.addresses == ["192.0.2.1"] && $0.flags == .reachable }
    }

    @Test("A name is resolved again when the network changes")
    func networkChange() throws {
        try answer("moving.test", "10.9.0.2")
        let watcher = try watcher()
        let id = try watcher.add(.name("moving.test", strict: true))
        try watcher.expect(id, [], reason: "resolving")
        try watcher.expect(id, [.reachable, .direct])
        try watcher.expectNoChange()
        try answer("moving.test", "192.0.2.1")
        try lab.host.ip("addr add 10.55.0.1/24 dev eth0")
        let state = try watcher.expect(id, .reachable)
        #expect(state.addresses == ["192.0.2.1"])
    }

    @Test(
        "A name is resolved again when the resolver's configuration is rewritten",
        arguments: ["hosts", "resolv.conf", "nsswitch.conf"], [true, false])
    func configuration(file: String, atomically: Bool) throws {
        try answer("moving.test", "10.9.0.2")
        let watcher = try watcher()
        let id = try watcher.add(.name("moving.test", strict: true))
        try watcher.expect(id, [], reason: "resolving")
        try watcher.expect(id, [.reachable, .direct])
        try watcher.expectNoChange()
        try answer("moving.test", "192.0.2.1")
        try scratch.write("# changed\n", to: "etc/\(file)", atomically: atomically)
        let state = try watcher.expect(id, .reachable)
        #expect(state.addresses == ["192.0.2.1"])
    }

    @Test("Events of routes to a name's new address, which the filter dropped before, now arrive")
    func newAddress() throws {
        try answer("moving.test", "198.51.100.1")
        let watcher = try watcher()
        let id = try watcher.add(.name("moving.test", strict: true))
        try watcher.expect(id, [], reason: "resolving")
        try watcher.expect(id, .reachable)
        try watcher.awaitFilter(in: lab)
        let before = try watcher.stats().events
        try lab.host.ip("route add unreachable 192.0.2.1")
        try watcher.settle()
        #expect(try watcher.stats().events == before)
        try answer("moving.test", "192.0.2.1")
        try scratch.write("# changed\n", to: "etc/hosts")
        try watcher.expect(id, [], reason: "unreachable")
        try watcher.awaitFilter(in: lab)
        try lab.host.ip("route del unreachable 192.0.2.1")
        try watcher.expect(id, .reachable)
        try lab.host.ip("route add unreachable 192.0.2.0/24")
        try watcher.expect(id, [], reason: "unreachable")
    }

    @Test("A numeric name is an address, and no resolver is called")
    func numeric() throws {
        let watcher = try watcher()
        try watcher.add(.name("10.9.0.2", strict: true), expecting: [.reachable, .direct])
        try watcher.add(.name("2001:db8:ffff::1", strict: true), expecting: .reachable)
        #expect(unsafe test_resolver_calls(resolver) == 0)
    }

    @Test("A removed name reports nothing, even when its resolver answers")
    func removed() throws {
        try answer("hang.test", "10.9.0.2")
        let watcher = try watcher()
        let id = try watcher.add(.name("hang.test", strict: true))
        try watcher.expect(id, [], reason: "resolving")
        while unsafe test_resolver_calls(resolver) == 0 { sched_yield() }
        try watcher.remove(id)
        unsafe test_resolver_open_gate(resolver)
        try watcher.expectNoChange()
        #expect(throws: SystemFailure.self) { try watcher.remove(id) }
    }
}

/// The resolver of these tests, on the monitor's worker threads.
private func lookUp(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ addresses: UnsafeMutablePointer<reach_address>?, _ capacity: Int
) -> CInt {
    guard let context = unsafe context, let name = unsafe name, let addresses = unsafe addresses
    else { return -EINVAL }
    var text = [CChar](repeating: 0, count: 1024)
    let length = unsafe test_resolver_lookup(OpaquePointer(context), name, &text, text.count)
    guard length >= 0 else { return length }
    let lines = String(
        decoding: text.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self
    )
    .split(separator: "\n").prefix(capacity)
    for (position, line) in lines.enumerated() {
        guard unsafe reach_address_parse(String(line), &addresses[position]) == 0 else {
            return -EINVAL
        }
    }
    return CInt(lines.count)
}
