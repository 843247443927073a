// SPDX-License-Identifier: MIT

public import Foundation
public import Observation
internal import RunLoops

/// Monitors one target and reports its changes, with the names and rules of AFNetworking.
///
///     let manager = AFNetworkReachabilityManager.shared()
///     manager.setReachabilityStatusChange { print(AFStringFromNetworkReachabilityStatus($0)) }
///     manager.startMonitoring()
///
/// Each value is delivered on the main queue: the manager assigns ``networkReachabilityStatus``,
/// calls the block, and posts the notification. A value is delivered when monitoring starts, and
/// then when the flags, the interface in use, or the addresses of a name differ. (SCNetworkReachability
/// compares only the number of addresses.) The same status can be delivered again;
/// `NetworkReachabilityManager` omits repetitions.
///
/// Any thread may use a manager, and releasing it stops monitoring. The status is observable: with
/// Observation, and with ``observe(_:options:changeHandler:)``.
///
/// It is an `NSObject`, as on Apple's platforms. With Swift 6.2, `NotificationCenter` finds no observer whose
/// object is of another class.
public final class AFNetworkReachabilityManager: NSObject, Observable, Sendable {
    struct State {
        var status = AFNetworkReachabilityStatus.unknown
        var block: Block<AFNetworkReachabilityStatus>?
        var lastError: ReachabilityError?
        /// Counts starts and stops, so that a delivery on the main queue can detect that it is outdated.
        var session: UInt64 = 0
        var observers: [StatusObserver] = []
    }

    /// The user info of each status, never changed: making one takes 2,000 instructions, of 30,000 per change.
    private nonisolated(unsafe) static let userInfo:
        [AFNetworkReachabilityStatus: [AnyHashable: Any]] =
            AFNetworkReachabilityStatus.allCases.reduce(into: [:]) { all, status in
                all[status] = [
                    AFNetworkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)
                ]
            }

    private static let sharedManager = AFNetworkReachabilityManager(reachability: .internet)

    /// The manager that monitors the target, or the error of an invalid target.
    package let core: Result<NetworkReachabilityManager, ReachabilityError>
    let state = Lock(State())
    private let registrar = ObservationRegistrar()

    // MARK: Creating a manager

    /// Returns the shared manager for the internet target, created at first use and never released.
    ///
    /// - Returns: The same manager each time.
    public static func shared() -> AFNetworkReachabilityManager {
        sharedManager
    }

    /// Creates a manager for the internet target.
    ///
    /// - Returns: The manager.
    public static func manager() -> AFNetworkReachabilityManager {
        AFNetworkReachabilityManager(reachability: .internet)
    }

    /// Creates a manager for a host name.
    ///
    /// For an invalid name, it creates a manager that delivers `notReachable` once it is started, with
    /// ``lastError`` set.
    ///
    /// - Parameter domain: A host name, or a URL that has one; see
    ///   `ReachabilityTarget.domain(_:policy:)`.
    public convenience init(forDomain domain: String) {
        self.init { () throws(ReachabilityError) in
            try ReachabilityTarget.domain(domain, policy: .optimistic)
        }
    }

    /// Creates a manager for the address in a `struct sockaddr_in` or `sockaddr_in6`.
    ///
    /// The zero address stands for the internet, and 169.254.0.0 for the local Wi-Fi. For any other family, it
    /// creates a manager that delivers `notReachable` once it is started, with ``lastError`` set.
    ///
    /// - Parameter address: The struct, which is copied; its family determines how many bytes are read.
    public convenience init(forAddress address: UnsafeRawPointer) {
        self.init { () throws(ReachabilityError) in
            .address(try unsafe NetworkAddress(socketAddress: address))
        }
    }

    /// Creates a manager for an address.
    ///
    /// - Parameter address: The address; see ``init(forAddress:)-(UnsafeRawPointer)`` for those with a
    ///   special meaning.
    public convenience init(forAddress address: NetworkAddress) {
        self.init { .address(address) }
    }

    /// Creates a manager for a target, which replaces an `SCNetworkReachabilityRef`.
    ///
    /// - Parameter reachability: The target.
    public convenience init(reachability: ReachabilityTarget) {
        self.init { reachability }
    }

    /// Not available: a manager needs a target.
    @available(
        *, unavailable, message: "use shared(), manager(), init(forDomain:) or init(forAddress:)"
    )
    public override convenience init() {
        self.init(reachability: .internet)
    }

    /// Not available: a manager needs a target.
    @available(
        *, unavailable, message: "use shared(), manager(), init(forDomain:) or init(forAddress:)"
    )
    public static func new() -> AFNetworkReachabilityManager {
        manager()
    }

    /// Creates a manager that delivers the values of another one.
    ///
    /// In a test, pass the manager of a `SimulatedReachability`.
    ///
    /// - Parameter manager: The manager, which is started and stopped with this one.
    public convenience init(manager: NetworkReachabilityManager) {
        self.init(core: .success(manager))
    }

    /// Creates a manager for a target whose monitor has these options.
    package convenience init(
        options: MonitorOptions = .standard,
        _ target: () throws(ReachabilityError) -> ReachabilityTarget
    ) {
        self.init(
            core: Result { () throws(ReachabilityError) in
                try NetworkReachabilityManager(target: target(), options: options)
            })
    }

    private init(core: Result<NetworkReachabilityManager, ReachabilityError>) {
        self.core = core
        super.init()
        switch core {
        case .success(let core):
            _ = core.addListener(queue: .main, of: .verdict) { [weak self] snapshot in
                guard let self else { return }
                deliver(snapshot.verdict.status, of: state.withLock { $0.session })
            }
        case .failure(let error):
            state.withLock { $0.lastError = error }
        }
    }

    deinit {
        stopMonitoring()
    }

    // MARK: Monitoring

    /// Starts monitoring, or restarts it.
    ///
    /// The current status is delivered once, then every change. If monitoring isn't possible,
    /// ``lastError`` is set. The delivered status is then `notReachable` for an invalid target, and
    /// `unknown` after a system error.
    public func startMonitoring() {
        stopMonitoring()
        do throws(ReachabilityError) {
            try core.get().startMonitoring()
            state.withLock { $0.lastError = nil }
        } catch {
            fail(error)
        }
    }

    /// Stops monitoring.
    ///
    /// If you call it on the main queue, no delivery follows. If you call it elsewhere, one delivery may still
    /// be running or about to run. The status keeps its value.
    public func stopMonitoring() {
        state.withLock { $0.session &+= 1 }
        if case .success(let core) = core { core.stopMonitoring() }
    }

    /// Sets the block that receives the status, and replaces the previous one.
    ///
    /// - Parameter block: Called on the main queue with each status delivered afterwards; nil for
    ///   no block. It needn't be `Sendable`, and may use the state of a class on the main actor:
    ///   set such a block on the main thread.
    public func setReachabilityStatusChange(
        _ block: ((_ status: AFNetworkReachabilityStatus) -> Void)?
    ) {
        let new = block.map { Block($0) }
        // Release the old block after the lock: it may hold the last reference to any object.
        let replaced = state.withLock { state in
            defer { state.block = new }
            return state.block
        }
        withExtendedLifetime(replaced) {}
    }

    // MARK: State

    /// The last delivered status; `unknown` before the first delivery.
    ///
    /// It is assigned on the main queue, and observable.
    public var networkReachabilityStatus: AFNetworkReachabilityStatus {
        registrar.access(self, keyPath: \.networkReachabilityStatus)
        return state.withLock { $0.status }
    }

    /// Whether the target is reachable; computed from ``networkReachabilityStatus``.
    public var isReachable: Bool {
        networkReachabilityStatus.isReachable
    }

    /// Whether the target is reachable over a cellular interface; computed from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWWAN: Bool {
        networkReachabilityStatus == .reachableViaWWAN
    }

    /// Whether the target is reachable over Wi-Fi or any other interface that is not cellular; computed
    /// from ``networkReachabilityStatus``.
    public var isReachableViaWiFi: Bool {
        networkReachabilityStatus == .reachableViaWiFi
    }

    /// Why the target can't be monitored, with the input and a remedy; nil without an error.
    ///
    /// AFNetworking has no such property: it crashes on an empty name, and ignores other errors.
    public var lastError: ReachabilityError? {
        state.withLock { $0.lastError }
    }

    /// Returns the localized text of ``networkReachabilityStatus``; see
    /// ``AFStringFromNetworkReachabilityStatus(_:)``.
    ///
    /// - Returns: The text.
    public func localizedNetworkReachabilityStatusString() -> String {
        AFStringFromNetworkReachabilityStatus(networkReachabilityStatus)
    }

    /// Returns the properties that a property is computed from.
    ///
    /// - Parameter key: The name of a property in Objective-C (`reachable`) or Swift (`isReachable`).
    /// - Returns: `networkReachabilityStatus` for the properties computed from it, else the empty set.
    public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        NetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: key)
    }

    // MARK: Delivery

    /// Delivers a status unless a stop or a start intervenes; runs on the main queue.
    private func deliver(_ status: AFNetworkReachabilityStatus, of session: UInt64) {
        MainQueue.post { [self] in
            if state.withLock({ $0.session }) == session { deliver(status) }
        }
    }

    /// Assigns the property and notifies its observers, then calls the block, then posts the notification.
    private func deliver(_ status: AFNetworkReachabilityStatus) {
        let observers = state.withLock { $0.observers }
        for observer in observers { observer.willChange(self) }
        state.withLock { $0.status = status }
        // After the assignment, since `willSet` can make another thread read the property again.
        registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {}
        for observer in observers { observer.didChange(self) }
        state.withLock { $0.block }?.call(status)
        NotificationCenter.default.post(
            name: .AFNetworkingReachabilityDidChange, object: self,
            userInfo: unsafe Self.userInfo[status])
    }

    private func fail(_ error: ReachabilityError) {
        let session = state.withLock { state in
            state.lastError = error
            return state.session
        }
        let status: AFNetworkReachabilityStatus =
            if case .failure = core { .notReachable } else { .unknown }
        DispatchQueue.main.async { [weak self] in self?.deliver(status, of: session) }
    }
}
