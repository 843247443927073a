// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

@Suite("Interfaces")
struct InterfaceTests {
    private static func interface(
        _ index: UInt32, kind: String? = nil, master: UInt32? = nil, address: String = "192.0.2.7",
        isUsable: Bool = true, _ interfaceClass: NetworkInterfaceClass = .wiredEthernet
    ) throws -> NetworkInterface {
        let own = try NetworkInterface.Address(
            address: NetworkAddress(address), prefixLength: 24, isUsable: true)
        return NetworkInterface(
            index: index, name: "eth\(index)", kind: kind, interfaceClass: interfaceClass,
            state: isUsable ? NetworkInterfaceState(rawValue: 0x27) : .up, masterIndex: master,
            addresses: [own])
    }

    @Test("A usable interface with an own address can be an exit, unless it's a port of a bridge")
    func exits() throws {
        let all = try [
            Self.interface(1, .loopback), Self.interface(2),
            Self.interface(3, isUsable: false), Self.interface(4, address: "fe80::7"),
            Self.interface(5, kind: "bridge"), Self.interface(6, master: 5),
            Self.interface(7, kind: "vrf"), Self.interface(8, master: 7),
        ]
        #expect(all.filter { $0.canBeExit(among: all) }.map(\.index) == [2, 5, 7, 8])
    }

    @Test("An interface without an own address can be an exit while it carries packets")
    func unnumbered() throws {
        let all = try [
            Self.interface(1, .loopback), Self.interface(2, address: "fe80::7"),
            Self.interface(3, address: "fe80::8"),
        ]
        func exits(over index: UInt32) -> [UInt32] {
            all.filter { $0.canBeExit(among: all, used: [index]) }.map(\.index)
        }
        #expect(exits(over: 2) == [2] && exits(over: 3) == [3] && exits(over: 1) == [])
    }
}
