// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
@unsafe @preconcurrency internal import Dispatch
package import NetworkReachability

/// A host or address whose reachability can be queried and monitored.
///
///     if let target = SCNetworkReachabilityCreateWithName(nil, "www.example.com") {
///         SCNetworkReachabilitySetCallback(target, { _, flags, _ in print(flags) }, nil)
///         SCNetworkReachabilitySetDispatchQueue(target, .main)
///     }
///
/// Create one with `SCNetworkReachabilityCreateWithAddress(_:_:)`,
/// `SCNetworkReachabilityCreateWithAddressPair(_:_:_:)` or `SCNetworkReachabilityCreateWithName(_:_:)`.
/// All functions may be called on any thread, concurrently and inside callbacks. A scheduled target is
/// retained until it is unscheduled.
///
/// Two targets are equal if they are the same object.
public final class SCNetworkReachability: Sendable {
    private struct State {
        var callout: Callout?
        var schedule: Schedule?
    }

    let endpoint: Endpoint
    /// The address of the allocator that the target was created with, for the description only.
    let allocator: UInt
    private let options: MonitorOptions
    private let state = Lock(State())

    init(_ endpoint: Endpoint, allocator: UInt = 0, options: MonitorOptions = .standard) {
        self.endpoint = endpoint
        self.allocator = allocator
        self.options = options
    }

    /// The latest state, even if it is held back; nil while not scheduled.
    var scheduledPath: ReachabilitySnapshot? {
        state.withLock { state in state.schedule?.held ?? state.schedule?.path }
    }

    // MARK: Flags and callback

    /// The current flags; while scheduled, those of the last report.
    ///
    /// Reading a name's first flags replaces their callback.
    func flags() throws(StatusError) -> SCNetworkReachabilityFlags {
        let known = state.withLock { state in
            state.schedule?.query(hasCallback: state.callout?.isCallable == true)
        }
        Self.deliver(known?.1)
        let path = if let known { known.0 } else { try endpoint.check() }
        // The monitor has failed.
        guard path.verdict.status != .unknown else {
            throw StatusError(status: Int32(kSCStatusReachabilityUnknown))
        }
        return path.systemFlags
    }

    func setCallout(_ callout: Callout) {
        // The old callout is released after the lock.
        let (old, deliveries) = state.withLock { state in
            let old = state.callout
            state.callout = callout
            let isDue = callout.isCallable && state.schedule?.wasReported == true
            return (old, isDue ? state.schedule?.callIfNeeded() : nil)
        }
        Self.deliver(deliveries)
        withExtendedLifetime(old) {}
    }

    // MARK: Scheduling

    func schedule(on queue: DispatchQueue) throws(StatusError) {
        try state.withLock { state throws(StatusError) in
            guard state.schedule == nil else { throw .invalidArgument }
            state.schedule = try begin { _ in .queue(queue) }
        }
    }

    func unscheduleFromQueue() throws(StatusError) {
        let schedule = try state.withLock { state throws(StatusError) in
            guard let schedule = state.schedule, case .queue = schedule.place else {
                throw .invalidArgument
            }
            state.schedule = nil
            return schedule
        }
        schedule.watch?.cancel()
    }

    func schedule(on loop: CFRunLoop, mode: String) throws(StatusError) {
        let deliveries = try state.withLock { state throws(StatusError) -> [Delivery]? in
            switch state.schedule?.place {
            case nil:
                var schedule = try begin { session throws(StatusError) in
                    .runLoops(
                        try RunLoopPlaces { [weak self] in self?.deliver(from: session) })
                }
                let deliveries = schedule.add(loop, mode)
                state.schedule = schedule
                return deliveries
            case .runLoops:
                return state.schedule?.add(loop, mode)
            case .queue:
                throw .invalidArgument
            }
        }
        Self.deliver(deliveries)
    }

    func unschedule(from loop: CFRunLoop, mode: String) throws(StatusError) {
        // The old schedule may hold the last reference to a run loop, and is released after the lock.
        let (old, isEnded) = try state.withLock { state throws(StatusError) in
            let old = state.schedule
            guard var schedule = old, try schedule.remove(loop, mode) else {
                throw .invalidArgument
            }
            state.schedule = schedule.isNowhere ? nil : schedule
            return (old, schedule.isNowhere)
        }
        if isEnded { old?.watch?.cancel() }
    }

    private func begin(
        _ place: (MonitoringSession) throws(StatusError) -> Schedule.Place
    ) throws(StatusError) -> Schedule {
        let session = MonitoringSession(receiver: self)
        let place = try place(session)
        var watch: MonitorHub.Subscription?
        var path = ReachabilitySnapshot.unresolved
        if let target = endpoint.watched {
            (watch, path) = try StatusError.system { () throws(ReachabilityError) in
                try MonitorHub.watch(target, for: session, options: options)
            }
        } else {
            MonitorLoop.perform { [weak self] in self?.receive(.unresolved, in: session) ?? [] }
        }
        // The name may be resolved already; that state is reported to the session once more.
        if path.resolution == .done {
            do throws(StatusError) {
                let now = try endpoint.check()
                path = ReachabilitySnapshot(
                    flags: now.flags, interface: now.interface, resolution: .pending)
            } catch {
                watch?.cancel()
                throw error
            }
        }
        return Schedule(
            session: session, keepAlive: self, place: place, watch: watch, path: path,
            phase: endpoint.isName ? .initial : .open)
    }

    // MARK: Delivery

    /// Reports the final answer for a name, which was held back.
    func open(_ session: MonitoringSession) -> [Delivery] {
        state.withLock { state in
            guard state.schedule?.session === session else { return [] }
            return state.schedule?.open() ?? []
        }
    }

    /// Makes the loop run the calls that result from a call by the application.
    private static func deliver(_ deliveries: [Delivery]?) {
        guard let deliveries, !deliveries.isEmpty else { return }
        MonitorLoop.perform { deliveries }
    }

    /// Calls the callback unless the change was delivered, or a name's first flags were read, meanwhile.
    func deliver(from session: MonitoringSession) {
        func next(_ step: (inout State) -> Schedule.Call?) -> Schedule.Call? {
            state.withLock { state in
                guard state.schedule?.session === session else { return nil }
                return step(&state)
            }
        }
        var call = next { $0.schedule?.nextCall($0.callout) }
        while let due = call {
            due.callout.call(self, due.flags)
            call = next { $0.schedule?.callAfter($0.callout) }
        }
    }
}

extension SCNetworkReachability: MonitorReceiver {
    package func receive(
        _ snapshot: ReachabilitySnapshot, in session: MonitoringSession
    ) -> [Delivery] {
        state.withLock { state in
            guard state.schedule?.session === session else { return [] }
            return state.schedule?.take(snapshot) ?? []
        }
    }

    package func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        receive(ReachabilitySnapshot(unknownAfter: errno), in: session)
    }
}

extension SCNetworkReachability: Hashable {
    /// Whether both are the same object.
    public static func == (left: SCNetworkReachability, right: SCNetworkReachability) -> Bool {
        left === right
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension SCNetworkReachability: CustomStringConvertible {
    /// The text that `CFShow()` prints on Apple's systems: the target, and, while scheduled, its flags and interface.
    ///
    /// ```none
    /// <SCNetworkReachability 0x55d0c8 [0x7f1234]> {name = localhost (complete, 127.0.0.1), flags = 0x00010002, if_index = 1}
    /// ```
    public var description: String {
        let path = scheduledPath
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        var text = "<SCNetworkReachability \(hexadecimal(address)) [\(hexadecimal(allocator))]> {"
        text += endpoint.description
        text += path?.progress ?? ""
        if let path {
            text += ", flags = \(hexadecimal(path.systemFlags.rawValue, width: 8))"
            text += ", if_index = \(path.verdict.interfaceIndex)"
        }
        return text + "}"
    }
}

extension SCNetworkReachability: CustomDebugStringConvertible {
    /// The same as ``description``.
    public var debugDescription: String {
        description
    }
}

extension ReachabilitySnapshot {
    /// The progress of a name's resolution; empty for other targets.
    fileprivate var progress: String {
        let list = addresses.map { ", \($0)" }.joined()
        return switch resolution {
        case .notAName: ""
        case .pending: " (DNS query active)"
        case .done, .outdated: " (complete\(list.isEmpty ? ", no addresses" : list))"
        }
    }
}

private func hexadecimal(_ number: some BinaryInteger, width: Int = 0) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
}
