// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

@Suite("Errors of the system")
struct ErrorTests {
    @Test(
        "A system error while a name is added is not reported as an invalid name",
        arguments: [
            (
                ReachabilityErrno.tooManyOpenFiles, ReachabilityError.Code.outOfResources,
                "ulimit -n"
            ),
            (.tooManyOpenFilesInSystem, .outOfResources, "ulimit -n"),
            (.tryAgain, .outOfResources, "ulimit -u"),
            (.outOfMemory, .outOfResources, "free some"), (.notPermitted, .notPermitted, "sandbox"),
            (.noSuchProcess, .system, "adding 'a.test' failed"),
        ])
    func adding(errno: ReachabilityErrno, code: ReachabilityError.Code, word: String) throws {
        let error = ReachabilityError.invalidTarget(try .domain("a.test"), errno)
        #expect(error.code == code && error.errno == errno)
        #expect(error.input == "a.test")
        #expect(error.description.contains(word), "\(error)")
    }

    @Test(
        "A permission error names the sandbox, or for another namespace the missing privilege",
        arguments: [ReachabilityErrno.notPermitted, .permissionDenied])
    func sandbox(errno: ReachabilityErrno) {
        let own = ReachabilityError.monitor(errno, in: .current)
        #expect(own.code == .notPermitted)
        #expect(own.description.contains("allow AF_NETLINK in "))
        #expect(!own.description.contains("root"))
        let other = ReachabilityError.monitor(errno, in: .named("blue"))
        #expect(other.code == .notPermitted && other.description.contains("CAP_SYS_ADMIN"))
    }

    @Test("The caller's own namespace is recognized as .current and by path")
    func ownNamespace() throws {
        #expect(try OpenNamespace(.current).isCallers)
        #expect(try OpenNamespace(.path("/proc/thread-self/ns/net")).isCallers)
    }
}
