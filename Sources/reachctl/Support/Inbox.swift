// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachLibc

/// The newest value from another thread, and a descriptor that is readable until you take it.
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

    /// Replaces the value; any thread may call this.
    func put(_ value: Value) {
        latest.withLock { $0 = value }
        wakeup.expire()
    }

    var polled: pollfd { pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0) }

    /// Takes the value; nil if there is none since the last call.
    func take() -> Value? {
        wakeup.take()
        return latest.withLock { $0.take() }
    }
}
