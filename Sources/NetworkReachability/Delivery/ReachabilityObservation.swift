// SPDX-License-Identifier: MIT

/// A handle for a property observer, like `NSKeyValueObservation`: ``invalidate()`` or releasing the
/// handle removes the observer.
///
///     let observation = manager.observe(\.isReachable, options: [.initial, .new]) { _, change in
///         print(change.newValue == true ? "online" : "offline")
///     }
///     // When you no longer need it:
///     observation.invalidate()
public final class ReachabilityObservation: Sendable {
    private let remove: @Sendable () -> Void

    /// - Parameter remove: Removes the observer; called at least once.
    package init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit {
        invalidate()
    }

    /// Removes the observer and releases its closure.
    ///
    /// If you call it on the observer's queue, no call follows. If you call it elsewhere, one call may still be
    /// running or about to run. You can call it from any thread, and more than once.
    public func invalidate() {
        remove()
    }
}

/// A change of an observed property, like `NSKeyValueObservedChange`.
///
///     observation = manager.observe(\.flags, options: [.old, .new]) { _, change in
///         print("from \(change.oldValue ?? []) to \(change.newValue ?? [])")
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

/// The closure of an observation, and the changes that it receives.
package final class ObservationHandler<Root, Value: Sendable>: Sendable {
    package typealias Body = @Sendable (Root, ReachabilityObservedChange<Value>) -> Void

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Held {
        /// Nil after invalidate(), which breaks the cycle of a closure that holds its own observation.
        var body: Body?
    }

    package let options: ReachabilityObservingOptions
    private let held: Lock<Held>

    package init(_ options: ReachabilityObservingOptions, _ body: @escaping Body) {
        self.options = options
        held = Lock(Held(body: body))
    }

    package func invalidate() {
        _ = held.withLock { $0.body.take() }
    }

    /// Calls the closure with the values that the options select, unless ``invalidate()`` was called.
    package func call(_ root: Root, new: Value?, old: Value?, isPrior: Bool = false) {
        guard let body = held.withLock({ $0 }).body else { return }
        let change = ReachabilityObservedChange(
            newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? old : nil, isPrior: isPrior)
        body(root, change)
    }
}
