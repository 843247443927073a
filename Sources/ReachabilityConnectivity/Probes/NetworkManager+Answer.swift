// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import SystemServices

extension NetworkManager {
    /// The first known state, as the result of a probe.
    func answer(
        _ snapshot: ReachabilitySnapshot, _ family: NetworkAddress.Family?
    ) async -> ProbeAnswer {
        for await state in states where state.availability != .starting {
            return ProbeAnswer(state, ofInterface: snapshot.interface?.name, family)
        }
        return ProbeAnswer(.unknown, failure: .cancelled)
    }
}

extension ProbeAnswer {
    /// NetworkManager's connectivity of an interface.
    init(
        _ state: NetworkManagerState, ofInterface name: String?, _ family: NetworkAddress.Family?
    ) {
        switch state.availability {
        case .starting: self.init(.unknown)
        case .noDaemon: self.init("NetworkManager does not run")
        case .unavailable(let error): self.init(error.description, error.errno)
        case .available where !state.checksConnectivity:
            self.init(
                "NetworkManager does not check; set 'uri' of [connectivity] in NetworkManager.conf")
        case .available:
            switch state.connectivity(ofInterface: name, family: family) {
            case .full: self.init(.full)
            case .limited: self.init(.limited)
            case .portal: self.init(.portal(url: state.checkURI))
            case .unknown: self.init(.unknown)
            // NetworkManager reports no network, but the kernel has a route.
            case .noNetwork: self.init("NetworkManager does not manage the interface")
            }
        }
    }

    /// The result if NetworkManager doesn't answer: nothing is known about the network.
    static func silentNetworkManager(_ time: Duration) -> ProbeAnswer {
        ProbeAnswer("NetworkManager has not answered within \(time)")
    }

    private init(_ description: String, _ errno: ReachabilityErrno? = nil) {
        self.init(
            .unknown,
            failure: ConnectivityFailure(.noNetworkManager, errno: errno, description))
    }
}
