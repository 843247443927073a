// SPDX-License-Identifier: MIT

@_implementationOnly import Cepoll
internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The one loop of the process: it waits for all monitors, however many there are, and delivers what they
/// find out.
///
/// Its threads wait in an epoll set that holds another one, the sources, as a one-shot event. The thread
/// that takes the event is the only one at work until it arms the event again. So changes of all monitors
/// and jobs come one after the other, and their deliveries are in order: nothing overtakes.
///
/// If there is just one call to make on a queue, the thread that worked makes it after that, as
/// `DispatchQueue.sync` does: to hand it over to a thread of libdispatch would take a fifth of the
/// time from a change to the call. The call may take for ever; another thread is there to wait and work.
package final class MonitorLoop: Sendable {
    private struct State {
        var threads = 0
        /// What threads are calling; each queue is there once at most.
        var calls: [Call] = []
        /// The only call of this round so far.
        var held: Call?
        /// Whether this round has led to a call.
        var hasCall = false
        var jobs: [@Sendable () -> [Delivery]] = []
        var hubs: [CInt: MonitorHub] = [:]
        /// Hubs that nobody uses, and when they end.
        var unused: [ObjectIdentifier: (hub: MonitorHub, end: UInt64)] = [:]
        /// When the timer is set to.
        var alarm = UInt64.max
    }

    /// The most threads there are, calling and waiting.
    private static let most = 8

    /// The threads that wait while nothing happens, at most.
    private static let idle = 2

    /// The most hubs that nobody uses.
    private static let mostUnused = 4

    /// Each process has its own: a child of fork() has none of its parent's threads, and shares its epoll
    /// sets, which it must leave alone.
    private static let shared = unsafe Atomic<Unmanaged<MonitorLoop>?>(nil)

    private let process = getpid()
    /// Whether it is that of a child of fork(), where libdispatch has no threads: the loop makes all calls
    /// itself then, one after the other.
    private let isInChild: Bool
    /// The epoll set that threads wait in.
    private let waiting: CInt
    /// The epoll set of all monitors and the timer.
    private let sources: CInt
    /// Readable when there are jobs, or a hub is to end.
    private let timer: CInt
    /// The hubs that targets can be added to.
    let hubs = Lock<[MonitorHub.Key: MonitorHub]>([:])
    private let state = Lock(State())

    private init(inChild isInChild: Bool) throws(ReachabilityErrno) {
        self.isInChild = isInChild
        waiting = epoll_create1(O_CLOEXEC)
        sources = epoll_create1(O_CLOEXEC)
        timer = timerfd_create(CLOCK_MONOTONIC, O_CLOEXEC | O_NONBLOCK)
        guard waiting >= 0, sources >= 0, timer >= 0 else { throw .current }
        try controlEpoll(sources, EPOLL_CTL_ADD, timer, epollReadable)
        try controlEpoll(waiting, EPOLL_CTL_ADD, sources, epollReadable | epollOnce)
    }

    deinit {
        for descriptor in [waiting, sources, timer] where descriptor >= 0 { close(descriptor) }
    }

    /// The loop, which begins with the first use in a process and stays.
    static func current() throws(ReachabilityErrno) -> MonitorLoop {
        let known = unsafe shared.load(ordering: .acquiring)
        if let loop = unsafe known?.takeUnretainedValue(), loop.isOfThisProcess { return loop }
        let new = unsafe Unmanaged.passRetained(try MonitorLoop(inChild: known != nil))
        // The parent's stays as it is, for ever.
        let (isFirst, _) = unsafe shared.compareExchange(
            expected: known, desired: new, ordering: .acquiringAndReleasing)
        if !isFirst { unsafe new.release() }
        return try current()
    }

    /// Whether it is not that of the parent of a process that was forked.
    var isOfThisProcess: Bool {
        process == getpid()
    }

    /// Runs a job after all that was found out before, and delivers what it returns.
    ///
    /// Without a loop, for want of descriptors, there is no monitor either, and nothing to be in order with.
    package static func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        do throws(ReachabilityErrno) {
            try current().perform(job)
        } catch {
            // Not here: the caller may hold a lock.
            withoutLoop.async {
                for delivery in job() {
                    switch delivery {
                    case .on(let queue, let body): queue.async(execute: body)
                    case .here(let body): body()
                    }
                }
            }
        }
    }

    private static let withoutLoop = DispatchQueue(label: "NetworkReachability.withoutLoop")

    private func perform(_ job: @escaping @Sendable () -> [Delivery]) throws(ReachabilityErrno) {
        try state.withLock { state throws(ReachabilityErrno) in
            if state.threads == 0 { try start(&state) }
            state.jobs.append(job)
            setTimer(&state, to: 1)
        }
    }

    /// Makes the timer readable at a time of CLOCK_MONOTONIC in nanoseconds, unless it will be before.
    private func setTimer(_ state: inout State, to alarm: UInt64) {
        guard alarm < state.alarm else { return }
        state.alarm = alarm
        var time = itimerspec()
        time.it_value.tv_sec = Int(alarm / 1_000_000_000)
        time.it_value.tv_nsec = Int(alarm % 1_000_000_000)
        unsafe timerfd_settime(timer, timerAbsolute, &time, nil)
    }

    // MARK: Monitors

    /// Lets a hub work whenever its monitor has something to do.
    func add(_ hub: MonitorHub) throws(ReachabilityErrno) {
        try state.withLock { state throws(ReachabilityErrno) in
            if state.threads == 0 { try start(&state) }
            try controlEpoll(sources, EPOLL_CTL_ADD, hub.descriptor, epollReadable)
            state.hubs[hub.descriptor] = hub
        }
    }

    /// Forgets a hub, whose descriptor is still open.
    func remove(_ hub: MonitorHub) {
        state.withLock { state in
            guard state.hubs.removeValue(forKey: hub.descriptor) != nil else { return }
            try? controlEpoll(sources, EPOLL_CTL_DEL, hub.descriptor, 0)
        }
    }

    /// Ends a hub in so many nanoseconds unless it is used again, or before if there are many such hubs.
    func endSoon(_ hub: MonitorHub, after linger: UInt64) {
        state.withLock { state in
            let end = monotonicNanoseconds() + linger
            state.unused[ObjectIdentifier(hub)] = (hub, end)
            setTimer(&state, to: end)
            let kept = state.unused.filter { $0.value.end > 0 }
            guard kept.count > Self.mostUnused,
                let oldest = kept.min(by: { $0.value.end < $1.value.end })?.key
            else { return }
            state.unused[oldest]?.end = 0
            setTimer(&state, to: 1)
        }
    }

    /// Ends all hubs that nobody uses; whether there was one.
    func endUnused() -> Bool {
        let unused = state.withLock { state in
            defer { state.unused = [:] }
            return state.unused.values.map(\.hub)
        }
        for hub in unused { hub.endIfUnused() }
        return !unused.isEmpty
    }

    // MARK: Deliveries

    /// Makes calls, in order; only for what works in the loop, with every lock open.
    func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .on(let queue, let body): put(Call(queue, body))
            case .here(let body): body()
            }
        }
    }

    /// Sends a call to its queue, or holds it if it is the first of this round.
    private func put(_ call: Call) {
        guard !isInChild || call.isOnMainQueue else { return call.makeOnQueue() }
        let due = state.withLock { state -> [Call] in
            // What a thread has not begun yet goes first.
            var due = state.calls.filter { $0.queue === call.queue }
            let mayHold = due.isEmpty && !state.hasCall
            state.hasCall = true
            if let held = state.held.take() { due.append(held) }
            if mayHold && !call.isOnMainQueue { state.held = call } else { due.append(call) }
            return due
        }
        for call in due { call.send() }
    }

    /// Ends a round: the call that the thread is to make, if one is left and a thread stays to wait.
    private func endRound() -> Call? {
        let (call, isOurs) = state.withLock { state -> (Call?, Bool) in
            state.hasCall = false
            guard let call = state.held.take() else { return (nil, false) }
            if state.threads - state.calls.count < 2 {
                guard state.threads < Self.most, (try? start(&state)) != nil else {
                    return (call, false)
                }
            }
            state.calls.append(call)
            return (call, true)
        }
        guard isOurs else {
            call?.send()
            return nil
        }
        return call
    }

    /// Ends a call of a thread; whether the thread is still wanted.
    private func end(_ call: Call) -> Bool {
        state.withLock { state in
            state.calls.removeAll { $0 === call }
            guard state.threads - state.calls.count > Self.idle else { return true }
            state.threads -= 1
            return false
        }
    }

    // MARK: Threads

    private func run() {
        var event = unsafe epoll_event()
        while true {
            guard unsafe epoll_wait(waiting, &event, 1, -1) > 0 else { continue }
            let call = work()
            // From here on another thread may be working.
            try? controlEpoll(waiting, EPOLL_CTL_MOD, sources, epollReadable | epollOnce)
            guard let call else { continue }
            call.makeOnQueue()
            guard end(call) else { return }
        }
    }

    private func work() -> Call? {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 16)
        let count = unsafe epoll_wait(sources, &events, CInt(events.count), 0)
        for index in 0..<max(0, Int(count)) {
            let descriptor = unsafe events[index].data.fd
            if descriptor == timer {
                answerTimer()
            } else {
                state.withLock { $0.hubs[descriptor] }?.drain()
            }
        }
        return endRound()
    }

    private func answerTimer() {
        var expirations: UInt64 = 0
        _ = unsafe read(timer, &expirations, MemoryLayout.size(ofValue: expirations))
        let (jobs, unused) = state.withLock { state in
            defer { state.jobs = [] }
            state.alarm = .max
            let now = monotonicNanoseconds()
            let unused = state.unused.filter { $0.value.end <= now }
            for hub in unused.keys { state.unused[hub] = nil }
            if let next = state.unused.values.map(\.end).min() { setTimer(&state, to: next) }
            return (state.jobs, unused.values.map(\.hub))
        }
        for job in jobs { deliver(job()) }
        for hub in unused { hub.endIfUnused() }
    }

    private func start(_ state: inout State) throws(ReachabilityErrno) {
        try startThread { self.run() }
        state.threads += 1
    }
}
