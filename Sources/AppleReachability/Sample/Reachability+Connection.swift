// SPDX-License-Identifier: MIT

// Names of Reachability.swift.

extension Reachability {
    /// The kind of network, with the names of Reachability.swift.
    public enum Connection: Hashable, Sendable {
        /// Not reachable, or over a cellular interface that is not allowed.
        case unavailable
        /// Over Wi-Fi or any other interface that is not cellular.
        case wifi
        /// Over a cellular interface.
        case cellular
    }

    /// Creates an object of the internet target; the same as ``forInternetConnection()``.
    ///
    /// - Throws: Nothing; declared for compatibility with Reachability.swift.
    public convenience init() throws(ReachabilityError) {
        try self.init(reachabilityRef: .internet)
    }

    /// ``currentReachabilityStatus()`` with the names of Reachability.swift.
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
