// SPDX-License-Identifier: MIT

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
        guard let body = held.withLock({ $0.body }) else { return }
        let change = ReachabilityObservedChange(
            newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? old : nil, isPrior: isPrior)
        body(root, change)
    }
}
