// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The program in Tests/AppleConsumer, built next to the one that runs the tests.
enum Consumer {
    /// Runs the program with a locale, and returns the lines that it printed.
    static func run(locale: String, arguments: [String] = []) throws -> [String] {
        let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("AppleConsumer").path
        var child = try Child(["env", "LANGUAGE=", "LC_ALL=\(locale)", path] + arguments)
        let (output, status) = child.finish()
        #expect(status == 0)
        return output.split(separator: "\n").map(String.init)
    }
}
