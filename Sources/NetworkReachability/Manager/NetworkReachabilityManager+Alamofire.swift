// SPDX-License-Identifier: MIT

public import Dispatch

// The names of Alamofire's NetworkReachabilityManager: for each, the compiler suggests the counterpart.

extension NetworkReachabilityManager {
    /// Alamofire's name; use ``init(domain:)``, which throws the reason.
    @available(*, unavailable, renamed: "init(domain:)")
    public convenience init?(host: String) {
        self.init()
    }

    /// Alamofire's name; use ``shared``.
    @available(*, unavailable, renamed: "shared")
    public static var `default`: NetworkReachabilityManager? { shared }

    /// Alamofire's name; use ``networkReachabilityStatus``.
    @available(*, unavailable, renamed: "networkReachabilityStatus")
    public var status: NetworkReachabilityStatus { networkReachabilityStatus }

    /// Alamofire's name; use ``isReachableViaWWAN``.
    @available(*, unavailable, renamed: "isReachableViaWWAN")
    public var isReachableOnCellular: Bool { isReachableViaWWAN }

    /// The name in Alamofire 4; use ``isReachableViaWWAN``.
    @available(*, unavailable, renamed: "isReachableViaWWAN")
    public var isReachableOnWWAN: Bool { isReachableViaWWAN }

    /// Alamofire's name; use ``isReachableViaWiFi``.
    @available(*, unavailable, renamed: "isReachableViaWiFi")
    public var isReachableOnEthernetOrWiFi: Bool { isReachableViaWiFi }

    /// Alamofire's name; here, each callback has its own queue.
    @available(
        *, unavailable, message: "each callback has a queue of its own: see the parameter 'queue'"
    )
    public var reachabilityQueue: DispatchQueue { .main }

    /// The name in Alamofire 4; use ``addStatusListener(queue:stable:_:)``.
    @available(
        *, unavailable, message: "use addStatusListener(queue:stable:_:), which adds a listener"
    )
    public var listener: (@Sendable (_ status: NetworkReachabilityStatus) -> Void)? {
        get { nil }
        set {}
    }

    /// The name in Alamofire 4; use the `queue` parameter of ``addStatusListener(queue:stable:_:)``.
    @available(*, unavailable, message: "use the parameter of addStatusListener(queue:stable:_:)")
    public var listenerQueue: DispatchQueue {
        get { .main }
        set {}
    }

    /// Alamofire's name; use ``setReachabilityStatusChangeBlock(queue:_:)`` and ``startMonitoring()``.
    @available(
        *, unavailable,
        message:
            "use setReachabilityStatusChangeBlock(queue:_:) or addStatusListener(queue:stable:_:), and then startMonitoring(), which throws"
    )
    @discardableResult
    public func startListening(
        onQueue queue: DispatchQueue = .main,
        onUpdatePerforming listener: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) -> Bool {
        false
    }

    /// The name in Alamofire 4; use ``startMonitoring()``, which throws the reason.
    @available(*, unavailable, renamed: "startMonitoring()")
    @discardableResult
    public func startListening() -> Bool {
        false
    }

    /// Alamofire's name; use ``stopMonitoring()``.
    @available(*, unavailable, renamed: "stopMonitoring()")
    public func stopListening() {}
}

extension NetworkReachabilityStatus {
    /// Alamofire's kinds of connection; here, each is a status of its own.
    @available(*, unavailable, message: "use reachableViaWiFi and reachableViaWWAN")
    public enum ConnectionType: Sendable {
        /// Use ``NetworkReachabilityStatus/reachableViaWiFi``.
        case ethernetOrWiFi
        /// Use ``NetworkReachabilityStatus/reachableViaWWAN``.
        case cellular
    }

    /// Alamofire's name; use ``reachableViaWiFi`` or ``reachableViaWWAN``.
    @available(*, unavailable, message: "use reachableViaWiFi, reachableViaWWAN or isReachable")
    public static func reachable(_ connection: ConnectionType) -> NetworkReachabilityStatus {
        .unknown
    }
}
