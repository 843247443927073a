// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// The subscribers of ``NetworkInterface/updates(in:)`` and ``NetworkHost/updates(in:)`` that a hub feeds; the hub's
/// lock protects them.
struct HostSubscribers: Sendable {
    /// The counters when the host was last computed; if one of them has changed, it is computed again.
    private struct Basis: Equatable, Sendable {
        let changes: UInt64
        let interfaceChanges: UInt64
        let resolutions: UInt64
    }

    /// The targets of a host, while there is a subscriber.
    private struct Watched: Sendable {
        var targets: HostTargets
        /// The id of the target `localhost`: because of this name, the monitor watches `/etc/resolv.conf`, and
        /// resolves the name again when the file changes.
        let name: UInt64
        var basis: Basis?
        /// The counter of resolutions when `/etc/resolv.conf` was read; nil before the first one.
        var reading: UInt64?
    }

    /// Called with each value, and once with the error if the monitor fails.
    typealias Sink<Value> = @Sendable (Result<Value, ReachabilityError>) -> Void

    /// A struct, since each access to a bare closure in a generic type would add a reabstraction thunk.
    struct Subscriber<Value: Sendable>: Sendable {
        let call: Sink<Value>
    }

    typealias List<Value: Sendable> = Subscribers<Value, Subscriber<Value>>

    private var interfaces = List<[NetworkInterface]>()
    private var hosts = List<NetworkHost>()
    private var interfaceChanges: UInt64?
    private var watched: Watched?

    var isEmpty: Bool { interfaces.isEmpty && hosts.isEmpty }

    mutating func addInterfaces(_ sink: @escaping Sink<[NetworkInterface]>) -> SubscriberID {
        interfaces.add(Subscriber(call: sink))
    }

    /// Returns the removed subscriber; release it after the lock.
    mutating func removeInterfaces(_ id: SubscriberID) -> (any Sendable)? {
        interfaces.remove(id)
    }

    mutating func addHost(
        _ sink: @escaping Sink<NetworkHost>, _ handle: borrowing MonitorHandle,
        resolver: ResolverConfiguration
    ) throws(ReachabilityError) -> SubscriberID {
        if watched == nil {
            let targets = try HostTargets(handle, resolver: resolver)
            do throws(ReachabilityError) {
                let name = try handle.add(
                    .unparsed(name: "localhost", policy: .strict), reporting: .verdict)
                watched = Watched(targets: targets, name: name)
            } catch {
                targets.remove(from: handle)
                throw error
            }
        }
        return hosts.add(Subscriber(call: sink))
    }

    /// Returns the removed subscriber; release it after the lock.
    mutating func removeHost(
        _ id: SubscriberID, _ handle: borrowing MonitorHandle
    ) -> (any Sendable)? {
        let removed = hosts.remove(id)
        if hosts.isEmpty, let watched = watched.take() {
            watched.targets.remove(from: handle)
            handle.remove(watched.name)
        }
        return removed
    }

    /// The counter of resolutions if `/etc/resolv.conf` must be read again, else nil.
    func reading(for handle: borrowing MonitorHandle) -> UInt64? {
        guard let watched else { return nil }
        let resolutions = handle.statistics().resolutions
        return resolutions == watched.reading ? nil : resolutions
    }

    /// Takes the contents of `/etc/resolv.conf`, if they were read, with the counter from before.
    ///
    /// Reads the changes, and returns the deliveries that follow.
    mutating func update(
        from handle: borrowing MonitorHandle, _ resolver: (ResolverConfiguration, at: UInt64)?
    ) throws(ReachabilityErrno) -> [Delivery] {
        if let resolver {
            watched?.targets.configure(resolver.0, handle)
            watched?.reading = resolver.at
        }
        return updateInterfaces(from: handle) + (try updateHosts(from: handle))
    }

    private mutating func updateInterfaces(from handle: borrowing MonitorHandle) -> [Delivery] {
        let changes = handle.statistics().interfaceChanges
        guard !interfaces.isEmpty, changes != interfaceChanges || interfaces.hasNew else {
            return []
        }
        interfaceChanges = changes
        return deliveries(of: interfaces.publish(handle.interfaces()))
    }

    private mutating func updateHosts(
        from handle: borrowing MonitorHandle
    ) throws(ReachabilityErrno) -> [Delivery] {
        guard var watched else { return [] }
        let statistics = handle.statistics()
        let basis = Basis(
            changes: statistics.changes, interfaceChanges: statistics.interfaceChanges,
            resolutions: statistics.resolutions)
        guard basis != watched.basis || hosts.hasNew else { return [] }
        let host = try watched.targets.host(of: handle)
        watched.basis = basis
        self.watched = watched
        return host.map { deliveries(of: hosts.publish($0)) } ?? []
    }

    /// Ends all iterations: the monitor failed.
    func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        let error = ReachabilityError.system(errno, doing: "monitoring")
        return interfaces.all.map { sink in .here { sink.call(.failure(error)) } }
            + hosts.all.map { sink in .here { sink.call(.failure(error)) } }
    }

    private func deliveries<Value: Equatable>(of round: List<Value>.Round) -> [Delivery] {
        var deliveries: [Delivery] = []
        round.forEachChange { sink in
            deliveries.append(.here { sink.call(.success(round.value)) })
        }
        return deliveries
    }
}
#endif
