// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The state of a target at one moment, with the members that SCNetworkReachability compares.
struct PathState {
    var flags: SCNetworkReachabilityFlags
    /// The index of the interface in use; 0 while the target is not reachable without a connection, so
    /// that a change of the interface is not reported then.
    var interfaceIndex: UInt32
    /// The addresses of a name.
    var addresses: [NetworkAddress] = []
    /// The state of the resolution of a name.
    var resolution = NameResolution.notAName
    /// The `errno` value of a monitor that failed, or 0.
    var error: Int32 = 0

    /// The final state of a name without an address.
    static let unresolved = PathState(flags: [], interfaceIndex: 0, resolution: .done)

    /// The state after the monitor failed.
    static func unknown(after error: ReachabilityErrno) -> PathState {
        PathState(flags: [], interfaceIndex: 0, error: error.rawValue)
    }

    /// The comparison of SCNetworkReachability: flags, interface, number of addresses.
    func differs(from other: PathState) -> Bool {
        flags != other.flags || interfaceIndex != other.interfaceIndex
            || addresses.count != other.addresses.count || error != other.error
    }
}

extension PathState {
    init(_ snapshot: ReachabilitySnapshot) {
        // The upper byte is private to SCNetworkReachability.
        flags = SCNetworkReachabilityFlags(rawValue: snapshot.flags.rawValue & 0x00ff_ffff)
        interfaceIndex = snapshot.verdict.interfaceIndex
        addresses = snapshot.addresses
        resolution = snapshot.resolution
    }
}
