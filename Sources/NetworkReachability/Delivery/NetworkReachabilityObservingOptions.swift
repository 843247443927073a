// SPDX-License-Identifier: MIT

/// What an observer of a property wants, as `NSKeyValueObservingOptions` has it, with its values.
public struct NetworkReachabilityObservingOptions: OptionSet, Hashable, Sendable {
    /// The bits, as `NSKeyValueObservingOptions` has them.
    public let rawValue: UInt

    /// Options of these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The new value is given.
    public static let new = NetworkReachabilityObservingOptions(rawValue: 1)

    /// The old value is given.
    public static let old = NetworkReachabilityObservingOptions(rawValue: 2)

    /// The observer is called once at first, without a change.
    public static let initial = NetworkReachabilityObservingOptions(rawValue: 4)

    /// The observer is called twice for a change: prior to it and after it.
    public static let prior = NetworkReachabilityObservingOptions(rawValue: 8)
}
