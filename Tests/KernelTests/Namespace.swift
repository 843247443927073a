// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc

/// A network namespace of a test's own, with lo up.
///
/// It has no name anywhere: it lives as long as its descriptor, and what is in it goes with it.
final class Namespace: Sendable {
    let descriptor: CInt

    init() throws {
        descriptor = try SystemFailure.check(
            "cannot create a network namespace (run as root, or under 'unshare -Urn')",
            test_netns_create())
        // Duplicate address detection takes a second or two; the test of it turns it on again.
        try set("ipv6/conf/all/accept_dad", to: "0")
        try set("ipv6/conf/default/accept_dad", to: "0")
        try set("ipv6/conf/all/accept_ra", to: "0")
        try set("ipv6/conf/default/accept_ra", to: "0")
    }

    deinit {
        close(descriptor)
    }

    /// What `ip` and `nsenter` take for a namespace.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Runs a command in the namespace and returns what it wrote.
    @discardableResult
    func run(_ arguments: [String], input: String = "") throws -> String {
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
    func ip(_ line: String) throws -> String {
        try run(["ip"] + line.split(separator: " ").map(String.init))
    }

    /// Runs many `ip` commands at once.
    func batch(_ lines: [String]) throws {
        try run(["ip", "-batch", "-"], input: lines.joined(separator: "\n") + "\n")
    }

    /// Sets a sysctl below /proc/sys/net.
    func set(_ sysctl: String, to value: String) throws {
        let path = "/proc/sys/net/\(sysctl)"
        let result = unsafe test_write_file(descriptor, path, value)
        try SystemFailure.check("cannot write \(value) to \(path)", result)
    }

    /// Waits until an interface has its link-local IPv6 address, and may use it.
    func awaitLinkLocal(_ interface: String) throws {
        let deadline = monotonicSeconds() + Watcher.patience
        var addresses = ""
        repeat {
            addresses = try ip("-6 -o addr show dev \(interface) scope link")
            if addresses.contains("fe80:") && !addresses.contains("tentative") { return }
        } while monotonicSeconds() < deadline
        throw SystemFailure(doing: "\(interface) has no link-local address", code: ETIMEDOUT)
    }

    /// The index of an interface.
    func index(of interface: String) throws -> UInt32 {
        let line = try ip("-o link show dev \(interface)")
        guard let index = line.split(separator: ":").first.flatMap({ UInt32($0) }) else {
            throw CommandFailure(command: "ip link show", status: 0, output: line)
        }
        return index
    }
}
