// SPDX-License-Identifier: MIT
import Foundation

/// Recordings, and ways to make and break them.
enum Vectors {
    static func url(_ name: String) -> URL {
        repositoryFile("Tests/Vectors/\(name)")
    }

    /// A recording as `rtmon` writes it: without the lengths of its datagrams.
    static func recording(_ name: String) throws -> Data {
        var rest = try Data(contentsOf: url(name))[...]
        var result = Data()
        while rest.count >= 4 {
            let size = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            result += rest.dropFirst(4).prefix(size)
            rest = rest.dropFirst(4 + size)
        }
        return result
    }

    /// One message: the header, then `body` (struct nlmsghdr of linux/netlink.h).
    static func message(type: UInt16, body: Data) -> Data {
        little(UInt32(16 + body.count)) + little(type) + little(UInt16(0)) + little(UInt32(0))
            + little(UInt32(0)) + body
    }

    /// One attribute, padded to four bytes (struct rtattr of linux/rtnetlink.h).
    static func attribute(_ type: UInt16, _ value: Data) -> Data {
        let data = little(UInt16(4 + value.count)) + little(type) + value
        return data + Data(count: (4 - data.count % 4) % 4)
    }

    /// RTM_NEWLINK of interface 7 with this name.
    static func link(name: Data) -> Data {
        let info = little(UInt16(0)) + little(UInt16(1)) + little(UInt32(7)) + Data(count: 8)
        return message(type: 16, body: info + attribute(3, name + Data([0])))
    }

    static func little(_ value: some FixedWidthInteger) -> Data {
        Data((0..<(value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
