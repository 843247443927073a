// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import NetworkReachability
import Testing

/// Sandboxes that allow rtnetlink but none of its multicast groups: monitors fail, checks work.
@Suite(
    .blocking, .needsNamespaces, .timeLimit(.minutes(10)),
    .needs(Features.seccomp, "seccomp filters"))
struct SandboxTests {
    /// The errors that sandboxes return for a multicast group.
    private static let errors = [EOPNOTSUPP, ENOPROTOOPT, EINVAL, EPERM]

    /// Runs `body` in the namespace, on a thread that can't join a multicast group.
    private static func inSandbox<Value>(
        _ namespace: Namespace, _ error: CInt = EOPNOTSUPP, _ body: () throws -> Value
    ) throws -> Value {
        try namespace.run {
            try SystemFailure.check("seccomp", test_refuse_groups(error))
            return try body()
        }
    }

    @Test("If joining a group fails for lack of memory, monitoring fails for that reason")
    func noMemory() throws {
        let error = try Self.inSandbox(Namespace(), ENOMEM) {
            #expect(throws: ReachabilityError.self) {
                try NetworkReachabilityManager().startMonitoring()
            }
        }
        #expect(error?.errno == .outOfMemory)
    }

    private static let targets: [ReachabilityTarget] = [
        .internet, .localWiFi, try? .address("192.0.2.1"), try? .address("2600::1"),
        try? .address("127.0.0.1"), try? .address("10.9.0.1"),
        try? .addressPair(local: NetworkAddress("10.9.0.1"), remote: NetworkAddress("192.0.2.1")),
        try? .address("192.0.2.1").with(interface: "eth0"),
        try? .address("192.0.2.1").with(interface: "none"),
    ].compactMap(\.self)

    /// Android's SELinux lets apps send requests, and not bind a netlink socket.
    @Test(
        "Single snapshots are the same inside and outside a sandbox, where a monitor can't watch",
        arguments: errors.map { ($0, true) } + [(EACCES, false)])
    func asksOnce(code: CInt, mayBind: Bool) throws {
        let lab = try Lab()
        func snapshots() throws -> [ReachabilitySnapshot] {
            try Self.targets.map { try NetworkReachabilityManager(target: $0).currentSnapshot() }
        }
        let outside = try lab.host.run { try snapshots() }
        #expect(outside.dropLast().allSatisfy { !$0.flags.isEmpty })
        let (inside, error) = try lab.host.run {
            let refusal = mayBind ? test_refuse_groups(code) : test_refuse_bind(code)
            try SystemFailure.check("seccomp", refusal)
            let error = #expect(throws: ReachabilityError.self) {
                try NetworkReachabilityManager().startMonitoring()
            }
            return (try snapshots(), error)
        }
        #expect(inside == outside)
        #expect(error?.code == .watchingUnsupported)
        #expect(!mayBind || error?.errno?.rawValue == EOPNOTSUPP)
    }

    @Test(
        "Without NS_GET_NSTYPE (Linux before 4.11), namespaces are entered and other files rejected"
    )
    func typelessNamespace() throws {
        let other = try Namespace()
        try Namespace().run {
            // NS_GET_NSTYPE of linux/nsfs.h.
            try SystemFailure.check("seccomp", test_refuse_ioctl(0xb703, ENOTTY))
            let interfaces = try NetworkInterface.all(in: .path(other.path))
            #expect(interfaces.map(\.name) == ["lo"])
            for path in ["/dev/null", "/proc/self/ns/uts"] {
                let error = #expect(throws: ReachabilityError.self) {
                    try NetworkInterface.all(in: .path(path))
                }
                #expect(error?.code == .notANamespace)
            }
        }
    }

    @Test(
        "In a sandbox, `status` and `interfaces` work, and `watch` fails with advice",
        arguments: errors)
    func tool(error: CInt) throws {
        let lab = try Lab()
        func run(_ arguments: String...) throws -> (output: String, status: CInt) {
            try Self.inSandbox(lab.host, error) {
                var child = try Child([Tool.path] + arguments, in: lab.host.descriptor)
                return child.finishWithoutNotice()
            }
        }
        let watch = try run("watch", "192.0.2.1")
        #expect(watch.status == 71)
        #expect(watch.output.hasPrefix("reachctl: monitoring is not possible here: "), "\(watch)")
        #expect(!watch.output.contains("status") && !watch.output.contains("()"), "\(watch)")
        let status = try run("status", "192.0.2.1", "internet", "local-wifi", "localhost", "::1")
        #expect(
            status == (
                "192.0.2.1\tReachable\ninternet\tReachable\n"
                    + "local-wifi\tReachable,Directly Reachable Address\n"
                    + "localhost\tReachable,Local Address\n::1\tReachable,Local Address\n", 0
            ))
        let interfaces = try run("interfaces")
        #expect(interfaces.status == 0 && interfaces.output.contains("eth0"), "\(interfaces)")
    }

    @Test("In a sandbox, `wait` answers if the current state decides, and else says what to allow")
    func toolWaits() throws {
        let lab = try Lab()
        func wait(_ arguments: String...) throws -> (output: String, status: CInt) {
            try Self.inSandbox(lab.host) {
                return try Child.run([Tool.path, "wait"] + arguments, in: lab.host.descriptor)
            }
        }
        #expect(try wait("192.0.2.1") == ("Reachable\n", 0))
        // The name may be pending at first.
        #expect(try wait("localhost").output.hasSuffix("Reachable,Local Address\n"))
        #expect(try wait("-q", "-t", "0", "192.0.2.1") == ("", 0))
        try lab.host.ip("route del default")
        #expect(try wait("-q", "-t", "0", "192.0.2.1") == ("", 1))
        let refused = try wait("192.0.2.1")
        #expect(refused.status == 71 && refused.output.contains("NETLINK_ADD_MEMBERSHIP"))
    }

    @Test("In a sandbox, `check()` of a name, and a wait that the current state ends, answer")
    func waits() async throws {
        let lab = try Lab()
        let name = try NetworkReachabilityManager(domain: "localhost")
        let far = try NetworkReachabilityManager(domain: "192.0.2.1")
        /// The task runs on this thread until it waits.
        func start(
            _ body: @escaping @Sendable () async throws(ReachabilityError) -> ReachabilitySnapshot
        ) -> Task<String, Never> {
            Task(executorPreference: InlineExecutor.shared) {
                do throws(ReachabilityError) {
                    return "\(try await body().status.isReachable)"
                } catch {
                    return error.code.description
                }
            }
        }
        let tasks = try Self.inSandbox(lab.host) {
            [
                start { () throws(ReachabilityError) in try await name.check() },
                start { () throws(ReachabilityError) in try await far.waitUntilReachable() },
                start { () throws(ReachabilityError) in
                    try await far.waitUntilNotReachable(timeout: .zero)
                },
                start { () throws(ReachabilityError) in try await far.waitUntilNotReachable() },
            ]
        }
        var results: [String] = []
        for task in tasks { results.append(await task.value) }
        #expect(results == ["true", "true", "timedOut", "watchingUnsupported"])
    }

    /// Runs `body` in the namespace, on a thread that may open sockets of these families only.
    private static func allowing<Value>(
        _ families: (CInt, CInt, CInt), in namespace: Namespace, _ body: () throws -> Value
    ) throws -> Value {
        try namespace.run {
            let result = test_restrict_families(families.0, families.1, families.2)
            try SystemFailure.check("seccomp", result)
            return try body()
        }
    }

    @Test("AF_NETLINK alone is enough to monitor, and to resolve names from files")
    func netlinkAlone() throws {
        let lab = try Lab()
        let targets = ["192.0.2.1", "internet", "local-wifi", "localhost", "::1"]
        let output = try Self.allowing((AF_NETLINK, AF_NETLINK, AF_NETLINK), in: lab.host) {
            try NetworkReachabilityManager().startMonitoring()
            var child = try Child([Tool.path, "status"] + targets, in: lab.host.descriptor)
            return child.finishWithoutNotice()
        }
        let lines = [
            "192.0.2.1\tReachable", "internet\tReachable",
            "local-wifi\tReachable,Directly Reachable Address",
            "localhost\tReachable,Local Address",
            "::1\tReachable,Local Address",
        ]
        #expect(output == (lines.map { $0 + "\n" }.joined(), 0))
    }

    @Test(
        "Without AF_NETLINK, a query and a watch say who refuses it and what to allow",
        arguments: [
            (EAFNOSUPPORT, "RestrictAddressFamilies="), (EOPNOTSUPP, "firejail"),
            (EACCES, "AppArmor"), (EPERM, "seccomp"), (ENOSYS, "kernel"),
        ])
    func withoutNetlink(error: CInt, advice: String) throws {
        let namespace = try Namespace()
        try namespace.run {
            try SystemFailure.check("seccomp", test_refuse_netlink(error))
            let query = #expect(throws: ReachabilityError.self) {
                try NetworkReachabilityManager().currentSnapshot()
            }
            #expect(query?.errno?.rawValue == (error == EOPNOTSUPP ? EPROTONOSUPPORT : error))
            for command in ["status", "watch", "wait"] {
                let (output, status) = try Child.run(
                    [Tool.path, command, "::1"], in: namespace.descriptor)
                #expect(status == 71 && output.contains(advice), "\(output)")
                #expect(output.contains("allow AF_NETLINK in "), "\(output)")
                #expect(!output.contains("status") && !output.contains("()"), "\(output)")
            }
        }
    }
}
