// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("The manual", .blocking, .timeLimit(.minutes(10)))
struct ManualTests {

    private static let commands = [
        "", "status", "watch", "wait", "explain", "interfaces", "flags", "decode",
    ]

    private func awk(
        _ script: String, _ arguments: [String], input: String = ""
    ) throws -> Tool.Result {
        let file = repositoryFile(".packaging/man/\(script)").path
        return try Tool.run(command: ["awk", "-f", file] + arguments, input: Data(input.utf8))
    }

    @Test(
        "The page of every command has its sections, in the order of a manual",
        arguments: commands)
    func command(name: String) throws {
        let help = try Tool.run(["help", name].filter { $0 != "" })
        let page = try awk(
            "commands.awk", ["-v", "name=reachctl", "-v", "others=reachctl reachctl-wait", "-"],
            input: help.output)
        #expect(page.status == 0 && page.errors.isEmpty)
        let sections = page.lines.filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
        let expected =
            ["NAME", "SYNOPSIS", "DESCRIPTION"]
            + ["ARGUMENTS", "OPTIONS", "COMMANDS"]
            .filter(sections.map(String.init).contains) + ["EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        #expect(sections == expected.map { $0[...] })
        let statuses = try #require(page.output.range(of: ".SH EXIT STATUS"))
        #expect(page.output[statuses.upperBound...].hasPrefix("\n.TP\n.B 0\n"))
        let examples = try #require(page.output.range(of: ".SH EXAMPLES"))
        #expect(page.output[examples.upperBound...].contains("\n.TP\n.B "))
    }

    /// ArgumentParser wraps lines at the width of the terminal, and the rest loses its layout.
    @Test("Exit status and examples have lines for 80 columns", arguments: commands)
    func columns(name: String) throws {
        let words = ["help", name].filter { $0 != "" }
        let wide = try Tool.run(command: ["env", "COLUMNS=10000", Tool.path] + words)
        let lines = wide.lines.drop { $0 != "EXIT STATUS:" }.prefix { !$0.hasPrefix("USAGE:") }
        #expect(lines.count > 5)
        for line in lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test("All ways to ask for help print one text, which tells this command's default")
    func oneText() throws {
        for name in Self.commands {
            let help = try Tool.run(["help", name].filter { $0 != "" }).output
            for option in ["--help", "-h"] {
                let other = try Tool.run([name, option].filter { $0 != "" })
                #expect(other.output == help && other.status == 0)
            }
            let usage = try #require(help.split(separator: "\n").first { $0.hasPrefix("USAGE:") })
            #expect(usage.count <= 80)
            guard usage.contains("<target>") else { continue }
            #expect(help.replacing("\n", with: " ").contains("Without a target"))
            #expect(name == "status" || !help.contains("overview"))
        }
    }

    @Test("The whatis line of each page of section 3 fits a terminal, and is not cut off")
    func whatis() throws {
        let headers = try FileManager.default.contentsOfDirectory(
            at: repositoryFile("include/reach"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "h" }
        let folder = try Folder("manual")
        let made = try awk(
            "headers.awk", ["-v", "out=\(folder.url.path)"] + headers.map(\.path))
        #expect(made.status == 0 && made.errors.isEmpty)
        let pages = try FileManager.default.contentsOfDirectory(
            at: folder.url, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "3" }
        #expect(pages.count > 35)
        for page in pages {
            let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            let name = try #require(lines.firstIndex(of: ".SH NAME"))
            let line = lines[name + 1].replacing("\\", with: "")
            #expect(line.count <= 80, "\(line)")
            #expect(line.contains(" - ") && line.last != ",", "\(line)")
            let brackets = line.filter { "()".contains($0) }.count
            #expect(brackets.isMultiple(of: 2), "\(line)")
        }
    }
}
