// SPDX-License-Identifier: MIT

extension NetworkHost {
    /// Reads the network of this host.
    ///
    /// Opens a monitor for the duration of the call, and waits for the kernel's answers.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: The network after all events so far.
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened or the kernel has no rtnetlink; see
    ///   ``ReachabilityError/Code``.
    public static func current(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) -> NetworkHost {
        try MonitorHandle.host(in: namespace)
    }

    /// The network of this host, or of another namespace, now and whenever it changes.
    ///
    ///     for try await host in NetworkHost.updates() {
    ///         print(host.isOnline, host.supportsDNS)
    ///     }
    ///
    /// A change of the path, an interface, an address, or the DNS configuration delivers one value with all of
    /// them. Nothing is polled: the sequence uses the monitor that the managers of the namespace share.
    ///
    /// - Parameter namespace: The network namespace. The DNS configuration is that of this process.
    /// - Returns: A sequence that starts with each iteration, and throws if the namespace cannot be opened or
    ///   the monitor failed.
    public static func updates(
        in namespace: NetworkNamespace = .current
    ) -> ReachabilityUpdates<NetworkHost, ReachabilityError> {
        updates(in: namespace, options: .standard)
    }

    package static func updates(
        in namespace: NetworkNamespace, options: MonitorOptions
    ) -> ReachabilityUpdates<NetworkHost, ReachabilityError> {
        ReachabilityUpdates { sink throws(ReachabilityError) in
            try MonitorHub.watchHost(of: namespace, options: options, sink)
        }
    }

    /// The usable addresses of this host's usable interfaces, now and whenever they change.
    ///
    ///     for try await addresses in NetworkHost.addresses() {
    ///         print(addresses)
    ///     }
    ///
    /// Without those of loopback, and without link-local ones. Links that come and go without an address, as on a host
    /// with containers, cause no value. The addresses are in the order of the interfaces' indices.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: A sequence like ``NetworkInterface/updates(in:)``.
    public static func addresses(
        in namespace: NetworkNamespace = .current
    ) -> ReachabilityUpdates<[NetworkAddress], ReachabilityError> {
        ReachabilityUpdates(isRepetition: ==) { sink throws(ReachabilityError) in
            try MonitorHub.watchInterfaces(of: namespace, options: .standard) { result in
                sink(
                    result.map { interfaces in
                        interfaces.filter { $0.isUsable && $0.interfaceClass != .loopback }
                            .flatMap(\.ownAddresses)
                    })
            }
        }
    }

    /// Looks up all monitored targets again.
    ///
    /// Call it after a change that the kernel does not announce: to `fib_multipath_hash_policy`,
    /// `fib_multipath_use_neigh`, or the labels of IPv6 addresses (`ip addrlabel`). Differences are published
    /// like any other change. Does nothing if no target in the namespace is monitored.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened.
    public static func refresh(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) {
        try MonitorHub.refresh(in: namespace, .standard)
    }

    /// Returns the counters of the monitor that all managers in a namespace share; nil if no target is
    /// monitored there.
    ///
    /// May wait while the monitor reads the queued events.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: The counters since the monitor was opened.
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened.
    public static func statistics(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) -> MonitorStatistics? {
        try MonitorHub.statistics(in: namespace, .standard)
    }
}

extension NetworkInterface {
    /// All interfaces of a network namespace, including loopback, with their addresses: now, and whenever they
    /// change.
    ///
    ///     for try await interfaces in NetworkInterface.updates() {
    ///         print(interfaces.filter(\.isUsable))
    ///     }
    ///
    /// Every iteration begins with the current list, sorted by index. After a kernel event that changed a link or an
    /// address, the list is read again, and delivered if it differs. Nothing is polled: the sequence uses the
    /// monitor that the managers of the namespace share.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: A sequence that starts with each iteration, and throws if the namespace cannot be opened or the
    ///   monitor failed.
    public static func updates(
        in namespace: NetworkNamespace = .current
    ) -> ReachabilityUpdates<[NetworkInterface], ReachabilityError> {
        ReachabilityUpdates { sink throws(ReachabilityError) in
            try MonitorHub.watchInterfaces(of: namespace, options: .standard, sink)
        }
    }
}

extension ReachabilityUpdates where Failure == ReachabilityError {
    /// A sequence that a hub feeds: after `watch`, the hub calls the sink until the returned closure is called.
    init(
        isRepetition: Repetition? = nil,
        _ watch:
            @escaping @Sendable (
                _ sink: @escaping HostSubscribers.Sink<Element>
            ) throws(ReachabilityError) -> @Sendable () -> Void
    ) {
        self.init(isRepetition: isRepetition) { continuation in
            do throws(ReachabilityError) {
                let end = try watch(continuation.receive)
                // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
                continuation.onTermination = { _ in
                    MonitorLoop.perform {
                        end()
                        return []
                    }
                }
            } catch {
                continuation.receive(.failure(error))
            }
            return { continuation.finish() }
        }
    }
}

extension AsyncStream.Continuation {
    /// Yields a value, or ends the iteration with an error.
    func receive<Value: Sendable, Failure>(_ result: Result<Value, Failure>)
    where Element == Result<Value, Failure> {
        yield(result)
        if case .failure = result { finish() }
    }
}
