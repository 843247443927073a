// SPDX-License-Identifier: MIT

/// An invented link, and the RTM_NEWLINK message that announces it.
struct TestLink: Sendable {
    /// UP, RUNNING and LOWER_UP of linux/if.h.
    static let usable: UInt32 = 0x10041
    static let loopback: UInt32 = 0x8
    static let ethernet: UInt16 = 1
    static let none: UInt16 = 65534

    var index: UInt32
    var kind = ""
    /// ARPHRD_* of linux/if_arp.h.
    var type = ethernet
    var flags: UInt32 = 0
    var master: UInt32?
    var lower: UInt32?
    /// The ID of the namespace that has `lower`, if it is another one.
    var lowerNamespace: UInt32?
    /// Whether it is the backup port of a bond (true) or the active one; nil if it is not a port.
    var backup: Bool?

    /// The hardware address; empty for none.
    var address: [UInt8] = []
    /// "linkINDEX" if nil.
    var name: String?

    var message: [UInt8] {
        var body: [UInt8] = []
        body.append(word: UInt32(type) << 16)
        body.append(word: index)
        body.append(word: flags)
        body.append(word: 0)
        body += Self.attribute(3, (name ?? "link\(index)").utf8 + [0])
        body += Self.attribute(16, [0])
        if !address.isEmpty {
            body += Self.attribute(1, address)
        }
        for case (let type, let value?) in [
            (10, master), (5, lower), (37, lowerNamespace),
        ] as [(UInt16, UInt32?)] {
            body += Self.attribute(type, Self.bytes(value))
        }
        var info: [UInt8] = []
        if !kind.isEmpty {
            info += Self.attribute(1, kind.utf8 + [0])
        }
        if let backup {
            info += Self.attribute(4, "bond".utf8 + [0])
            info += Self.attribute(5, Self.attribute(1, [backup ? 1 : 0]))
        }
        if !info.isEmpty {
            body += Self.attribute(18, info)
        }
        return Self.header(type: 16, length: body.count) + body
    }

    private static func header(type: UInt16, length: Int) -> [UInt8] {
        var header: [UInt8] = []
        header.append(word: UInt32(16 + length))
        header.append(word: UInt32(type) | 2 << 16)
        header.append(word: 0)
        header.append(word: 0)
        return header
    }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: word)
        return bytes
    }

    private static func attribute(_ type: UInt16, _ content: [UInt8]) -> [UInt8] {
        var bytes = bytes(UInt32(4 + content.count) | UInt32(type) << 16)
        bytes += content
        return bytes + Array(repeating: 0, count: (4 - content.count % 4) % 4)
    }
}
