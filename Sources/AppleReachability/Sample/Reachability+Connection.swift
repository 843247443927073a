// SPDX-License-Identifier: MIT

// Additions with the names of Reachability.swift.

extension Reachability {
    /// The kind of network, with the names of Reachability.swift.
    ///
    ///     let reachability = try Reachability()
    ///     switch reachability.connection {
    ///     case .wifi: print("over Wi-Fi")
    ///     case .cellular: print("over a modem")
    ///     case .unavailable: print("offline")
    ///     }
    public enum Connection: Hashable, Sendable {
        /// Not reachable, or reachable only over a cellular interface that is not allowed.
        case unavailable
        /// Over Wi-Fi or any other interface that is not cellular.
        case wifi
        /// Over a cellular interface.
        case cellular
    }

    /// Creates an object for the internet target; the same as ``forInternetConnection()``.
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

    /// Called on the notifier's run loop when the target is reachable, before the notification.
    ///
    /// It is called with the first state after ``startNotifier()``, then whenever the flags have
    /// changed. As in Reachability.swift, a restart with the same flags doesn't call it again.
    /// In contrast, ``reachableBlock`` of the Objective-C wrappers isn't called with the first state.
    public var whenReachable: NetworkReachable? {
        get { block(\.whenReachable) }
        set { setBlock(\.whenReachable, newValue) }
    }

    /// Called like ``whenReachable`` when the target is not reachable.
    public var whenUnreachable: NetworkUnreachable? {
        get { block(\.whenUnreachable) }
        set { setBlock(\.whenUnreachable, newValue) }
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
