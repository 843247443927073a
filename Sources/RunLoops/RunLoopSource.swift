// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A version 0 `CFRunLoopSource`, which any thread may signal.
///
/// An `async` main function runs the main queue but, unlike on Apple's systems, not the main run loop
/// (`swift_task_asyncMainDrainQueue` calls `dispatch_main`). So either of the two serves a source in the
/// default mode of the main run loop, and `perform` may be called with nothing to do.
///
/// Signals that come before the run loop serves the source count as one. A source keeps its run loops from
/// ending for lack of sources, and may hold the last reference to the run loop of a thread that has
/// ended: release it with no lock held.
package final class RunLoopSource: Sendable {
    // Core Foundation's run loops and sources may be used on any thread.
    private nonisolated(unsafe) let source: CFRunLoopSource
    private let action: Action
    /// Whether the main queue has a block for the source.
    ///
    /// One is enough, even if the queue never runs.
    private let isOnMainQueue = Atomic(false)

    /// Creates a source that is on no run loop yet; nil if memory ran out.
    ///
    /// - Parameter perform: Called after a signal, by a run loop that has the source or by the main queue.
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
        guard let source else { return nil }
        self.action = action
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

    /// Lets one of `loops` call `perform`, whichever serves the source first.
    ///
    /// The main queue can do so in place of the main run loop.
    package func signal(_ loops: [CFRunLoop]) {
        unsafe CFRunLoopSourceSignal(source)
        for loop in loops { CFRunLoopWakeUp(loop) }
        if loops.contains(where: { $0 === CFRunLoopGetMain() }) { signalMainQueue() }
    }

    private func signalMainQueue() {
        guard !isOnMainQueue.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.main.async { [weak self] in self?.serveOnMainQueue() }
    }

    private func serveOnMainQueue() {
        isOnMainQueue.store(false, ordering: .releasing)
        // A removed source isn't there; one in another mode waits for that mode.
        if unsafe CFRunLoopContainsSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode) {
            action.perform()
        }
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
