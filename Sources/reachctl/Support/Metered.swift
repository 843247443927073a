// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachabilityConnectivity
import SystemServices

extension CommonOptions {
    /// Whether NetworkManager is asked: its names of interfaces are those of this namespace.
    var asksNetworkManager: Bool { netns == nil }

    /// The interfaces that NetworkManager knows to be metered or not; it has a second to answer.
    func meteredInterfaces() -> MeteredInterfaces {
        guard asksNetworkManager else { return MeteredInterfaces() }
        return NetworkManager.shared.firstState()?.meteredInterfaces ?? MeteredInterfaces()
    }
}

/// The latest snapshots of targets, with what NetworkManager told last.
struct MeteredSnapshots {
    private var latest: [ReachabilitySnapshot?]
    private var metered = MeteredInterfaces()

    /// Of so many targets.
    init(_ count: Int) {
        latest = Array(repeating: nil, count: count)
    }

    /// The snapshot of the kernel's answer.
    mutating func take(_ snapshot: ReachabilitySnapshot, of position: Int) -> ReachabilitySnapshot {
        let new = snapshot.changed(by: metered) ?? snapshot
        latest[position] = new
        return new
    }

    /// The snapshots that NetworkManager's state changes.
    mutating func take(
        _ network: NetworkManagerState
    ) -> [(position: Int, snapshot: ReachabilitySnapshot)] {
        metered = network.meteredInterfaces
        return latest.enumerated().compactMap { position, snapshot in
            guard let new = snapshot?.changed(by: metered) else { return nil }
            latest[position] = new
            return (position, new)
        }
    }
}
