// SPDX-License-Identifier: MIT

#if !canImport(CReach)
internal import ReachLibc

// Values on systems without the C core, which only Linux has.

extension ReachabilityError {
    /// The error of everything that needs the C core.
    package static let unsupportedSystem = ReachabilityError(
        .unsupportedSystem,
        "monitors and queries need Linux's rtnetlink; run this on Linux, or use Network or "
            + "SystemConfiguration on Apple's systems")
}

extension ReachabilityFlags {
    private static let names: [(word: String, flag: ReachabilityFlags)] = [
        ("Reachable", .reachable), ("Transient Connection", .transientConnection),
        ("Connection Required", .connectionRequired),
        ("Automatic Connection On Traffic", .connectionOnTraffic),
        ("Automatic Connection On Demand", .connectionOnDemand),
        ("Intervention Required", .interventionRequired), ("Local Address", .isLocalAddress),
        ("Directly Reachable Address", .isDirect), ("WWAN", .isWWAN),
    ]

    var portableWords: String {
        guard !isEmpty else { return "Not Reachable" }
        var words = Self.names.filter { contains($0.flag) }.map(\.word)
        let unknown = subtracting(Self.names.reduce(into: []) { $0.formUnion($1.flag) }).rawValue
        let digits = String(unknown, radix: 16)
        if unknown != 0 {
            words.append("0x" + String(repeating: "0", count: 8 - digits.count) + digits)
        }
        return words.joined(separator: ",")
    }
}

extension NetworkReachabilityStatus {
    init(portably flags: ReachabilityFlags) {
        let connects =
            !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
            && !flags.contains(.interventionRequired)
        let isReachable =
            flags.contains(.reachable) && (connects || !flags.contains(.connectionRequired))
        self =
            !isReachable
            ? .notReachable : flags.contains(.isWWAN) ? .reachableViaWWAN : .reachableViaWiFi
    }
}

extension NetworkAddress {
    init(portably text: String) throws(ReachabilityError) {
        guard !text.utf8.contains(0) else { throw .invalidAddress(text) }
        guard text.utf8.contains(UInt8(ascii: ":")) else {
            var address = in_addr()
            // An inet_aton() may ignore all text after white space.
            guard !text.contains(where: \.isWhitespace), unsafe inet_aton(text, &address) != 0
            else { throw .invalidAddress(text) }
            self.init(.ipv4, UInt64(UInt32(bigEndian: address.s_addr)) << 32)
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, String(parts[0]), &bytes) == 1 else {
            throw .invalidAddress(text)
        }
        try self.init(bytes: bytes)
        guard parts.count > 1 else { return }
        guard needsScope, !parts[1].isEmpty else { throw .invalidAddress(text) }
        let scope = unsafe UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
        guard scope > 0 else { throw .unknownInterface(inAddress: text) }
        self.init(.ipv6, high, low, scopeID: scope)
    }

    init(portably sockaddr: UnsafeRawBufferPointer) throws(ReachabilityError) {
        func fail(_ errno: ReachabilityErrno) -> ReachabilityError {
            .sockaddr(size: sockaddr.count, errno: errno)
        }
        guard sockaddr.count >= familyOffset + MemoryLayout<sa_family_t>.size else {
            throw fail(.invalidArgument)
        }
        let family = unsafe sockaddr.loadUnaligned(
            fromByteOffset: familyOffset, as: sa_family_t.self)
        // The offsets are the same on all systems: see RFC 3493, 3.3.
        switch Int32(family) {
        case AF_INET:
            guard sockaddr.count >= MemoryLayout<sockaddr_in>.size else {
                throw fail(.invalidArgument)
            }
            try unsafe self.init(bytes: sockaddr[4..<8])
        case AF_INET6:
            guard sockaddr.count >= MemoryLayout<sockaddr_in6>.size else {
                throw fail(.invalidArgument)
            }
            try unsafe self.init(bytes: sockaddr[8..<24])
            guard needsScope else { return }
            let scope = unsafe sockaddr.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
            self.init(.ipv6, high, low, scopeID: scope)
        default:
            throw fail(.addressFamilyNotSupported)
        }
    }

    /// Whether it is link-local, or a multicast address of the scope of an interface or link.
    private var needsScope: Bool {
        isLinkLocal || family == .ipv6 && [0xff01, 0xff02].contains(high >> 48 & 0xff0f)
    }

    var portableText: String {
        var bytes = bytes
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { buffer in
            let family = family == .ipv4 ? AF_INET : AF_INET6
            guard let start = unsafe inet_ntop(family, &bytes, buffer.baseAddress, 46) else {
                return ""
            }
            return unsafe String(cString: start) + (scopeID == 0 ? "" : "%\(scopeID)")
        }
    }
}

/// Apple's `struct sockaddr` begins with its length.
private let familyOffset = MemoryLayout<sockaddr>.offset(of: \.sa_family) ?? 0
#endif
