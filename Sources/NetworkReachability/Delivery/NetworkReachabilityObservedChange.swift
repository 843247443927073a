// SPDX-License-Identifier: MIT

/// What an observer of a property is told, as `NSKeyValueObservedChange` has it.
public struct NetworkReachabilityObservedChange<Value: Sendable>: Sendable {
    /// The value after the change, or the current one if it is the initial call; nil without
    /// ``NetworkReachabilityObservingOptions/new``, and in the call prior to a change.
    public let newValue: Value?

    /// The value before the change; nil without ``NetworkReachabilityObservingOptions/old``, and in
    /// the initial call.
    public let oldValue: Value?

    /// Whether it is the first of the two calls for one change.
    public let isPrior: Bool

    package init(newValue: Value?, oldValue: Value?, isPrior: Bool) {
        self.newValue = newValue
        self.oldValue = oldValue
        self.isPrior = isPrior
    }
}
