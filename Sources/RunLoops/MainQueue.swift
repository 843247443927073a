// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import Foundation
internal import NetworkReachability

package enum MainQueue {
    /// Calls a closure on the main thread or queue: at once if this is one of them, else later.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        guard !Thread.isMainThread, !ServedRunLoop.isOnMainQueue else { return body() }
        DispatchQueue.main.async(execute: body)
    }

    /// Calls a closure that ends with a notification, at once unless that would block the main queue for ever.
    ///
    /// NotificationCenter waits for an observer's queue if `OperationQueue.current` is another one. After
    /// `dispatch_main`, this is so on the main queue, outside of an operation: with an observer on
    /// `OperationQueue.main`, the queue would wait for itself. There, an operation calls the closure later, in the order
    /// of the calls. What precedes the notification belongs in the closure: a later call could overtake it otherwise.
    package static func post(_ notification: @escaping @Sendable () -> Void) {
        let isServedByThread = ServedRunLoop.isOnMainQueue && !Thread.isMainThread
        if isServedByThread, OperationQueue.current !== OperationQueue.main {
            let group = Delivery.group
            group?.enter()
            OperationQueue.main.addOperation {
                notification()
                group?.leave()
            }
        } else {
            notification()
        }
    }
}
