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

/// The text of a C character array, to its NUL or its end; bytes that aren't UTF-8 become U+FFFD.
package func cText(of array: some BitwiseCopyable) -> String {
    unsafe withUnsafeBytes(of: array) { unsafe cText($0) }
}

/// The text of a buffer of bytes, to its NUL or its end.
@unsafe
package func cText(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
