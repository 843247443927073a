// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachLibc

/// The newest value of another thread, and a descriptor that is readable while it has not been taken.
final class Inbox<Value: Sendable>: Sendable {
    private let latest = Lock<Value?>(nil)
    private let wakeup: TimerDescriptor

    init() throws(Failure) {
        do throws(ReachabilityErrno) {
            wakeup = try TimerDescriptor()
        } catch {
            throw .system("cannot open a timer", error.rawValue)
        }
    }

    /// Can be called from any thread.
    func put(_ value: Value) {
        latest.withLock { $0 = value }
        wakeup.expire()
    }

    var polled: pollfd { pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0) }

    /// The value, if there has been one since the last call.
    func take() -> Value? {
        wakeup.take()
        return latest.withLock { $0.take() }
    }
}
