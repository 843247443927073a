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
