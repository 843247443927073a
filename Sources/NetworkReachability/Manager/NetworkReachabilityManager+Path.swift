// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Whether IPv4 packets to the internet can be sent, as `supportsIPv4` of NWPath.
    ///
    /// Each access queries the kernel: ``ReachabilityTarget/internet(_:)`` with the interface, classes,
    /// mark, user and namespace of ``target``, whatever that is itself. It takes as long as
    /// ``currentSnapshot()`` (some 10 to 100 microseconds), and does not depend on whether the target is
    /// monitored. To be notified, monitor that target.
    ///
    /// - Throws: The errors of ``currentSnapshot()``.
    public var supportsIPv4: Bool {
        get throws(ReachabilityError) { try supports(.ipv4) }
    }

    /// Whether IPv6 packets to the internet can be sent; see ``supportsIPv4``.
    ///
    /// - Throws: The errors of ``currentSnapshot()``.
    public var supportsIPv6: Bool {
        get throws(ReachabilityError) { try supports(.ipv6) }
    }

    /// Whether a name server is configured and can be reached, as `supportsDNS` of NWPath.
    ///
    /// Each access reads `/etc/resolv.conf` and queries the kernel for the servers in it, until one has a
    /// usable route. A server on this host, such as the stub of systemd-resolved (127.0.0.53), always has
    /// one, whatever it can reach itself. Without a server in the file the result is false, although the C
    /// library then asks 127.0.0.1.
    ///
    /// - Throws: The errors of ``currentSnapshot()``.
    public var supportsDNS: Bool {
        get throws(ReachabilityError) {
            for server in source.nameServers() {
                let target = ReachabilityTarget.address(server).restricted(as: target)
                if try source.check(target).status.isReachable { return true }
            }
            return false
        }
    }

    private func supports(_ family: NetworkAddress.Family) throws(ReachabilityError) -> Bool {
        try source.check(.internet(family).restricted(as: target)).status.isReachable
    }
}
