// SPDX-License-Identifier: MIT
import Foundation

/// The files recorded on real machines, and the tables made from them.
enum Recording {
    struct Missing: Error {
        let name: String
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        let file = Bundle.module.resourceURL?.appendingPathComponent("Vectors/\(name)")
        guard let file, let data = try? Data(contentsOf: file) else { throw Missing(name: name) }
        return [UInt8](data)
    }

    /// The lines of a text file, without the empty one at the end.
    static func lines(_ name: String) throws -> [String] {
        try String(decoding: bytes(name), as: UTF8.self)
            .split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The datagrams of a `.dump` or `.events` file, each preceded by its length (u32, little endian).
    static func datagrams(_ name: String) throws -> [[UInt8]] {
        var rest = try bytes(name)[...]
        var datagrams: [[UInt8]] = []
        while rest.count >= 4 {
            let length = Int(rest.word(at: 0))
            rest = rest.dropFirst(4)
            guard length <= rest.count else { throw Missing(name: "\(name): cut datagram") }
            datagrams.append([UInt8](rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return datagrams
    }
}

extension Collection<UInt8> {
    /// The little-endian u32 at an offset, which must be in range.
    func word(at offset: Int) -> UInt32 {
        dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The little-endian u16 at an offset, which must be in range.
    func half(at offset: Int) -> UInt16 {
        dropFirst(offset).prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }
}

extension Array<UInt8> {
    mutating func append(word: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
        }
    }

    mutating func replace(wordAt offset: Int, with word: UInt32) {
        for byte in 0..<4 {
            self[offset + byte] = UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))
        }
    }
}
