// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability

/// What there is while the target is scheduled.
struct Schedule {
    /// Where callbacks are made.
    enum Place {
        case queue(DispatchQueue)
        case runLoops(RunLoopPlaces)
    }

    /// How far a name's clients are with its optimistic flags.
    ///
    /// However fast it is resolved, a name is optimistic first: clients count on it. Having asked for
    /// the flags they put a first report of their own on the queue, and an answer that comes in
    /// between would be followed by that older report.
    enum Phase {
        /// Nobody has been told them, so the first call is still owed.
        case untold
        /// Somebody has, a moment ago.
        case settling
        /// The answer is told as soon as it is there; so are all states of addresses.
        case open
    }

    /// How long ``Phase/settling`` takes.
    static let grace = DispatchTimeInterval.milliseconds(100)

    typealias Call = (callout: Callout, flags: SCNetworkReachabilityFlags)

    let session: MonitoringSession
    /// The target itself.
    let keepAlive: SCNetworkReachability
    private(set) var place: Place
    /// Nil for a name that is not worth watching.
    let watch: MonitorHub.Subscription?
    /// What is told to callbacks and to who asks.
    private(set) var path: PathState
    /// A name's final answer that came before its time.
    private(set) var held: PathState?
    /// The hub has reported after the target was scheduled.
    private(set) var wasReported = false
    private(set) var phase: Phase
    /// Something changed since the last callback.
    private(set) var hasChanged = false
    /// A call is on its way; it will tell the latest.
    private(set) var isCalling = false

    /// Takes a state of the hub.
    mutating func take(_ new: PathState) -> [Delivery] {
        wasReported = true
        if phase == .open || new.resolution != .done { change(to: new) } else { held = new }
        return callIfNeeded()
    }

    /// The state for somebody who asks, and who need not be called for it any more.
    ///
    /// Without a callback nobody waits for the optimistic one.
    mutating func ask(hasCallback: Bool) -> (PathState, [Delivery]) {
        var deliveries: [Delivery] = []
        if hasCallback { settle() } else { deliveries = open() }
        return (path, deliveries)
    }

    /// Lets the final answer through.
    mutating func open() -> [Delivery] {
        phase = .open
        if let answer = held.take() { change(to: answer) }
        return callIfNeeded()
    }

    private mutating func settle() {
        guard phase == .untold else { return }
        phase = .settling
        let open: @Sendable () -> [Delivery] = { [weak target = keepAlive, session] in
            target?.open(session) ?? []
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) {
            MonitorLoop.perform(open)
        }
    }

    private mutating func change(to new: PathState) {
        if new.differs(from: path) { hasChanged = true }
        path = new
    }

    /// Sends a call on its way unless there is one.
    ///
    /// However many changes come meanwhile, it is one call.
    mutating func callIfNeeded() -> [Delivery] {
        guard hasChanged || phase == .untold else { return [] }
        defer { isCalling = true }
        switch place {
        case .queue(let queue):
            guard !isCalling else { return [] }
            return [
                .on(queue) { [weak target = keepAlive, session] in target?.deliver(from: session) }
            ]
        // Again each time: the run loop that was to call may have ended meanwhile.
        case .runLoops(let places): return [.here { places.signal() }]
        }
    }

    /// The call to be made now.
    ///
    /// Without a callback a change is lost, but not a name's first call.
    mutating func nextCall(_ callout: Callout?) -> Call? {
        guard isCalling else { return nil }
        isCalling = false
        let isDue = hasChanged || phase == .untold
        hasChanged = false
        guard let callout, callout.isCallable, isDue else { return nil }
        settle()
        return (callout, path.flags)
    }

    var isNowhere: Bool {
        if case .runLoops(let places) = place { places.isEmpty } else { false }
    }

    mutating func add(_ loop: CFRunLoop, _ mode: String) -> [Delivery] {
        guard case .runLoops(var places) = place else { return [] }
        places.add(loop, mode)
        place = .runLoops(places)
        return isCalling ? [.here { [places] in places.signal() }] : []
    }

    /// Whether it was there.
    mutating func remove(_ loop: CFRunLoop, _ mode: String) throws(StatusError) -> Bool {
        guard case .runLoops(var places) = place else { return false }
        defer { place = .runLoops(places) }
        return places.remove(loop, mode)
    }
}
