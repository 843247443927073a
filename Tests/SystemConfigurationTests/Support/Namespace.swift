// SPDX-License-Identifier: MIT

import CTestSupport
import Foundation

/// A network namespace of a test's own, with lo up and nothing else.
final class Namespace: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether this user may make one (root, or `unshare -Urn`).
    static let isAvailable = (try? Namespace()) != nil

    private let descriptor: CInt

    /// The other end of its cable.
    private let peer: Namespace?

    init(peer: Namespace? = nil) throws {
        self.peer = peer
        descriptor = test_netns_create()
        guard descriptor >= 0 else { throw Failure(description: "no namespace: \(-descriptor)") }
    }

    /// One with a way out: a cable `eth0` to another one, its address 10.9.0.1, and a default route.
    static func withDefaultRoute() throws -> Namespace {
        let peer = try Namespace()
        let host = try Namespace(peer: peer)
        let path = "/proc/\(getpid())/fd/\(peer.descriptor)"
        try host.ip("link add eth0 type veth peer name p0 netns \(path)")
        try peer.ip("link set p0 up")
        try host.ip("link set eth0 up")
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        try peer.ip("addr add 10.9.0.2/24 dev p0")
        try host.ip("route add default via 10.9.0.2")
        return host
    }

    deinit {
        close(descriptor)
    }

    /// The result of `body` on a thread in the namespace.
    func run<Value>(_ body: () throws -> Value) throws -> Value {
        try withoutActuallyEscaping(body) { body in
            var result: Result<Value, any Error>?
            let job = Job { result = Result { try body() } }
            withExtendedLifetime(job) {
                _ = unsafe test_netns_run(
                    descriptor, 0,
                    { context in
                        guard let context = unsafe context else { return -1 }
                        unsafe Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().work()
                        return 0
                    }, Unmanaged.passUnretained(job).toOpaque())
            }
            guard let result else { throw Failure(description: "the namespace cannot be entered") }
            return try result.get()
        }
    }

    /// Runs `ip` with the words of a line.
    func ip(_ line: String) throws {
        var child = test_child()
        let words = ["ip"] + line.split(separator: " ").map(String.init)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        guard unsafe test_spawn(descriptor, &arguments, &child) == 0 else {
            throw Failure(description: "ip cannot be started; is it installed?")
        }
        close(child.input)
        let output = FileHandle(fileDescriptor: child.output, closeOnDealloc: true)
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        guard test_wait(child.pid) == 0 else { throw Failure(description: "ip \(line): \(text)") }
    }

    private final class Job {
        let work: () -> Void

        init(_ work: @escaping () -> Void) {
            self.work = work
        }
    }
}

extension Namespace {
    /// How many sockets listen to the kernel's events there.
    var watchers: Int {
        var ports = [UInt32](repeating: 0, count: 16)
        return Int(unsafe test_rtnetlink_ports(descriptor, &ports, ports.count))
    }
}
