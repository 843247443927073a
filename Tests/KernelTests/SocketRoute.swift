// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import SwiftTestSupport

/// One answer of `ip route get`.
struct Route: CustomStringConvertible {
    let description: String
    /// The source in the answer, or that of the socket for which the lookup was made.
    let source: String
    private let words: [String]

    init(_ line: String, source: String? = nil) {
        description = line
        words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        // An encapsulation ahead of the device has a "src" of its own.
        let device = words.firstIndex(of: "dev") ?? words.startIndex
        self.source = source ?? Route.value(of: "src", in: Array(words[device...]))
    }

    var interface: String { Route.value(of: "dev", in: words) }
    var gateway: String { Route.value(of: "via", in: words) }
    var isLocal: Bool { words.first == "local" }

    private static func value(of key: String, in words: [String]) -> String {
        guard let position = words.firstIndex(of: key) else { return "" }
        // "via inet6 fe80::1": an IPv4 route over an IPv6 gateway.
        return words[(position + 1)...].first { $0 != "inet6" } ?? ""
    }
}

/// The result of connecting a socket.
private enum Connection {
    case refused
    /// The user who runs the tests may not set the mark or the uid.
    case notPermitted
    case source(String)
}

extension Lab {
    /// The routes that each connected socket may use, from `ip route get` with the socket's source.
    ///
    /// A socket that can't connect has none.
    func routesOfSockets(to targets: [Target]) throws -> [[Route]] {
        let connections = try connect(targets)
        let asked = try zip(targets, connections).map { try lookups(of: $0, $1) }
        let answers = try routesGet(asked.flatMap(\.questions))
        return targets.indices.map { position in
            let all = answers[(4 * position)..<(4 * position + 4)].map(\.self)
            switch connections[position] {
            case .refused: return []
            case .notPermitted: return all[0].map { [$0] } ?? []
            case .source(let source):
                return targets[position].isSix
                    ? routes6(of: targets[position], asked[position].interface, source, all)
                    : routes4(isBound: !asked[position].interface.isEmpty, source, all)
            }
        }
    }

    /// Looks up without the socket's source, and with it only if that fails.
    ///
    /// A socket bound to a link uses that link alone, which a lookup with a source ignores. If the route
    /// has several legs, the socket's protocol may choose another one, and either is right.
    private func routes6(
        of target: Target, _ interface: String, _ source: String, _ answers: [Route?]
    ) -> [Route] {
        let answer = target.local.isEmpty ? answers[0] ?? answers[1] : answers[1]
        guard interface.isEmpty || answer?.interface == interface else {
            return [Route("\(target.remote) dev \(interface)", source: source)]
        }
        guard let answer else { return [] }
        let way = Route(answer.description, source: source)
        let hasLegs = target.local.isEmpty && answers[2]?.interface == ""
        return hasLegs ? [way, answer] : [way]
    }

    /// Rejects answers without a route: the kernel invents them for a socket bound to a link.
    ///
    /// If the lookups with and without the source match the same route, it may have two legs, and
    /// either is right.
    private func routes4(isBound: Bool, _ source: String, _ answers: [Route?]) -> [Route] {
        guard let second = answers[1], !isBound || answers[3] != nil else { return [] }
        let way = Route(second.description, source: source)
        guard let first = answers[0], answers[2]?.description == answers[3]?.description else {
            return [way]
        }
        return [way, first]
    }

    /// The source of each connected socket, nil for one that can't connect.
    func sourcesOfSockets(to targets: [Target]) throws -> [String?] {
        try connect(targets).map {
            guard case .source(let source) = $0 else { return nil }
            return source
        }
    }

    private func connect(_ targets: [Target]) throws -> [Connection] {
        var connections: [Connection] = []
        _ = try host.run {
            for target in targets { connections.append(Lab.connect(target)) }
            return 0
        }
        return connections
    }

    private static func connect(_ target: Target) -> Connection {
        var text = [CChar](repeating: 0, count: 64)
        let code = unsafe target.remote.withCString { remote in
            unsafe target.local.withCString { local in
                unsafe target.interfaceName.withCString { interface in
                    var like = unsafe test_socket(
                        remote: remote, local: local, interface_name: interface,
                        mark: target.mark, uid: target.uid)
                    return unsafe test_connect(&like, &text, text.count)
                }
            }
        }
        switch code {
        case 0:
            let source = String(
                decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let isNone = ["0.0.0.0", "::"].contains(source)
            return .source(isNone ? "" : source.replacing("::ffff:", with: ""))
        case -EOPNOTSUPP: return .notPermitted
        default: return .refused
        }
    }

    /// The arguments of `ip route get`, without and with the socket's source, each plain and with
    /// `fibmatch`, and the socket's link.
    private func lookups(
        of target: Target, _ connection: Connection
    ) throws -> (questions: [String], interface: String) {
        let parts = target.remote.replacing("::ffff:", with: "").split(separator: "%")
        let remote = String(parts[0])
        let interface =
            parts.count > 1 ? try name(ofLink: String(parts[1])) : target.interfaceName
        let selectors =
            (interface.isEmpty ? "" : " oif \(interface)")
            + (target.mark == 0 ? "" : " mark \(target.mark)")
            + (target.uid == .max ? "" : " uid \(target.uid)")
        var from = ""
        if case .source(let source) = connection, !source.isEmpty {
            from = " from \(source)"
        }
        let lookups = [remote + selectors, remote + from + selectors]
        return (lookups + lookups.map { "fibmatch \($0)" }, interface)
    }

    private func name(ofLink index: String) throws -> String {
        let line = try host.ip("-o link").split(separator: "\n").first {
            $0.hasPrefix("\(index): ")
        }
        return line?.split(separator: " ")[1].prefix { $0 != ":" && $0 != "@" }.description ?? ""
    }

    /// The answers of `ip route get`, nil for an error.
    private func routesGet(_ questions: [String]) throws -> [Route?] {
        var routes: [Route?] = []
        // `ip` writes while it reads, and 1,000 commands fit into a pipe.
        for start in stride(from: 0, to: questions.count, by: 1000) {
            routes += try batch(questions[start..<min(start + 1000, questions.count)])
        }
        return routes
    }

    private func batch(_ questions: ArraySlice<String>) throws -> [Route?] {
        let input = questions.map { "route get \($0) ipproto 6\n" }.joined()
        // The errors come last: newer versions of `ip` write them into the middle of an answer's line.
        let command = "exec 3>&1; errors=$(ip -force -batch - 2>&1 >&3); echo \"$errors\""
        let output = try host.run(["sh", "-c", command], input: input)
        let lines = output.split(separator: "\n")
        let failed = Set(
            lines.compactMap { $0.hasPrefix("Command failed -:") ? Int($0.dropFirst(17)) : nil })
        var answers = lines.filter {
            $0.first?.isWhitespace == false
                && !["Command failed", "RTNETLINK", "Error:", "Cannot find"].contains(
                    where: $0.hasPrefix)
        }[...]
        try SystemFailure.check(
            "'\(output)' are \(answers.count) answers",
            answers.count + failed.count == questions.count ? 0 : -EBADMSG)
        return (1...questions.count).map {
            failed.contains($0) ? nil : answers.popFirst().map { Route(String($0)) }
        }
    }
}
