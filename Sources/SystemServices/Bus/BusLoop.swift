// SPDX-License-Identifier: MIT

internal import NetworkReachability
#if canImport(CSystemBus)
internal import Cepoll
internal import ReachLibc
#endif

/// The thread of the bus client, and the subscribers that it calls with reports.
///
/// Monitors have a thread of their own, so the bus can't delay them. The bus thread starts with the
/// first subscriber of any service, and ends some time after the last one. It calls all
/// subscribers, in order and with no lock held. Without the C targets, there is no bus.
final class BusLoop: OfOneProcess {
    struct Shared: Sendable {
        var modemManager = BusChannel<CellularRadioState>(.modemManager)
        var networkManager = BusChannel<NetworkManagerState>(.networkManager)
        var isRunning = false
        #if canImport(CSystemBus)
        /// Wakes the thread when it expires; the first thread creates it, and later ones reuse it.
        var wakeup: TimerDescriptor?
        #endif
    }

    /// The key path of one service's channel.
    typealias Channel<Report: SystemServiceState> =
        any WritableKeyPath<Shared, BusChannel<Report>> & Sendable

    let process = OwnerProcess()
    private let options: SystemBusOptions
    private let state = Lock(Shared())

    init(_ options: SystemBusOptions) {
        self.options = options
    }

    /// Calls `call` on the thread with the current report once it is known, and then with every change.
    func subscribe<Report>(
        to channel: Channel<Report>, _ call: @escaping @Sendable (Report) -> Void
    ) -> SubscriberID {
        let (id, failure) = state.withLock { state in
            let id = state[keyPath: channel].add(call)
            return (id, start(&state, for: state[keyPath: channel].service))
        }
        wake()
        if let failure { call(Report(availability: .unavailable(failure))) }
        return id
    }

    func unsubscribe<Report>(_ id: SubscriberID, from channel: Channel<Report>) {
        let removed = state.withLock { $0[keyPath: channel].remove(id) }
        withExtendedLifetime(removed) {}
        wake()
    }

    /// The report of the running thread; nil if there is none, or no answer yet.
    func latest<Report>(of channel: Channel<Report>) -> Report? {
        state.withLock { $0[keyPath: channel].latest }
    }

    #if canImport(CSystemBus)
    /// The part of `time` that is left to wait for an answer.
    func patience<Report>(for channel: Channel<Report>, of time: Duration) -> Duration {
        let now = monotonicMilliseconds()
        return state.withLock { $0[keyPath: channel].patience(at: now, of: time) }
    }

    private func wake() {
        state.withLock { $0.wakeup }?.expire()
    }

    // MARK: Thread

    /// Starts the thread unless it runs; returns an error for a service.
    private func start(_ state: inout Shared, for service: BusService) -> ReachabilityError? {
        guard !state.isRunning else { return nil }
        do throws(ReachabilityErrno) {
            try startThread(named: "reach-bus") { self.run() }
            state.isRunning = true
            return nil
        } catch {
            return .outOfResources(service, error)
        }
    }

    private func run() {
        while true {
            do throws(ReachabilityErrno) {
                try makeWakeup()
                let client = try BusClient(options)
                watch(client)
                return
            } catch {
                let watched = publish(
                    CellularRadioState(
                        availability: .unavailable(.outOfResources(.modemManager, error))),
                    NetworkManagerState(
                        availability: .unavailable(.outOfResources(.networkManager, error))))
                guard !watched.isEmpty else { return }
                wait(for: (-1, 0), milliseconds: retryMilliseconds)
            }
        }
    }

    private func makeWakeup() throws(ReachabilityErrno) {
        try state.withLock { state throws(ReachabilityErrno) in
            guard state.wakeup == nil else { return }
            state.wakeup = try TimerDescriptor()
        }
    }

    private func watch(_ client: borrowing BusClient) {
        var changed: BusServices = []
        while true {
            let watched = publish(
                changed.contains(.modemManager) ? client.modemManager : nil,
                changed.contains(.networkManager) ? client.networkManager : nil)
            guard !watched.isEmpty else { return }
            client.watch(watched)
            wait(for: client.polled, milliseconds: client.timeout)
            changed = client.dispatch()
        }
    }

    private func wait(
        for polled: (descriptor: CInt, events: Int16), milliseconds: CInt
    ) {
        let (ends, wakeup) = state.withLock { state in
            ([state.modemManager.end, state.networkManager.end], state.wakeup)
        }
        var timeout = milliseconds
        if let end = ends.compactMap(\.self).min() {
            let rest = CInt(clamping: max(0, end - monotonicMilliseconds()))
            timeout = timeout < 0 ? rest : min(timeout, rest)
        }
        var descriptors = [
            pollfd(fd: wakeup?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: polled.descriptor, events: polled.events, revents: 0),
        ]
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
        wakeup?.take()
    }

    /// Calls the subscribers that don't have the latest report yet, and returns the services to watch.
    ///
    /// If there are none, the thread must end.
    private func publish(
        _ modems: CellularRadioState?, _ network: NetworkManagerState?
    ) -> BusServices {
        let (ofModems, ofNetwork, watched) = state.withLock { state in
            let rounds = (state.modemManager.take(modems), state.networkManager.take(network))
            let now = monotonicMilliseconds()
            var watched: BusServices = []
            if state.modemManager.staysWatched(at: now, linger: options.linger) {
                watched.insert(.modemManager)
            }
            if state.networkManager.staysWatched(at: now, linger: options.linger) {
                watched.insert(.networkManager)
            }
            if watched.isEmpty { state.isRunning = false }
            return (rounds.0, rounds.1, watched)
        }
        ofModems?.call()
        ofNetwork?.call()
        return watched
    }
    #else
    func patience<Report>(for channel: Channel<Report>, of time: Duration) -> Duration { .zero }

    private func wake() {}

    private func start(_ state: inout Shared, for service: BusService) -> ReachabilityError? {
        .unsupportedSystem
    }
    #endif
}

extension Subscribers.Round
where Value: SystemServiceState, Subscriber == BusChannel<Value>.Subscriber {
    fileprivate func call() {
        forEachChange { $0.call(value) }
    }
}

/// The time to the next attempt after the process lacked resources.
private let retryMilliseconds: CInt = 1000

/// The bus loop of the current process; a child of fork() makes its own.
package final class SharedBusLoop: Sendable {
    /// The loop that all modules share: one thread and one connection.
    package static let shared = SharedBusLoop(SystemBusOptions())

    private let options: SystemBusOptions
    private let current = ProcessLocal<BusLoop>()

    package init(_ options: SystemBusOptions) {
        self.options = options
    }

    var loop: BusLoop { current.current { _ in BusLoop(options) } }
}

/// The subscribers of one service, and its latest report; kept in the lock of the loop.
struct BusChannel<Report: SystemServiceState>: Sendable {
    /// A struct, since each access to a bare closure in a generic type would add a reabstraction thunk.
    struct Subscriber: Sendable {
        let call: @Sendable (Report) -> Void
    }

    typealias Round = Subscribers<Report, Subscriber>.Round

    let service: BusService
    private var subscribers = Subscribers<Report, Subscriber>()
    /// Whether to watch the service: while there are subscribers, and some time longer.
    private var isWatched = false
    /// When to stop watching without a subscriber (CLOCK_MONOTONIC, milliseconds).
    private(set) var end: Int64?
    /// When the wait for an answer began (CLOCK_MONOTONIC, milliseconds); nil if nobody has asked since the last
    /// answer.
    private var asked: Int64?

    init(_ service: BusService) {
        self.service = service
    }

    /// The latest report while the service is watched; nil before its first answer, and after a restart.
    var latest: Report? {
        subscribers.latest.flatMap { $0.availability == .starting ? nil : $0 }
    }

    mutating func add(_ call: @escaping @Sendable (Report) -> Void) -> SubscriberID {
        isWatched = true
        end = nil
        return subscribers.add(Subscriber(call: call))
    }

    /// Removes a subscriber, and returns it; release it only after you have released the lock.
    mutating func remove(_ id: SubscriberID) -> Subscriber? {
        subscribers.remove(id)
    }

    /// Takes a new report, if there is one, and returns the round of those that lack the latest one.
    mutating func take(_ new: Report?) -> Round? {
        guard isWatched else { return nil }
        guard let new else { return latest == nil ? nil : subscribers.catchUp() }
        let isKnown = new.availability != .starting
        if isKnown { asked = nil }
        // If the service restarted, subscribers that had a report receive an empty one.
        return subscribers.publish(new, toNew: isKnown)
    }

    /// The part of `time` that is left to wait for an answer, counted from the first call.
    mutating func patience(at now: Int64, of time: Duration) -> Duration {
        let start = asked ?? now
        asked = start
        return max(.zero, time - .milliseconds(now - start))
    }

    /// Whether to go on watching the service: without subscribers, for `linger` milliseconds.
    mutating func staysWatched(at now: Int64, linger: Int64) -> Bool {
        guard isWatched, subscribers.isEmpty else { return isWatched }
        let end = end ?? now + linger
        self.end = end
        guard now >= end else { return true }
        self.end = nil
        isWatched = false
        subscribers.forget()
        return false
    }
}
