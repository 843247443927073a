// SPDX-License-Identifier: MIT
import Glibc

/// What resolv.conf(5) says of name servers and search domains.
struct ResolverConfiguration {
    /// The addresses of the name servers, as they are written.
    private(set) var servers: [String] = []
    private(set) var search: [String] = []

    /// Reads /etc/resolv.conf; a file that cannot be read says nothing.
    init() {
        let bytes = (try? Input("/etc/resolv.conf").read(limit: 1 << 20)) ?? []
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            switch words.first {
            case "nameserver": servers += words.dropFirst().prefix(1)
            // The last one counts (resolv.conf(5)).
            case "search", "domain": search = Array(words.dropFirst())
            default: break
            }
        }
    }
}
