// SPDX-License-Identifier: MIT

internal import Foundation
public import Observation
internal import Synchronization

/// Watches one target and tells when its reachability changes, by the names and rules of AFNetworking.
///
///     let manager = AFNetworkReachabilityManager.shared()
///     manager.setReachabilityStatusChange { print(AFStringFromNetworkReachabilityStatus($0)) }
///     manager.startMonitoring()
///
/// Each value is delivered on the main queue: ``networkReachabilityStatus`` is assigned, then the block is
/// called, then the notification is posted. Values are not compared: the same status comes again when
/// something else about the way has changed. `NetworkReachabilityManager` leaves repetitions out.
///
/// A manager can be used from any thread, and stops when it goes away. The status is observable, also by
/// ``observe(_:options:changeHandler:)``.
public final class AFNetworkReachabilityManager: Observable, Sendable {
    struct State {
        var status = AFNetworkReachabilityStatus.unknown
        var block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?
        var lastError: ReachabilityError?
        /// Counts starts and stops, so that what one of them left on the main queue can tell it is late.
        var session: UInt64 = 0
        var observers: [any StatusObserver] = []
    }

    private static let sharedManager = AFNetworkReachabilityManager(reachability: .internet)

    /// What watches, or why nothing can.
    let core: Result<NetworkReachabilityManager, ReachabilityError>
    let state = Mutex(State())
    private let registrar = ObservationRegistrar()

    // MARK: Creating a manager

    /// The manager that watches whether there is a way out at all, from first use until the process ends.
    ///
    /// - Returns: The same manager each time.
    public static func shared() -> AFNetworkReachabilityManager {
        sharedManager
    }

    /// A new manager that watches whether there is a way out at all.
    ///
    /// - Returns: The manager.
    public static func manager() -> AFNetworkReachabilityManager {
        AFNetworkReachabilityManager(reachability: .internet)
    }

    /// Watches a host name.
    ///
    /// What is no host name makes a manager that finds it not reachable once it is started, and says
    /// in ``lastError`` what is wrong with it.
    ///
    /// - Parameter domain: A host name, or a URL that has one; see
    ///   `ReachabilityTarget.domain(_:policy:)`.
    public convenience init(forDomain domain: String) {
        self.init { () throws(ReachabilityError) in
            try ReachabilityTarget.domain(domain, policy: .optimistic)
        }
    }

    /// Watches the address in a `struct sockaddr_in` or `sockaddr_in6`.
    ///
    /// The zero address stands for the way out, and 169.254.0.0 for the local Wi-Fi. A struct of any
    /// other family makes a manager that finds it not reachable, with ``lastError`` set.
    ///
    /// - Parameter address: The struct, of which the family decides how much is read and copied.
    public convenience init(forAddress address: UnsafeRawPointer) {
        self.init { () throws(ReachabilityError) in
            .address(try unsafe NetworkAddress(socketAddress: address))
        }
    }

    /// Watches an address.
    ///
    /// - Parameter address: The address; see ``init(forAddress:)-(UnsafeRawPointer)`` for those with a
    ///   meaning of their own.
    public convenience init(forAddress address: NetworkAddress) {
        self.init { .address(address) }
    }

    /// Watches a target, which is here what an `SCNetworkReachabilityRef` is there.
    ///
    /// - Parameter reachability: The target.
    public convenience init(reachability: ReachabilityTarget) {
        self.init { reachability }
    }

    /// Not available: a manager needs something to watch.
    @available(
        *, unavailable, message: "use shared(), manager(), init(forDomain:) or init(forAddress:)"
    )
    public convenience init() {
        self.init(reachability: .internet)
    }

    /// Not available: a manager needs something to watch.
    @available(
        *, unavailable, message: "use shared(), manager(), init(forDomain:) or init(forAddress:)"
    )
    public static func new() -> AFNetworkReachabilityManager {
        manager()
    }

    /// Watches a target with a monitor of these options.
    package init(
        options: MonitorOptions = .standard,
        _ target: () throws(ReachabilityError) -> ReachabilityTarget
    ) {
        do throws(ReachabilityError) {
            let core = try NetworkReachabilityManager(target: target(), options: options)
            self.core = .success(core)
            core.addListener(queue: .main) { [weak self] in self?.deliver($0.status) }
        } catch {
            core = .failure(error)
            state.withLock { $0.lastError = error }
        }
    }

    deinit {
        stopMonitoring()
    }

    // MARK: Monitoring

    /// Begins to watch, anew if it has begun already.
    ///
    /// The current status is then delivered once, and every change after it. If watching is not possible,
    /// ``lastError`` says why, and the status that is delivered is `notReachable` for a
    /// target that cannot exist and `unknown` for a refusal of the system.
    public func startMonitoring() {
        stopMonitoring()
        do throws(ReachabilityError) {
            try core.get().startMonitoring()
            state.withLock { $0.lastError = nil }
        } catch {
            fail(error)
        }
    }

    /// Stops watching.
    ///
    /// Nothing is delivered any more once it has returned on the main queue; elsewhere one delivery
    /// may still be under way. The status keeps what it has.
    public func stopMonitoring() {
        state.withLock { $0.session &+= 1 }
        if case .success(let core) = core { core.stopMonitoring() }
    }

    /// Sets the one block that is told the status, in place of the one before.
    ///
    /// - Parameter block: Called on the main queue with each status that is delivered from now on; nil
    ///   for no block.
    public func setReachabilityStatusChange(
        _ block: (@Sendable (_ status: AFNetworkReachabilityStatus) -> Void)?
    ) {
        // The block before may be the last owner of anything: it goes away outside the lock.
        let replaced = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        withExtendedLifetime(replaced) {}
    }

    // MARK: State

    /// The status that was delivered last, `unknown` before the first.
    ///
    /// Assigned on the main queue. Observable.
    public var networkReachabilityStatus: AFNetworkReachabilityStatus {
        registrar.access(self, keyPath: \.networkReachabilityStatus)
        return state.withLock { $0.status }
    }

    /// Whether the target is reachable, over whatever; follows from ``networkReachabilityStatus``.
    public var isReachable: Bool {
        networkReachabilityStatus.isReachable
    }

    /// Whether the target is reachable over a cellular interface; follows from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWWAN: Bool {
        networkReachabilityStatus == .reachableViaWWAN
    }

    /// Whether the target is reachable over Wi-Fi or anything else that is not cellular; follows from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWiFi: Bool {
        networkReachabilityStatus == .reachableViaWiFi
    }

    /// Why the target cannot be watched, with what was given and what to do about it; nil if nothing is
    /// wrong.
    ///
    /// AFNetworking has no such thing: it crashes on an empty name and is silent about the rest.
    public var lastError: ReachabilityError? {
        state.withLock { $0.lastError }
    }

    /// The text of ``networkReachabilityStatus`` for the user to read; see
    /// ``AFStringFromNetworkReachabilityStatus(_:)``.
    ///
    /// - Returns: The text.
    public func localizedNetworkReachabilityStatusString() -> String {
        AFStringFromNetworkReachabilityStatus(networkReachabilityStatus)
    }

    /// The properties that a property follows from.
    ///
    /// - Parameter key: A property's name, as Objective-C (`reachable`) or Swift (`isReachable`) has it.
    /// - Returns: `networkReachabilityStatus` for what follows from it, else nothing.
    public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        NetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: key)
    }

    // MARK: Delivery

    /// Runs on the main queue: property with its observers, block, notification, in this order.
    private func deliver(_ status: AFNetworkReachabilityStatus) {
        let observers = state.withLock { $0.observers }
        for observer in observers { observer.willChange(self) }
        registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {
            state.withLock { $0.status = status }
        }
        for observer in observers { observer.didChange(self) }
        state.withLock { $0.block }?(status)
        NotificationCenter.default.post(
            name: .AFNetworkingReachabilityDidChange, object: self,
            userInfo: [
                AFNetworkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)
            ])
    }

    private func fail(_ error: ReachabilityError) {
        let session = state.withLock { state in
            state.lastError = error
            return state.session
        }
        let status: AFNetworkReachabilityStatus =
            if case .failure = core { .notReachable } else { .unknown }
        DispatchQueue.main.async { [weak self] in
            guard let self, state.withLock({ $0.session }) == session else { return }
            deliver(status)
        }
    }
}
