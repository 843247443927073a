// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Checks the façade's lines on the migration and porting pages against a file that is compiled.
///
/// (The page's links to this module's own symbols are checked when the documentation is built.)
@Suite("The migration page")
struct MigrationTests {
    static func text(of path: String) -> String {
        (try? repositoryText(path)) ?? ""
    }

    static func lines(of path: String) -> [Substring] {
        text(of: path).split(separator: "\n")
    }

    /// The texts in backticks, except links, in the second column of the porting page.
    static let ported: [String] = lines(
        of: "Sources/NetworkReachability/Documentation.docc/Porting.md"
    ).filter { $0.hasPrefix("| ") && !$0.contains("| nothing") }.flatMap { row in
        row.split(separator: "|")[1].replacing(/`{2}[^`]+`{2}/, with: "").matches(of: /`([^`]+)`/)
            .map { String($0.output.1) }
    }

    /// The texts in backticks in the second column of the table below a heading.
    static let snippets: [String] = {
        let page = text(of: "Sources/AppleReachability/Documentation.docc/Migration.md")
        let sections = page.components(separatedBy: "\n### ").filter {
            $0.hasPrefix("SCNetworkReachability\n")
        }
        let rows = sections.flatMap { section in
            section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        }
        let observing = "`observe(_:options:queue:changeHandler:)`"
        return (rows.map { $0.split(separator: "|")[1] } + [observing[...]]).flatMap { cell in
            cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
        }
    }()

    @Test("Both pages have lines to check")
    func count() {
        #expect(Self.snippets.count >= 12 && Self.ported.count >= 9)
    }

    @Test("The compiled file contains each line of the porting page", arguments: ported)
    func compiledAsItIs(snippet: String) {
        let lines = Self.lines(of: "Tests/AppleConsumer/Migration.swift")
        #expect(lines.contains { $0.contains(snippet) })
    }

    @Test("The compiled file contains each call of the migration page", arguments: snippets)
    func compiled(snippet: String) throws {
        let lines = Self.lines(of: "Tests/AppleConsumer/Migration.swift")
        // "ReachabilityTarget.domain(_:policy:)": a call of domain( with a label policy.
        let parts = snippet.split(separator: "(", maxSplits: 1)
        guard parts.count == 2 else {
            let words = snippet.replacing("snapshot.", with: ".")
            #expect(lines.contains { $0.contains(words) })
            return
        }
        let name = try #require(parts[0].split(separator: ".").last)
        let labels = parts[1].dropLast().split(separator: ":").filter {
            $0 != "_" && $0 != "changeHandler"
        }
        #expect(
            lines.contains { line in
                line.contains("\(name)(") && labels.allSatisfy { line.contains("\($0):") }
            })
    }
}
