// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A value that one thread at a time may use.
///
/// `Mutex` of the standard library will not do, since it does not outlive fork(): on Linux a thread that
/// waits names the owner to the kernel by an id that each thread looks up once, and in a child the
/// thread that forked has another one. The first two threads of the child that meet end it: "Unknown error
/// occurred while attempting to acquire a Mutex" (Swift 6.3).
@safe
final class Lock<Value: ~Copyable>: Sendable {
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) var value: Value

    init(_ value: consuming sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// The result of `body`, which must neither call nor let go of anything of the user's.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value)
    }
}
