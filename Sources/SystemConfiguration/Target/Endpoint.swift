// SPDX-License-Identifier: MIT

internal import Foundation
internal import NetworkReachability

/// The address, pair of addresses, or name of a target.
struct Endpoint: Sendable {
    /// The name; nil if the endpoint was created from addresses.
    private var name: String?
    /// The target of queries; for a name, the default path, because queries don't resolve names.
    private(set) var path: ReachabilityTarget
    /// The name as a target; nil for an invalid one, such as a URL.
    ///
    /// SCNetworkReachability reports an invalid name as one without an address.
    private var resolved: ReachabilityTarget?

    /// Creates the endpoint of an address; the zero address is the default path.
    init(address: NetworkAddress) {
        path = address.isUnspecified ? .internet : .address(address)
    }

    /// Creates the endpoint of a pair of addresses, at least one of which is not nil.
    ///
    /// The zero address counts as nil.
    init(local: NetworkAddress?, remote: NetworkAddress?) throws(StatusError) {
        guard local != nil || remote != nil else { throw .invalidArgument }
        let given = (
            local: local.flatMap { $0.isUnspecified ? nil : $0 },
            remote: remote.flatMap { $0.isUnspecified ? nil : $0 }
        )
        switch given {
        case (nil, nil): path = .internet
        case (nil, let remote?): path = .address(remote)
        // No packet with a source in 127/8 leaves the host; such a source is ignored.
        case (let local?, let remote?)
        where local.isLoopback4 && remote.family == .ipv4 && !remote.isLoopback4:
            path = .address(remote)
        case (let local?, let remote):
            path = try StatusError.argument { () throws(ReachabilityError) in
                try .addressPair(local: local, remote: remote)
            }
        }
    }

    /// Creates the endpoint of a name, which may be a numeric address.
    init(name: String) throws(StatusError) {
        guard !name.isEmpty else { throw .invalidArgument }
        if let address = try? NetworkAddress(name) {
            self = Endpoint(address: address)
            return
        }
        self.name = name
        path = .internet
        resolved = try? .unparsed(name: name, policy: .optimistic)
    }

    /// Whether the endpoint was created from a name; names have their own rules for callbacks.
    var isName: Bool {
        name != nil
    }

    /// The target to monitor; nil for an invalid name.
    var watched: ReachabilityTarget? {
        isName ? resolved : path
    }

    /// Queries the current state, in the network namespace of the calling thread.
    ///
    /// Names are not resolved: their state is that of the default path.
    func check() throws(StatusError) -> ReachabilitySnapshot {
        try StatusError.system { () throws(ReachabilityError) in try MonitorHandle.check(path) }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The endpoint as in `CFShow()` on Apple's systems.
    var description: String {
        if let name { return "name = \(name)" }
        switch path.kind {
        case .address(let address): return "address = \(address)"
        case .addressPair(let local?, let remote?):
            return "local address = \(local), remote address = \(remote)"
        case .addressPair(let local?, nil): return "local address = \(local), default path"
        default: return "default path"
        }
    }
}

extension NetworkAddress {
    /// Whether the address is in 127/8.
    fileprivate var isLoopback4: Bool {
        family == .ipv4 && bytes[0] == 127
    }

    /// Reads the address at `pointer`; its family determines the size.
    static func read(_ pointer: UnsafePointer<sockaddr>) throws(StatusError) -> NetworkAddress {
        try StatusError.argument { () throws(ReachabilityError) in
            try unsafe NetworkAddress(socketAddress: pointer)
        }
    }
}

extension ReachabilitySnapshot {
    /// The final state of a name without an address.
    static let unresolved = ReachabilitySnapshot(flags: [], resolution: .done)

    /// The flags of the C interface; their upper byte is private to SCNetworkReachability.
    var systemFlags: SCNetworkReachabilityFlags {
        SCNetworkReachabilityFlags(rawValue: flags.rawValue & 0x00ff_ffff)
    }

    /// The comparison of SCNetworkReachability: flags, interface in use, number of addresses.
    ///
    /// The status differs, too, if the monitor has failed.
    func differs(from other: ReachabilitySnapshot) -> Bool {
        let (one, two) = (verdict, other.verdict)
        return one.flags != two.flags || one.interfaceIndex != two.interfaceIndex
            || one.status != two.status || addresses.count != other.addresses.count
    }
}
