// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Foundation
internal import Synchronization

/// A source of one run loop, in the default mode, that any thread may fire.
///
/// Firing more than once before the run loop gets to it counts as one. While it is not invalidated it keeps
/// the run loop from ending for lack of sources; a run loop that has ended is harmless.
final class RunLoopSignal: Sendable {
    private struct Parts {
        let source: CFRunLoopSource
        let loop: CFRunLoop
    }

    private let parts: Mutex<Parts?>

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
        guard let source = unsafe CFRunLoopSourceCreate(nil, 0, &context),
            let loop = CFRunLoopGetCurrent()
        else {
            parts = Mutex(nil)
            return
        }
        CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
        parts = Mutex(Parts(source: source, loop: loop))
        withExtendedLifetime(target) {}
    }

    deinit {
        invalidate()
    }

    /// Whether this is a source of the current thread's run loop.
    var isOnCurrentRunLoop: Bool {
        parts.withLock { $0.map { $0.loop === CFRunLoopGetCurrent() } ?? false }
    }

    func fire() {
        parts.withLock { parts in
            guard let parts else { return }
            CFRunLoopSourceSignal(parts.source)
            CFRunLoopWakeUp(parts.loop)
        }
    }

    /// Removes the source; may be called while it performs.
    func invalidate() {
        let taken = parts.withLock { $0.take() }
        if let taken { CFRunLoopSourceInvalidate(taken.source) }
    }
}

/// What a source's context points to.
private final class PerformTarget: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
        self.perform = perform
    }
}
