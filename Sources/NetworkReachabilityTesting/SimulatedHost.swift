// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import ReachLibc

/// A host with loopback and one interface; it answers rtnetlink requests like a kernel.
struct SimulatedHost {
    /// Flags of a link (linux/if.h).
    private enum LinkFlag {
        static let up: UInt32 = 1
        static let broadcast: UInt32 = 2
        static let loopback: UInt32 = 8
        static let pointToPoint: UInt32 = 0x10
        static let running: UInt32 = 0x40
        static let lowerUp: UInt32 = 0x10000
        static let dormant: UInt32 = 0x20000
    }

    var interface: ReachabilitySnapshot.Interface
    var hasCarrier = true
    var isDormant = false
    /// The addresses of the interface; their /24 and /64 prefixes are on its link.
    var addresses: [NetworkAddress] = []
    /// The families with a default route.
    var families: Set<NetworkAddress.Family> = []
    /// The gateways of the default routes; the route of a family that isn't listed has no gateway.
    var gateways: [NetworkAddress] = []
    /// The error of every lookup that no route matches.
    var failure = ENETUNREACH

    private static let loopbackIndex: UInt32 = 1

    private var isPointToPoint: Bool {
        [.cellular, .ppp, .vpn].contains(interface.interfaceClass)
    }

    /// The kernel's answers to a request.
    func answers(to request: [UInt8]) -> [[UInt8]] {
        let kind = RouteMessage.number(UInt16.self, in: request, at: 4)
        guard RouteMessage.number(UInt16.self, in: request, at: 6) & 0x300 != 0x300 else {
            let dump: [RouteMessage] =
                switch kind {
                case RouteMessage.Kind.getLink: links
                case RouteMessage.Kind.getAddress: ownAddresses
                default: []
                }
            let done = RouteMessage(RouteMessage.Kind.done, [0, 0, 0, 0])
            return (dump + [done]).map { $0.answering(request, multi: true) }
        }
        guard kind == RouteMessage.Kind.getRoute else {
            return [failure(ENODEV, of: request).answering(request)]
        }
        return [route(for: request).answering(request)]
    }

    private func failure(_ error: Int32, of request: [UInt8]) -> RouteMessage {
        RouteMessage(RouteMessage.Kind.error, RouteMessage.bytes(of: -error) + request.prefix(16))
    }

    // MARK: Dumps

    private var links: [RouteMessage] {
        let up = LinkFlag.up | LinkFlag.running | LinkFlag.lowerUp
        var flags = isPointToPoint ? LinkFlag.pointToPoint : LinkFlag.broadcast
        flags |= hasCarrier ? up : LinkFlag.up
        if isDormant { flags = flags & ~LinkFlag.running | LinkFlag.dormant }
        let state: UInt8 = hasCarrier ? isDormant ? 5 : 6 : 2
        let kind: (type: UInt16, name: String?) =
            switch interface.interfaceClass {
            case .wifi, .wiredEthernet: (1, nil)
            case .cellular: (0xFFFE, "wwan")
            case .vpn: (0xFFFE, "wireguard")
            case .ppp: (512, nil)
            case .virtual: (1, "veth")
            case .loopback, .other: (0xFFFE, nil)
            }
        let loopback = Self.link(
            Self.loopbackIndex, "lo", (772, nil), up | LinkFlag.loopback, state: 0)
        guard interface.index != Self.loopbackIndex else { return [loopback] }
        return [loopback, Self.link(interface.index, interface.name, kind, flags, state: state)]
    }

    private static func link(
        _ index: UInt32, _ name: String, _ kind: (type: UInt16, name: String?), _ flags: UInt32,
        state: UInt8
    ) -> RouteMessage {
        var link = RouteMessage(
            RouteMessage.Kind.newLink,
            [0, 0] + RouteMessage.bytes(of: kind.type) + RouteMessage.bytes(of: index)
                + RouteMessage.bytes(of: flags) + [0, 0, 0, 0])
        link.append(3, Array(name.utf8) + [0])  // IFLA_IFNAME
        link.append(16, [state])  // IFLA_OPERSTATE
        if let text = kind.name {
            let nested = Array(text.utf8) + [0]
            let padding = [UInt8](repeating: 0, count: (4 - nested.count % 4) % 4)
            let size = UInt16(4 + nested.count)
            // IFLA_LINKINFO with IFLA_INFO_KIND
            link.append(
                18,
                RouteMessage.bytes(of: size) + RouteMessage.bytes(of: UInt16(1)) + nested + padding)
        }
        return link
    }

    private var ownAddresses: [RouteMessage] {
        var all: [(UInt32, NetworkAddress, UInt8)] = [
            (Self.loopbackIndex, .loopback4, 8), (Self.loopbackIndex, .loopback6, 128),
        ]
        all += addresses.map { (interface.index, $0, Self.prefixLength($0)) }
        return all.map { index, address, length in
            var message = RouteMessage(
                RouteMessage.Kind.newAddress,
                [Self.number(address.family), length, 0x80, address.isLinkLocal ? 253 : 0]
                    + RouteMessage.bytes(of: index))
            message.append(1, address.bytes)  // IFA_ADDRESS
            if address.family == .ipv4 { message.append(2, address.bytes) }  // IFA_LOCAL
            return message
        }
    }

    private static func number(_ family: NetworkAddress.Family) -> UInt8 {
        family == .ipv4 ? 2 : 10
    }

    private static func prefixLength(_ address: NetworkAddress) -> UInt8 {
        address.family == .ipv4 ? 24 : 64
    }

    // MARK: Lookups

    /// A route of the simulated tables.
    private struct Route {
        /// `rtm_type`.
        static let unicast: UInt8 = 1
        static let local: UInt8 = 2
        static let multicast: UInt8 = 5

        var type = Route.unicast
        var index: UInt32
        var destination: NetworkAddress
        var prefixLength: UInt8
        var gateway: NetworkAddress?
        var source: NetworkAddress?

        func matches(_ address: NetworkAddress) -> Bool {
            address.family == destination.family
                && zip(address.bytes, destination.bytes).prefix(Int(prefixLength) / 8)
                    .allSatisfy { $0 == $1 }
        }
    }

    /// All routes, in order of precedence.
    private var routes: [Route] {
        var own = addresses.map { address in
            Route(
                type: Route.local, index: interface.index, destination: address,
                prefixLength: UInt8(address.bytes.count * 8), source: address)
        }
        own += [(NetworkAddress.loopback4, 8), (.loopback6, 128)].map { address, length in
            Route(
                type: Route.local, index: Self.loopbackIndex, destination: address,
                prefixLength: length, source: address)
        }
        let onLink = addresses.map { address in
            Route(
                index: interface.index, destination: address,
                prefixLength: Self.prefixLength(address), source: address)
        }
        let defaults = families.map { family in
            Route(
                index: interface.index, destination: family == .ipv4 ? .loopback4 : .loopback6,
                prefixLength: 0, gateway: gateways.first { $0.family == family },
                source: addresses.first { $0.family == family && !$0.isLinkLocal })
        }
        return own + onLink + defaults
    }

    private func route(for request: [UInt8]) -> RouteMessage {
        let attributes = RouteMessage.attributes(of: request, after: 12)
        guard let bytes = attributes[1], let destination = try? NetworkAddress(bytes: bytes) else {
            return failure(EINVAL, of: request)
        }
        let output = attributes[4].map { RouteMessage.number(UInt32.self, in: $0, at: 0) }
        guard
            var found = routes.first(where: {
                $0.matches(destination) && (output == nil || output == $0.index)
            })
        else {
            // For IPv4, the kernel answers a failed lookup through an interface with another error
            // (inet_rtm_getroute(), net/ipv4/route.c).
            let isScoped = output != nil && destination.family == .ipv4
            return failure(isScoped ? EHOSTUNREACH : failure, of: request)
        }
        if destination.isMulticast { (found.type, found.gateway) = (Route.multicast, nil) }
        // RTM_F_FIB_MATCH: the route itself, without the kernel's choices for the destination.
        let isMatch = RouteMessage.number(UInt32.self, in: request, at: 24) & 0x2000 != 0
        return isMatch ? match(found) : answer(found, for: destination)
    }

    private func match(_ route: Route) -> RouteMessage {
        var message = message(route, length: route.prefixLength)
        if route.prefixLength > 0 {
            let kept = Int(route.prefixLength) / 8
            message.append(
                1, route.destination.bytes.enumerated().map { $0.offset < kept ? $0.element : 0 })
        }
        message.append(4, RouteMessage.bytes(of: route.index))
        if let gateway = route.gateway { message.append(5, gateway.bytes) }
        if route.type == Route.local, let source = route.source { message.append(7, source.bytes) }
        return message
    }

    private func answer(_ route: Route, for destination: NetworkAddress) -> RouteMessage {
        var message = message(route, length: UInt8(destination.bytes.count * 8))
        message.append(1, destination.bytes)
        // Packets to this host go through loopback.
        let index = route.type == Route.local ? Self.loopbackIndex : route.index
        message.append(4, RouteMessage.bytes(of: index))
        if let gateway = route.gateway { message.append(5, gateway.bytes) }
        if let source = route.source { message.append(7, source.bytes) }
        return message
    }

    private func message(_ route: Route, length: UInt8) -> RouteMessage {
        // RT_TABLE_LOCAL or RT_TABLE_MAIN, RTPROT_BOOT
        let table: UInt8 = route.type == Route.local ? 255 : 254
        return RouteMessage(
            RouteMessage.Kind.newRoute,
            [Self.number(route.destination.family), length, 0, 0, table, 3, 0, route.type]
                + [0, 0, 0, 0])
    }
}

extension NetworkAddress {
    fileprivate static let loopback4 = NetworkAddress(ipv4: 127, 0, 0, 1)
    fileprivate static let loopback6 = NetworkAddress(ipv6: [0, 0, 0, 0, 0, 0, 0, 1])

    fileprivate var isMulticast: Bool {
        family == .ipv4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF
    }
}
