// SPDX-License-Identifier: MIT

/// An rtnetlink message under construction (linux/netlink.h, linux/rtnetlink.h).
struct RouteMessage {
    /// Message types.
    enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let getAddress: UInt16 = 22
        static let newRoute: UInt16 = 24
        static let getRoute: UInt16 = 26
    }

    private(set) var bytes: [UInt8]

    /// Creates a message with the fixed part `body`.
    init(_ kind: UInt16, _ body: [UInt8]) {
        bytes = Self.bytes(of: UInt32(0)) + Self.bytes(of: kind) + [0, 0]
        bytes += [UInt8](repeating: 0, count: 8) + body
        finish()
    }

    /// Appends an attribute, padded to 4 bytes.
    mutating func append(_ attribute: UInt16, _ data: [UInt8]) {
        bytes += Self.bytes(of: UInt16(4 + data.count)) + Self.bytes(of: attribute) + data
        while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
        finish()
    }

    /// The message with the sequence number of `request`, which it answers; `multi` marks it as part of a dump.
    func answering(_ request: [UInt8], multi: Bool = false) -> [UInt8] {
        var answer = bytes
        answer[6] = multi ? 2 : 0
        answer.replaceSubrange(8..<12, with: request[8..<12])
        return answer
    }

    private mutating func finish() {
        bytes.replaceSubrange(0..<4, with: Self.bytes(of: UInt32(bytes.count)))
    }

    /// A number in the machine's byte order.
    static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    /// The number at an offset, in the machine's byte order.
    static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, in bytes: [UInt8], at offset: Int
    )
        -> Number
    {
        unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: type)
        }
    }

    /// The messages of a batch.
    static func split(_ batch: [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while start + 16 <= batch.count {
            let length = Int(number(UInt32.self, in: batch, at: start))
            guard length >= 16, start + length <= batch.count else { break }
            messages.append(Array(batch[start..<start + length]))
            start += (length + 3) & ~3
        }
        return messages
    }

    /// The attributes of a message whose fixed part has `size` bytes.
    static func attributes(of message: [UInt8], after size: Int) -> [UInt16: [UInt8]] {
        var found: [UInt16: [UInt8]] = [:]
        var start = 16 + size
        while start + 4 <= message.count {
            let length = Int(number(UInt16.self, in: message, at: start))
            guard length >= 4, start + length <= message.count else { break }
            found[number(UInt16.self, in: message, at: start + 2)] =
                Array(message[start + 4..<start + length])
            start += (length + 3) & ~3
        }
        return found
    }
}
