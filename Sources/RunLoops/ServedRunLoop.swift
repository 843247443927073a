// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
internal import Dispatch
internal import Foundation

/// The run loop that serves a client's sources, as on Apple's systems.
package enum ServedRunLoop {
    private static let mainQueueKey: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    /// The run loop of the current thread, or on the main queue the main run loop.
    ///
    /// After `dispatch_main`, which an `async` main function calls, any thread may serve the main queue, and
    /// nobody runs that thread's run loop.
    package static var current: CFRunLoop? {
        let isOnMainQueue = DispatchQueue.getSpecific(key: mainQueueKey) != nil
        return isOnMainQueue ? CFRunLoopGetMain() : CFRunLoopGetCurrent()
    }

    /// Returns ``current`` for `CFRunLoopGetCurrent()`, and any other run loop as it is.
    package static func resolve(_ loop: CFRunLoop) -> CFRunLoop {
        loop === CFRunLoopGetCurrent() ? current ?? loop : loop
    }
}
