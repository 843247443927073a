// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
internal import Foundation

/// A version 0 `CFRunLoopSource`, which any thread may signal.
///
/// Signals that come before the run loop serves the source count as one. A source keeps its run loops from
/// ending for lack of sources, and may hold the last reference to the run loop of a thread that has
/// ended: release it with no lock held.
package final class RunLoopSource: Sendable {
    // Core Foundation's run loops and sources may be used on any thread.
    private nonisolated(unsafe) let source: CFRunLoopSource

    /// Creates a source that is on no run loop yet; nil if memory ran out.
    ///
    /// - Parameter perform: Called after a signal, on the thread of a run loop that has the source.
    package init?(perform: @escaping @Sendable () -> Void) {
        let action = Action(perform: perform)
        var context = unsafe CFRunLoopSourceContext()
        // The source takes its own reference with `retain`, and drops it with `release`.
        unsafe context.info = Unmanaged.passUnretained(action).toOpaque()
        unsafe context.retain = { info in
            if let info = unsafe info { _ = unsafe Unmanaged<Action>.fromOpaque(info).retain() }
            return unsafe info
        }
        unsafe context.release = { info in
            if let info = unsafe info { unsafe Unmanaged<Action>.fromOpaque(info).release() }
        }
        unsafe context.perform = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<Action>.fromOpaque(info).takeUnretainedValue().perform()
        }
        let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
        withExtendedLifetime(action) {}
        guard let source else { return nil }
        unsafe self.source = source
    }

    deinit {
        invalidate()
    }

    package func add(to loop: CFRunLoop, _ mode: CFRunLoopMode?) {
        unsafe CFRunLoopAddSource(loop, source, mode)
    }

    package func remove(from loop: CFRunLoop, _ mode: CFRunLoopMode?) {
        unsafe CFRunLoopRemoveSource(loop, source, mode)
    }

    /// Makes the first of `loops` that serves the source call `perform`.
    package func signal(_ loops: [CFRunLoop]) {
        unsafe CFRunLoopSourceSignal(source)
        for loop in loops { CFRunLoopWakeUp(loop) }
    }

    /// Removes the source from all run loops; may be called while it performs.
    package func invalidate() {
        unsafe CFRunLoopSourceInvalidate(source)
    }
}

/// The object that the context of a source points to.
private final class Action: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
