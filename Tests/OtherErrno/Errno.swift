// SPDX-License-Identifier: MIT

/// Has the name of a type of swift-system and of other packages.
public struct Errno: RawRepresentable, Error, Hashable, Sendable {
    /// The number.
    public let rawValue: CInt

    /// Wraps a number.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }
}
