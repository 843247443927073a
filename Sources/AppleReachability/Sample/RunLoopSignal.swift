// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Foundation

/// A source of one run loop, in the default mode, that any thread may fire.
///
/// Firing more than once before the run loop gets to it counts as one. While it is not invalidated it keeps
/// the run loop from ending for lack of sources; a run loop that has ended is harmless.
///
/// It may be the last to know a run loop of a thread that has ended, which lets go of what is of the user's:
/// let go of it outside every lock.
final class RunLoopSignal: Sendable {
    // Core Foundation lets any thread signal a source and wake a run loop.
    private nonisolated(unsafe) let source: CFRunLoopSource?
    private nonisolated(unsafe) let loop: CFRunLoop?

    /// Adds a source to the current thread's run loop.
    ///
    /// - Parameter perform: Called on that thread, while its run loop runs.
    init(perform: @escaping @Sendable () -> Void) {
        let target = PerformTarget(perform: perform)
        var context = unsafe CFRunLoopSourceContext()
        // CoreFoundation takes its own reference with `retain` and gives it back with `release`.
        unsafe context.info = Unmanaged.passUnretained(target).toOpaque()
        unsafe context.retain = { info in
            guard let info = unsafe info else { return nil }
            _ = unsafe Unmanaged<PerformTarget>.fromOpaque(info).retain()
            return unsafe info
        }
        unsafe context.release = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<PerformTarget>.fromOpaque(info).release()
        }
        unsafe context.perform = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<PerformTarget>.fromOpaque(info).takeUnretainedValue().perform()
        }
        unsafe source = CFRunLoopSourceCreate(nil, 0, &context)
        unsafe loop = CFRunLoopGetCurrent()
        unsafe CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
        withExtendedLifetime(target) {}
    }

    deinit {
        invalidate()
    }

    /// Whether this is a source of the current thread's run loop.
    var isOnCurrentRunLoop: Bool {
        unsafe loop === CFRunLoopGetCurrent()
    }

    func fire() {
        unsafe CFRunLoopSourceSignal(source)
        unsafe CFRunLoopWakeUp(loop)
    }

    /// Removes the source; may be called while it performs.
    func invalidate() {
        unsafe CFRunLoopSourceInvalidate(source)
    }
}

/// What a source's context points to.
private final class PerformTarget: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
