// SPDX-License-Identifier: MIT

@_implementationOnly import Cepoll

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Starts a detached thread that calls `body`.
func startThread(_ body: @escaping @Sendable () -> Void) throws(ReachabilityErrno) {
    // All signals are blocked, as in the threads of libdispatch, except those that the thread itself
    // causes: the application handles signals on its own threads.
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
    let start = unsafe Unmanaged.passRetained(Start(run: body))
    var thread = pthread_t()
    let error = unsafe pthread_create(
        &thread, nil,
        { start in
            if let start = unsafe start {
                unsafe set_thread_name("reach-monitor")
                unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run()
            }
            return nil
        }, start.toOpaque())
    guard error == 0 else {
        unsafe start.release()
        throw ReachabilityErrno(rawValue: error)
    }
    pthread_detach(thread)
}

/// The closure that a thread runs, as an object for `pthread_create()`.
private final class Start: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
