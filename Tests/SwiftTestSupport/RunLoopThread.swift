// SPDX-License-Identifier: MIT

package import CoreFoundation
package import Dispatch
import Foundation
import Synchronization

/// A thread that runs its run loop in the default mode until end() is called.
package final class RunLoopThread: Sendable {
    // CFRunLoop is not Sendable, although any thread may wake a run loop.
    private let loop: UInt
    private let ended = Recorder<Bool>()

    package init() {
        let started = DispatchSemaphore(value: 0)
        let address = Mutex<UInt>(0)
        let ended = ended
        Thread.detachNewThread {
            // A run loop without a source ends at once.
            var context = unsafe CFRunLoopSourceContext()
            unsafe context.perform = { _ in }
            let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
            address.withLock { address in
                guard let loop = CFRunLoopGetCurrent() else { return }
                address = unsafe UInt(bitPattern: Unmanaged.passRetained(loop).toOpaque())
            }
            started.signal()
            CFRunLoopRun()
            CFRunLoopSourceInvalidate(source)
            ended.record(true)
        }
        started.wait()
        loop = address.withLock { $0 }
    }

    deinit {
        if let pointer = unsafe UnsafeRawPointer(bitPattern: loop) {
            unsafe Unmanaged<CFRunLoop>.fromOpaque(pointer).release()
        }
    }

    /// The thread's run loop, for calls about it from other threads.
    package var runLoop: CFRunLoop {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: loop) else {
            preconditionFailure("a thread has a run loop")
        }
        return unsafe Unmanaged<CFRunLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `body` on the thread, in the default mode, and waits for it.
    @discardableResult
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value = {}
    ) async -> Value {
        await withCheckedContinuation { continuation in
            post { continuation.resume(returning: body()) }
        }
    }

    /// Returns when each source that was signalled before the call has been performed.
    ///
    /// A run loop runs its blocks before its sources: the second block runs after the sources of the first one's turn.
    package func settle() async {
        await perform()
        await perform()
    }

    /// Schedules `body` on the thread, in the default mode.
    package func post(_ body: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(runLoop, kCFRunLoopDefaultMode, body)
        CFRunLoopWakeUp(runLoop)
    }

    /// Keeps the thread busy until `gate` is signalled, and runs `body` in the same turn of the run loop.
    ///
    /// Returns when the thread is busy: a source signalled from then on waits for both.
    package func hold(
        _ gate: DispatchSemaphore, then body: @escaping @Sendable () -> Void = {}
    ) async {
        await withCheckedContinuation { continuation in
            post {
                continuation.resume()
                gate.wait()
                body()
            }
        }
    }

    /// Ends the thread.
    package func end() async {
        await perform { CFRunLoopStop(CFRunLoopGetCurrent()) }
        _ = await ended.next()
    }
}
