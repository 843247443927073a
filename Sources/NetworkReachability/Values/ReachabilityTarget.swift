// SPDX-License-Identifier: MIT

/// A destination whose reachability is monitored or queried: the internet, the local Wi-Fi, an address, or
/// a name.
///
/// A target can be restricted to an interface, a firewall mark, a user, or a network namespace. The `with`
/// methods return a changed copy:
///
///     let target = try ReachabilityTarget.domain("www.example.com").with(interface: "wwan0").with(mark: 7)
///     print(try NetworkReachabilityManager(target: target).currentSnapshot())
public struct ReachabilityTarget: Hashable, Sendable {
    /// The kinds of target.
    package enum Kind: Hashable, Sendable {
        /// Whether there is a route to the internet.
        case internet
        /// Whether a usable Wi-Fi or Ethernet interface has an address.
        case localWiFi
        /// An address. `0.0.0.0` and `::` mean ``internet``, `169.254.0.0` means ``localWiFi``.
        case address(NetworkAddress)
        /// A remote address, reached from a local source address; at least one of the two is given.
        case addressPair(local: NetworkAddress?, remote: NetworkAddress?)
        /// A host name, without port.
        case domain(String)
    }

    /// The kind of the target.
    package private(set) var kind: Kind

    /// The flags of a name until it is resolved; ignored for other kinds.
    public private(set) var policy = NameResolutionPolicy.strict

    /// The only family whose addresses count, for a name or ``internet``; nil for both families.
    ///
    /// See ``with(family:)`` and ``internet(_:)``.
    public private(set) var family: NetworkAddress.Family?

    /// The name of the only interface that routes may use, or nil.
    ///
    /// The interface need not exist yet and may be removed and created again.
    public private(set) var interfaceName: String?

    /// The index of the only interface that routes may use, or nil.
    public private(set) var interfaceIndex: UInt32?

    /// The classes of interface that packets may leave by; empty for any.
    ///
    /// See ``with(interfaceClass:)``.
    public private(set) var interfaceClasses: Set<NetworkInterfaceClass> = []

    /// The firewall mark of the traffic (`SO_MARK`), for policy rules (`ip rule`); 0 for none.
    public private(set) var mark: UInt32 = 0

    /// The user id of the traffic, for policy rules; nil for the caller's own.
    public private(set) var uid: UInt32?

    /// The network namespace whose routes are used.
    public private(set) var namespace = NetworkNamespace.current

    /// The interface name after `%` in the text of the address; the interface can have another index in
    /// another namespace.
    private var zone: String?

    private init(_ kind: Kind, zone: String? = nil) {
        self.kind = kind
        self.zone = zone
    }

    /// The interface name that replaces the address's scope index if ``namespace`` isn't the current one;
    /// else nil.
    var namedScope: String? {
        namespace == .current ? nil : zone
    }

    /// The internet: reachable if, over IPv4 or IPv6, most of a fixed set of public addresses have a usable route.
    ///
    /// No packet is sent.
    public static let internet = ReachabilityTarget(.internet)

    /// The internet over one address family: like ``internet``, with the addresses of that family only.
    ///
    /// The addresses `0.0.0.0` and `::` don't restrict the family: as on Apple's systems, each of them means
    /// ``internet`` over both families.
    public static func internet(_ family: NetworkAddress.Family) -> ReachabilityTarget {
        ReachabilityTarget.internet.changed { $0.family = family }
    }

    /// The local Wi-Fi: reachable if a usable Wi-Fi or Ethernet interface has an address.
    ///
    /// On a host without Ethernet, Wi-Fi, or cellular interfaces (a container), an interface whose other
    /// end is in another network namespace (veth, macvlan) counts as Ethernet.
    public static let localWiFi = ReachabilityTarget(.localWiFi)

    /// An address.
    public static func address(_ address: NetworkAddress) -> ReachabilityTarget {
        ReachabilityTarget(.address(address))
    }

    /// A numeric address; see ``NetworkAddress/init(_:)`` for its forms.
    public static func address(_ text: String) throws(ReachabilityError) -> ReachabilityTarget {
        ReachabilityTarget(.address(try NetworkAddress(text)), zone: NetworkAddress.zone(in: text))
    }

    /// A remote address, reached with `local` as the source address.
    ///
    /// The target is not reachable while `local` is not a usable address of this host.
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

    /// A host name, which a thread of the library resolves while it is monitored.
    ///
    /// - Parameters:
    ///   - domain: A host name. A URL with a scheme (`https://www.example.com/x`) stands for its host. A
    ///     numeric address creates an address target.
    ///   - policy: The flags until the name is resolved. By default there are none, so a name that does not
    ///     exist is never reachable.
    /// - Returns: The target.
    /// - Throws: ``ReachabilityError`` if `domain` is not a host name; see
    ///   ``ReachabilityError/Code/emptyName``, ``ReachabilityError/Code/nameTooLong``,
    ///   ``ReachabilityError/Code/nameWithPort``, and ``ReachabilityError/Code/invalidName``.
    public static func domain(
        _ domain: String, policy: NameResolutionPolicy = .strict
    ) throws(ReachabilityError) -> ReachabilityTarget {
        let (kind, zone) = try HostInput.parse(domain)
        var target = ReachabilityTarget(kind, zone: zone)
        if case .domain = kind { target.policy = policy }
        try target.validate(given: domain)
        return target
    }

    /// A host name, taken literally: URLs and addresses are invalid.
    package static func unparsed(
        name: String, policy: NameResolutionPolicy
    ) throws(ReachabilityError) -> ReachabilityTarget {
        var target = ReachabilityTarget(.domain(name))
        target.policy = policy
        try target.validate()
        return target
    }

    /// The same target, restricted to the interface with this name, which need not exist yet.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidInterface`` if no interface can have that name.
    public func with(interface name: String) throws(ReachabilityError) -> ReachabilityTarget {
        // The rule of dev_valid_name() in net/core/dev.c, where the byte 0xa0 is white space too.
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

    /// The same target, restricted to the interface with this index; 0 for any interface.
    public func with(interfaceIndex: UInt32) -> ReachabilityTarget {
        changed {
            $0.interfaceName = nil
            $0.interfaceIndex = interfaceIndex == 0 ? nil : interfaceIndex
        }
    }

    /// The same target, restricted to the addresses of one family; nil for both families.
    ///
    /// For a name, only addresses of that family are looked up and count. ``internet`` becomes
    /// ``internet(_:)``. An address of that family stays the same, except that `0.0.0.0` and `::` become
    /// ``internet(_:)`` too.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidTarget`` for an address of the other family, and for
    ///   ``localWiFi``.
    public func with(
        family: NetworkAddress.Family?
    ) throws(ReachabilityError) -> ReachabilityTarget {
        guard let family else { return changed { $0.family = nil } }
        let addresses: [NetworkAddress?]
        switch kind {
        case .internet, .domain: return changed { $0.family = family }
        case .localWiFi: throw .otherFamily(family, than: self)
        case .address(let address): addresses = [address]
        case .addressPair(let local, let remote): addresses = [local, remote]
        }
        guard addresses.allSatisfy({ $0 == nil || $0?.family == family }) else {
            throw .otherFamily(family, than: self)
        }
        guard case .address(let address) = kind, address.isUnspecified else {
            return self
        }
        return changed {
            $0.kind = .internet
            $0.family = family
        }
    }

    /// The same target, reachable only if packets leave by an interface of one of these classes.
    ///
    ///     print(try NetworkReachabilityManager(target: .internet.with(interfaceClass: .wifi)).currentSnapshot())
    ///
    /// This restricts the result, not the lookup: the kernel chooses the route as it does for any program
    /// that does not bind its sockets. If the route uses another class, the target is not reachable,
    /// with ``ReachabilityReason/otherInterface`` and that interface in the snapshot. For example, a target
    /// limited to Wi-Fi isn't reachable while the kernel prefers a cable. If several interfaces of the class have
    /// a route, the snapshot has the one that the kernel prefers. Each address of a name, and each family of
    /// ``internet``, is judged separately. To find out whether a program that binds its sockets to an interface
    /// has a route, use ``with(interface:)``. ``NetworkInterface/all(in:)`` lists the names.
    ///
    /// - Parameter classes: The classes; without arguments, any class.
    /// - Returns: The changed copy.
    public func with(interfaceClass classes: NetworkInterfaceClass...) -> ReachabilityTarget {
        with(interfaceClasses: Set(classes))
    }

    /// The same target, reachable only if packets leave by an interface of one of these classes; see
    /// ``with(interfaceClass:)``.
    ///
    /// - Parameter classes: The classes; empty for any class.
    /// - Returns: The changed copy.
    public func with(interfaceClasses classes: Set<NetworkInterfaceClass>) -> ReachabilityTarget {
        changed { $0.interfaceClasses = classes }
    }

    /// The same target for traffic with this firewall mark.
    public func with(mark: UInt32) -> ReachabilityTarget {
        changed { $0.mark = mark }
    }

    /// The same target for traffic of this user; nil for the caller's own.
    public func with(uid: UInt32?) -> ReachabilityTarget {
        changed { $0.uid = uid }
    }

    /// The same target in another network namespace.
    ///
    /// The interface name in an address such as `fe80::1%eth0` is looked up in the new namespace, unless
    /// ``with(interface:)`` or ``with(interfaceIndex:)`` gives another. All indices, including the scope
    /// of a ``NetworkAddress``, are indices of the new namespace. If only the new namespace has the
    /// interface, omit it from the address and use ``with(interface:)``.
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
    /// The name or address, `internet`, `internet (IPv6)`, or `localWiFi`; for a pair, `local -> remote`.
    public var description: String {
        switch kind {
        case .internet:
            switch family {
            case nil: "internet"
            case .ipv4: "internet (IPv4)"
            case .ipv6: "internet (IPv6)"
            }
        case .localWiFi: "localWiFi"
        case .address(let address): address.description
        case .addressPair(let local, let remote):
            "\(local?.description ?? "*") -> \(remote?.description ?? "*")"
        case .domain(let name): name
        }
    }
}
