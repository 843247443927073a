// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
@unsafe @preconcurrency internal import Dispatch
internal import Foundation
internal import NetworkReachability

package enum MainQueue {
    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// Whether the main queue runs the caller, on whatever thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    /// The run loop that a client means by one that it passes, so that it is served as on Apple's systems.
    ///
    /// Call it on the client's thread. After `dispatch_main`, which an `async` main function calls, any thread may
    /// serve the main queue. There, `CFRunLoopGetCurrent()` returns that thread's run loop, which rarely runs. The client
    /// means the main run loop.
    package static func runLoop(meantBy loop: CFRunLoop) -> CFRunLoop {
        guard isCurrent, loop === CFRunLoopGetCurrent() else { return loop }
        return CFRunLoopGetMain() ?? loop
    }

    /// Calls a closure on the main thread or queue: at once if this is one of them, else later.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        guard !Thread.isMainThread, !isCurrent else { return body() }
        DispatchQueue.main.async(execute: body)
    }

    /// Calls a closure that ends with a notification, at once unless that would block the main queue for ever.
    ///
    /// NotificationCenter waits for an observer's queue if `OperationQueue.current` is another one. After
    /// `dispatch_main`, this is so on the main queue, outside of an operation: with an observer on
    /// `OperationQueue.main`, the queue would wait for itself. There, an operation calls the closure later, in the order
    /// of the calls. What precedes the notification belongs in the closure: a later call could overtake it otherwise.
    package static func post(_ notification: @escaping @Sendable () -> Void) {
        let isServedByThread = isCurrent && !Thread.isMainThread
        if isServedByThread, OperationQueue.current !== OperationQueue.main {
            let hold = Delivery.hold()
            OperationQueue.main.addOperation {
                withExtendedLifetime(hold) { notification() }
            }
        } else {
            notification()
        }
    }
}
