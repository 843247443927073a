// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc
import SystemServices

/// The newest event of each source, from other threads, and a descriptor that is readable until you take them.
final class Inbox: Sendable {
    enum Event: Sendable {
        /// A target isn't watched, or no longer.
        case failure(ReachabilityError)
        /// The state of the target at a position.
        case state(Int, ReachabilitySnapshot)
        case radio(CellularRadioState)
        case connectivity(ConnectivityState)

        /// The number of its source, in the order in which events are taken.
        fileprivate var source: Int {
            switch self {
            case .failure: -1
            case .state(let position, _): position
            case .radio: Int.max - 1
            case .connectivity: Int.max
            }
        }
    }

    private struct State: Sendable {
        var newest: [Int: Event] = [:]
        /// How many targets have no state yet.
        var missing: Int
        var managers: [NetworkReachabilityManager] = []
    }

    /// Runs listeners that put events.
    let queue = DispatchQueue(label: "reachctl")
    private let state: Lock<State>
    private let wakeup: TimerDescriptor

    /// Events wait until each of `count` targets has a state, or one has failed.
    ///
    /// A monitor takes two of the `threads`: its own, and one that calls listeners.
    init(targets count: Int = 0, threads: Int = 2) throws(Failure) {
        state = Lock(State(missing: count))
        try Inbox.checkThreads(threads)
        do throws(ReachabilityErrno) {
            wakeup = try TimerDescriptor()
        } catch {
            throw .system("cannot open a timer", error.rawValue)
        }
    }

    /// Throws unless `count` threads can be started, because libdispatch has no error for that.
    ///
    /// It would wait in each call on a queue until there is a thread.
    private static func checkThreads(_ count: Int) throws(Failure) {
        let (end, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for started in 0..<count {
            do throws(ReachabilityErrno) {
                try startThread(named: "reach-check") {
                    end.wait()
                    ended.signal()
                }
            } catch {
                for _ in 0..<started { end.signal() }
                throw .system(.system(error, doing: "starting \(count) threads"))
            }
        }
        for _ in 0..<count { end.signal() }
        for _ in 0..<count { ended.wait() }
    }

    /// Replaces the event of its source; any thread may call this.
    func put(_ event: Event) {
        state.withLock { state in
            let isFirst = state.newest.updateValue(event, forKey: event.source) == nil
            switch event {
            case .failure: state.missing = 0
            case .state where isFirst && state.missing > 0: state.missing -= 1
            default: break
            }
        }
        wakeup.expire()
    }

    var polled: pollfd { pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0) }

    /// Takes the events since the last call.
    func take() -> [Event] {
        wakeup.take()
        var taken: [Int: Event] = [:]
        state.withLock { state in
            if state.missing == 0 { swap(&state.newest, &taken) }
        }
        return taken.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Puts the states of targets from now on; a change must last for `time`.
    ///
    /// Where watching is refused, that is an event, too, and only the current states follow.
    func watch(_ targets: [Target], stable time: Duration = .zero) throws(Failure) {
        for (position, target) in targets.enumerated() {
            do {
                let manager = try NetworkReachabilityManager(target: target.meaning)
                let put: @Sendable (ReachabilitySnapshot) -> Void = { self.put($0, of: position) }
                manager.addListener(queue: queue, stable: time, put)
                // A failed monitor is reported at once.
                if time > .zero {
                    manager.addListener(queue: queue) { if $0.reason == .notEvaluated { put($0) } }
                }
                state.withLock { $0.managers.append(manager) }
                do {
                    try manager.startMonitoring()
                } catch  where error.code == .watchingUnsupported {
                    self.put(.failure(error))
                    put(try manager.currentSnapshot())
                    Task.detached { if let final = try? await manager.check() { put(final) } }
                }
            } catch {
                throw .system(error)
            }
        }
    }

    private func put(_ snapshot: ReachabilitySnapshot, of position: Int) {
        guard snapshot.reason == .notEvaluated, let error = snapshot.error else {
            return put(.state(position, snapshot))
        }
        put(.failure(.system(error, doing: "monitoring")))
    }
}
