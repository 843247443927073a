// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("reachctl's usage", .blocking, .timeLimit(.minutes(10)))
struct UsageTests {
    private static let long = String(repeating: "a", count: 64)

    @Test(
        "Bad usage exits with 64 and names the input",
        arguments: [
            (["nonsense"], "nonsense"),
            (["status", ""], "empty"), (["status", "www.example.com:443"], "port"),
            (["status", "[::1]:80"], "port"),
            (["status", "www.example.com/x"], "give 'www.example.com'"),
            (["status", "two words"], "two words"), (["status", "https:///x"], "https:///x"),
            (["status", "://x"], "://x"), (["status", "http://[::1/"], "http://[::1/"),
            (["status", "http://localhost:8o/"], "8o"), (["status", long + ".example"], "long"),
            (["status", "a..b"], "a..b"), (["status", ","], "both missing"),
            (["status", "1.1.1.1,2.2.2.2,3.3.3.3"], "2.2.2.2,3.3.3.3"),
            (["status", "127.0.0.1,::1"], "family"),
            (["status", "localhost,127.0.0.1"], "names are not resolved here"),
            (["status", "fe80::1%a/b"], "a/b"),
            (["status", "fe80::1%a,fe80::2%b"], "two interfaces"),
            (["status", "--interface", "b", "fe80::1%a"], "two interfaces, 'a' and 'b'"),
            (["status", "--interface", "sixteen-bytes-xx"], "sixteen-bytes-xx"),
            (["status", "--interface", ""], "interface"), (["status", "--mark", "-1"], "'-1'"),
            (["status", "--uid", "-1"], "'-1'"), (["watch", "--netns", "-1"], "'-1'"),
            (["status", "--connectivity-status", "x"], "from 200 to 599"),
            (["watch", "--connectivity", "example.com"], "example.com"),
            (["watch", "--connectivity", "ftp://example.com/"], "ftp://example.com/"),
            (["watch", "--connectivity-body", "x"], "--connectivity"),
            (["watch", "--connectivity-status", "200"], "--connectivity"),
            (["watch", "--connectivity-proxy", "http://192.0.2.1:3128"], "--connectivity"),
            (["status", "::g"], "'::g' is not a host name"),
            (["watch", "--prometheus", ""], "give 'reach.prom'"),
            (["status", "--mark", "0x100000000"], "mark"), (["watch", "--mark", "x"], "mark"),
            (["status", "--uid", "no such user"], "uid"),
            (["status", "--uid", "4294967295"], "4294967294"),
            (["status", "--timeout", "nan"], "timeout"),
            (["statsu"], "did you mean 'reachctl status'"), (["wiat"], "'reachctl wait'"),
            (["www.example.com"], "'reachctl status www.example.com'"),
            (["internet"], "'reachctl status internet'"),
            (["wait", "-4", "::1"], "not IPv4"),
            (["status", "-6", "127.0.0.1,127.0.0.1"], "not IPv6"),
            (["wait", "-6", "local-wifi"], "not IPv6"), (["wait", "--stable", "-1"], "stable"),
            (["wait", "-t", "soon"], "soon"), (["interfaces", "--netns", ""], "ip netns list"),
        ])
    func usage(arguments: [String], word: String) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(word), "\(result.errors)")
    }

    @Test(
        "Without arguments, even the first, the tool prints what `status` prints",
        arguments: ["exec \"$0\"", "exec -a '' \"$0\""])
    func emptyVector(script: String) throws {
        let (result, status) = try (
            Tool.run(command: ["bash", "-c", script, Tool.path]), Tool.run("status")
        )
        #expect(result.output == status.output && result.status == status.status)
        #expect(result.errors.isEmpty)
    }

    /// Swift reads the arguments from /proc/self/cmdline.
    private static func withoutProc(_ command: [String]) throws -> Tool.Result {
        let script = "mount -t tmpfs none /proc && exec \"$0\" \"$@\""
        return try Tool.run(command: ["unshare", "-rm", "sh", "-c", script] + command)
    }

    @Test(
        "Without /proc the tool exits with 64, and the error says to mount it",
        .enabled("needs mount namespaces, which are not here") {
            try withoutProc(["true"]).status == 0
        })
    func noProc() throws {
        for arguments in [["status", "127.0.0.1"], []] {
            let result = try Self.withoutProc([Tool.path] + arguments)
            #expect(result.status == 64)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("mount /proc, where it is read"), "\(result.errors)")
        }
    }

    @Test("An argument that is not UTF-8 is bad usage, and the error gives its number")
    func notUTF8() throws {
        let script = "exec \"$0\" status --interface \"$(printf 'a\\377')\" 192.0.2.1"
        let result = try Tool.run(command: ["sh", "-c", script, Tool.path])
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors == "reachctl: argument 3, 'a\u{fffd}', is not UTF-8\n")
    }

    @Test(
        "A system error exits with 71, names the input, and says what to do",
        arguments: [
            (["status", "--netns", "no-such-name"], ["no-such-name", "ip netns list"]),
            (["watch", "--netns", "/nonexistent/ns"], ["/nonexistent/ns", "lsns"]),
            (["interfaces", "--netns", "/dev/null"], ["/dev/null", "not a network namespace"]),
            (["interfaces", "--netns", "999999999"], ["999999999", "lsns"]),
            (["interfaces", "--netns", "/proc/self/ns/mnt"], ["/proc/self/ns/mnt"]),
            (["decode", "/nonexistent/x"], ["/nonexistent/x"]),
            (["decode", "/"], ["'/': Is a directory", "a file that this user may read"]),
            (
                ["status", "--targets-from", "/nonexistent/list"],
                ["/nonexistent/list", "No such file"]
            ),
        ])
    func system(arguments: [String], words: [String]) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 71)
        #expect(result.output.isEmpty)
        for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
    }

    /// The user keeps the privilege to read the tool's folder, but none that lifts the limit.
    private static let limited = [
        "setpriv", "--reuid", "54321", "--clear-groups", "--inh-caps", "-all,+dac_read_search",
        "--ambient-caps", "-all,+dac_read_search", "prlimit", "--nproc=2",
    ]

    @Test(
        "Where one thread can be started, but not two, an error says how to allow more",
        .enabled("needs another user, who is not here") {
            try Tool.run(command: limited + ["true"]).status == 0
        },
        arguments: [
            ["wait"], ["watch"], ["watch", "--radio"],
            ["status", "--connectivity", "http://192.0.2.1/"],
        ])
    func tooManyThreads(arguments: [String]) throws {
        let result = try Tool.run(command: Self.limited + [Tool.path] + arguments)
        #expect(result.status == 71)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("too many threads; raise the limit (`ulimit -u`"))
    }

    @Test(
        "A number that is the name of a namespace is that name, not a process",
        .enabled("needs mount namespaces, which are not here") {
            try withoutProc(["true"]).status == 0
        })
    func numericNamespace() throws {
        let script = """
            mount -t tmpfs none /run && mkdir /run/netns && : >/run/netns/999999999
            exec "$0" interfaces --netns 999999999
            """
        let result = try Tool.run(command: ["unshare", "-rm", "sh", "-c", script, Tool.path])
        #expect(result.errors.contains("'999999999' is not a network namespace"))
    }

    @Test("Targets of a list follow those of the command line, without comments and blank lines")
    func list() throws {
        let list = Data("# all of it\n\n 127.0.0.1 # loopback\r\n\t\n127.0.0.2".utf8)
        let result = try Tool.run("status", "--targets-from", "-", "127.0.0.3", input: list)
        #expect(result.status == 0)
        #expect(
            result.lines.map { $0.prefix { $0 != "\t" } } == [
                "127.0.0.3", "127.0.0.1", "127.0.0.2",
            ])
    }

    @Test(
        "A bad list is bad usage, and the error names the line",
        arguments: [
            (Data("127.0.0.1\n\nbad host\n".utf8), ":3: ", "bad host"), (Data(), "", "no target"),
            (Data("# nothing\n".utf8), "", "no target"),
            (Data("127.0.0.1\0.example.com".utf8), ":1: ", "127.0.0.1\\0"),
            (Data([0x31, 0x0a, 0xff, 0x1b, 0x0a]), ":2: ", "'\u{fffd}\\u{1B}'"),
        ])
    func badList(content: Data, place: String, word: String) throws {
        let folder = try Folder("list")
        let path = folder.file("targets").path
        try content.write(to: folder.file("targets"))
        let result = try Tool.run("status", "--targets-from", path)
        #expect(result.status == 64)
        #expect(result.errors.contains(path + place) && result.errors.contains(word))
    }

    @Test(
        "The shell completes files, interfaces, and commands",
        arguments: [
            (["reachctl", "wait", "--interface", "l"], "lo"),
            (["reachctl", "status", "-i", "l"], "lo"),
            (["reachctl", "wait", "--targets-from", "/etc/host"], "/etc/hosts"),
            (["reachctl", "decode", "/etc/host"], "/etc/hosts"), (["reachctl", "wai"], "wait"),
            (["reachctl", "explain", "inter"], "internet"),
            (["reachctl", "wait", "-v", "local"], "local-wifi"),
        ])
    func completion(words: [String], expected: String) throws {
        let script = """
            eval "$("$0" --generate-completion-script bash)"
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
            command=$(complete -p reachctl | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            $command reachctl "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try Tool.run(command: ["bash", "-c", script, Tool.path] + words)
        #expect(result.lines.map { $0.filter { $0 != " " } }.contains(expected), "\(result)")
    }
}
