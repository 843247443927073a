// SPDX-License-Identifier: MIT

import CTestSupport
import Foundation
import Testing

/// The program in Tests/AppleConsumer, built next to the one that runs the tests.
enum Consumer {
    /// Runs it in a language and returns the lines it printed.
    static func run(locale: String, arguments: [String] = []) throws -> [String] {
        let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("AppleConsumer").path
        let child = try Child(["env", "LANGUAGE=", "LC_ALL=\(locale)", path] + arguments)
        let (output, status) = try child.finish()
        #expect(status == 0)
        return output.split(separator: "\n").map(String.init)
    }
}

/// A child process; Foundation's leaks, and gives its pipes to other children.
struct Child: ~Copyable {
    private let child: test_child

    /// Starts a command, in the network namespace of that descriptor if there is one.
    init(_ arguments: [String], namespace: Int32 = -1) throws {
        var copies = unsafe arguments.map { unsafe strdup($0) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        var child = test_child()
        try #require(unsafe test_spawn(namespace, &copies, &child) >= 0)
        close(child.input)
        self.child = child
    }

    /// All it writes, and its exit status.
    consuming func finish() throws -> (output: String, status: Int32) {
        let file = FileHandle(fileDescriptor: child.output, closeOnDealloc: true)
        let output = try file.readToEnd() ?? Data()
        return (String(decoding: output, as: UTF8.self), test_wait(child.pid))
    }
}
