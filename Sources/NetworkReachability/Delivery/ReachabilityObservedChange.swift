// SPDX-License-Identifier: MIT

/// A change of an observed property, like `NSKeyValueObservedChange`.
///
///     observation = manager.observe(\.flags, options: [.old, .new]) { _, change in
///         print("from \(change.oldValue?.words ?? "") to \(change.newValue?.words ?? "")")
///     }
public struct ReachabilityObservedChange<Value: Sendable>: Sendable {
    /// The value after the change, or the current value in the initial call; nil without
    /// ``ReachabilityObservingOptions/new``, and in the call before a change.
    public let newValue: Value?

    /// The value before the change; nil without ``ReachabilityObservingOptions/old``, and in
    /// the initial call.
    public let oldValue: Value?

    /// Whether this is the first of the two calls for one change
    /// (``ReachabilityObservingOptions/prior``).
    public let isPrior: Bool

    package init(newValue: Value?, oldValue: Value?, isPrior: Bool) {
        self.newValue = newValue
        self.oldValue = oldValue
        self.isPrior = isPrior
    }
}
