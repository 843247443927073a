// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import Testing

@Suite("Interface classes") struct ClassifyTests {
    /// Evidence from sysfs about a device without a kind, and the class that follows.
    struct Device: Sendable {
        var devtype = ""
        var driver = ""
        var wireless = false
        var type = TestLink.ethernet
        let name: String
    }

    /// Links, and the expected class for each index.
    struct Layers: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let links: [TestLink]
        let wanted: [UInt32: String]
    }

    private func classes(of links: [TestLink], evidence: [UInt32: Device] = [:]) throws
        -> [UInt32: String]
    {
        let driver = try EngineDriver(recording: links.map(\.message))
        try driver.settle()
        try driver.giveEvidence { index in
            evidence[index].map { device in
                Evidence(
                    devtype: device.devtype, driver: device.driver, isWireless: device.wireless)
            }
        }
        return try driver.interfaces().reduce(into: [:]) { classes, interface in
            classes[interface.index] = className(interface.interface_class)
        }
    }

    @Test(
        "Without sysfs, the kind and the hardware type determine the class",
        arguments: [
            ("", 1, "wiredEthernet"), ("", 772, "loopback"), ("", 519, "cellular"),
            ("", 530, "cellular"), ("", 512, "ppp"), ("", 803, "other"), ("", 65534, "other"),
            ("tun", 1, "virtual"), ("tun", 65534, "vpn"), ("tun", 512, "vpn"),
            ("wireguard", 65534, "vpn"), ("ipip", 768, "vpn"), ("sit", 776, "vpn"),
            ("gre", 778, "vpn"), ("gretap", 1, "vpn"), ("erspan", 1, "vpn"),
            ("ip6gre", 823, "vpn"), ("ip6gretap", 1, "vpn"), ("ip6erspan", 1, "vpn"),
            ("ip6tnl", 769, "vpn"), ("vti", 768, "vpn"), ("vti6", 769, "vpn"),
            ("xfrm", 65534, "vpn"), ("l2tp", 1, "vpn"), ("l2tpeth", 1, "vpn"),
            ("ovpn", 65534, "vpn"), ("wwan", 65534, "cellular"), ("rmnet", 519, "cellular"),
            ("ppp", 512, "ppp"), ("dsa", 1, "wiredEthernet"), ("vrf", 1, "virtual"),
            ("veth", 1, "virtual"), ("dummy", 1, "virtual"), ("ifb", 1, "virtual"),
            ("netkit", 1, "virtual"), ("vxlan", 1, "virtual"), ("geneve", 1, "virtual"),
            ("bridge", 1, "virtual"), ("bond", 1, "virtual"), ("team", 1, "virtual"),
            ("vlan", 1, "virtual"), ("nlmon", 824, "other"), ("neverheardof", 1, "virtual"),
            ("neverheardof", 280, "other"), ("wireguar", 1, "virtual"),
            ("wireguardian", 1, "virtual"),
        ] as [(String, UInt16, String)])
    func kinds(kind: String, type: UInt16, name: String) throws {
        let found = try classes(of: [TestLink(index: 1, kind: kind, type: type)])
        #expect(found == [1: name])
    }

    @Test("A link with the loopback flag has the class loopback")
    func loopback() throws {
        let link = TestLink(index: 1, type: TestLink.none, flags: TestLink.loopback)
        #expect(try classes(of: [link]) == [1: "loopback"])
    }

    @Test(
        "A capture link is neither usable nor dormant",
        arguments: [801, 802, 803, 824, 826] as [UInt16])
    func capture(type: UInt16) throws {
        /// UP, RUNNING, and LOWER_UP (enum reach_interface_state), then DORMANT instead of RUNNING.
        for (flags, state) in [(TestLink.usable, 0b0_0111), (0x30001, 0b0_0101)]
            as [(UInt32, UInt32)]
        {
            let driver = try EngineDriver(
                recording: [TestLink(index: 1, type: type, flags: flags).message])
            try driver.settle()
            #expect(try driver.interfaces().map(\.state) == [state])
        }
    }

    @Test(
        "For a device without a kind, sysfs determines the class",
        arguments: [
            Device(devtype: "wlan", name: "wifi"),
            Device(wireless: true, name: "wifi"),
            Device(devtype: "wlan", wireless: true, type: 803, name: "other"),
            Device(devtype: "wlan", type: 801, name: "other"),
            Device(devtype: "wwan", driver: "cdc_ether", name: "cellular"),
            Device(devtype: "gadget", name: "wiredEthernet"),
            Device(devtype: "dsa", name: "wiredEthernet"),
            Device(devtype: "bluetooth", name: "other"),
            Device(devtype: "neverheardof", name: "wiredEthernet"),
            Device(driver: "e1000e", name: "wiredEthernet"),
            Device(driver: "rndis_host", name: "wiredEthernet"),
            Device(driver: "qmi_wwan", type: TestLink.none, name: "cellular"),
            Device(driver: "cdc_mbim", name: "cellular"),
            Device(driver: "huawei_cdc_ncm", name: "cellular"),
            Device(driver: "sierra_net", name: "cellular"),
            Device(driver: "mhi_net", name: "cellular"),
            Device(driver: "iosm", name: "cellular"),
            Device(driver: "mtk_t7xx", name: "cellular"),
            Device(driver: "hso", type: TestLink.none, name: "cellular"),
            Device(
                devtype: String(repeating: "w", count: 31),
                driver: String(repeating: "q", count: 31), name: "wiredEthernet"),
        ])
    func evidence(device: Device) throws {
        let found = try classes(of: [TestLink(index: 1, type: device.type)], evidence: [1: device])
        #expect(found == [1: device.name])
    }

    @Test("A kind takes precedence over sysfs")
    func kindFirst() throws {
        let found = try classes(
            of: [TestLink(index: 1, kind: "wireguard", type: TestLink.none)],
            evidence: [1: Device(devtype: "wwan", driver: "hso", wireless: true, name: "")])
        #expect(found == [1: "vpn"])
    }

    /// Link 1 is a network card, 2 Wi-Fi, 3 a modem, 4 a tunnel.
    private static func real(_ change: (inout [TestLink]) -> Void) -> [TestLink] {
        var links = [
            TestLink(index: 1), TestLink(index: 2),
            TestLink(index: 3, kind: "wwan", type: TestLink.none),
            TestLink(index: 4, kind: "tun", type: TestLink.none),
        ]
        change(&links)
        return links
    }

    static let layers: [Layers] = [
        Layers(
            testDescription: "what is above a link has its class",
            links: real { _ in }
                + ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"].enumerated().map {
                    TestLink(index: 10 + UInt32($0), kind: $1, lower: 2)
                },
            wanted: Dictionary(uniqueKeysWithValues: (10..<16).map { ($0, "wifi") })),
        Layers(
            testDescription: "a lower link elsewhere, unknown or itself proves nothing",
            links: real { _ in } + [
                TestLink(index: 10, kind: "macvlan", lower: 1, lowerNamespace: 0),
                TestLink(index: 11, kind: "macvlan", lower: 99),
                TestLink(index: 12, kind: "macvlan", lower: 12),
                TestLink(index: 13, kind: "macvlan"),
            ],
            wanted: [10: "virtual", 11: "virtual", 12: "virtual", 13: "virtual"]),
        Layers(
            testDescription: "of ports that are all down the best counts",
            links: real { links in
                for index in links.indices {
                    links[index].master = 10
                }
            } + [
                TestLink(index: 10, kind: "bridge"), TestLink(index: 11, kind: "vlan", lower: 10),
            ],
            wanted: [10: "wiredEthernet", 11: "wiredEthernet"]),
        Layers(
            testDescription: "usable ports count before others",
            links: real { links in
                links[0].master = 10
                links[1].master = 10
                links[1].flags = TestLink.usable
                links[2].master = 11
                links[3].master = 11
            } + [TestLink(index: 10, kind: "bridge"), TestLink(index: 11, kind: "team")],
            wanted: [10: "wifi", 11: "cellular"]),
        Layers(
            testDescription: "the active port of a bond counts before a backup",
            links: real { links in
                for (index, backup) in [true, false].enumerated() {
                    links[index].master = 10
                    links[index].flags = TestLink.usable
                    links[index].backup = backup
                }
            } + [TestLink(index: 10, kind: "bond")],
            wanted: [10: "wifi"]),
        Layers(
            testDescription: "a usable backup counts before an active port that is down",
            links: real { links in
                links[0].master = 10
                links[0].backup = false
                links[1].master = 10
                links[1].backup = true
                links[1].flags = TestLink.usable
            } + [TestLink(index: 10, kind: "bond")],
            wanted: [10: "wifi"]),
        Layers(
            testDescription: "backups alone are all there is",
            links: real { links in
                for index in 0..<2 {
                    links[index].master = 10
                    links[index].backup = true
                }
            } + [TestLink(index: 10, kind: "bond")],
            wanted: [10: "wiredEthernet"]),
        Layers(
            testDescription: "only virtual ports make it virtual",
            links: [
                TestLink(index: 1, kind: "veth", flags: TestLink.usable, master: 10),
                TestLink(index: 2, kind: "tun", master: 10), TestLink(index: 10, kind: "bridge"),
            ],
            wanted: [10: "virtual"]),
        Layers(
            testDescription: "a port of a VRF does not make it real",
            links: [TestLink(index: 1, master: 10), TestLink(index: 10, kind: "vrf")],
            wanted: [1: "wiredEthernet", 10: "virtual"]),
        Layers(
            testDescription: "layers side by side are not layers on top of each other",
            links: real { _ in } + [TestLink(index: 30, kind: "bridge")]
                + (40..<60).map { TestLink(index: $0, kind: "vlan", master: 30, lower: 4) }
                + [TestLink(index: 60, kind: "vlan", master: 30, lower: 2)],
            wanted: [30: "wifi", 40: "vpn"]),
        Layers(
            testDescription: "eight layers are seen through, more the kernel does not have",
            links: [TestLink(index: 1)]
                + (2...20).map { TestLink(index: $0, kind: "vlan", lower: $0 - 1) },
            wanted: [2: "wiredEthernet", 9: "wiredEthernet", 10: "virtual", 20: "virtual"]),
    ]

    @Test("A layered link has the class of the link that carries its traffic", arguments: layers)
    func layered(layers: Layers) throws {
        let found = try classes(
            of: layers.links, evidence: [2: Device(devtype: "wlan", name: "wifi")])
        for (index, name) in layers.wanted {
            #expect(found[index] == name, "link \(index)")
        }
    }

    @Test("Classification ends even if links form cycles", .timeLimit(.minutes(10)))
    func cycles() throws {
        let kinds = ["bridge", "vlan", "bond", "team", "macvlan"]
        let links = (1...400).map { index in
            TestLink(
                index: index, kind: kinds[Int(index) % kinds.count], master: 1 + index % 7,
                lower: 1 + index % 11)
        }
        let found = try classes(of: links)
        #expect(found.count == 400)
        #expect(found.values.allSatisfy { $0 == "virtual" })
    }
}

/// The name of a class as the library gives it.
func className(_ value: UInt32) -> String? {
    unsafe reach_interface_class_name(value).map { unsafe String(cString: $0) }
}
