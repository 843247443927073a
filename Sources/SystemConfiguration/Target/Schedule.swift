// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
@unsafe @preconcurrency internal import Dispatch
internal import Foundation
internal import NetworkReachability
internal import RunLoops

/// The state of a target while it is scheduled.
struct Schedule {
    /// Where the callback is called.
    enum Place {
        case queue(DispatchQueue)
        case runLoops(RunLoopPlaces)
    }

    /// Whether the client of a name has received its first, optimistic flags.
    ///
    /// A name first has the flags of the default path, however fast it is resolved: clients depend on this.
    /// A typical client reads the flags and submits a first report of its own to its queue; a final answer
    /// that came in between would be overwritten by that older report.
    enum Phase {
        /// Not yet: the first call is due.
        case initial
        /// Yes, less than ``grace`` ago: the final answer is held back.
        case opening
        /// Every state is reported at once; always so for addresses.
        case open
    }

    /// The duration of ``Phase/opening``.
    static let grace = DispatchTimeInterval.milliseconds(100)

    typealias Call = (callout: Callout, flags: SCNetworkReachabilityFlags)

    let session: MonitoringSession
    /// The target, which is retained while it is scheduled.
    let keepAlive: SCNetworkReachability
    private(set) var place: Place
    /// Nil for an invalid name, which is not monitored.
    let watch: MonitorHub.Subscription?
    /// The state for callbacks and queries.
    private(set) var path: ReachabilitySnapshot
    /// The final answer for a name, held back until ``Phase/open``.
    private(set) var held: ReachabilitySnapshot?
    /// Whether the hub has reported a state since the target was scheduled.
    private(set) var wasReported = false
    private(set) var phase: Phase
    /// Whether the state changed since the last callback.
    private(set) var hasChanged = false
    /// Whether a call is submitted, which will read the latest state.
    private(set) var isCalling = false
    /// Whether the callback runs on a queue.
    private(set) var isInCall = false
    /// Whether a concurrent queue has begun another call meanwhile: the running one is followed by it.
    private(set) var isOvertaken = false

    /// Takes a state of the target.
    mutating func take(_ new: ReachabilitySnapshot) -> [Delivery] {
        wasReported = true
        if phase == .open || new.resolution == .pending { change(to: new) } else { held = new }
        return callIfNeeded()
    }

    /// The state for a query, after which the first call for a name is no longer due.
    ///
    /// Without a callback, the final answer need not be held back.
    mutating func query(hasCallback: Bool) -> (ReachabilitySnapshot, [Delivery]) {
        var deliveries: [Delivery] = []
        if hasCallback { delayOpening() } else { deliveries = open() }
        return (path, deliveries)
    }

    /// Reports the final answer, which was held back.
    mutating func open() -> [Delivery] {
        phase = .open
        if let answer = held.take() { change(to: answer) }
        return callIfNeeded()
    }

    private mutating func delayOpening() {
        guard phase == .initial else { return }
        phase = .opening
        let open: @Sendable () -> [Delivery] = { [weak target = keepAlive, session] in
            target?.open(session) ?? []
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) {
            MonitorLoop.perform(open)
        }
    }

    private mutating func change(to new: ReachabilitySnapshot) {
        if new.differs(from: path) { hasChanged = true }
        path = new
    }

    /// Submits a call unless one is submitted.
    ///
    /// Changes that come before the call is made share it.
    mutating func callIfNeeded() -> [Delivery] {
        guard hasChanged || phase == .initial else { return [] }
        defer { isCalling = true }
        switch place {
        case .queue(let queue):
            guard !isCalling else { return [] }
            return [
                .on(queue) { [weak target = keepAlive, session] in target?.deliver(from: session) }
            ]
        // Signalled each time: the run loop that was woken may have ended meanwhile.
        case .runLoops(let places): return [.here { places.signal() }]
        }
    }

    /// The call that is due now, if any.
    ///
    /// Without a callback, a change is lost, but not the first call for a name.
    mutating func nextCall(_ callout: Callout?) -> Call? {
        guard isCalling else { return nil }
        guard !isInCall else {
            isOvertaken = true
            return nil
        }
        isCalling = false
        let isDue = hasChanged || phase == .initial
        hasChanged = false
        guard let callout, callout.isCallable, isDue else { return nil }
        delayOpening()
        if case .queue = place { isInCall = true }
        return (callout, path.systemFlags)
    }

    /// Ends a call; returns the one that waited for its end, with the latest state.
    mutating func callAfter(_ callout: Callout?) -> Call? {
        isInCall = false
        guard isOvertaken else { return nil }
        isOvertaken = false
        return nextCall(callout)
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

    /// Removes a run loop; false if it is not among the places.
    mutating func remove(_ loop: CFRunLoop, _ mode: String) throws(StatusError) -> Bool {
        guard case .runLoops(var places) = place else { return false }
        defer { place = .runLoops(places) }
        return places.remove(loop, mode)
    }
}

/// The run loops and modes that a target is scheduled on, and the source that is added to each.
struct RunLoopPlaces {
    private struct Place {
        let loop: CFRunLoop
        let mode: String
        /// How often the target was scheduled here; it must be unscheduled as often.
        var count = 0
        /// The run loops that a client passed for `loop` on the main queue: it may pass them again elsewhere.
        var others: [CFRunLoop] = []
    }

    private let source: RunLoopSource
    private var places: [Place] = []

    /// Starts without places; after ``signal()``, one of the run loops calls `perform`.
    init(perform: @escaping @Sendable () -> Void) throws(StatusError) {
        guard let source = RunLoopSource(perform: perform) else {
            throw StatusError(status: ENOMEM)
        }
        self.source = source
    }

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func add(_ loop: CFRunLoop, _ mode: String) {
        let meant = MainQueue.runLoop(meantBy: loop)
        if index(of: meant, mode) == nil {
            places.append(Place(loop: meant, mode: mode))
            source.add(to: meant, Self.mode(mode))
        }
        guard let index = index(of: meant, mode) else { return }
        places[index].count += 1
        if loop !== meant { places[index].others.append(loop) }
    }

    /// Undoes one ``add(_:_:)``, and removes the place with the last one; false if it isn't there.
    mutating func remove(_ loop: CFRunLoop, _ mode: String) -> Bool {
        let known = places.firstIndex { place in
            place.mode == mode && place.others.contains { $0 === loop }
        }
        guard let index = index(of: MainQueue.runLoop(meantBy: loop), mode) ?? known else {
            return false
        }
        places[index].count -= 1
        guard places[index].count == 0 else { return true }
        let place = places.remove(at: index)
        source.remove(from: place.loop, Self.mode(mode))
        if places.isEmpty { source.invalidate() }
        return true
    }

    /// Lets one of the run loops call `perform`.
    func signal() {
        source.signal(places.map(\.loop))
    }

    private func index(of loop: CFRunLoop, _ mode: String) -> Int? {
        places.firstIndex { $0.loop === loop && $0.mode == mode }
    }

    /// Core Foundation recognizes the common modes by the address of the string.
    private static func mode(_ name: String) -> CFRunLoopMode? {
        if name == CFRunLoopMode.commonModes.rawValue.description { return kCFRunLoopCommonModes }
        let characters = Array(name.utf16)
        return unsafe CFStringCreateWithCharacters(nil, characters, characters.count)
    }
}
