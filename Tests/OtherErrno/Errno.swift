// SPDX-License-Identifier: MIT

/// A type with the same name as one of swift-system and of other packages.
public struct Errno: RawRepresentable, Error, Hashable, Sendable {
    /// The number.
    public let rawValue: CInt

    /// Wraps a number.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }
}
