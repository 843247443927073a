// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
package import Testing

/// A network namespace for one test, with lo up.
///
/// It has no name. It ends with its descriptor, and so do its links.
package final class Namespace: Sendable {
    /// Whether this user may create a namespace: root may, and others in a user namespace, which
    /// `CTestSupport` creates where that is permitted.
    package static let isAvailable = (try? Namespace()) != nil

    package let descriptor: CInt

    /// The other end of its cable, if it was made with one.
    private let peer: Namespace?

    package init(peer: Namespace? = nil) throws {
        self.peer = peer
        descriptor = try SystemFailure.check(
            "cannot create a network namespace (run as root, or permit user namespaces)",
            test_netns_create())
        // Duplicate address detection takes a second or two. Tests of it turn it on again.
        try set("ipv6/conf/all/accept_dad", to: "0")
        try set("ipv6/conf/default/accept_dad", to: "0")
        try set("ipv6/conf/all/accept_ra", to: "0")
        try set("ipv6/conf/default/accept_ra", to: "0")
    }

    deinit {
        close(descriptor)
    }

    /// A path that `ip` and `nsenter` accept as a namespace.
    package var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Moves the calling thread into the namespace.
    package func enter() throws {
        try SystemFailure.check("setns", test_netns_enter(descriptor))
    }

    /// Runs a command in the namespace and returns what it wrote.
    @discardableResult
    package func run(_ arguments: [String], input: String = "") throws -> String {
        var child = try Child(arguments, in: descriptor)
        child.finishInput(input)
        let (output, status) = child.finish()
        guard status == 0 else {
            throw CommandFailure(
                command: arguments.joined(separator: " "), status: status, output: output)
        }
        return output
    }

    /// Runs `ip` with the words of a line.
    @discardableResult
    package func ip(_ line: String) throws -> String {
        try run(["ip"] + line.split(separator: " ").map(String.init))
    }

    /// Runs many `ip` commands at once.
    package func batch(_ lines: [String]) throws {
        try run(["ip", "-batch", "-"], input: lines.joined(separator: "\n") + "\n")
    }

    /// Sets a sysctl below /proc/sys/net.
    package func set(_ sysctl: String, to value: String) throws {
        let path = "/proc/sys/net/\(sysctl)"
        let result = try run { unsafe test_write_file(path, value) }
        try SystemFailure.check("cannot write \(value) to \(path)", result)
    }

    /// The index of an interface.
    package func index(of interface: String) throws -> UInt32 {
        let output = try ip("-o link show dev \(interface)")
        // `ip` also prints an error for each file in /run/netns that is no namespace.
        let numbers = output.split(separator: "\n").lazy.compactMap { line in
            line.split(separator: ":").first.flatMap { UInt32($0) }
        }
        guard let index = numbers.first else {
            throw CommandFailure(command: "ip link show", status: 0, output: output)
        }
        return index
    }

    /// Runs `body` on a thread in the namespace, and returns its result.
    package func run<Value>(_ body: () throws -> Value) throws -> Value {
        try withoutActuallyEscaping(body) { body in
            var result: Result<Value, any Error>?
            let job = Job { result = Result { try body() } }
            let code = withExtendedLifetime(job) {
                unsafe test_netns_run(
                    descriptor, 0,
                    { context in
                        guard let context = unsafe context else { return -EINVAL }
                        unsafe Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().work()
                        return 0
                    }, Unmanaged.passUnretained(job).toOpaque())
            }
            guard let result else {
                throw SystemFailure(doing: "cannot enter the namespace", code: -code)
            }
            return try result.get()
        }
    }

    private final class Job {
        let work: () -> Void

        init(_ work: @escaping () -> Void) {
            self.work = work
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests that need a ``Namespace`` where none can be created.
    package static var needsNamespaces: Self {
        .enabled(if: Namespace.isAvailable, "needs network namespaces: root, or user namespaces")
    }
}

/// Whether this process can become an unprivileged user: a user namespace may have no other.
package let canBecomeNobody =
    unsafe test_netns_run(-1, uid_t(TEST_NOBODY), { _ in 0 }, nil) == 0

extension Namespace {
    /// A namespace with a cable `eth0` to another, the address 10.9.0.1, and a default route.
    package static func withDefaultRoute() throws -> Namespace {
        let peer = try Namespace()
        let host = try Namespace(peer: peer)
        try host.ip("link add eth0 type veth peer name p0 netns \(peer.path)")
        try peer.ip("link set p0 up")
        try host.ip("link set eth0 up")
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        try peer.ip("addr add 10.9.0.2/24 dev p0")
        try host.ip("route add default via 10.9.0.2")
        try host.awaitCarrier(of: "eth0")
        return host
    }

    /// Waits until the kernel has noticed the carrier of a link (linkwatch).
    ///
    /// Before, the link drops all packets.
    package func awaitCarrier(of link: String) throws {
        while try !ip("link show \(link)").contains("state UP") {}
    }

    /// Pulls or plugs the cable of ``withDefaultRoute()``.
    package func setCarrier(_ isOn: Bool) throws {
        try peer?.ip("link set p0 \(isOn ? "up" : "down")")
    }

    /// The number of sockets in the namespace that listen to the kernel's events.
    package var watchers: Int {
        var ports = [UInt32](repeating: 0, count: 16)
        return Int((try? run { unsafe test_rtnetlink_ports(&ports, ports.count) }) ?? 0)
    }
}
