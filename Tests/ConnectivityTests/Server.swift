// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Synchronization

/// A server of a test: it reads the head of a request, and behaves as the test says.
final class Server: Sendable {
    enum Behaviour: Sendable {
        /// Sends this text and closes.
        case answer(String)
        /// Sends nothing.
        case hang
        /// Sends this text and then nothing.
        case stall(String)
        /// Ends the connection with RST.
        case reset
        /// Sends a byte every 20 milliseconds.
        case drip(String)
        /// Sends a text and then another one without end.
        case flood(String, String)
    }

    /// What each request was, from its first byte on.
    let requests = Recorder<String>()
    /// One for each client that went away while it was kept waiting.
    let ended = Recorder<Bool>()
    let port: UInt16
    private let listener: CInt
    private let behaviour: Mutex<Behaviour>
    private let isOver = Atomic(false)

    /// Listens in a namespace; the port 0 is any.
    init(in namespace: Namespace, _ behaviour: Behaviour, port: UInt16 = 0) throws {
        self.behaviour = Mutex(behaviour)
        (listener, self.port) = try namespace.run {
            let listener = try SystemFailure.check(
                "socket", socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
            var yes: CInt = 1
            unsafe setsockopt(
                listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    let result = unsafe bind(listener, pointer, size)
                    unsafe getsockname(listener, pointer, &size)
                    return result
                }
            }
            try SystemFailure.check("bind", result == 0 ? 0 : -errno)
            try SystemFailure.check("listen", listen(listener, 64) == 0 ? 0 : -errno)
            return (listener, UInt16(bigEndian: address.sin6_port))
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends it; connections that hang are closed.
    func end() {
        isOver.store(true, ordering: .releasing)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func behave(_ new: Behaviour) {
        behaviour.withLock { $0 = new }
    }

    private func accept() {
        while !isOver.load(ordering: .acquiring) {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            Thread.detachNewThread { [self] in
                serve(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: CInt) {
        let request = readRequest(of: connection)
        guard !request.isEmpty else { return }
        // A test that has seen the request may change the behaviour for the next one.
        let behaviour = behaviour.withLock { $0 }
        requests.record(String(decoding: request, as: UTF8.self))
        respond(to: connection, as: behaviour)
    }

    private func readRequest(of connection: CInt) -> [UInt8] {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A client that speaks TLS has no empty line.
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8), request.first != 0x16 {
            let count = unsafe read(connection, &chunk, chunk.count)
            guard count > 0 else { break }
            request += chunk[..<count]
        }
        return request
    }

    private func respond(to connection: CInt, as behaviour: Behaviour) {
        switch behaviour {
        case .answer(let text): _ = send(text, to: connection)
        case .hang: waitForEnd(of: connection)
        case .stall(let text):
            if send(text, to: connection) { waitForEnd(of: connection) }
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
        case .drip(let text):
            for byte in text.utf8 where send([byte], to: connection) { usleep(20_000) }
        case .flood(let start, let more):
            guard send(start, to: connection) else { return }
            while !isOver.load(ordering: .acquiring), send(more, to: connection) {}
        }
    }

    private func waitForEnd(of connection: CInt) {
        while !isOver.load(ordering: .acquiring) {
            guard waitReadable(connection, until: monotonicSeconds() + 0.2) else { continue }
            var byte: UInt8 = 0
            guard unsafe read(connection, &byte, 1) > 0 else { return ended.record(true) }
        }
    }

    private func send(_ text: String, to connection: CInt) -> Bool {
        send(Array(text.utf8), to: connection)
    }

    private func send(_ bytes: [UInt8], to connection: CInt) -> Bool {
        unsafe Glibc.send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            == bytes.count
    }
}

/// A host with two cables, each to a network with a server, IPv4 and IPv6; the default route is by the first.
///
///     eth0  10.9.0.1  fd00:9::1   first   10.9.0.2  fd00:9::2
///     eth1  10.8.0.1  fd00:8::1   second  10.8.0.2  fd00:8::2
///
/// 192.0.2.1 and 2001:db8::1 are addresses of both networks.
final class Networks: Sendable {
    let host: Namespace
    let first: Namespace
    let second: Namespace

    init() throws {
        host = try Namespace()
        first = try Namespace()
        second = try Namespace()
        for (number, network) in [(9, first), (8, second)] {
            let name = "eth\(9 - number)"
            try host.ip("link add \(name) type veth peer name p0 netns \(network.path)")
            try network.batch([
                "link set p0 up", "addr add 10.\(number).0.2/24 dev p0",
                "addr add fd00:\(number)::2/64 dev p0 nodad", "addr add 192.0.2.1/32 dev lo",
                "addr add 2001:db8::1/128 dev lo", "link set lo up",
            ])
            try host.batch([
                "link set \(name) up", "addr add 10.\(number).0.1/24 dev \(name)",
                "addr add fd00:\(number)::1/64 dev \(name) nodad",
                "route add default via 10.\(number).0.2 metric \(10 - number)",
                "route add default via fd00:\(number)::2 metric \(10 - number)",
            ])
        }
    }

    /// Has nothing but IPv6 from now on.
    func removeIPv4() throws {
        for name in ["eth0", "eth1"] { try host.ip("-4 addr flush dev \(name)") }
    }

    /// Takes the first network away, or gives it back; the routes are by the second one meanwhile.
    func setFirst(_ isOn: Bool) throws {
        guard isOn else {
            try host.ip("link set eth0 down")
            return
        }
        try host.batch([
            "link set eth0 up", "addr replace fd00:9::1/64 dev eth0 nodad",
            "route replace default via 10.9.0.2 metric 1",
            "route replace default via fd00:9::2 metric 1",
        ])
    }

    var target: ReachabilityTarget {
        ReachabilityTarget.internet.with(namespace: .path(host.path))
    }
}

/// An answer of HTTP.
func http(_ status: Int, headers: [String] = [], body: String = "") -> String {
    let lines = ["HTTP/1.1 \(status) Test", "Content-Length: \(body.utf8.count)"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}

/// The names of the threads of this process.
func threads() -> [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
        try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }
}

/// How many descriptors this process has open.
func descriptors() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}

/// Sets the soft limit, and returns what it was.
@discardableResult
func limitDescriptors(to most: rlim_t) -> rlim_t {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    precondition(unsafe getrlimit(resource, &limit) == 0)
    let before = limit.rlim_cur
    limit.rlim_cur = most
    precondition(unsafe setrlimit(resource, &limit) == 0)
    return before
}

/// Waits until something is so; the time limit of the test ends it.
func eventually(_ isSo: () throws -> Bool) async throws {
    while !(try isSo()) { try await Task.sleep(for: .milliseconds(5)) }
}
