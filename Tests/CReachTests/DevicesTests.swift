// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import Foundation
import Testing

/// The members of a line of debian-6.1-devices.jsonl that classification needs.
struct RecordedDevice: Decodable, Sendable {
    struct Sysfs: Decodable, Sendable {
        let uevent: [String]
        let driver: String?
        let phy: String?
        let wireless: Bool

        enum CodingKeys: String, CodingKey {
            case uevent
            case driver = "device/driver"
            case phy = "phy80211"
            case wireless = "wireless_dir"
        }
    }

    let index: UInt32
    let name: String
    let sysfs: Sysfs

    enum CodingKeys: String, CodingKey {
        case index = "idx"
        case name = "IFNAME"
        case sysfs = "sys"
    }

    var evidence: Evidence {
        let key = "DEVTYPE="
        let line = sysfs.uevent.first { $0.hasPrefix(key) }
        return Evidence(
            devtype: line.map { String($0.dropFirst(key.count)) } ?? "",
            driver: sysfs.driver ?? "", isWireless: sysfs.wireless || sysfs.phy != nil)
    }

    static func all() throws -> [RecordedDevice] {
        try Recording.lines("debian-6.1-devices.jsonl").map {
            try JSONDecoder().decode(RecordedDevice.self, from: Data($0.utf8))
        }
    }
}

@Suite("Devices of a Debian machine with Linux 6.1") struct DevicesTests {
    /// The class of each of the 45 devices.
    static let classes: [String: String] = [
        "lo": "loopback",
        "wlan0": "wifi", "wlan1": "wifi", "p2p0": "wifi",
        "mon0": "other", "hwsim0": "other", "nlmon0": "other",
        "wwan0": "cellular", "wwan1": "cellular", "wwanlink2": "cellular", "wwan2": "cellular",
        "eth0": "wiredEthernet",
        "usb0": "wiredEthernet", "usb1": "wiredEthernet", "usb2": "wiredEthernet",
        "usb3": "wiredEthernet", "usb4": "wiredEthernet", "usb5": "wiredEthernet",
        "usb6": "wiredEthernet",
        "wg0": "vpn", "tunl0": "vpn", "ipip1": "vpn", "gre0": "vpn", "gretap0": "vpn",
        "erspan0": "vpn", "gre1": "vpn", "gretap1": "vpn", "sit0": "vpn", "sit1": "vpn",
        "xfrm0": "vpn", "tun0": "vpn",
        "ppp0": "ppp",
        "dummy0": "virtual", "vrf0": "virtual", "dummy0.5": "virtual", "veth0": "virtual",
        "veth1": "virtual", "br0": "virtual", "bond0": "virtual", "macvlan0": "virtual",
        "ifb0": "virtual", "vxlan0": "virtual", "geneve0": "virtual", "team0": "virtual",
        "tap0": "virtual",
    ]

    /// The classes without sysfs, where Wi-Fi and USB modems look like network cards.
    static let classesWithoutSysfs = classes.merging([
        "wlan0": "wiredEthernet", "wlan1": "wiredEthernet", "p2p0": "wiredEthernet",
        "wwan2": "wiredEthernet",
    ]) { $1 }

    /// The devices whose class depends on sysfs.
    static let devicesOfSysfs: Set<String> = [
        "wlan0", "wlan1", "hwsim0", "eth0", "nlmon0", "usb0", "usb1", "usb2", "usb3", "usb4",
        "usb5", "usb6", "wwan2", "p2p0", "mon0",
    ]

    private func driver() throws -> EngineDriver {
        let driver = try EngineDriver(
            recording: Recording.datagrams("debian-6.1-devices.dump"))
        try driver.settle()
        return driver
    }

    private func classes(_ driver: borrowing EngineDriver) throws -> [String: String] {
        try driver.interfaces().reduce(into: [:]) { classes, interface in
            classes[text(of: interface.name)] = className(interface.interface_class)
        }
    }

    @Test("With evidence from sysfs, every device has its class")
    func withSysfs() throws {
        let devices = try RecordedDevice.all()
        #expect(devices.count == 45)
        let driver = try driver()
        var asked: [UInt32] = []
        try driver.giveEvidence { index in
            asked.append(index)
            return devices.first { $0.index == index }?.evidence
        }
        // For the others, netlink is enough.
        let names = devices.filter { asked.contains($0.index) }.map(\.name)
        #expect(Set(asked).count == asked.count)
        #expect(Set(names) == Self.devicesOfSysfs)
        #expect(try classes(driver) == Self.classes)
    }

    @Test("Netlink alone determines every class except those of Wi-Fi and USB modems")
    func withoutSysfs() throws {
        let driver = try driver()
        #expect(try classes(driver) == Self.classesWithoutSysfs)
        try driver.giveEvidence { _ in nil }
        #expect(try classes(driver) == Self.classesWithoutSysfs)
    }

    @Test("Each class has a name, and an unknown class has the name other")
    func names() {
        let names = (0..<8).map { className($0) }
        #expect(
            names == [
                "other", "loopback", "wiredEthernet", "wifi", "cellular", "vpn", "ppp", "virtual",
            ])
        #expect(className(8) == "other")
        #expect(className(.max) == "other")
    }
}
