// SPDX-License-Identifier: MIT
import Testing

/// Runs `AppleConsumer` with a language, and returns the lines that it prints.
func consumerLines(locale: String, arguments: [String] = []) throws -> [String] {
    let command = ["env", "LANGUAGE=", "LC_ALL=\(locale)", program("AppleConsumer")]
    let (output, status) = try Child.run(command + arguments)
    #expect(status == 0)
    return output.split(separator: "\n").map(String.init)
}
