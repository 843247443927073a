// SPDX-License-Identifier: MIT
import Glibc
import SwiftTestSupport
import Testing

@Suite("reachctl watch --stable", .needsNamespaces, .blocking, .timeLimit(.minutes(10)))
struct WatchStableTests {
    @Test("The first state is printed at once, and a change once it is stable")
    func stable() throws {
        let namespace = try Namespace.withDefaultRoute()
        func watch(_ seconds: String) throws -> Child {
            try Child(
                [Tool.path, "watch", "--stable", seconds, "internet", "10.9.0.2"],
                in: namespace.descriptor)
        }
        var short = try watch("0.001")
        var long = try watch("3600")
        for line in ["internet\tReachable", "10.9.0.2\tReachable,Directly Reachable Address"] {
            #expect(short.line()?.hasSuffix(line) == true)
            #expect(long.line()?.hasSuffix(line) == true)
        }
        try namespace.ip("route del default")
        #expect(short.line()?.hasSuffix("internet\tNot Reachable") == true)
        for pid in [short.pid, long.pid] { kill(pid, SIGTERM) }
        for (output, status) in [short.finish(), long.finish()] {
            #expect(output.isEmpty && status == 0)
        }
    }
}
