// SPDX-License-Identifier: MIT

internal import ReachLibc

/// The name servers and search domains of resolv.conf(5).
package struct ResolverConfiguration: Sendable {
    /// The addresses of the `nameserver` lines, the first three.
    package let nameServers: [NetworkAddress]
    /// The domains of the last `search` or `domain` line.
    package let searchDomains: [String]

    /// Reads a file; both lists are empty if it can't be read.
    package init(at path: String) {
        self.init(Self.contents(of: path))
    }

    init(_ text: String) {
        nameServers = Self.nameServers(in: text)
        searchDomains = Self.searchDomains(in: text)
    }

    /// The servers that the C library uses: the first three.
    private static let most = 3

    /// The file is read up to this many bytes.
    private static let capacity = 65536

    private static func nameServers(in text: String) -> [NetworkAddress] {
        let servers = text.split(whereSeparator: \.isNewline).compactMap { line in
            // The keyword begins the line; white space separates it from the value.
            let words = line.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
            return line.first != " " && words.count > 1 && words[0] == "nameserver"
                ? try? NetworkAddress(String(words[1])) : nil
        }
        return Array(servers.prefix(most))
    }

    private static func searchDomains(in text: String) -> [String] {
        let lines = text.split(whereSeparator: \.isNewline)
        let last = lines.last { $0.hasPrefix("search") || $0.hasPrefix("domain") }
        return last?.split { $0 == " " || $0 == "\t" }.dropFirst().map(String.init) ?? []
    }

    private static func contents(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var size = 0
            repeat {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
                size = unsafe read(file, rest.baseAddress, rest.count)
                count += max(size, 0)
            } while size > 0 && count < capacity
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
