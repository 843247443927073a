// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import Foundation
// Statuses, flags, targets and errors of NetworkReachability are part of this module's interface.
@_exported public import NetworkReachability

/// A closure of the application that needn't be `Sendable`: a block of AFNetworking or the sample.
///
/// A work item of libdispatch carries it from the thread that sets it to the thread that calls it.
/// `@Sendable`, `@MainActor`, and `sending` each reject closures that these APIs accept on Apple's
/// systems: those of a class on the main actor, or those of a class that isn't `Sendable`.
final class Block<Argument: Sendable>: Sendable {
    /// The arguments of calls that are about to begin: a work item has no parameter.
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
