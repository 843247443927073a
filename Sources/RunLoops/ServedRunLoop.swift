// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
internal import Dispatch
internal import Foundation

/// The run loops that may serve a client's source, so that it is served as on Apple's systems.
///
/// After `dispatch_main`, which an `async` main function calls, any thread may serve the main queue. There,
/// `CFRunLoopGetCurrent()` returns that thread's run loop, which rarely runs. The client means the main run
/// loop.
package struct ServedRunLoop {
    private static let mainQueueKey: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) != nil }

    /// The run loop that the client means.
    package let loop: CFRunLoop
    /// The current thread's run loop, if it stands for the main one: the client may run it nonetheless.
    package let current: CFRunLoop?

    /// Takes the run loop that a client passes, on the client's thread.
    package init(_ loop: CFRunLoop) {
        if Self.isOnMainQueue, loop === CFRunLoopGetCurrent(), let main = CFRunLoopGetMain(),
            main !== loop
        {
            self.loop = main
            current = loop
        } else {
            self.loop = loop
            current = nil
        }
    }
}
