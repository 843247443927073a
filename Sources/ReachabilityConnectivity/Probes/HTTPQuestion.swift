// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// A GET request and the answer that is expected.
struct HTTPQuestion: Hashable, Sendable {
    let url: String
    let status: Int
    let body: String?

    init(url: String, status: Int, body: String?) throws(ConnectivityFailure) {
        try Self.check(url)
        guard (200...599).contains(status) else {
            throw .invalid("\(status) is not the status of an answer; give one from 200 to 599")
        }
        if let body {
            guard body.utf8.count <= 4096, !body.utf8.contains(0) else {
                throw .invalid("the body has a NUL or more than 4096 bytes; give a shorter text")
            }
        }
        self.url = url
        self.status = status
        self.body = body
    }

    private static func check(_ url: String) throws(ConnectivityFailure) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        guard parts.count == 2, parts[1].hasPrefix("//"), scheme == "http" || scheme == "https"
        else {
            throw .invalid("'\(url)' is no URL of http or https, such as http://example.com/")
        }
        guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .invalid("'\(url)' has white space or is not ASCII; percent-encode it")
        }
        guard url.utf8.count < 2048 else { throw .invalid("the URL has more than 2047 bytes") }
        let authority = parts[1].dropFirst(2).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw .invalid("'\(url)' has a user name; leave it out")
        }
        try checkPort(of: authority, in: url)
        do throws(ReachabilityError) {
            _ = try ReachabilityTarget.domain(scheme + "://" + withoutZone(authority))
        } catch {
            throw .invalid("'\(url)': \(error.description)")
        }
    }

    /// The interface of a zone (RFC 6874) is one of the target's namespace, at the time of the probe.
    private static func withoutZone(_ authority: Substring) -> String {
        guard let end = authority.lastIndex(of: "]"),
            let start = authority[..<end].lastIndex(of: "%")
        else { return String(authority) }
        let zone = authority[start..<end].dropFirst()
        guard zone.hasPrefix("25"), (3...17).contains(zone.utf8.count) else {
            return String(authority)
        }
        return String(authority[..<start]) + authority[end...]
    }

    private static func checkPort(
        of authority: Substring, in url: String
    ) throws(ConnectivityFailure) {
        // After the bracket of an IPv6 address, if there is one.
        let host = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[host...].firstIndex(of: ":"), colon > authority.startIndex,
            authority[host] == "]" || !authority.hasPrefix("[")
        else { return }
        let port = authority[authority.index(after: colon)...]
        guard let number = UInt16(port), number > 0, port.first != "+" else {
            throw .invalid("'\(url)' has a port that is not one from 1 to 65535")
        }
    }
}

extension ConnectivityFailure {
    fileprivate static func invalid(_ description: String) -> ConnectivityFailure {
        ConnectivityFailure(.invalidProbe, description)
    }
}
