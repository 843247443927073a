// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachabilityConnectivity
import SystemServices

extension CommonOptions {
    /// Whether to ask NetworkManager, which names only interfaces of this namespace.
    var asksNetworkManager: Bool { netns == nil }

    /// What NetworkManager knows about interfaces, if it answers within one second.
    func facts() -> [InterfaceFacts] {
        asksNetworkManager ? NetworkManager.shared.firstState()?.facts ?? [] : []
    }
}
