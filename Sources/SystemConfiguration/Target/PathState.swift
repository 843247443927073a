// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// What is known of a target at one moment.
struct PathState {
    var flags: SCNetworkReachabilityFlags
    /// Interface a packet leaves by; 0 while none does, so that what happens meanwhile is no change.
    var interfaceIndex: UInt32
    /// What a name resolved to.
    var addresses: [NetworkAddress] = []
    /// Whether an answer about a name is awaited, or final.
    var resolution = NameResolution.none
    /// Why nothing is known any more, or 0.
    var error: Int32 = 0

    /// The final answer of a name that has no address.
    static let unresolved = PathState(flags: [], interfaceIndex: 0, resolution: .done)

    /// What is left after the monitor failed.
    static func unknown(after error: ReachabilityErrno) -> PathState {
        PathState(flags: [], interfaceIndex: 0, error: error.rawValue)
    }

    /// SCNetworkReachability's idea of a change: also the interface alone, or the number of addresses.
    func differs(from other: PathState) -> Bool {
        flags != other.flags || interfaceIndex != other.interfaceIndex
            || addresses.count != other.addresses.count || error != other.error
    }
}

extension PathState {
    init(_ snapshot: ReachabilitySnapshot) {
        // The upper byte is private to SCNetworkReachability.
        flags = SCNetworkReachabilityFlags(rawValue: snapshot.flags.rawValue & 0x00ff_ffff)
        let leaves = flags.contains(.reachable) && !flags.contains(.connectionRequired)
        interfaceIndex = leaves ? snapshot.interface?.index ?? 0 : 0
        addresses = snapshot.addresses
        resolution = snapshot.resolution
    }
}
