// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch

/// A closure of the application that need not be `Sendable`, like the blocks of both families on Apple's
/// systems.
///
/// A work item of libdispatch carries it from the thread that sets it to the thread that calls it. `@Sendable`,
/// `@MainActor`, and `sending` each refuse a closure that the families take: that of a class on the main
/// actor, or that of a class that isn't `Sendable`.
final class Block<Argument: Sendable>: Sendable {
    /// Of calls that are about to begin; a work item takes no argument.
    private let arguments = Lock<[Argument]>([])
    private let item: DispatchWorkItem

    init(_ body: @escaping (Argument) -> Void) {
        item = DispatchWorkItem { [arguments] in
            if let argument = arguments.withLock({ $0.popLast() }) { body(argument) }
        }
    }

    /// Calls the closure on the current thread.
    func call(_ argument: Argument) {
        arguments.withLock { $0.append(argument) }
        item.perform()
    }
}
