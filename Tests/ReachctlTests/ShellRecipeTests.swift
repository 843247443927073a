// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import SwiftTestSupport
import Testing

/// The shell recipes of Integrations.md, with a `logger` that prints.
@Suite("Shell recipes", .needsNamespaces, .blocking, .timeLimit(.minutes(10)))
struct ShellRecipeTests {
    private static let page = "Sources/NetworkReachability/Documentation.docc/Integrations.md"
    private let namespace: Namespace
    /// A file with the ID of the tool's process.
    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("recipe-\(UUID().uuidString)")

    init() throws {
        namespace = try Namespace.withDefaultRoute()
    }

    /// A recipe with the commands that it uses.
    ///
    /// They are shell functions, because a program that was just written may be busy.
    private func script(_ number: Int) throws -> String {
        let recipes = try repositoryText(Self.page)
            .matches(of: /(?ms)^```sh\n(.*?)^```$/).map(\.1)
        try #require(recipes.count == 2)
        return """
            logger() { printf '%s\\n' "$1"; }
            reachctl() { sh -c 'echo $$ >"$0"; exec "$@"' '\(file.path)' '\(Tool.path)' "$@"; }
            \(recipes[number])
            """
    }

    @Test(
        "A recipe prints a line for the state and for each change, and ends with the tool",
        arguments: [
            (0, ["the internet is Reachable since 20", "the internet is Not Reachable since 20"]),
            (1, ["reachableViaWiFi over eth0 since 20", "notReachable over none since 20"]),
        ])
    func run(number: Int, lines: [String]) throws {
        defer { try? FileManager.default.removeItem(at: file) }
        var child = try Child(
            ["sh", "-c", script(number)], in: namespace.descriptor)
        #expect(child.line()?.hasPrefix(lines[0]) == true)
        try namespace.ip("route del default")
        #expect(child.line()?.hasPrefix(lines[1]) == true)
        let pid = try String(contentsOf: file, encoding: .utf8)
        kill(try #require(Int32(pid.trimmingCharacters(in: .newlines))), SIGTERM)
        let (rest, status) = child.finish()
        #expect(rest.isEmpty && status == 0)
    }
}
