// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import Cepoll
internal import ReachLibc

/// Starts a detached thread that calls `body`.
///
/// - Parameters:
///   - name: The name of the thread; the kernel keeps at most 15 bytes.
///   - body: What the thread runs.
/// - Throws: The error of `pthread_create()`.
package func startThread(
    named name: String = "reach-monitor", _ body: @escaping @Sendable () -> Void
) throws(ReachabilityErrno) {
    // The application handles signals on its own threads. As in the threads of libdispatch, all signals are
    // blocked except those that the thread itself causes.
    var others = sigset_t()
    var old = sigset_t()
    unsafe sigfillset(&others)
    for signal in [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGSYS, SIGPROF,
    ] {
        unsafe sigdelset(&others, signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &others, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    let start = unsafe Unmanaged.passRetained(Start(name: name, run: body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
        &thread, nil,
        { start in
            // It may end before its creator could detach it. ThreadSanitizer reports such a thread at exit().
            pthread_detach(pthread_self())
            if let start = unsafe start {
                let start = unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
                unsafe set_thread_name(start.name)
                start.run()
            }
            return nil
        }, start.toOpaque())
    guard error == 0 else {
        unsafe start.release()
        throw ReachabilityErrno(rawValue: error)
    }
}

/// The closure that a thread runs, as an object for `pthread_create()`.
private final class Start: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}
#endif
