// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import CoreFoundation
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A version 0 `CFRunLoopSource`, which any thread may signal.
///
/// After `dispatch_main`, which an `async` main function calls on Linux (`swift_task_asyncMainDrainQueue`), the
/// main run loop never runs again. The main queue then serves a source that is in the main run loop's default
/// mode or in its common modes. `perform` may be called with nothing to do.
///
/// Signals that come before the run loop serves the source count as one. A source keeps its run loops from
/// ending for lack of sources, and may hold the last reference to the run loop of a thread that has
/// ended: release it with no lock held.
package final class RunLoopSource: Sendable {
    // Core Foundation's run loops and sources may be used on any thread.
    private nonisolated(unsafe) let source: CFRunLoopSource
    private let action: Action
    /// The number of modes in which the main queue may serve the source.
    ///
    /// Core Foundation can't tell: it adds nothing to the main run loop once the main thread has exited.
    private let mainModes = Atomic(0)
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
        if isServedByMainQueue(loop, mode) {
            mainModes.add(1, ordering: .relaxed)
            // The main thread has exited. Core Foundation would say so on standard error.
            if MainQueue.isCurrent, !Thread.isMainThread { return }
        }
        unsafe CFRunLoopAddSource(loop, source, mode)
    }

    package func remove(from loop: CFRunLoop, _ mode: CFRunLoopMode?) {
        unsafe CFRunLoopRemoveSource(loop, source, mode)
        if isServedByMainQueue(loop, mode) { mainModes.subtract(1, ordering: .relaxed) }
    }

    /// Lets one of `loops` call `perform`, whichever serves the source first.
    ///
    /// If the main thread has exited, the main queue does so instead of the main run loop.
    package func signal(_ loops: [CFRunLoop]) {
        unsafe CFRunLoopSourceSignal(source)
        for loop in loops { CFRunLoopWakeUp(loop) }
        if mainModes.load(ordering: .relaxed) > 0 { signalMainQueue() }
    }

    /// Removes the source from all run loops; may be called while it performs.
    package func invalidate() {
        unsafe CFRunLoopSourceInvalidate(source)
        mainModes.store(0, ordering: .relaxed)
    }

    private func isServedByMainQueue(_ loop: CFRunLoop, _ mode: CFRunLoopMode?) -> Bool {
        guard let mode, loop === CFRunLoopGetMain() else { return false }
        return [kCFRunLoopDefaultMode, kCFRunLoopCommonModes].contains { CFEqual($0, mode) }
    }

    private func signalMainQueue() {
        guard !isOnMainQueue.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.main.async { [weak self] in self?.serveOnMainQueue() }
    }

    private func serveOnMainQueue() {
        // An exchange, which sees all that was written before the signal that found `true`.
        _ = isOnMainQueue.exchange(false, ordering: .acquiringAndReleasing)
        // While the main thread lives, only its run loop runs the main queue, and serves the source in its mode.
        guard !Thread.isMainThread else { return }
        // As an operation: NotificationCenter waits for the main queue if `OperationQueue.current` is another. An
        // operation takes as many instructions as a change and its call, so the main thread gets none.
        OperationQueue.main.addOperation { [weak self] in
            guard let self, mainModes.load(ordering: .relaxed) > 0 else { return }
            action.perform()
        }
    }
}

/// The object that the context of a source points to.
private final class Action: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
