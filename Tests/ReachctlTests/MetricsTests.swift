// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import reachctl

/// A folder for the file of metrics, and the events in it, in their order.
private struct Folder: ~Copyable {
    struct Event {
        let mask: UInt32
        let name: String

        /// Whether the file appeared under its name, as rename() makes it appear.
        var isRename: Bool { mask & UInt32(IN_MOVED_TO) != 0 && name == "x.prom" }
    }

    let path: String
    var file: String { "\(path)/x.prom" }
    private let descriptor: CInt
    private(set) var events: [Event] = []
    private var seen = 0

    init(_ path: String) throws {
        self.path = path
        descriptor = inotify_init1(CInt(IN_CLOEXEC))
        let mask = UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE)
        try #require(unsafe inotify_add_watch(descriptor, path, mask) >= 0)
    }

    /// A temporary folder.
    init() throws {
        var name = Array("/tmp/reach-metrics-XXXXXX".utf8CString)
        let path = try unsafe String(cString: #require(unsafe mkdtemp(&name)))
        try self.init(path)
    }

    deinit {
        close(descriptor)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The next event.
    mutating func next() throws -> Event {
        while seen == events.count {
            try #require(waitReadable(descriptor, until: monotonicSeconds() + 300))
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            var rest = bytes[..<max(0, count)]
            while rest.count >= 16 {
                // struct inotify_event: wd, mask, cookie, len, and the name.
                let words = unsafe rest.withUnsafeBytes { bytes in
                    [4, 12].map {
                        unsafe bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
                    }
                }
                rest = rest.dropFirst(16)
                let name = rest.prefix(Int(words[1])).prefix { $0 != 0 }
                events.append(Event(mask: words[0], name: String(decoding: name, as: UTF8.self)))
                rest = rest.dropFirst(Int(words[1]))
            }
        }
        seen += 1
        return events[seen - 1]
    }

    /// Waits until the file has a line, and at least so many changes of the internet.
    mutating func content(with line: String, changes: Int = 0) throws -> [String] {
        while true {
            if let text = try? String(contentsOfFile: file, encoding: .utf8) {
                let lines = text.split(separator: "\n").map(String.init)
                let total = text.firstMatch(of: /_total{target="internet"} (\d+)/)?.1
                if lines.contains(line), changes <= total.flatMap({ Int($0) }) ?? 0 { return lines }
            }
            _ = try next()
        }
    }

    /// Reads the events so far.
    mutating func drain() throws {
        while seen < events.count || waitReadable(descriptor, until: 0) { _ = try next() }
    }

    /// The names in it.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}

@Suite("reachctl watch --prometheus", .needsNamespaces, .blocking, .timeLimit(.minutes(10)))
struct MetricsTests {
    private func watch(
        _ path: String, _ words: [String], in namespace: Namespace
    ) throws -> Child {
        // A folder for everybody needs a file that everybody may read, whatever the umask.
        let script = "umask 077; exec 2>&1; exec \"$0\" watch --prometheus \"$@\""
        return try Child(["sh", "-c", script, Tool.path, path] + words, in: namespace.descriptor)
    }

    @Test("The file has the state of each target and the number of its changes")
    func states() throws {
        let namespace = try Namespace.withDefaultRoute()
        var folder = try Folder()
        // A target that is given twice must not be in the file twice.
        var child = try watch(folder.file, ["internet", "10.9.0.2", "internet"], in: namespace)
        var lines = try folder.content(with: "network_reachable{target=\"internet\"} 1")
        #expect(
            lines.filter { !$0.hasPrefix("#") } == [
                "network_reachable{target=\"internet\"} 1",
                "network_reachable{target=\"10.9.0.2\"} 1",
                "network_reachability_info{target=\"internet\",interface=\"eth0\","
                    + "class=\"virtual\",reason=\"\"} 1",
                "network_reachability_info{target=\"10.9.0.2\",interface=\"eth0\","
                    + "class=\"virtual\",reason=\"\"} 1",
                "network_reachability_changes_total{target=\"internet\"} 0",
                "network_reachability_changes_total{target=\"10.9.0.2\"} 0",
            ])
        #expect(
            lines.filter { $0.hasPrefix("# TYPE") } == [
                "# TYPE network_reachable gauge", "# TYPE network_reachability_info gauge",
                "# TYPE network_reachability_changes_total counter",
            ])
        var status = stat()
        #expect(unsafe stat(folder.file, &status) == 0 && status.st_mode & 0o7777 == 0o644)
        try namespace.ip("route del default")
        lines = try folder.content(with: "network_reachable{target=\"internet\"} 0", changes: 1)
        #expect(
            lines.contains(
                "network_reachability_info{target=\"internet\",interface=\"\",class=\"\","
                    + "reason=\"noRoute\"} 1"))
        #expect(lines.contains("network_reachability_changes_total{target=\"10.9.0.2\"} 0"))
        #expect(child.end().status == 0)
        #expect(folder.names == [])
    }

    @Test("During a storm the file is replaced once per second, and at last has the last state")
    func storm() throws {
        let namespace = try Namespace.withDefaultRoute()
        var folder = try Folder()
        var child = try watch(folder.file, ["internet"], in: namespace)
        #expect(child.line()?.hasSuffix("Reachable") == true)
        let start = monotonicSeconds()
        let changes = 100
        for change in 1...changes {
            let isBack = change % 2 == 0
            try namespace.ip("route \(isBack ? "add" : "del") default via 10.9.0.2")
            let word = isBack ? "\tReachable" : "\tNot Reachable"
            while let line = child.line(), !line.hasSuffix(word) {}
        }
        _ = try folder.content(with: "network_reachable{target=\"internet\"} 1", changes: changes)
        try folder.drain()
        let seconds = monotonicSeconds() - start
        let writes = folder.events.filter(\.isRename).count
        // At the start, for the first state, and then one per second begun.
        #expect(writes <= Int(seconds) + 4)
        #expect(!folder.events.contains { $0.name == "x.prom" && !$0.isRename })
        // Killed, it leaves the file. The next process replaces it, even if it ends at once.
        #expect(child.end(by: SIGKILL).status == 128 + SIGKILL)
        #expect(folder.names == ["x.prom"])
        var refused = try watch(folder.file, ["--connectivity", "ftp://x"], in: namespace)
        #expect(refused.finish().status == 64)
        #expect(folder.names == [])
    }

    @Test(
        "Whatever ends `watch`, the file is removed",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, 0])
    func end(signal: CInt) throws {
        let namespace = try Namespace()
        var folder = try Folder()
        // Without a signal: a full disk below standard output.
        let output = signal == 0 ? ["sh", "-c", "exec \"$0\" \"$@\" >/dev/full"] : []
        var child = try Child(
            output + [Tool.path, "watch", "--prometheus", folder.file, "127.0.0.1"],
            in: namespace.descriptor)
        _ = try folder.next()
        if signal != 0 {
            _ = try folder.content(with: "network_reachable{target=\"127.0.0.1\"} 1")
            kill(child.pid, signal)
        }
        #expect(child.finish().status == (signal == 0 ? 71 : 0))
        #expect(folder.names == [])
    }

    @Test("A process that ends leaves the file of one that was started meanwhile")
    func overlap() throws {
        let namespace = try Namespace()
        var folder = try Folder()
        let reachable = "network_reachable{target=\"127.0.0.1\"} 1"
        var old = try watch(folder.file, ["127.0.0.1"], in: namespace)
        _ = try folder.content(with: reachable)
        var (before, after) = (stat(), stat())
        try #require(unsafe stat(folder.file, &before) == 0)
        var new = try watch(folder.file, ["127.0.0.1"], in: namespace)
        // Its first file has no states.
        repeat {
            _ = try folder.next()
            try #require(unsafe stat(folder.file, &after) == 0)
        } while after.st_ino == before.st_ino
        _ = try folder.content(with: reachable)
        #expect(old.end().status == 0)
        #expect(folder.names == ["x.prom"])
        #expect(new.end().status == 0)
        #expect(folder.names == [])
    }

    @Test("Where the file can't be written, `watch` ends with an error that quotes it")
    func unwritable() throws {
        let namespace = try Namespace()
        for (path, reason) in [
            ("/nonexistent/x.prom", "No such file or directory"),
            ("/dev/null/x.prom", "Not a directory"),
            ("/proc/x.prom", "No such file or directory"),
        ] {
            var child = try watch(path, ["127.0.0.1"], in: namespace)
            let (output, status) = child.finish()
            #expect(
                output
                    == "reachctl: cannot write '\(path)', whose folder must exist, have room, and let this user write: \(reason)\n"
            )
            #expect(status == 71)
        }
        var child = try watch("x.txt", ["127.0.0.1"], in: namespace)
        let (output, status) = child.finish()
        #expect(output.contains("'x.txt' does not end in .prom") && status == 64)
    }

    @Test("A disk that fills up is reported once, and the file returns when it has room")
    func fullDisk() throws {
        let namespace = try Namespace.withDefaultRoute()
        let mount = try Folder()
        let script = """
            mount -t tmpfs -o size=64k none "$1" && echo mounted && read -r line &&
                exec 2>&1 && exec "$0" watch --prometheus "$1/x.prom" internet
            """
        var child = try Child(
            ["unshare", "-m", "sh", "-c", script, Tool.path, mount.path], in: namespace.descriptor)
        #expect(child.line() == "mounted")
        var folder = try Folder("/proc/\(child.pid)/root\(mount.path)")
        let filler = "\(folder.path)/filler"
        /// Fills the disk, with one page at least: inotify reports a removed file before it makes room.
        func fill() throws {
            let file = unsafe open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            let bytes = [UInt8](repeating: 0, count: 4096)
            while unsafe write(file, bytes, bytes.count) <= 0 { try #require(errno == ENOSPC) }
            while unsafe write(file, bytes, bytes.count) > 0 {}
            #expect(errno == ENOSPC)
            close(file)
        }
        child.write("\n")
        #expect(child.line()?.hasSuffix("\tReachable") == true)
        _ = try folder.content(with: "network_reachable{target=\"internet\"} 1")
        try fill()
        // Both changes meet a full disk: the file, which is removed, made room for another.
        for command in ["del default", "add default via 10.9.0.2"] {
            try namespace.ip("route \(command)")
            var event = try folder.next()
            while event.mask & UInt32(IN_DELETE) == 0 { event = try folder.next() }
            if command == "del default" {
                while event.name != "x.prom" { event = try folder.next() }
                try fill()
            }
            #expect(folder.names == ["filler"])
        }
        unsafe unlink(filler)
        try namespace.ip("route del default")
        _ = try folder.content(with: "network_reachable{target=\"internet\"} 0", changes: 3)
        let (rest, status) = child.end()
        let lines = rest.split(separator: "\n")
        #expect(status == 0)
        #expect(lines.filter { $0.hasPrefix("reachctl: cannot write") }.count == 1, "\(lines)")
        #expect(lines.filter { $0.contains("No space left on device") }.count == 1)
        #expect(lines.filter { $0.hasSuffix("Reachable") }.count == 3, "\(lines)")
    }

    @Test("At the start, a full disk is an error, and an earlier process's file doesn't stay")
    func fullFromTheStart() throws {
        let folder = try Folder()
        let script = """
            mount -t tmpfs -o size=4k none "$1" && ! dd if=/dev/zero of="$1/x.prom" 2>/dev/null || exit
            "$0" watch --prometheus "$1/x.prom" 127.0.0.1 2>&1 && exit
            status=$?
            ls "$1"
            exit $status
            """
        let (output, status) = try Child.run([
            "unshare", "-m", "sh", "-c", script, Tool.path, folder.path,
        ])
        #expect(output.hasSuffix("No space left on device\n") && output.contains(folder.file))
        #expect(status == 71)
    }

    @Test("The first failure after a success is an error; then a change or a minute is waited for")
    func failures() throws {
        let folder = try Folder()
        let (below, file) = ("\(folder.path)/below", "\(folder.path)/below/x.prom")
        unsafe mkdir(below, 0o755)
        var metrics = try MetricsFile(file, of: ["internet"])
        #expect(metrics.due == nil)
        func change() { metrics.take(.state(0, ReachabilitySnapshot(flags: .reachable))) }
        func write(at time: Int64) -> Bool { metrics.writeIfDue(at: time) == nil }
        try FileManager.default.removeItem(atPath: below)
        change()
        #expect(!write(at: 10_000) && metrics.due == 70_000)
        #expect(write(at: 69_999) && metrics.due == 70_000)
        #expect(write(at: 70_000) && metrics.due == 130_000)
        change()
        #expect(write(at: 71_000) && metrics.due == 131_000)
        unsafe mkdir(below, 0o755)
        #expect(write(at: 131_000) && metrics.due == nil)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("network_reachable{target=\"internet\"} 1\n"))
        try FileManager.default.removeItem(atPath: below)
        change()
        #expect(!write(at: 200_000))
    }

    @Test("What a killed process has left is replaced, and a link or another writer's file isn't")
    func leftover() throws {
        let folder = try Folder()
        let (other, victim) = ("\(folder.file).tmp", "\(folder.path)/victim")
        func start() throws { _ = try MetricsFile(folder.file, of: ["internet"]) }
        for content in ["part", "victim", "link", "pipe"] {
            try Data("kept".utf8).write(to: URL(fileURLWithPath: victim))
            switch content {
            case "victim": #expect(unsafe symlink(victim, other) == 0)
            case "link": #expect(unsafe link(victim, other) == 0)
            case "pipe": #expect(unsafe mkfifo(other, 0o600) == 0)
            default: try Data(content.utf8).write(to: URL(fileURLWithPath: other))
            }
            try start()
            #expect(folder.names.sorted() == ["victim", "x.prom"], "\(content)")
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept", "\(content)")
            #expect(try String(contentsOfFile: folder.file, encoding: .utf8).contains("# HELP "))
        }
        let writer = unsafe open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(writer, LOCK_EX) == 0)
        let error = #expect(throws: Failure.self) { try start() }
        #expect(error?.message.hasSuffix("Resource temporarily unavailable") == true)
        #expect(folder.names.contains("x.prom.tmp"))
        // Closing isn't enough: a child that another test starts may have the descriptor.
        flock(writer, LOCK_UN)
        close(writer)
        try start()
        #expect(folder.names.sorted() == ["victim", "x.prom"])
    }

    @Test("A label's quotes, backslashes, and line feeds are escaped, also within a character")
    func labels() {
        #expect("a\"b\\c\nd\r\ne\"\u{301}f".labelValue == "a\\\"b\\\\c\\nd\r\\ne\\\"\u{301}f")
    }
}
