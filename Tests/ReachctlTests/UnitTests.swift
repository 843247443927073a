// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("The units", .blocking, .timeLimit(.minutes(10)))
struct UnitTests {
    private static func text(_ name: String) throws -> String {
        try repositoryText("Sources/reachctl/systemd/\(name)@.service")
    }

    /// A unit, also with the lines that its comments suggest for Prometheus, with the built tool.
    private static func unit(_ name: String, forPrometheus: Bool) throws -> String {
        let unit = try text(name)
        var lines = [Substring]()
        if forPrometheus {
            lines = unit.split(separator: "\n").drop { !$0.contains("--prometheus") }
                .prefix { $0 != "#" }.map { $0.dropFirst(2) }
            try #require(lines.count == 4)
        }
        return unit.replacing("ExecStart=reachctl", with: "ExecStart=\(Tool.path)")
            .replacing("\n\n[Install]", with: "\n\(lines.joined(separator: "\n"))\n\n[Install]")
    }

    private static let systemdAnalyze = "/usr/bin/systemd-analyze"

    @Test(
        "systemd accepts every line of the unit, and rates its exposure as low",
        .enabled(
            if: FileManager.default.fileExists(atPath: systemdAnalyze), "needs systemd-analyze"),
        arguments: [
            ("reachctl-wait", false, 16), ("reachctl-watch", false, 16),
            ("reachctl-watch", true, 19),
        ])
    func verify(name: String, forPrometheus: Bool, threshold: Int) throws {
        let folder = try Folder("unit")
        let file = folder.file("\(name)@my-host.example.service")
        try Self.unit(name, forPrometheus: forPrometheus)
            .write(to: file, atomically: false, encoding: .utf8)
        let result = try Tool.run(
            command: [Self.systemdAnalyze, "verify", "--man=no", file.path])
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        let security = try Tool.run(command: [
            Self.systemdAnalyze, "security", "--offline=true", "--threshold=\(threshold)",
            "--no-pager", file.path,
        ])
        // systemd 252 rates them 1.5, and as root 1.8.
        #expect(security.status == 0, "\(security)")
    }

    @Test("A stopped wait has not failed, and a watch with bad usage isn't started over and over")
    func ends() throws {
        #expect(try Self.text("reachctl-wait").contains("\nSuccessExitStatus=143\n"))
        #expect(try Self.text("reachctl-watch").contains("\nRestartPreventExitStatus=64\n"))
    }

    /// Runs the options of the unit and the suggested ones.
    ///
    /// Those with --connectivity need a server, and are run by ConnectivityTests.
    @Test(
        "The tool accepts the unit's command line with each line of options that needs no server",
        arguments: ["127.0.0.1", "localhost"])
    func command(target: String) throws {
        let unit = try Self.text("reachctl-wait")
        let start = try #require(unit.firstMatch(of: /(?m)^ExecStart=reachctl (.*)$/)).1
        let options = unit.matches(of: /(?m)^#?\s*Environment="OPTIONS=(.*)"$/).map(\.1)
        #expect(options.count == 3)
        for options in options where !options.contains("--connectivity") {
            let arguments = start.replacing("$OPTIONS", with: options)
                .replacing("%i", with: target)
            let result = try Tool.run(arguments.split(separator: " ").map(String.init))
            #expect(result.output == "Reachable,Local Address\n", "\(result)")
        }
    }
}
