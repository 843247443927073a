// SPDX-License-Identifier: MIT

extension NetworkInterface {
    /// The interfaces of the current network namespace, now and whenever they change; see ``updates(in:)``.
    public static var updates: ReachabilityUpdates<[NetworkInterface], ReachabilityError> {
        updates(in: .current)
    }

    /// All interfaces of a network namespace, including loopback, with their addresses: now, and whenever they
    /// change.
    ///
    ///     for try await interfaces in NetworkInterface.updates {
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
        in namespace: NetworkNamespace
    ) -> ReachabilityUpdates<[NetworkInterface], ReachabilityError> {
        updates(in: namespace, options: .standard)
    }

    package static func updates(
        in namespace: NetworkNamespace, options: MonitorOptions
    ) -> ReachabilityUpdates<[NetworkInterface], ReachabilityError> {
        ReachabilityUpdates { sink throws(ReachabilityError) in
            try MonitorHub.watchInterfaces(of: namespace, options: options, sink)
        }
    }
}
