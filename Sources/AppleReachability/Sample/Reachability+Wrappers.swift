// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

// Additions from the common wrappers of Apple's sample.

extension Reachability {
    /// Called on the notifier's run loop, before the notification, when the target is reachable.
    public var reachableBlock: NetworkReachable? {
        get { block(\.reachableBlock) }
        set { setBlock(\.reachableBlock, newValue) }
    }

    /// Called on the notifier's run loop, before the notification, when the target is not reachable.
    public var unreachableBlock: NetworkUnreachable? {
        get { block(\.unreachableBlock) }
        set { setBlock(\.unreachableBlock, newValue) }
    }

    /// Called on the notifier's run loop after one of the other blocks, and before the notification.
    public var reachabilityBlock: NetworkReachability? {
        get {
            settings.withLock { $0.reachabilityBlock }.map { block in { block.call(($0, $1)) } }
        }
        set { set(\.reachabilityBlock, newValue.map { body in Block { body($0, $1) } }) }
    }

    /// Whether cellular interfaces are allowed; if not, a target behind one is not reachable.
    ///
    /// True by default. The flags do not depend on this property.
    public var allowsCellularConnection: Bool {
        get { settings.withLock { $0.allowsCellularConnection } }
        set { set(\.allowsCellularConnection, newValue) }
    }

    /// Another name for ``allowsCellularConnection``.
    public var reachableOnWWAN: Bool {
        get { allowsCellularConnection }
        set { allowsCellularConnection = newValue }
    }

    /// Whether the target is reachable.
    ///
    /// - Returns: Whether ``currentReachabilityStatus()`` is one of the two reachable ones.
    public func isReachable() -> Bool {
        currentReachabilityStatus() != .NotReachable
    }

    /// Whether the target is reachable over a cellular interface.
    ///
    /// - Returns: Whether ``currentReachabilityStatus()`` is ``NetworkStatus/ReachableViaWWAN``.
    public func isReachableViaWWAN() -> Bool {
        currentReachabilityStatus() == .ReachableViaWWAN
    }

    /// Whether the target is reachable over Wi-Fi or any other interface that is not cellular.
    ///
    /// - Returns: Whether ``currentReachabilityStatus()`` is ``NetworkStatus/ReachableViaWiFi``.
    public func isReachableViaWiFi() -> Bool {
        currentReachabilityStatus() == .ReachableViaWiFi
    }

    /// Another name for ``connectionRequired()``.
    ///
    /// - Returns: Whether the flags say so.
    public func isConnectionRequired() -> Bool {
        connectionRequired()
    }

    /// Whether a connection must be established first, and traffic establishes it.
    ///
    /// - Returns: Whether the flags say so.
    public func isConnectionOnDemand() -> Bool {
        let flags = reachabilityFlags()
        return flags.contains(.connectionRequired)
            && !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
    }

    /// Whether a connection must be established first, and the user must act for it.
    ///
    /// - Returns: Whether the flags say so.
    public func isInterventionRequired() -> Bool {
        reachabilityFlags().contains([.connectionRequired, .interventionRequired])
    }

    /// The localized status: `WiFi`, `Cellular`, or `No Connection`.
    ///
    /// - Returns: The text in the application's table "Localizable", or the English words.
    public func currentReachabilityString() -> String {
        NSLocalizedString(connection.description, comment: "reachability status")
    }

    /// The flags as nine letters in the wrappers' order, `WR ctiCDld`, with `-` for a clear bit.
    ///
    /// - Returns: The letters.
    public func currentReachabilityFlags() -> String {
        // They swap two pairs of the sample's letters, "WR tcCiDld".
        var letters = Array(reachabilityFlags().letters)
        letters.swapAt(3, 4)
        letters.swapAt(5, 6)
        return String(letters)
    }

    /// Sets a value, and releases the old one after the lock.
    ///
    /// The old value may hold the last reference to any object.
    func set<Value: Sendable>(
        _ keyPath: any WritableKeyPath<Settings, Value> & Sendable, _ value: Value
    ) {
        let replaced = settings.withLock { settings in
            defer { settings[keyPath: keyPath] = value }
            return settings[keyPath: keyPath]
        }
        withExtendedLifetime(replaced) {}
    }

    typealias BlockPath = any WritableKeyPath<Settings, Block<Reachability>?> & Sendable

    func block(_ keyPath: BlockPath) -> NetworkReachable? {
        settings.withLock { $0[keyPath: keyPath] }.map { block in { block.call($0) } }
    }

    func setBlock(_ keyPath: BlockPath, _ body: NetworkReachable?) {
        set(keyPath, body.map { Block($0) })
    }
}

extension Reachability: CustomStringConvertible {
    /// The same as ``currentReachabilityFlags()``.
    public var description: String {
        currentReachabilityFlags()
    }
}

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
