// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import CTestSupport
import Foundation
import Glibc
import NetworkReachability
import Testing

/// Each documented error, provoked once by a realistic cause.
@Suite(
    "Provoked errors", .blocking, .needsNamespaces, .timeLimit(.minutes(10)),
    .needs(Features.seccomp, "seccomp filters"))
struct ProvokedErrorTests {
    /// An error of the facade, with the kernel's errno if the kernel is the cause.
    struct Provoked: Sendable {
        let code: ReachabilityError.Code
        var errno: CInt?
        let cause: @Sendable () async throws -> Void
    }

    private static let errors: [Provoked] = [
        Provoked(code: .emptyName) { _ = try ReachabilityTarget.domain("") },
        Provoked(code: .nameTooLong) {
            _ = try ReachabilityTarget.domain(String(repeating: "a", count: 254))
        },
        Provoked(code: .nameWithPort) { _ = try ReachabilityTarget.domain("a.test:443") },
        Provoked(code: .invalidName) { _ = try ReachabilityTarget.domain("a b") },
        Provoked(code: .invalidAddress) { _ = try NetworkAddress("nowhere") },
        Provoked(code: .unsupportedFamily) {
            var other = sockaddr_in6()
            other.sin6_family = sa_family_t(AF_UNIX)
            _ = try unsafe withUnsafeBytes(of: other) { unsafe try NetworkAddress(sockaddr: $0) }
        },
        Provoked(code: .unknownInterface) { _ = try NetworkAddress("fe80::1%nowhere") },
        Provoked(code: .invalidInterface) {
            _ = try ReachabilityTarget.internet.with(interface: "a/b")
        },
        Provoked(code: .invalidTarget) {
            _ = try ReachabilityTarget.addressPair(
                local: NetworkAddress("127.0.0.1"), remote: NetworkAddress("::1"))
        },
        Provoked(code: .invalidNamespace) { _ = try NetworkHost.current(in: .named("a/b")) },
        Provoked(code: .namespaceNotFound) { _ = try NetworkHost.current(in: .named("nowhere")) },
        Provoked(code: .notANamespace) { _ = try NetworkHost.current(in: .path("/dev/null")) },
        Provoked(code: .watchingUnsupported) {
            try Namespace().run {
                try SystemFailure.check("seccomp", test_refuse_groups(EPERM))
                try NetworkReachabilityManager().startMonitoring()
            }
        },
        Provoked(code: .notPermitted, errno: EPERM) { try startWithoutNetlink(EPERM) },
        Provoked(code: .unsupportedByKernel, errno: EPROTONOSUPPORT) {
            try startWithoutNetlink(EPROTONOSUPPORT)
        },
        Provoked(code: .outOfResources, errno: ENFILE) { try startWithoutNetlink(ENFILE) },
        Provoked(code: .system, errno: EIO) { try startWithoutNetlink(EIO) },
        Provoked(code: .namespaceReplaced) { try await replaceNamespace() },
        Provoked(code: .timedOut) {
            try await NetworkReachabilityManager().wait(timeout: .zero) { _ in false }
        },
        Provoked(code: .cancelled) {
            let task = Task { try await NetworkReachabilityManager().wait { _ in false } }
            task.cancel()
            _ = try await task.value
        },
    ]

    /// Starts a monitor where the kernel refuses netlink.
    private static func startWithoutNetlink(_ errno: CInt) throws {
        try Namespace().run {
            try SystemFailure.check("seccomp", test_refuse_netlink(errno))
            try NetworkReachabilityManager().startMonitoring()
        }
    }

    /// A namespace that is replaced while a wait watches it.
    private static func replaceNamespace() async throws {
        let other = try Namespace()
        let path = "/tmp/reach-namespace-\(getpid())"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: other.path)
        let target = ReachabilityTarget.internet.with(namespace: .path(path))
        try await NetworkReachabilityManager(target: target).wait { _ in
            unsafe unlink(path)
            return false
        }
    }

    @Test("Each cause throws the documented error", arguments: errors)
    func facade(provoked: Provoked) async {
        let error = await #expect(throws: ReachabilityError.self) { try await provoked.cause() }
        #expect(error?.code == provoked.code, "\(String(describing: error))")
        if let errno = provoked.errno { #expect(error?.errno?.rawValue == errno) }
    }

    @Test("The tests provoke every error code")
    func codes() throws {
        let source = try repositoryText(
            "Sources/NetworkReachability/Values/ReachabilityError.swift")
        let all = source.matches(of: /static let (\w+) = Code\(/).map { String($0.1) }
        // Tests/Elsewhere provokes the last one.
        let provoked = Self.errors.map(\.code) + [.unsupportedSystem]
        #expect(all.count > 10)
        #expect(Set(all) == Set(provoked.map(\.description)))
    }

    // MARK: C

    private static func open(
        namespace: CInt = -1, path: StaticString? = nil, _ use: (OpaquePointer) -> CInt = { _ in 0 }
    ) -> CInt {
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        unsafe options.netns_fd = namespace
        if let path {
            unsafe options.netns_path = UnsafeRawPointer(path.utf8Start).assumingMemoryBound(
                to: CChar.self)
        }
        var monitor: OpaquePointer?
        let result = unsafe reach_monitor_open(&monitor, &options)
        guard result == 0, let monitor = unsafe monitor else { return result }
        defer { unsafe reach_monitor_close(monitor) }
        return unsafe use(monitor)
    }

    private static func inSandbox(_ errno: CInt) throws -> CInt {
        try Namespace().run {
            try SystemFailure.check("seccomp", test_refuse_netlink(errno))
            return unsafe open()
        }
    }

    private static func parse(_ text: String) -> CInt {
        var address = reach_address()
        return unsafe reach_address_parse(text, &address)
    }

    private static func validate(_ name: String) -> CInt {
        unsafe name.withCString { name in
            var target = unsafe reach_target()
            unsafe reach_target_init(&target, .REACH_TARGET_NAME)
            unsafe target.name = name
            return unsafe reach_target_validate(&target)
        }
    }

    private typealias Cause = (name: String, code: CInt, cause: @Sendable () throws -> CInt)

    private static func made(
        _ name: String, _ code: CInt, _ cause: @escaping @Sendable () throws -> CInt
    ) -> Cause {
        (name, code, cause)
    }

    private static let causes: [Cause] = [
        made("EINVAL", EINVAL) { parse("nowhere") },
        made("ENODEV", ENODEV) { parse("fe80::1%nowhere") },
        made("EBADF", EBADF) { unsafe open(namespace: 1 << 20) },
        made("ESTALE", ESTALE) {
            let other = try Namespace()
            return withExtendedLifetime(other) {
                unsafe open(namespace: other.descriptor, path: "/dev/null")
            }
        },
        made("EPERM", EPERM) { try inSandbox(EPERM) },
        made("EAFNOSUPPORT", EAFNOSUPPORT) {
            var other = sockaddr()
            other.sa_family = sa_family_t(AF_UNIX)
            var address = reach_address()
            return unsafe reach_address_from_sockaddr(
                &other, MemoryLayout<sockaddr>.size, &address)
        },
        made("EPROTONOSUPPORT", EPROTONOSUPPORT) { try inSandbox(EPROTONOSUPPORT) },
        made("ENFILE", ENFILE) { try inSandbox(ENFILE) },
        made("EMFILE", EMFILE) { try inSandbox(EMFILE) },
        made("ENOMEM", ENOMEM) { try inSandbox(ENOMEM) },
        made("ENOBUFS", ENOBUFS) { try inSandbox(ENOBUFS) },
        made("EOPNOTSUPP", EOPNOTSUPP) {
            try Namespace().run {
                try SystemFailure.check("seccomp", test_refuse_groups(EPERM))
                return unsafe open()
            }
        },
        made("ENOENT", ENOENT) { unsafe open { unsafe reach_monitor_remove($0, 99) } },
        made("ECHILD", ECHILD) {
            unsafe open { monitor in
                let child = fork { -(unsafe reach_monitor_dispatch(monitor)) }
                return -SwiftTestSupport.wait(for: child)
            }
        },
        made("EAGAIN", EAGAIN) {
            unsafe open { monitor in
                var target = unsafe reach_target()
                unsafe reach_target_init(&target, .REACH_TARGET_INTERNET)
                var id: UInt64 = 0
                let result = unsafe reach_monitor_add(monitor, &target, &id)
                var state = reach_state()
                state.size = MemoryLayout<reach_state>.size
                // Nothing was dispatched.
                return result == 0 ? unsafe reach_monitor_state(monitor, id, &state) : result
            }
        },
        made("EBADMSG", EBADMSG) {
            let bytes = [UInt32](repeating: 1, count: 4)
            var message = reach_message()
            var offset = 0
            return unsafe reach_message_decode(bytes, 16, &offset, &message)
        },
        made("ENAMETOOLONG", ENAMETOOLONG) { validate(String(repeating: "a", count: 254)) },
        made("EDESTADDRREQ", EDESTADDRREQ) { validate("") },
        made("EILSEQ", EILSEQ) { validate("m\u{fc}nchen.example") },
    ]

    @Test("C functions return the documented errno", arguments: causes)
    func ofC(name: String, code: CInt, cause: @Sendable () throws -> CInt) throws {
        #expect(try cause() == -code, "\(name)")
    }

    @Test("The tests provoke every errno in the C headers, except those of resolvers")
    func allOfC() throws {
        let headers = [
            "address", "internal/engine", "internal/message", "monitor", "target",
        ]
        let all = try headers.flatMap { header in
            try repositoryText("include/reach/\(header).h").matches(of: /-(E[A-Z]{3,})\b/).map {
                String($0.1)
            }
        }
        // Resolvers return these.
        let resolvers = ["ENODATA", "ENETDOWN", "ENETUNREACH"]
        #expect(Set(all).subtracting(resolvers) == Set(Self.causes.map(\.name)))
    }
}
