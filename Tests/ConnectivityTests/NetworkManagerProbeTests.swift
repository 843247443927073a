// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
import SystemServices
import Testing

@testable import ReachabilityConnectivity

@Suite("NetworkManager's connectivity as the answer of a probe")
struct NetworkManagerProbeTests {
    private func state(
        _ connectivity: NetworkManagerConnectivity, checks: Bool = true,
        _ devices: [NetworkManagerDevice] = []
    ) -> NetworkManagerState {
        NetworkManagerState(
            availability: .available, connectivity: connectivity, checksConnectivity: checks,
            checkURI: "http://check.example/", devices: devices)
    }

    @Test(
        "Each connectivity of NetworkManager has its level",
        arguments: [
            (.full, .full), (.limited, .limited), (.unknown, .unknown), (.noNetwork, .unknown),
            (.portal, .portal(url: "http://check.example/")),
        ] as [(NetworkManagerConnectivity, ConnectivityLevel)])
    func levels(connectivity: NetworkManagerConnectivity, level: ConnectivityLevel) {
        #expect(ProbeAnswer(state(connectivity), ofInterface: "eth0", nil).level == level)
    }

    @Test("The connectivity of the interface and family takes precedence over the machine's")
    func device() {
        let wifi = NetworkManagerDevice(
            id: "/1", interface: "wlan0", ipv4Connectivity: .portal, ipv6Connectivity: .full)
        let state = state(.limited, [wifi])
        func level(_ name: String, _ family: NetworkAddress.Family?) -> ConnectivityLevel {
            ProbeAnswer(state, ofInterface: name, family).level
        }
        #expect(level("wlan0", .ipv6) == .full)
        #expect(level("wlan0", .ipv4) == .portal(url: "http://check.example/"))
        #expect(level("wlan0", nil) == .full && level("eth0", nil) == .limited)
    }

    @Test("If NetworkManager does not check or does not run, the level is unknown")
    func unknown() {
        for state in [state(.full, checks: false), NetworkManagerState(availability: .noDaemon)] {
            let answer = ProbeAnswer(state, ofInterface: "eth0", nil)
            #expect(answer.level == .unknown && answer.failure?.code == .noNetworkManager)
        }
    }

    @Test("Without an answer in time the level is limited, and with NetworkManager unknown")
    func silence() {
        #expect(ConnectivityProbe.custom { _ in .full }.limit?.answer.level == .limited)
        let answer = ConnectivityProbe.networkManager.limit?.answer
        #expect(answer?.level == .unknown && answer?.failure?.code == .noNetworkManager)
    }
}
