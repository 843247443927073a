// SPDX-License-Identifier: MIT

internal import Cepoll
internal import NetworkReachability
internal import ReachLibc

/// The thread of the bus client, and the subscribers that it calls with reports.
///
/// Monitors have a thread of their own, so the bus can't delay them. The bus thread starts with the
/// first subscriber of any service, and ends some time after the last one. It calls all
/// subscribers, in order and with no lock held.
final class BusLoop: OfOneProcess {
    struct Shared: Sendable {
        var modemManager = BusChannel<CellularRadioState>(.modemManager)
        var networkManager = BusChannel<NetworkManagerState>(.networkManager)
        var isRunning = false
        /// Wakes the thread when it expires; the first thread creates it, and later ones reuse it.
        var wakeup: TimerDescriptor?
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
        let (id, failure) = state.withLock { state -> (SubscriberID, ReachabilityError?) in
            let id = state[keyPath: channel].add(call)
            guard !state.isRunning else { return (id, nil) }
            do throws(ReachabilityErrno) {
                try startThread(named: "reach-bus") { self.run() }
                state.isRunning = true
                return (id, nil)
            } catch {
                return (id, .outOfResources(state[keyPath: channel].service, error))
            }
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

    /// The part of `time` that is left to wait for an answer.
    func patience<Report>(for channel: Channel<Report>, of time: Duration) -> Duration {
        let now = monotonicMilliseconds()
        return state.withLock { $0[keyPath: channel].patience(at: now, of: time) }
    }

    private func wake() {
        state.withLock { $0.wakeup }?.expire()
    }

    // MARK: Thread

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
}

extension Subscribers.Round
where Value: SystemServiceState, Subscriber == BusChannel<Value>.Subscriber {
    fileprivate func call() {
        forEachChange { $0.call(value) }
    }
}

/// The time to the next attempt after the process lacked resources.
private let retryMilliseconds: CInt = 1000

private func monotonicMilliseconds() -> Int64 {
    Int64(monotonicNanoseconds() / 1_000_000)
}
