// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("reachctl-wait@.service", .timeLimit(.minutes(10)))
struct UnitTests {
    private static let source = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/reachctl/systemd/reachctl-wait@.service")
        .standardizedFileURL

    private static let systemdAnalyze = "/usr/bin/systemd-analyze"

    @Test(
        "systemd accepts every line of the unit",
        .enabled(
            if: FileManager.default.fileExists(atPath: systemdAnalyze), "needs systemd-analyze"))
    func verify() async throws {
        try await Scratch.with { scratch in
            // Uses the built tool instead of an installed one.
            let unit = try String(contentsOf: Self.source, encoding: .utf8)
                .replacing("ExecStart=reachctl", with: "ExecStart=\(Tool.path)")
            let directory = try scratch.file().deletingLastPathComponent()
            let file = directory.appendingPathComponent("reachctl-wait@my-host.example.service")
            try unit.write(to: file, atomically: false, encoding: .utf8)
            let result = try await Tool.run(
                ["verify", "--man=no", file.path], executable: Self.systemdAnalyze)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        }
    }

    @Test(
        "A stopped wait has not failed, and systemd rates the exposure of the unit as low",
        .enabled(
            if: FileManager.default.fileExists(atPath: systemdAnalyze), "needs systemd-analyze"))
    func hardening() async throws {
        let unit = try String(contentsOf: Self.source, encoding: .utf8)
        #expect(unit.contains("\nSuccessExitStatus=143\n"))
        let result = try await Tool.run(
            ["security", "--offline=true", "--threshold=16", "--no-pager", Self.source.path],
            executable: Self.systemdAnalyze)
        // systemd 252 rates it 1.5.
        #expect(result.status == 0, "\(result)")
    }

    /// Runs the options of the unit and the suggested ones.
    ///
    /// Those with --connectivity need a server, and are run by ConnectivityTests.
    @Test(
        "The tool accepts the unit's command line with each line of options that needs no server",
        arguments: ["127.0.0.1", "localhost"])
    func command(target: String) async throws {
        let unit = try String(contentsOf: Self.source, encoding: .utf8)
        let start = try #require(unit.firstMatch(of: /(?m)^ExecStart=reachctl (.*)$/)).1
        let options = unit.matches(of: /(?m)^#?\s*Environment="OPTIONS=(.*)"$/).map(\.1)
        #expect(options.count == 3)
        for options in options where !options.contains("--connectivity") {
            let arguments = start.replacing("$OPTIONS", with: options)
                .replacing("%i", with: target)
            let result = try await Tool.run(arguments.split(separator: " ").map(String.init))
            #expect(result.output == "Reachable,Local Address\n", "\(result)")
        }
    }
}
