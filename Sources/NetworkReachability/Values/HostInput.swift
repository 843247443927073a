// SPDX-License-Identifier: MIT

/// Parses the input for a host: a name, an address, or a URL with a host.
///
/// The C library checks the name.
enum HostInput {
    /// Returns the kind of target, and the zone of an address if the zone is an interface name (`fe80::1%eth0`).
    static func parse(
        _ input: String
    ) throws(ReachabilityError) -> (kind: ReachabilityTarget.Kind, zone: String?) {
        guard !input.isEmpty else { throw .emptyName(input) }
        let host: String
        if let fromURL = try urlHost(input) { host = fromURL } else { host = try bareHost(input) }
        if let address = try? NetworkAddress(host) {
            return (.address(address), NetworkAddress.zone(in: host))
        }
        return (.domain(host), nil)
    }

    /// The host of `scheme://user@host:port/path?query#fragment` (RFC 3986), or nil if it is not a URL.
    private static func urlHost(_ input: String) throws(ReachabilityError) -> String? {
        guard let separator = input.firstRange(of: "://") else { return nil }
        let scheme = input[..<separator.lowerBound].utf8
        guard let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else {
            throw .invalidName(input, advice: "a URL begins with a scheme such as https")
        }
        let authority = input[separator.upperBound...].prefix { !"/?#".contains($0) }
        let hostAndPort =
            authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
            ?? authority
        let host: Substring
        let rest: Substring
        if hostAndPort.first == "[", let end = hostAndPort.firstIndex(of: "]") {
            let inside = hostAndPort[hostAndPort.index(after: hostAndPort.startIndex)..<end]
            rest = hostAndPort[hostAndPort.index(after: end)...]
            return try bracketed(inside, rest: rest, input: input)
        }
        guard hostAndPort.first != "[" else {
            throw .invalidName(input, advice: "the bracket before the address is not closed")
        }
        host = hostAndPort.prefix { $0 != ":" }
        rest = hostAndPort[host.endIndex...]
        guard !host.isEmpty else { throw .emptyName(input) }
        guard isPort(rest) else { throw .invalidName(input, advice: badPort) }
        return String(host)
    }

    /// The IPv6 literal of a URL; RFC 6874 writes its zone as `%25eth0`.
    private static func bracketed(
        _ inside: Substring, rest: Substring, input: String
    ) throws(ReachabilityError) -> String {
        guard isPort(rest) else { throw .invalidName(input, advice: badPort) }
        var literal = String(inside)
        if let zone = literal.firstRange(of: "%25") { literal.replaceSubrange(zone, with: "%") }
        do throws(ReachabilityError) {
            let address = try NetworkAddress(literal)
            guard address.family == .ipv6 else {
                throw .invalidName(input, advice: "only an IPv6 address may be in brackets")
            }
        } catch {
            throw ReachabilityError(
                error.code, input: input, errno: error.errno, error.description)
        }
        return literal
    }

    /// A host that is not in a URL; each kind of bad input has its own message.
    private static func bareHost(_ input: String) throws(ReachabilityError) -> String {
        do throws(ReachabilityError) {
            _ = try NetworkAddress(input)
            return input
        } catch {
            // An address whose zone names no interface, or that may not have a zone.
            if error.code == .unknownInterface || hasZone(input) { throw error }
        }
        if let error = bracketError(input) { throw error }
        let host = input.prefix { $0 != ":" && $0 != "/" }
        let port = input[host.endIndex...].prefix { $0 != "/" }
        switch input[host.endIndex...] {
        case "": return input
        case _ where isPort(input[...]): throw .emptyName(input)
        case _ where port.count > 1 && isPort(port):
            throw .nameWithPort(input, host: host)
        case let rest where rest.first == "/" && !host.isEmpty:
            throw .invalidName(
                input, advice: "give \(quoted(host)), or a whole URL with its scheme")
        default:
            throw .invalidName(
                input, advice: "give a host name such as www.example.com, or an address")
        }
    }

    private static func hasZone(_ input: String) -> Bool {
        input.contains("%") && input.contains(":")
    }

    private static func bracketError(_ input: String) -> ReachabilityError? {
        guard input.first == "[", let end = input.firstIndex(of: "]") else { return nil }
        let inside = input[input.index(after: input.startIndex)..<end]
        let rest = input[input.index(after: end)...]
        return rest.isEmpty || !isPort(rest)
            ? .invalidName(input, advice: "give \(quoted(inside)) without the brackets")
            : .nameWithPort(input, host: inside)
    }

    private static let badPort = "a port is a number from 0 to 65535"

    /// Whether the text is empty, or a colon and an optional port (RFC 3986, 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        let digits = text.dropFirst()
        return first == ":" && digits.utf8.allSatisfy(isDigit)
            && (digits.isEmpty || UInt16(digits) != nil)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }
}
