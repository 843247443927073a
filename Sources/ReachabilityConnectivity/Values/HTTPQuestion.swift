// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// A GET request and its expected answer.
struct HTTPQuestion: Hashable, Sendable {
    let url: String
    let status: Int
    let body: String?
    /// Header lines without line ends.
    let headers: [String]
    let caFile: String?
    let proxy: String?
    /// Whether the URL, or that of the proxy, has a name to resolve.
    let hasName: Bool

    /// Whether the URL uses TLS.
    var isSecure: Bool { url.prefix(6).lowercased() == "https:" }

    init(
        url: String, status: Int, body: String? = nil, headers: [String: String] = [:],
        caFile: String? = nil, proxy: String? = nil
    ) throws(ConnectivityFailure) {
        let isName = try Self.checkedHost(of: url)
        if let proxy, !proxy.lowercased().hasPrefix("http://") {
            throw .invalid(
                "'\(proxy)' is not the URL of a proxy, such as http://proxy.example.com:3128")
        }
        hasName = try proxy.map(Self.checkedHost(of:)) ?? isName
        guard (200...599).contains(status) else {
            throw .invalid("\(status) is not a response status; give one from 200 to 599")
        }
        if let body {
            guard body.utf8.count <= 4096, !body.utf8.contains(0) else {
                throw .invalid("the body has a NUL or more than 4096 bytes; give a shorter text")
            }
        }
        if let caFile, caFile.isEmpty || caFile.utf8.contains(0) {
            throw .invalid("the name of the certificate file is empty or has a NUL")
        }
        self.url = url
        self.status = status
        self.body = body
        self.headers = try Self.lines(headers)
        self.caFile = caFile
        self.proxy = proxy
    }

    private static func lines(
        _ headers: [String: String]
    ) throws(ConnectivityFailure) -> [String] {
        var lines: [String] = []
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy({ isToken($0) }) else {
                throw .invalid("'\(name)' is not the name of a header")
            }
            guard value.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x09 }) else {
                throw .invalid("the header '\(name)' has control characters or is not ASCII")
            }
            guard !probesOwn.contains(name.lowercased()) else {
                throw .invalid("the probe has its own header '\(name)'; leave it out")
            }
            // libcurl omits a header if the line ends with a colon.
            let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            lines.append(isBlank ? "\(name);" : "\(name): \(value)")
        }
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= 4096 else {
            throw .invalid("the headers have more than 4096 bytes; give fewer")
        }
        return lines
    }

    private static let probesOwn: Set = ["connection", "content-length", "transfer-encoding"]

    /// Whether a token can contain the byte (RFC 9110, section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Checks the host of a URL, and returns whether it is a name.
    private static func checkedHost(of url: String) throws(ConnectivityFailure) -> Bool {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        guard parts.count == 2, parts[1].hasPrefix("//"), scheme == "http" || scheme == "https"
        else {
            throw .invalid("'\(url)' is not an http or https URL, such as http://example.com/")
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
        let host = authority.prefix { $0 != ":" }
        return !authority.hasPrefix("[") && (try? NetworkAddress(String(host))) == nil
    }

    /// The authority without the zone of an IPv6 address (RFC 6874).
    ///
    /// The zone's interface is looked up in the target's namespace when the probe is sent.
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
        // The port follows the bracket of an IPv6 address, if there is one.
        let host = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[host...].firstIndex(of: ":"), colon > authority.startIndex,
            authority[host] == "]" || !authority.hasPrefix("[")
        else { return }
        let port = authority[authority.index(after: colon)...]
        guard let number = UInt16(port), number > 0, port.first != "+" else {
            throw .invalid("'\(url)' has an invalid port; give one from 1 to 65535")
        }
    }
}

extension ConnectivityFailure {
    fileprivate static func invalid(_ description: String) -> ConnectivityFailure {
        ConnectivityFailure(.invalidProbe, description)
    }
}
