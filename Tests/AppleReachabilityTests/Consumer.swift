// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The program in Tests/AppleConsumer, built next to the one that runs the tests.
enum Consumer {
    /// Runs it and returns the lines it printed.
    static func run(_ environment: [String: String], arguments: [String] = []) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("AppleConsumer")
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LC_") && !$0.key.hasPrefix("LANG")
        }
        process.environment = inherited.merging(environment) { $1 }
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
