// SPDX-License-Identifier: MIT
import CSystemBus
import NetworkReachability
import Testing

@testable import SystemServices

@Suite("Values of NetworkManager")
struct ValueTests {
    @Test("yes and guess-yes are metered, no and guess-no are not, and unknown is neither")
    func metered() {
        let all: [(NetworkManagerMetered, Bool?, String)] = [
            (.unknown, nil, "unknown"), (.yes, true, "yes"), (.no, false, "no"),
            (.guessYes, true, "guess-yes"), (.guessNo, false, "guess-no"),
        ]
        for (value, isMetered, name) in all {
            #expect(value.isMetered == isMetered && value.description == name)
        }
        #expect(all.map(\.0) == NetworkManagerMetered.allCases)
    }

    @Test("Values of devices are facts by name, and those of the default route of tunnels")
    func names() {
        // The core lets a metered entry win over others of its name.
        func device(_ id: String, _ metered: NetworkManagerMetered) -> NetworkManagerDevice {
            NetworkManagerDevice(
                id: id, interface: id.first.map(String.init) ?? "", metered: metered)
        }
        let state = NetworkManagerState(
            availability: .available,
            devices: [
                device("a1", .no), device("a2", .guessYes), device("a3", .guessNo),
                device("b1", .unknown), device("b2", .guessNo), device("c1", .unknown),
                device("d1", .no), device("d2", .guessNo), device("", .yes),
            ])
        #expect(
            bytes(state.facts)
                == bytes(
                    [("a", false), ("a", true), ("d", false)].map {
                        InterfaceFacts(name: $0, isMetered: $1)
                    }))
        #expect(
            bytes(NetworkManagerState(availability: .available, metered: .guessYes).facts)
                == bytes([InterfaceFacts(name: "", isMetered: true)]))
    }

    @Test("The connectivity is that of the interface and family, else of the machine")
    func connectivity() {
        let state = NetworkManagerState(
            availability: .available, connectivity: .full,
            devices: [
                NetworkManagerDevice(
                    id: "1", interface: "wlan0", ipv4Connectivity: .portal,
                    ipv6Connectivity: .limited),
                NetworkManagerDevice(id: "2", interface: "eth0", ipv4Connectivity: .noNetwork),
            ])
        func level(_ name: String?, _ family: NetworkAddress.Family?) -> NetworkManagerConnectivity
        {
            state.connectivity(ofInterface: name, family: family)
        }
        #expect(level("wlan0", .ipv4) == .portal && level("wlan0", .ipv6) == .limited)
        #expect(level("wlan0", nil) == .limited)
        #expect(level("eth0", .ipv4) == NetworkManagerConnectivity.noNetwork)
        #expect(level("eth0", .ipv6) == .full && level("tun0", .ipv4) == .full)
        #expect(level(nil, nil) == .full)
    }

    @Test("Numbers that a later version may add are unknown")
    func later() {
        var told = network_manager_state()
        told.metered = 99
        told.connectivity = 99
        var device = network_manager_device()
        device.metered = 77
        device.connectivity = (5, .max)
        device.state = 101
        let state = NetworkManagerState(told, .available, [NetworkManagerDevice(device)])
        #expect(state.metered == .unknown && state.connectivity == .unknown)
        #expect(state.devices == [NetworkManagerDevice(id: "", interface: "", isActivated: false)])
        #expect(state.checkURI == nil && !state.checksConnectivity)
    }

    @Test("Errors name the cause or the remedy")
    func errors() {
        for (error, words) in [
            (
                ReachabilityError.missingLibrary(.noSuchFile, isStatic: false),
                "apt-get install libsystemd0"
            ),
            (.missingLibrary(.noSuchFile, isStatic: true), "dynamically"),
            (.noBus(.noSuchFile), "system_bus_socket"),
            (.refused(by: .networkManager, .permissionDenied), "org.freedesktop.NetworkManager"),
            (.outOfResources(.networkManager, .outOfMemory), "limits"),
        ] {
            #expect(error.description.contains(words))
        }
    }
}

/// The entries without padding, as the core compares them.
private func bytes(_ facts: [InterfaceFacts?]) -> [[UInt8]] {
    facts.compactMap(\.self).map { unsafe withUnsafeBytes(of: $0) { unsafe Array($0) } }
}
