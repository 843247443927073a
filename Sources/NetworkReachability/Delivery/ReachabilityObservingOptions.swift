// SPDX-License-Identifier: MIT

/// Options of an observer of a property, with the values of `NSKeyValueObservingOptions`.
///
///     observation = manager.observe(\.snapshot, options: [.initial, .new]) { _, change in
///         if let snapshot = change.newValue { print(snapshot) }
///     }
public struct ReachabilityObservingOptions: OptionSet, Hashable, Sendable {
    /// The bits of `NSKeyValueObservingOptions`.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The change has the new value.
    public static let new = ReachabilityObservingOptions(rawValue: 1)

    /// The change has the old value.
    public static let old = ReachabilityObservingOptions(rawValue: 2)

    /// The observer is called once when it is added, with the current value.
    public static let initial = ReachabilityObservingOptions(rawValue: 4)

    /// The observer is called twice for a change, once before and once after it.
    public static let prior = ReachabilityObservingOptions(rawValue: 8)
}
