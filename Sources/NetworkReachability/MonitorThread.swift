// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A thread that waits for a descriptor until this is let go of.
///
/// A read source of libdispatch costs a change one thread more on its way, libdispatch's own before the
/// handler's.
struct MonitorThread: ~Copyable {
    /// The thread has the other end, which is hung up when this is closed.
    private let end: CInt

    /// Calls `body` whenever `descriptor` is readable.
    ///
    /// The thread lets go of `body` when it ends, after a call that may be running; until then the
    /// descriptor must stay open.
    init(
        waitingFor descriptor: CInt, calling body: @escaping @Sendable () -> Void
    ) throws(Errno) {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, socketType, 0, &ends) == 0 else { throw .current }
        do throws(Errno) {
            try Work(descriptor: descriptor, end: ends[1], body: body).start()
        } catch {
            close(ends[0])
            throw error
        }
        end = ends[0]
    }

    deinit {
        // A process that was forked may have it open still.
        shutdown(end, CInt(SHUT_RDWR))
        close(end)
    }
}

// SOCK_STREAM | SOCK_CLOEXEC, which the C libraries import as different types.
private let socketType: CInt = 1 | O_CLOEXEC

/// What the thread owns.
private final class Work: Sendable {
    private let descriptor: CInt
    private let end: CInt
    private let body: @Sendable () -> Void

    init(descriptor: CInt, end: CInt, body: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.end = end
        self.body = body
    }

    deinit { close(end) }

    func start() throws(Errno) {
        // Signals are for the program's own threads.
        var all = sigset_t()
        var old = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
        let own = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = unsafe pthread_create(
            &thread, nil,
            { own in
                if let own = unsafe own {
                    unsafe Unmanaged<Work>.fromOpaque(own).takeRetainedValue().run()
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
        var entries = [
            pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard unsafe poll(&entries, 2, -1) > 0 else { continue }
            if entries[0].revents != 0 { return }
            body()
        }
    }
}
