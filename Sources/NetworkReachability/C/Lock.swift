// SPDX-License-Identifier: MIT

internal import ReachLibc

/// A value with a mutex that also works in a child of fork().
///
/// `Mutex` of the standard library is a futex (FUTEX_LOCK_PI) that stores the id of the thread that owns it.
/// Each thread caches its id. The only thread of a forked child has a new id, but still caches the old one, so
/// the first contention ends the child with "Unknown error occurred while attempting to acquire a Mutex" (Swift
/// 6.3).
@safe
package final class Lock<Value: ~Copyable>: Sendable {
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// On the heap of its own: each access to a stored property would check for exclusivity, which the mutex ensures.
    private nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Calls `body` with the lock held; `body` must not call or release objects of the application.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}
