// SPDX-License-Identifier: MIT

/// Finds the first awaited value, or the first one that stayed awaited for some time.
package final class AwaitedValue<Value: Sendable>: Sendable {
    private let isAwaited: @Sendable (Value) -> Bool
    private let found: @Sendable (Value) -> Void
    /// Passes awaited values on once they have lasted; nil if they need not last.
    private let stabilizer: Stabilizer<Value?>?

    /// - Parameters:
    ///   - time: How long values must satisfy `isAwaited` without interruption; zero or less for no time.
    ///   - isAwaited: Returns whether a value is awaited.
    ///   - found: Called with an awaited value; if `time` isn't zero, with the latest one at the end of that time.
    package init(
        stable time: Duration, where isAwaited: @escaping @Sendable (Value) -> Bool,
        found: @escaping @Sendable (Value) -> Void
    ) {
        self.isAwaited = isAwaited
        self.found = found
        guard time > .zero else {
            stabilizer = nil
            return
        }
        stabilizer = Stabilizer(for: time, after: .some(nil)) { last, new in
            (last == nil) == (new == nil)
        } _: { value in
            if let value { found(value) }
        }
    }

    package func look(at value: Value) {
        let isAwaited = isAwaited(value)
        if let stabilizer {
            stabilizer.take(isAwaited ? value : nil)
        } else if isAwaited {
            found(value)
        }
    }
}
