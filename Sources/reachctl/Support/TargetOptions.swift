// SPDX-License-Identifier: MIT
public import ArgumentParser
public import NetworkReachability
import ReachLibc

extension NameResolutionPolicy: ExpressibleByArgument {}

extension NetworkAddress.Family: EnumerableFlag {
    /// The families, in the order of the overview.
    public static var allCases: [NetworkAddress.Family] { [.ipv4, .ipv6] }

    /// `-4`, `--ipv4`, `-6`, and `--ipv6`.
    public static func name(for family: NetworkAddress.Family) -> NameSpecification {
        family == .ipv4
            ? [.customShort("4"), .customLong("ipv4")] : [.customShort("6"), .customLong("ipv6")]
    }

    /// The option's help text.
    public static func help(for family: NetworkAddress.Family) -> ArgumentHelp? {
        let name = family == .ipv4 ? "IPv4" : "IPv6"
        return ArgumentHelp(
            "Use \(name) only: the \(name) addresses of a name, or the internet over \(name).")
    }
}

/// The targets and their options.
struct TargetOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The targets.",
            discussion: """
                An address (with %interface if it is link-local; IPv4 as inet_aton() reads it, 127.1 is \
                127.0.0.1), a host name, a URL (its host is used), \
                LOCAL,REMOTE (two addresses; either may be empty), 'internet' (also 0.0.0.0 and ::), \
                or 'local-wifi' (also 169.254.0.0). A host called internet is 'internet.'.
                """,
            valueName: "target"),
        completion: .list(["internet", "local-wifi"]))
    var targets: [String] = []

    @OptionGroup var common: CommonOptions

    @Option(
        help: ArgumentHelp(
            "Read more targets from a file ('-': standard input), one per line; '#' starts a comment.",
            valueName: "file"),
        completion: .file())
    var targetsFrom: String?

    @Flag
    var family: NetworkAddress.Family?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Use routes through this interface only; it need not exist yet.",
            discussion: "Its name or an alternative name (altname), not a label such as eth0:1."),
        completion: .shellCommand("ls /sys/class/net"))
    var interface: String?

    @Option(
        parsing: .unconditional, help: "Look up routes for this fwmark (decimal or 0x...).",
        transform: TargetOptions.parseMark)
    var mark: UInt32 = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Look up routes for this user.", valueName: "uid|user"),
        completion: .shellCommand("getent passwd | cut -d: -f1"), transform: TargetOptions.parseUser
    )
    var uid: UInt32?

    @Option(
        help:
            "Until a name is resolved: not reachable (strict), or like the internet (optimistic).")
    var policy: NameResolutionPolicy = .strict

    /// Whether no target is given, neither on the command line nor in a file.
    var isEmpty: Bool { targets.isEmpty && targetsFrom == nil }

    /// All targets in the given order; the internet if no target is given.
    func resolved() throws(Failure) -> [Target] {
        var result: [Target] = []
        for text in targets {
            result.append(try Target(text, options: self, place: ""))
        }
        if let targetsFrom {
            let input = Input(targetsFrom)
            let bytes = try input.read(limit: 1 << 26)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (number, bytes) in zip(1..., lines) {
                let line = TargetOptions.content(of: bytes)
                guard !line.isEmpty else { continue }
                result.append(try Target(line, options: self, place: "\(input.name):\(number): "))
            }
            guard !result.isEmpty else {
                throw .usage("\(input.quoted) has no target; write one per line")
            }
        }
        return result.isEmpty ? [try Target("internet", options: self, place: "")] : result
    }

    /// The line without its comment and surrounding white space.
    private static func content(of line: ArraySlice<UInt8>) -> String {
        let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    private static func parseMark(_ text: String) throws -> UInt32 {
        guard let mark = parseNumber(text) else {
            throw ValidationError("give a number up to 0xffffffff")
        }
        return mark
    }

    private static func parseUser(_ text: String) throws -> UInt32 {
        if let number = parseNumber(text) {
            guard number != UInt32.max else {
                throw ValidationError("give a number up to 4294967294, or a user's name")
            }
            return number
        }
        var record = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 65536)
        unsafe getpwnam_r(text, &record, &buffer, buffer.count, &found)
        guard let user = unsafe found else {
            throw ValidationError("there is no such user; give a user's name or number")
        }
        return unsafe user.pointee.pw_uid
    }
}
