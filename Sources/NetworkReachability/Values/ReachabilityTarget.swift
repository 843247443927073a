// SPDX-License-Identifier: MIT

/// What is watched: the internet, the local Wi-Fi, an address or a name.
///
/// A plain value.
///
/// Every target can be narrowed to an interface, a firewall mark, a user or a network namespace; the
/// `with` methods return a changed copy:
///
///     try ReachabilityTarget.domain("www.example.com").with(interface: "wwan0").with(mark: 7)
public struct ReachabilityTarget: Hashable, Sendable {
    /// The kinds of target.
    public enum Kind: Hashable, Sendable {
        /// Whether there is a way out at all.
        case internet
        /// Whether a usable Wi-Fi or wired interface has an address.
        case localWiFi
        /// An address. `0.0.0.0` and `::` mean ``internet``, `169.254.0.0` means ``localWiFi``.
        case address(NetworkAddress)
        /// A remote address asked with a local one as source; at least one is there.
        case addressPair(local: NetworkAddress?, remote: NetworkAddress?)
        /// A host name, without port.
        case domain(String)
    }

    /// What is watched.
    public let kind: Kind

    /// What a name's flags are until it is resolved; means nothing for other kinds.
    public private(set) var policy = NameResolutionPolicy.strict

    /// Name of the interface to ask through, or nil.
    ///
    /// It need not exist yet and may come and go.
    public private(set) var interfaceName: String?

    /// Index of the interface to ask through, or nil.
    public private(set) var interfaceIndex: UInt32?

    /// Firewall mark of the traffic (`SO_MARK`), for routing rules; 0 for none.
    public private(set) var mark: UInt32 = 0

    /// User id of the traffic, for routing rules; nil for the caller's own.
    public private(set) var uid: UInt32?

    /// The network namespace to look in.
    public private(set) var namespace = NetworkNamespace.current

    /// The interface that stood by name in the text of the address, and may have another index in
    /// another namespace.
    private var zone: String?

    private init(_ kind: Kind, zone: String? = nil) {
        self.kind = kind
        self.zone = zone
    }

    /// Whether the scope of the address is to be found by name, in ``namespace``, and not by index.
    var namedScope: String? {
        namespace == .current ? nil : zone
    }

    /// Whether there is a way out at all: most of a fixed set of public addresses has a usable
    /// route.
    ///
    /// No packet is sent.
    public static let internet = ReachabilityTarget(.internet)

    /// Whether a usable Wi-Fi or wired interface has an address.
    ///
    /// Where no interface is wired, Wi-Fi or cellular (a container), an Ethernet interface whose other
    /// end is in another network namespace (veth, macvlan) counts as wired.
    public static let localWiFi = ReachabilityTarget(.localWiFi)

    /// An address.
    public static func address(_ address: NetworkAddress) -> ReachabilityTarget {
        ReachabilityTarget(.address(address))
    }

    /// A numeric address; see ``NetworkAddress/init(_:)`` for what is read.
    public static func address(_ text: String) throws(ReachabilityError) -> ReachabilityTarget {
        ReachabilityTarget(.address(try NetworkAddress(text)), zone: NetworkAddress.zone(in: text))
    }

    /// An address of four or sixteen bytes in network byte order.
    public static func address(
        bytes: some Collection<UInt8>
    ) throws(ReachabilityError) -> ReachabilityTarget {
        address(try NetworkAddress(bytes: bytes))
    }

    /// The address in a `struct sockaddr_in` or `sockaddr_in6`, whose bytes are copied.
    public static func address(
        sockaddr: UnsafeRawBufferPointer
    ) throws(ReachabilityError) -> ReachabilityTarget {
        address(unsafe try NetworkAddress(sockaddr: sockaddr))
    }

    /// A remote address asked with `local` as source.
    ///
    /// The target is not reachable while `local` is no usable address of this host.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidTarget`` if both are nil, or their families differ.
    public static func addressPair(
        local: NetworkAddress?, remote: NetworkAddress?
    ) throws(ReachabilityError) -> ReachabilityTarget {
        guard local != nil || remote != nil else { throw .emptyAddressPair() }
        let target = ReachabilityTarget(.addressPair(local: local, remote: remote))
        try target.validate()
        return target
    }

    /// A host name, resolved off the caller's thread while it is monitored.
    ///
    /// - Parameters:
    ///   - domain: A host name. A URL with a scheme (`https://www.example.com/x`) means its host; a
    ///     numeric address makes an address target.
    ///   - policy: What the flags are until the name is resolved; by default none, so that a name that
    ///     does not exist never counts as reachable.
    /// - Returns: The target; its ``kind`` is an address if `domain` is one.
    /// - Throws: ``ReachabilityError`` for what is no host name; see
    ///   ``ReachabilityError/Code/emptyName``, ``ReachabilityError/Code/nameTooLong``,
    ///   ``ReachabilityError/Code/nameWithPort`` and ``ReachabilityError/Code/invalidName``.
    public static func domain(
        _ domain: String, policy: NameResolutionPolicy = .strict
    ) throws(ReachabilityError) -> ReachabilityTarget {
        let (kind, zone) = try HostInput.parse(domain)
        var target = ReachabilityTarget(kind, zone: zone)
        if case .domain = kind { target.policy = policy }
        try target.validate()
        return target
    }

    /// A host name as it stands, which may be no URL and no address.
    package static func unparsed(
        name: String, policy: NameResolutionPolicy
    ) throws(ReachabilityError) -> ReachabilityTarget {
        var target = ReachabilityTarget(.domain(name))
        target.policy = policy
        try target.validate()
        return target
    }

    /// The same target asked through the interface of this name only, which need not exist yet.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidInterface`` if no interface can have that name.
    public func with(interface name: String) throws(ReachabilityError) -> ReachabilityTarget {
        // dev_valid_name of net/core/dev.c, for which the byte 0xa0 is white space too.
        let forbidden: (UInt8) -> Bool = {
            switch $0 {
            case 0, 0x09...0x0d, 0x20, 0xa0, UInt8(ascii: "/"), UInt8(ascii: ":"): true
            default: false
            }
        }
        guard (1...15).contains(name.utf8.count), name != ".", name != "..",
            !name.utf8.contains(where: forbidden)
        else { throw .invalidInterface(name) }
        return changed {
            $0.interfaceName = name
            $0.interfaceIndex = nil
        }
    }

    /// The same target asked through the interface of this index only; 0 for any.
    public func with(interfaceIndex: UInt32) -> ReachabilityTarget {
        changed {
            $0.interfaceName = nil
            $0.interfaceIndex = interfaceIndex == 0 ? nil : interfaceIndex
        }
    }

    /// The same target for traffic with this firewall mark.
    public func with(mark: UInt32) -> ReachabilityTarget {
        changed { $0.mark = mark }
    }

    /// The same target for traffic of this user; nil for the caller.
    public func with(uid: UInt32?) -> ReachabilityTarget {
        changed { $0.uid = uid }
    }

    /// The same target in another network namespace.
    ///
    /// An interface of the caller's namespace that was given by name with the address, as in
    /// `fe80::1%eth0`, is looked up there by that name, unless ``with(interface:)`` or
    /// ``with(interfaceIndex:)`` says another. All indices, those of a ``NetworkAddress`` too, are
    /// taken for indices of the new namespace. For an interface that only the new one has, leave it out
    /// of the address and use ``with(interface:)``.
    public func with(namespace: NetworkNamespace) -> ReachabilityTarget {
        changed { $0.namespace = namespace }
    }

    /// The same target with another policy for names.
    public func with(policy: NameResolutionPolicy) -> ReachabilityTarget {
        changed { $0.policy = policy }
    }

    private func changed(_ change: (inout ReachabilityTarget) -> Void) -> ReachabilityTarget {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ReachabilityTarget: CustomStringConvertible {
    /// The name or address, `internet` or `localWiFi`; a pair as `local -> remote`.
    public var description: String {
        switch kind {
        case .internet: "internet"
        case .localWiFi: "localWiFi"
        case .address(let address): address.description
        case .addressPair(let local, let remote):
            "\(local?.description ?? "*") -> \(remote?.description ?? "*")"
        case .domain(let name): name
        }
    }
}
