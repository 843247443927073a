// SPDX-License-Identifier: MIT

internal import ReachLibc

/// The name servers and search domains of resolv.conf(5).
package struct ResolverConfiguration: Sendable {
    /// A name server that the C library queries.
    package struct NameServer: Hashable, Sendable {
        /// The text of the `nameserver` line: an address, with `%interface` or `%index` if it is link-local.
        package let text: String
        /// Whether a line of the file has it.
        let isConfigured: Bool
        /// The address and, by name, its interface, which need not exist, and has another index in another
        /// namespace.
        let target: ReachabilityTarget
        private let address: NetworkAddress

        init?(_ text: String, isConfigured: Bool = true) {
            let zone = NetworkAddress.zone(in: text)
            let literal = zone == nil ? text : String(text.prefix { $0 != "%" })
            guard let address = try? NetworkAddress(literal), zone == nil || address.isLinkLocal
            else {
                return nil
            }
            let target = ReachabilityTarget.address(address)
            guard let restricted = try? zone.map(target.with(interface:)) ?? target else {
                return nil
            }
            self.text = text
            self.isConfigured = isConfigured
            self.target = restricted
            self.address = address
        }

        /// The address, with the index of the interface that the path to it has.
        func address(over interface: ReachabilitySnapshot.Interface?) -> NetworkAddress {
            guard target.interfaceName != nil, let interface else { return address }
            return NetworkAddress(.ipv6, address.high, address.low, scopeID: interface.index)
        }
    }

    /// The servers of the `nameserver` lines, the first three; 127.0.0.1 if no line has a valid one.
    package let nameServers: [NameServer]
    /// The domains of the last `search` or `domain` line.
    package let searchDomains: [String]

    /// Reads a file, which counts as empty if it can't be read or isn't a regular file.
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

    private static func nameServers(in text: String) -> [NameServer] {
        let servers = text.split(whereSeparator: \.isNewline).compactMap { line in
            // The keyword begins the line; white space separates it from the value.
            let words = line.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
            return line.first != " " && words.count > 1 && words[0] == "nameserver"
                ? NameServer(String(words[1])) : nil
        }
        guard servers.isEmpty else { return Array(servers.prefix(most)) }
        return [NameServer("127.0.0.1", isConfigured: false)].compactMap(\.self)
    }

    private static func searchDomains(in text: String) -> [String] {
        let lines = text.split(whereSeparator: \.isNewline)
        let last = lines.last { $0.hasPrefix("search") || $0.hasPrefix("domain") }
        return last?.split { $0 == " " || $0 == "\t" }.dropFirst().map(String.init) ?? []
    }

    /// Never blocks, even if the path leads to a FIFO or a device.
    private static func contents(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return ""
        }
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
