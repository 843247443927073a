// SPDX-License-Identifier: MIT

#if NIO
    public import NIOCore
    public import NetworkReachability

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    extension NetworkAddress {
        /// The address of a socket address; the port is dropped.
        ///
        ///     let peer = try NetworkAddress(SocketAddress(ipAddress: "192.0.2.1", port: 443))
        ///     print(try NetworkReachabilityManager(address: peer).currentSnapshot())
        ///
        /// - Throws: `ReachabilityError` of code `unsupportedFamily` for a Unix domain socket.
        public init(_ address: SocketAddress) throws(ReachabilityError) {
            let result = unsafe address.withSockAddr { pointer, size in
                Result { () throws(ReachabilityError) in
                    unsafe try NetworkAddress(
                        sockaddr: UnsafeRawBufferPointer(start: pointer, count: size))
                }
            }
            self = try result.get()
        }
    }

    extension ReachabilityTarget {
        /// The address of a socket address; the port is dropped.
        ///
        /// - Throws: `ReachabilityError` of code `unsupportedFamily` for a Unix domain socket.
        public static func address(
            _ address: SocketAddress
        ) throws(ReachabilityError) -> ReachabilityTarget {
            .address(try NetworkAddress(address))
        }

        /// A remote address, reached with `local` as source, such as those of a `Channel`.
        ///
        /// - Throws: `ReachabilityError` of code `unsupportedFamily` for a Unix domain socket, and of
        ///   `invalidTarget` if both are nil or their families differ.
        public static func addressPair(
            local: SocketAddress?, remote: SocketAddress?
        ) throws(ReachabilityError) -> ReachabilityTarget {
            try .addressPair(
                local: local.map { address throws(ReachabilityError) in try NetworkAddress(address)
                },
                remote: remote.map { address throws(ReachabilityError) in
                    try NetworkAddress(address)
                })
        }
    }

    extension SocketAddress {
        /// An address with a port.
        ///
        ///     let snapshot = try manager.currentSnapshot()
        ///     let endpoints = snapshot.addresses.map { SocketAddress($0, port: 443) }
        ///     print(endpoints)
        public init(_ address: NetworkAddress, port: UInt16) {
            switch address.family {
            case .ipv4:
                var socketAddress = sockaddr_in()
                socketAddress.sin_family = sa_family_t(AF_INET)
                socketAddress.sin_port = port.bigEndian
                unsafe withUnsafeMutableBytes(of: &socketAddress.sin_addr) {
                    unsafe $0.copyBytes(from: address.bytes)
                }
                self.init(socketAddress)
            case .ipv6:
                var socketAddress = sockaddr_in6()
                socketAddress.sin6_family = sa_family_t(AF_INET6)
                socketAddress.sin6_port = port.bigEndian
                socketAddress.sin6_scope_id = address.scopeID
                unsafe withUnsafeMutableBytes(of: &socketAddress.sin6_addr) {
                    unsafe $0.copyBytes(from: address.bytes)
                }
                self.init(socketAddress)
            }
        }

        /// The remote address of a target with a port; nil unless the target is an address or a pair with a
        /// remote one.
        ///
        /// For the addresses of a name see `addresses` of `ReachabilitySnapshot`.
        public init?(_ target: ReachabilityTarget, port: UInt16) {
            switch target.kind {
            case .address(let address), .addressPair(_, let address?):
                self.init(address, port: port)
            case .internet, .localWiFi, .addressPair, .domain: return nil
            }
        }
    }
#endif
