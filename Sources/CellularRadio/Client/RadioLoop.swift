// SPDX-License-Identifier: MIT

@_implementationOnly import Cepoll
internal import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The thread of the D-Bus client, and the subscribers that it calls with changes.
///
/// It is not the loop of the monitors: whatever the bus does, they are not delayed. The thread starts with
/// the first subscriber and ends some time after the last. It makes all calls of subscribers, in order and
/// with no lock held.
final class RadioLoop: Sendable {
    /// Identifies a subscriber by its address.
    final class Identity: Sendable {}

    private struct Subscriber: Sendable {
        let identity: Identity
        let call: @Sendable (CellularRadioState) -> Void
        var hasCurrent = false
    }

    private struct State: Sendable {
        var subscribers: [ObjectIdentifier: Subscriber] = [:]
        /// Of the running thread; `starting` without one.
        var latest = CellularRadioState.starting
        var isRunning = false
        /// A timer whose expiry wakes the thread; -1 before the first thread, then until the end.
        var wakeup: CInt = -1
        /// When the thread ends (CLOCK_MONOTONIC, milliseconds), while there is no subscriber.
        var end: Int64?
    }

    private let process = getpid()
    private let options: CellularRadioOptions
    private let state = Lock(State())
    /// Subscribers that feed verdicts.
    let feeds = ReachabilityFeeds()

    init(_ options: CellularRadioOptions) {
        self.options = options
    }

    deinit {
        let wakeup = state.withLock { $0.wakeup }
        if wakeup >= 0 { close(wakeup) }
    }

    /// False in a child of fork() for the loop of its parent.
    var isOfThisProcess: Bool {
        process == getpid()
    }

    /// Calls `call` on the thread with the current state once it is known, and then with every change.
    func subscribe(
        _ identity: Identity, _ call: @escaping @Sendable (CellularRadioState) -> Void
    ) {
        let failure = state.withLock { state -> CellularRadioError? in
            state.subscribers[ObjectIdentifier(identity)] = Subscriber(
                identity: identity, call: call)
            state.end = nil
            guard !state.isRunning else { return nil }
            do throws(ReachabilityErrno) {
                if state.wakeup < 0 {
                    state.wakeup = timerfd_create(CLOCK_MONOTONIC, O_CLOEXEC | O_NONBLOCK)
                }
                guard state.wakeup >= 0 else { throw .tooManyOpenFiles }
                try startThread(named: "reach-radio") { self.run() }
                state.isRunning = true
                return nil
            } catch {
                return .outOfResources(error)
            }
        }
        wake()
        if let failure { call(CellularRadioState(availability: .unavailable(failure))) }
    }

    func unsubscribe(_ identity: Identity) {
        let removed = state.withLock { state in
            state.subscribers.removeValue(forKey: ObjectIdentifier(identity))
        }
        withExtendedLifetime(removed) {}
        wake()
    }

    /// The state of the running thread; nil if there is none, or no answer yet.
    var latest: CellularRadioState? {
        let latest = state.withLock { $0.latest }
        return latest == .starting ? nil : latest
    }

    private func wake() {
        let wakeup = state.withLock { $0.wakeup }
        // The past: it expires at once.
        var time = itimerspec()
        time.it_value.tv_nsec = 1
        _ = unsafe timerfd_settime(wakeup, timerAbsolute, &time, nil)
    }

    // MARK: Thread

    private func run() {
        while true {
            do throws(ReachabilityErrno) {
                let client = try ModemManagerClient(options)
                watch(client)
                return
            } catch {
                guard
                    publish(
                        CellularRadioState(availability: .unavailable(.outOfResources(error))))
                else { return }
                wait(for: (-1, 0), milliseconds: 1000)
            }
        }
    }

    private func watch(_ client: borrowing ModemManagerClient) {
        var new: CellularRadioState?
        while publish(new) {
            wait(for: client.polled, milliseconds: client.timeout)
            new = client.dispatch() ? client.state : nil
        }
    }

    private func wait(
        for polled: (descriptor: CInt, events: Int16), milliseconds: CInt
    ) {
        let (end, wakeup) = state.withLock { state in (state.end, state.wakeup) }
        var timeout = milliseconds
        if let end {
            let rest = CInt(clamping: max(0, end - monotonicMilliseconds()))
            timeout = timeout < 0 ? rest : min(timeout, rest)
        }
        var descriptors = [
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
            pollfd(fd: polled.descriptor, events: polled.events, revents: 0),
        ]
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
        var expirations: UInt64 = 0
        _ = unsafe read(wakeup, &expirations, MemoryLayout.size(ofValue: expirations))
    }

    /// Calls the subscribers that do not have the state yet; false if the thread is to end.
    private func publish(_ new: CellularRadioState?) -> Bool {
        let (calls, latest, isOver) = state.withLock { state in
            let hasChanged = new.map { $0 != state.latest } ?? false
            if let new { state.latest = new }
            var calls: [Subscriber] = []
            if state.latest != .starting {
                for (key, subscriber) in state.subscribers
                where hasChanged || !subscriber.hasCurrent {
                    calls.append(subscriber)
                    state.subscribers[key]?.hasCurrent = true
                }
            }
            return (calls, state.latest, endIfUnused(&state))
        }
        for subscriber in calls { subscriber.call(latest) }
        return !isOver
    }

    private func endIfUnused(_ state: inout State) -> Bool {
        guard state.subscribers.isEmpty else { return false }
        let now = monotonicMilliseconds()
        let end = state.end ?? now + options.linger
        state.end = end
        guard now >= end else { return false }
        state.end = nil
        state.isRunning = false
        state.latest = .starting
        return true
    }
}

// TFD_TIMER_ABSTIME, which Glibc and Musl import as different types.
private let timerAbsolute: CInt = 1

private func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
