// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Testing

@Suite("reachctl watch", .blocking, .timeLimit(.minutes(10)))
struct WatchTests {
    @Test(
        "`watch` prints the first state at once, and a signal ends it with status 0",
        arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) throws {
        var child = try Child([Tool.path, "watch", "--json", "127.0.0.1"])
        let object = try parseObject(child.line() ?? "")
        #expect(Set(object.keys) == StatusTests.keys.union(["time", "event"]))
        #expect(object["event"] as? String == "reachability")
        #expect(object["words"] as? String == "Reachable,Local Address")
        let time = try #require(object["time"] as? String)
        #expect(
            time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/) != nil)
        #expect(child.end(by: signal) == ("", 0))
    }

    @Test("In the journal, a line has a priority and no time", arguments: [true, false])
    func journal(isJournal: Bool) throws {
        // A pipe stands for the journal's socket, whose numbers JOURNAL_STREAM has (systemd.exec(5)).
        let script = """
            exec 3>&1
            JOURNAL_STREAM=$(stat -L -c %d: /dev/fd/3)\(isJournal ? "" : "1")$(stat -L -c %i /dev/fd/3)
            export JOURNAL_STREAM
            exec "$0" watch 127.0.0.1
            """
        var child = try Child(["sh", "-c", script, Tool.path])
        let line = child.line() ?? ""
        #expect((line == "<6>Reachable,Local Address") == isJournal)
        #expect(line.hasSuffix("\tReachable,Local Address") == !isJournal)
        #expect(child.end(by: SIGINT).status == 0)
    }

    @Test("SIGQUIT kills `watch`, without further output")
    func quit() throws {
        var child = try Child([Tool.path, "watch", "127.0.0.1"])
        #expect(child.line() != nil)
        #expect(child.end(by: SIGQUIT) == ("", 128 + SIGQUIT))
    }

    @Test(
        "Signals that the parent ignores, as nohup does, stay ignored",
        arguments: [["watch"], ["wait", "--unreachable"]])
    func ignored(command: [String]) throws {
        let script = "trap '' INT QUIT; exec \"$0\" \"$@\""
        var child = try Child(["sh", "-c", script, Tool.path] + command + ["127.0.0.1"])
        // The tool sets up SIGTERM after the others.
        try child.waitUntilCatching(SIGTERM)
        #expect(try child.ignores(SIGINT) && child.ignores(SIGQUIT))
        #expect(child.end().status == (command == ["watch"] ? 0 : 128 + SIGTERM))
    }

    @Test("`watch` ends with status 0 when its reader leaves, even without a change")
    func readerLeaves() throws {
        var child = try Child([Tool.path, "watch", "127.0.0.1"])
        #expect(child.line() != nil)
        child.closeOutput()
        #expect(child.exit() == 0)
    }

    @Test(
        "A pipe that nobody reads is no error",
        arguments: [
            ["watch", "127.0.0.1"], ["status", "127.0.0.1"], ["interfaces"], ["flags", "2"],
            ["wait", "127.0.0.1"], ["explain", "127.0.0.1"],
            ["decode"],
        ])
    func nobodyReads(arguments: [String]) throws {
        let folder = try Folder("recording")
        let dump = folder.file("dump")
        try Vectors.recording("debian-6.1-devices.dump").write(to: dump)
        // The tool is started when the reader has left.
        let script = "read -r line && exec \"$0\" \"$@\" <\(dump.path) 2>/dev/null"
        var child = try Child(["sh", "-c", script, Tool.path] + arguments)
        child.closeOutput()
        child.finishInput("\n")
        #expect(child.exit() == 0)
    }

    @Test("A signal ends `watch` even if its output is stuck in a full pipe")
    func stuck() throws {
        var child = try Child.stuck("\"$0\" watch 127.0.0.1")
        try child.waitUntilCatching(SIGTERM)
        kill(child.pid, SIGTERM)
        #expect(child.exit() == 0)
    }

    @Test(
        "A full disk and a closed descriptor are system errors",
        arguments: [
            ["watch", "127.0.0.1"], ["status", "127.0.0.1"], ["interfaces"], ["flags", "2"],
            ["wait", "127.0.0.1"], ["explain", "127.0.0.1"], ["help"], ["watch", "--help"],
            ["--version"], ["--generate-completion-script", "bash"],
            ["decode"],
        ])
    func unwritable(arguments: [String]) throws {
        for (redirection, words) in [
            ("exec \"$0\" \"$@\" >/dev/full", "No space left"),
            ("exec \"$0\" \"$@\" >&-", "Bad file descriptor"),
        ] {
            let result = try Tool.run(
                command: ["sh", "-c", redirection, Tool.path] + arguments,
                input: Vectors.recording("debian-6.1-devices.dump"))
            #expect(result.status == 71)
            #expect(result.errors.contains("standard output"))
            #expect(result.errors.contains(words))
        }
    }
}
