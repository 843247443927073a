// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Testing

@Suite("reachctl watch", .timeLimit(.minutes(10)))
struct WatchTests {
    @Test(
        "`watch` prints the first state at once, and a signal ends it with status 0",
        arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        let reader = try LineReader()
        let child = try Child(["watch", "--json", "127.0.0.1"], output: reader.writer)
        let object = try parseObject(try #require(await reader.line()))
        #expect(Set(object.keys) == StatusTests.keys.union(["time", "event"]))
        #expect(object["event"] as? String == "reachability")
        #expect(object["words"] as? String == "Reachable,Local Address")
        let time = try #require(object["time"] as? String)
        #expect(
            time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/) != nil)
        child.send(signal)
        #expect(await child.exit() == 0)
        #expect(await reader.line() == nil)
    }

    @Test("In the journal, a line has a priority and no time", arguments: [true, false])
    func journal(isJournal: Bool) async throws {
        // A pipe stands for the journal's socket, whose numbers JOURNAL_STREAM has (systemd.exec(5)).
        let script = """
            exec 3>&1
            JOURNAL_STREAM=$(stat -L -c %d: /dev/fd/3)\(isJournal ? "" : "1")$(stat -L -c %i /dev/fd/3)
            export JOURNAL_STREAM
            exec "$0" watch 127.0.0.1
            """
        let reader = try LineReader()
        let child = try Child(
            ["-c", script, Tool.path], executable: "/bin/sh", output: reader.writer)
        let line = try #require(await reader.line())
        #expect((line == "<6>Reachable,Local Address") == isJournal)
        #expect(line.hasSuffix("\tReachable,Local Address") == !isJournal)
        child.send(SIGINT)
        #expect(await child.exit() == 0)
    }

    @Test("SIGQUIT kills `watch`, without further output")
    func quit() async throws {
        let reader = try LineReader()
        let child = try Child(["watch", "127.0.0.1"], output: reader.writer)
        _ = try #require(await reader.line())
        child.send(SIGQUIT)
        #expect(await child.exit() == 128 + SIGQUIT)
        #expect(await reader.line() == nil)
    }

    @Test(
        "Signals that the parent ignores, as nohup does, stay ignored",
        arguments: [["watch"], ["wait", "--unreachable"]])
    func ignored(command: [String]) async throws {
        let reader = try LineReader()
        let child = try Child(
            ["-c", "trap '' INT QUIT; exec \"$0\" \"$@\"", Tool.path] + command + ["127.0.0.1"],
            executable: "/bin/sh", output: reader.writer)
        // The tool sets up SIGTERM after the others.
        try await child.waitUntilCatching(SIGTERM)
        #expect(try child.ignores(SIGINT) && child.ignores(SIGQUIT))
        child.send(SIGTERM)
        #expect(await child.exit() == (command == ["watch"] ? 0 : 128 + SIGTERM))
    }

    @Test("`watch` ends with status 0 when its reader leaves, even without a change")
    func readerLeaves() async throws {
        let reader = try LineReader()
        let child = try Child(["watch", "127.0.0.1"], output: reader.writer)
        _ = try #require(await reader.line())
        try reader.close()
        #expect(await child.exit() == 0)
    }

    @Test(
        "A pipe that nobody reads is no error",
        arguments: [
            ["watch", "127.0.0.1"], ["status", "127.0.0.1"], ["interfaces"], ["flags", "2"],
            ["wait", "127.0.0.1"], ["explain", "127.0.0.1"],
            ["decode"],
        ])
    func nobodyReads(arguments: [String]) async throws {
        let reader = try LineReader()
        try reader.close()
        let folder = try Folder("recording")
        try Vectors.recording("debian-6.1-devices.dump").write(to: folder.file("dump"))
        let input = try FileHandle(forReadingFrom: folder.file("dump"))
        let child = try Child(arguments, input: input, output: reader.writer)
        #expect(await child.exit() == 0)
    }

    @Test("A signal ends `watch` even if its output is stuck in a full pipe")
    func stuck() async throws {
        let reader = try LineReader()
        reader.fill()
        let child = try Child(["watch", "127.0.0.1"], output: reader.writer)
        try await child.waitUntilCatching(SIGTERM)
        child.send(SIGTERM)
        #expect(await child.exit() == 0)
        try reader.close()
    }

    @Test(
        "A full disk and a closed descriptor are system errors",
        arguments: [
            ["watch", "127.0.0.1"], ["status", "127.0.0.1"], ["interfaces"], ["flags", "2"],
            ["wait", "127.0.0.1"], ["explain", "127.0.0.1"], ["help"], ["watch", "--help"],
            ["--version"], ["--generate-completion-script", "bash"],
            ["decode"],
        ])
    func unwritable(arguments: [String]) async throws {
        for (redirection, words) in [
            ("exec \"$0\" \"$@\" >/dev/full", "No space left"),
            ("exec \"$0\" \"$@\" >&-", "Bad file descriptor"),
        ] {
            let result = try await Tool.run(
                ["-c", redirection, Tool.path] + arguments,
                input: Vectors.recording("debian-6.1-devices.dump"), executable: "/bin/sh")
            #expect(result.status == 71)
            #expect(result.errors.contains("standard output"))
            #expect(result.errors.contains(words))
        }
    }
}
