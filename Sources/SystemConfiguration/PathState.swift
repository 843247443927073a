// SPDX-License-Identifier: MIT

internal import CReach

/// What is known of a target at one moment.
struct PathState {
    var flags: SCNetworkReachabilityFlags
    /// Interface a packet leaves by; 0 while none does, so that what happens meanwhile is no change.
    var interfaceIndex: UInt32
    /// What a name resolved to.
    var addresses: [reach_address] = []
    /// Whether an answer about a name is awaited.
    var isResolving = false
    /// Why nothing is known any more, or 0.
    var error: Int32 = 0

    /// The final answer of a name that has no address.
    static let unresolved = PathState(flags: [], interfaceIndex: 0)

    /// What is left after the watcher failed.
    static func unknown(after error: StatusError) -> PathState {
        PathState(flags: [], interfaceIndex: 0, error: error.status)
    }

    /// SCNetworkReachability's idea of a change: also the interface alone, or the number of addresses.
    func differs(from other: PathState) -> Bool {
        flags != other.flags || interfaceIndex != other.interfaceIndex
            || addresses.count != other.addresses.count || error != other.error
    }
}

extension PathState {
    init(_ state: reach_state) {
        // The upper byte is private to SCNetworkReachability.
        flags = SCNetworkReachabilityFlags(rawValue: state.flags & 0x00ff_ffff)
        let leaves = flags.contains(.reachable) && !flags.contains(.connectionRequired)
        interfaceIndex = leaves ? state.interface_index : 0
        isResolving = state.resolution == reach_resolution.REACH_RESOLUTION_PENDING.rawValue
        let count = min(Int(state.address_count), Int(REACH_ADDRESSES_MAX))
        addresses = unsafe withUnsafeBytes(of: state.addresses) { bytes in
            unsafe bytes.withMemoryRebound(to: reach_address.self) {
                unsafe Array($0.prefix(count))
            }
        }
    }
}
