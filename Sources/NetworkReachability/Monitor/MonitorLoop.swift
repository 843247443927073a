// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import Cepoll
internal import Dispatch
internal import ReachLibc

/// The event loop of the process: it waits for all monitors and delivers their changes.
///
/// One thread leads: it waits in the epoll set `sources`, and is the only one to work. So the changes of all
/// monitors, the jobs, and their deliveries are serial and in order. The others wait in a second epoll set, which
/// holds `sources` as a one-shot event. While the leader makes calls, this event is armed, and the thread that gets
/// it leads from then on.
///
/// At the end of a round the leader submits the calls for the main queue, and makes the other calls itself, one after
/// another, with `DispatchQueue.sync`. Measured: libdispatch's hand-over is 20 % of the latency from event to closure,
/// and with 20 queues, two thirds of the CPU time. A call may block; meanwhile, another thread waits for events, and
/// submits the calls that are left after `patience`.
package final class MonitorLoop: OfOneProcess {
    struct State {
        var threads = 0
        /// Whether a thread leads; if not, the event for the others is armed.
        var isLed = false
        /// How many threads are making calls.
        var callers = 0
        var lastCaller = 0
        /// The calls that threads of the loop are making or are to make; the next one of each thread is its last.
        var calls: [OwnCall] = []
        /// When they are submitted (CLOCK_MONOTONIC, nanoseconds).
        var relief = UInt64.max
        /// The calls of this round, in order.
        var round: [Call] = []
        var jobs: [@Sendable () -> [Delivery]] = []
        var hubs: [CInt: MonitorHub] = [:]
        /// Hubs without a session, and when they end (CLOCK_MONOTONIC, nanoseconds).
        var unused: [ObjectIdentifier: (hub: MonitorHub, end: UInt64)] = [:]
        /// When the timer expires (CLOCK_MONOTONIC, nanoseconds).
        var alarm = UInt64.max
    }

    /// A call of a thread of the loop.
    struct OwnCall: Sendable {
        let call: Call
        let caller: Int
        /// Whether it was submitted to its queue, too: the thread leaves it out unless it waits for the queue already.
        var isSent = false
    }

    /// How long calls may wait for the calls of the same round before them, in nanoseconds.
    static let patience: UInt64 = 1_000_000

    /// Limit of threads: at most 7 can be inside calls, and a blocked queue pins its thread.
    static let most = 8

    /// Limit of threads that wait for events; others end after their call.
    static let idle = 2

    /// Limit of open hubs without a session.
    private static let mostUnused = 4

    /// One per process: a child of fork() has none of its parent's threads, and must not touch the epoll
    /// sets that it shares with the parent.
    private static let shared = ProcessLocal<MonitorLoop>()

    package let process = OwnerProcess()
    /// Whether the process is a child of fork(), where libdispatch has no threads: the loop makes all
    /// calls itself.
    let isInChild: Bool
    /// The epoll set that all threads but the leader wait in.
    private let waiting: CInt
    /// The epoll set of all monitors and the timer.
    private let sources: CInt
    /// Readable when there are jobs or a hub is to end.
    private let timer: TimerDescriptor
    /// The hubs that targets can be added to.
    let registry = Lock<[MonitorHub.Key: MonitorHub]>([:])
    let state = Lock(State())

    private init(inChild isInChild: Bool) throws(ReachabilityErrno) {
        self.isInChild = isInChild
        timer = try TimerDescriptor()
        waiting = epoll_create1(O_CLOEXEC)
        sources = epoll_create1(O_CLOEXEC)
        guard waiting >= 0, sources >= 0 else { throw .current }
        try controlEpoll(sources, EPOLL_CTL_ADD, timer.descriptor, epollReadable)
        try controlEpoll(waiting, EPOLL_CTL_ADD, sources, 0)
    }

    deinit {
        for descriptor in [waiting, sources] where descriptor >= 0 { close(descriptor) }
    }

    /// The loop of this process, created at the first use and never freed.
    static func current() throws(ReachabilityErrno) -> MonitorLoop {
        try shared.current { inChild throws(ReachabilityErrno) in try MonitorLoop(inChild: inChild)
        }
    }

    /// The loop of this process; nil if none was created yet.
    static var existing: MonitorLoop? { shared.existing }

    /// Runs a job in the loop, after all changes found so far, and delivers what it returns.
    ///
    /// If the process has no descriptors left for a loop, it has no monitor either, and a separate queue runs
    /// the job.
    package static func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        do throws(ReachabilityErrno) {
            try current().perform(job)
        } catch {
            // Don't run the job on this thread: the caller may hold a lock.
            withoutLoop.async {
                for delivery in job() { delivery.make() }
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

    /// Makes the timer expire at `alarm` (CLOCK_MONOTONIC, nanoseconds) at the latest.
    func setTimer(_ state: inout State, to alarm: UInt64) {
        guard alarm < state.alarm else { return }
        state.alarm = alarm
        timer.set(to: alarm)
    }

    // MARK: Monitors

    /// Drains a hub from now on whenever its descriptor is readable.
    func add(_ hub: MonitorHub) throws(ReachabilityErrno) {
        try state.withLock { state throws(ReachabilityErrno) in
            if state.threads == 0 { try start(&state) }
            try controlEpoll(sources, EPOLL_CTL_ADD, hub.descriptor, epollReadable)
            state.hubs[hub.descriptor] = hub
        }
    }

    /// Removes a hub, whose descriptor must still be open.
    func remove(_ hub: MonitorHub) {
        state.withLock { state in
            guard state.hubs.removeValue(forKey: hub.descriptor) != nil else { return }
            try? controlEpoll(sources, EPOLL_CTL_DEL, hub.descriptor, 0)
        }
    }

    /// Ends a hub after `linger` nanoseconds unless it is used again; earlier if more than `mostUnused` hubs
    /// are unused.
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

    /// Ends all hubs without a session; true if there was one.
    func endUnused() -> Bool {
        let unused = state.withLock { state in
            defer { state.unused = [:] }
            return state.unused.values.map(\.hub)
        }
        for hub in unused { hub.endIfUnused() }
        return !unused.isEmpty
    }

    // MARK: Threads

    private func run() {
        var event = unsafe epoll_event()
        while true {
            guard takeLead() else {
                _ = unsafe epoll_wait(waiting, &event, 1, -1)
                continue
            }
            // If another thread has an event that it got before, it finds that it doesn't lead.
            try? controlEpoll(waiting, EPOLL_CTL_MOD, sources, 0)
            let caller = lead()
            state.withLock { $0.isLed = false }
            try? controlEpoll(waiting, EPOLL_CTL_MOD, sources, epollReadable | epollOnce)
            guard makeCalls(of: caller) else { return }
        }
    }

    private func takeLead() -> Bool {
        state.withLock { state in
            defer { state.isLed = true }
            return !state.isLed
        }
    }

    /// Works until a round has calls that the thread makes itself; returns its number for them.
    private func lead() -> Int {
        while true {
            // The events are on the stack, since every change runs a round.
            unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 16) { events in
                // Optional or not, as glibc's version imports it.
                guard let room = events.baseAddress else { return }
                let count = unsafe epoll_wait(sources, room, CInt(events.count), -1)
                for index in 0..<max(0, Int(count)) { answer(unsafe events[index].data.fd) }
            }
            if let caller = endRound() { return caller }
        }
    }

    private func answer(_ descriptor: CInt) {
        if descriptor == timer.descriptor {
            answerTimer()
        } else {
            state.withLock { $0.hubs[descriptor] }?.drain()
        }
    }

    /// When the timer is to expire, but for jobs.
    private static func nextAlarm(_ state: State) -> UInt64 {
        state.unused.values.reduce(state.relief) { min($0, $1.end) }
    }

    /// Forgets the relief of calls that were made in time.
    func cancelRelief(_ state: inout State) {
        guard state.relief != .max else { return }
        state.relief = .max
        // A timer that is to expire for a job stays.
        guard state.jobs.isEmpty else { return }
        state.alarm = Self.nextAlarm(state)
        timer.set(to: state.alarm == .max ? nil : state.alarm)
    }

    private func answerTimer() {
        timer.take()
        let (jobs, unused, late) = state.withLock { state in
            defer { state.jobs = [] }
            state.alarm = .max
            let now = monotonicNanoseconds()
            let late = Self.takeLate(&state, now)
            let unused = state.unused.filter { $0.value.end <= now }
            for hub in unused.keys { state.unused[hub] = nil }
            setTimer(&state, to: Self.nextAlarm(state))
            return (state.jobs, unused.values.map(\.hub), late)
        }
        for call in late { call.send() }
        for job in jobs { deliver(job()) }
        for hub in unused { hub.endIfUnused() }
    }

    func start(_ state: inout State) throws(ReachabilityErrno) {
        try startThread { self.run() }
        state.threads += 1
    }
}
#endif
