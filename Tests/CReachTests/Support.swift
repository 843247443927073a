// SPDX-License-Identifier: MIT

/// Random numbers that are the same in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A function of the snprintf() kind: a buffer and its size in, the length of the whole text out.
typealias Form = (UnsafeMutablePointer<CChar>?, Int) -> Int

/// The result of a function of the snprintf() kind.
struct Written {
    /// The text up to its NUL; nil if there is no NUL within the given size.
    let text: String?
    /// The length it returned.
    let length: Int
    /// Whether the bytes beyond the given size are unchanged.
    let contained: Bool

    init(size: Int, _ body: Form) {
        let mark: CChar = 0x55
        var buffer = [CChar](repeating: mark, count: size + 8)
        length = unsafe buffer.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress, size) }
        contained = buffer[size...].allSatisfy { $0 == mark }
        text = buffer[..<size].firstIndex(of: 0).map { end in
            String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}

/// The text in a C array, up to its NUL.
func text<Array>(of array: Array) -> String {
    unsafe withUnsafeBytes(of: array) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// Copies a text into a C array, cut so that a NUL is left.
func set<Array>(_ array: inout Array, to text: String) {
    unsafe withUnsafeMutableBytes(of: &array) { bytes in
        for index in bytes.indices {
            unsafe bytes[index] = 0
        }
        for (index, byte) in text.utf8.prefix(bytes.count - 1).enumerated() {
            unsafe bytes[index] = byte
        }
    }
}
