// SPDX-License-Identifier: MIT

// What Reachability.swift has by names of its own.

extension Reachability {
    /// What the target is reached over, by the names of Reachability.swift.
    public enum Connection: Hashable, Sendable {
        /// Not reachable, or over a cellular interface that does not count.
        case unavailable
        /// Over Wi-Fi or anything else that is not cellular.
        case wifi
        /// Over a cellular interface.
        case cellular
    }

    /// Watches whether there is a way out at all; the same as ``forInternetConnection()``.
    ///
    /// - Throws: Nothing; it says so because there it does.
    public convenience init() throws(ReachabilityError) {
        try self.init(reachabilityRef: .internet)
    }

    /// What the target is reached over now: ``currentReachabilityStatus()`` by other names.
    public var connection: Connection {
        switch currentReachabilityStatus() {
        case .NotReachable: .unavailable
        case .ReachableViaWiFi: .wifi
        case .ReachableViaWWAN: .cellular
        }
    }

    /// Another name of ``reachableBlock``.
    public var whenReachable: NetworkReachable? {
        get { reachableBlock }
        set { reachableBlock = newValue }
    }

    /// Another name of ``unreachableBlock``.
    public var whenUnreachable: NetworkUnreachable? {
        get { unreachableBlock }
        set { unreachableBlock = newValue }
    }
}

extension Reachability.Connection: CustomStringConvertible {
    /// `WiFi`, `Cellular` or `No Connection`.
    public var description: String {
        switch self {
        case .unavailable: "No Connection"
        case .wifi: "WiFi"
        case .cellular: "Cellular"
        }
    }
}
