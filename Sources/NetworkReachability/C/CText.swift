// SPDX-License-Identifier: MIT

/// The text that a C function with the contract of `snprintf()` writes into a buffer of `capacity`
/// bytes, NUL included.
@unsafe
func text(
    capacity: Int, _ write: (UnsafeMutablePointer<CChar>?, Int) -> Int
) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
        let length = unsafe min(write(buffer.baseAddress, capacity), capacity - 1)
        let bytes = unsafe UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer)[..<length])
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

/// The text of a NUL-terminated character array inside a C struct.
func text<Tuple: BitwiseCopyable>(of array: Tuple) -> String {
    unsafe withUnsafeBytes(of: array) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
