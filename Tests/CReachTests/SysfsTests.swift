// SPDX-License-Identifier: MIT
import CReach
import Foundation
import Glibc
import Testing

/// A directory that looks like sysfs for one interface, removed with its owner.
private final class SysfsTree: Sendable {
    let root: String
    let interface: String

    init(interface name: String) throws {
        let base = FileManager.default.temporaryDirectory
        root = base.appendingPathComponent("reach-sysfs-\(UUID().uuidString)").path
        interface = root + "/class/net/" + name
        try FileManager.default.createDirectory(
            atPath: interface, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    func write(_ file: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: interface + "/" + file))
    }

    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: interface + "/" + path, withIntermediateDirectories: true)
    }

    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: interface + "/" + path, withDestinationPath: target)
    }
}

/// A network card of this machine, as netlink alone sees it.
struct Card: Sendable {
    let index: UInt32
    let name: String
    let address: String

    /// Nil where there is none, as in a bare network namespace.
    static let first: Card? = {
        var after: UInt32 = 0
        while let next = try? Sysfs.interface(root: "", where: { $0.index > after }) {
            let name = text(of: next.name)
            let address = try? String(
                contentsOfFile: "/sys/class/net/\(name)/address", encoding: .utf8)
            if className(next.interface_class) == "wiredEthernet", text(of: next.kind).isEmpty,
                let address
            {
                return Card(index: next.index, name: name, address: address)
            }
            after = next.index
        }
        return nil
    }()
}

/// Interfaces as a monitor with a given sysfs reports them.
enum Sysfs {
    struct Failure: Error {
        let call: String
        let result: Int32
    }

    static func interface(root: String, where wanted: (reach_interface) -> Bool) throws
        -> reach_interface?
    {
        try unsafe root.withCString { root in
            var options = unsafe reach_monitor_options()
            unsafe reach_monitor_options_init(&options)
            unsafe options.sysfs_root = root
            unsafe options.etc_root = root
            var opened: OpaquePointer?
            let result = unsafe reach_monitor_open(&opened, &options)
            guard result == 0, let monitor = unsafe opened else {
                throw Failure(call: "reach_monitor_open", result: result)
            }
            defer { unsafe reach_monitor_close(monitor) }
            let dispatched = unsafe reach_monitor_dispatch(monitor)
            guard dispatched >= 0 else {
                throw Failure(call: "reach_monitor_dispatch", result: dispatched)
            }
            var next = reach_interface()
            next.size = MemoryLayout<reach_interface>.size
            while unsafe reach_monitor_interface(monitor, next.index, &next) == 1 {
                if wanted(next) {
                    return next
                }
            }
            return nil
        }
    }
}

@Suite(
    "Sysfs", .enabled(if: Card.first != nil, "needs a network card in this namespace"),
    .timeLimit(.minutes(10)))
struct SysfsTests {
    private let card: Card
    private let tree: SysfsTree

    init() throws {
        card = try #require(Card.first)
        tree = try SysfsTree(interface: card.name)
        try tree.write("ifindex", "\(card.index)\n")
        try tree.write("address", card.address)
    }

    private func found(root: String? = nil) throws -> String? {
        try Sysfs.interface(root: root ?? tree.root) { $0.index == card.index }
            .flatMap { className($0.interface_class) }
    }

    @Test(
        "A known DEVTYPE is found on any line near the start of uevent",
        arguments: [
            ("DEVTYPE=wlan\nINTERFACE=x\nIFINDEX=2\n", "wifi"),
            ("INTERFACE=x\nIFINDEX=2\nDEVTYPE=wwan", "cellular"),
            ("DEVTYPE=bluetooth\n", "other"),
            ("", "wiredEthernet"),
            ("\n\n\n", "wiredEthernet"),
            ("DEVTYPE=", "wiredEthernet"),
            ("XDEVTYPE=wlan\n", "wiredEthernet"),
            ("DEVTYPE=wlanwlanwlanwlanwlanwlanwlanwlanwlan\n", "wiredEthernet"),
            (String(repeating: "x", count: 10_000) + "\nDEVTYPE=wlan\n", "wiredEthernet"),
        ])
    func devtype(uevent: String, name: String) throws {
        try tree.write("uevent", uevent)
        #expect(try found() == name)
    }

    @Test(
        "A driver is recognized by the last component of its link",
        arguments: ["cdc_mbim", "../x/cdc_mbim"])
    func driver(target: String) throws {
        try tree.makeDirectory("device")
        try tree.link("device/driver", to: target)
        #expect(try found() == "cellular")
    }

    @Test("An interface with a wireless directory is Wi-Fi")
    func wireless() throws {
        try tree.makeDirectory("wireless")
        #expect(try found() == "wifi")
    }

    @Test("An interface with a phy80211 link is Wi-Fi, wherever the link leads")
    func radio() throws {
        try tree.link("phy80211", to: "/nowhere")
        #expect(try found() == "wifi")
    }

    @Test(
        "Sysfs is ignored if its index or address is another interface's",
        arguments: [
            ("ifindex", "1\n"), ("ifindex", ""), ("ifindex", "x\n"),
            ("ifindex", String(repeating: "9", count: 10_000)),
            ("address", "02:00:00:00:00:99\n"), ("address", "\n"), ("address", ""),
            ("address", String(repeating: "00:", count: 5_000)),
        ])
    func otherNamespace(file: String, content: String) throws {
        try tree.makeDirectory("wireless")
        #expect(try found() == "wifi")
        try tree.write(file, content)
        #expect(try found() == "wiredEthernet")
    }

    @Test("A FIFO instead of a file does not block")
    func fifo() throws {
        let made = unsafe mkfifo(tree.interface + "/uevent", 0o600)
        #expect(made == 0)
        try tree.makeDirectory("wireless")
        #expect(try found() == "wifi")
    }

    @Test(
        "Without sysfs, a card counts as wired Ethernet", arguments: ["", "/nowhere", "/dev/null"])
    func noSysfs(root: String) throws {
        #expect(try found(root: root) == "wiredEthernet")
    }
}
