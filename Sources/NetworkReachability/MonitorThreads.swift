// SPDX-License-Identifier: MIT

internal import Cepoll

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Two threads that wait for a descriptor until this is let go of.
///
/// One of them works when it is readable, and then calls the user's closure itself if there is just one
/// to call. That may take for ever: the other one waits meanwhile, and works without calling.
///
/// Handing the call over to a thread of libdispatch would take a fifth of the time from a change to it.
struct MonitorThreads: ~Copyable {
    /// The threads have the other end, which is hung up when this is closed.
    private let end: CInt

    /// Calls `work` whenever `descriptor` is readable, one call after the other.
    ///
    /// The threads let go of `work` when they end, after a call that may be running. The descriptor may be
    /// closed before.
    init(
        waitingFor descriptor: CInt, keeping kept: KeptCall,
        working work: @escaping @Sendable (inout Courier) -> Void
    ) throws(Errno) {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, socketType, 0, &ends) == 0 else { throw .current }
        do throws(Errno) {
            let waiter = try Waiter(
                descriptor: descriptor, end: ends[1], kept: kept, work: work)
            for _ in 0..<2 { try waiter.start() }
        } catch {
            hangUp(ends[0])
            throw error
        }
        end = ends[0]
    }

    deinit { hangUp(end) }
}

private func hangUp(_ end: CInt) {
    // A process that was forked may have it open still.
    shutdown(end, CInt(SHUT_RDWR))
    close(end)
}

// SOCK_STREAM | SOCK_CLOEXEC, EPOLLIN, EPOLLONESHOT, EPOLL_CLOEXEC: the C libraries import them as
// different types.
private let socketType: CInt = 1 | O_CLOEXEC
private let readable: UInt32 = 1
private let once: UInt32 = 1 << 30

/// What the threads own.
private final class Waiter: Sendable {
    private let descriptor: CInt
    private let end: CInt
    private let set: CInt
    private let kept: KeptCall
    private let work: @Sendable (inout Courier) -> Void

    init(
        descriptor: CInt, end: CInt, kept: KeptCall,
        work: @escaping @Sendable (inout Courier) -> Void
    ) throws(Errno) {
        self.descriptor = descriptor
        self.end = end
        self.kept = kept
        self.work = work
        set = epoll_create1(O_CLOEXEC)
        guard set >= 0 else { throw .current }
        try control(EPOLL_CTL_ADD, end, readable)
        try control(EPOLL_CTL_ADD, descriptor, readable | once)
    }

    deinit {
        close(end)
        if set >= 0 { close(set) }
    }

    private func control(_ operation: CInt, _ of: CInt, _ events: UInt32) throws(Errno) {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: of))
        guard unsafe epoll_ctl(set, operation, of, &event) == 0 else { throw .current }
    }

    func start() throws(Errno) {
        // Signals are for the program's own threads, but for those that tell of a thread's own doing, as
        // in libdispatch's.
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
        let own = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = unsafe pthread_create(
            &thread, nil,
            { own in
                if let own = unsafe own {
                    unsafe Unmanaged<Waiter>.fromOpaque(own).takeRetainedValue().run()
                }
                return nil
            }, own.toOpaque())
        guard error == 0 else {
            unsafe own.release()
            throw Errno(rawValue: error)
        }
        pthread_detach(thread)
    }

    private func run() {
        var event = unsafe epoll_event()
        while true {
            guard unsafe epoll_wait(set, &event, 1, -1) > 0 else { continue }
            if unsafe event.data.fd == end { return }
            var courier = Courier(kept, isCaller: true)
            work(&courier)
            // From here on the other thread may be working. The descriptor is gone after the end.
            try? control(EPOLL_CTL_MOD, descriptor, readable | once)
            if courier.hasKept { kept.call() }
        }
    }
}
