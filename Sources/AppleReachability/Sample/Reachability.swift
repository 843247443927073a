// SPDX-License-Identifier: MIT

public import Foundation

/// Monitors one target, with the names and rules of Apple's sample and its common wrappers.
///
///     let reachability = Reachability.forInternetConnection()
///     reachability?.startNotifier()
///     if reachability?.currentReachabilityStatus() == NotReachable { print("offline") }
///
/// The run loop on which you call ``startNotifier()`` posts ``kReachabilityChangedNotification`` and
/// calls the blocks. Any thread may use everything else. Keep the object: releasing it
/// stops the notifier.
///
/// - Note: With Swift 6.2, `NotificationCenter` finds no observer whose object is a `Reachability`. There, observe
///   with a nil object, and compare the notification's object. Swift 6.3 finds it.
///
/// A block needn't be `Sendable`, and may use the state of a class on the main actor. Set such a
/// block on the thread whose run loop calls it.
///
/// Initializers with the sample's labels return nil for bad input, as in the sample. `init(hostname:)`,
/// `init(url:)`, and `init(reachabilityRef:)` throw an error.
public final class Reachability: Sendable {
    /// Called after a change, if the target is reachable.
    public typealias NetworkReachable = (_ reachability: Reachability) -> Void
    /// Called after a change, if the target is not reachable.
    public typealias NetworkUnreachable = NetworkReachable
    /// Called with the flags after a change.
    public typealias NetworkReachability =
        (_ reachability: Reachability, _ flags: ReachabilityFlags) -> Void

    struct Settings {
        var reachableBlock: Block<Reachability>?
        var unreachableBlock: Block<Reachability>?
        var reachabilityBlock: Block<(Reachability, ReachabilityFlags)>?
        var whenReachable: Block<Reachability>?
        var whenUnreachable: Block<Reachability>?
        /// The flags for which `whenReachable` or `whenUnreachable` was last called.
        var lastFlags: ReachabilityFlags?
        var allowsCellularConnection = true
        var lastError: ReachabilityError?
    }

    package let core: NetworkReachabilityManager
    let settings = Lock(Settings())
    /// The running notifier; its lock serializes starts and stops.
    let notifier = Lock<ReachabilityNotifier?>(nil)
    private let isLocalWiFi: Bool

    // MARK: Creating

    /// Creates an object for a host name.
    ///
    /// - Parameter hostName: A host name, or a URL that has one. The result is nil for anything else;
    ///   ``init(hostname:)`` throws the reason.
    public convenience init!(hostName: String) {
        try? self.init(hostname: hostName)
    }

    /// Creates an object for the address in a `struct sockaddr_in` or `sockaddr_in6`.
    ///
    /// - Parameter address: The struct, which is copied; its family determines how many bytes are read.
    ///   The result is nil for any other family.
    public convenience init!(address: UnsafeRawPointer) {
        guard let address = try? unsafe NetworkAddress(socketAddress: address) else { return nil }
        try? self.init(reachabilityRef: .address(address))
    }

    /// Creates an object for the internet target.
    ///
    /// - Returns: A new object, never nil; optional for compatibility with the sample.
    public static func forInternetConnection() -> Reachability! {
        try? Reachability(reachabilityRef: .internet)
    }

    /// Creates an object for the local Wi-Fi: whether a usable Wi-Fi or Ethernet interface has an address.
    ///
    /// - Returns: A new object, never nil; optional for compatibility with the sample.
    public static func forLocalWiFi() -> Reachability! {
        try? Reachability(target: .localWiFi, isLocalWiFi: true)
    }

    /// Creates an object for a host name.
    ///
    /// - Parameter hostname: A host name, or a URL that has one; see
    ///   `ReachabilityTarget.domain(_:policy:)`.
    /// - Throws: `ReachabilityError` if it is not a host name.
    public convenience init(hostname: String) throws(ReachabilityError) {
        try self.init(reachabilityRef: .domain(hostname, policy: .optimistic))
    }

    /// Creates an object for the host of a URL; the rest of the URL is ignored.
    ///
    /// - Parameter url: The URL.
    /// - Throws: `ReachabilityError` if it has no host.
    public convenience init(url: URL) throws(ReachabilityError) {
        try self.init(hostname: url.absoluteString)
    }

    /// Creates an object for a target, which replaces an `SCNetworkReachabilityRef`.
    ///
    /// - Parameter target: The target.
    /// - Throws: `ReachabilityError` if its parts contradict each other.
    public convenience init(
        reachabilityRef target: ReachabilityTarget
    ) throws(ReachabilityError) {
        try self.init(target: target, isLocalWiFi: false)
    }

    /// Creates an object that reports the values of a manager.
    ///
    /// In a test, pass the manager of a `SimulatedReachability`.
    ///
    /// - Parameter manager: The manager, which is started and stopped with the notifier.
    public convenience init(manager: NetworkReachabilityManager) {
        self.init(core: manager, isLocalWiFi: manager.target.kind == .localWiFi)
    }

    /// Creates an object for a target whose monitor has these options.
    package convenience init(
        target: ReachabilityTarget, isLocalWiFi: Bool, options: MonitorOptions = .standard
    ) throws(ReachabilityError) {
        try self.init(
            core: NetworkReachabilityManager(target: target, options: options),
            isLocalWiFi: isLocalWiFi)
    }

    private init(core: NetworkReachabilityManager, isLocalWiFi: Bool) {
        self.core = core
        self.isLocalWiFi = isLocalWiFi
    }

    deinit {
        stopNotifier()
    }

    // MARK: State

    /// Returns the current status by the sample's rule.
    ///
    /// The calling thread waits for the kernel's answer, but not for a name to be resolved. Until
    /// it is resolved, a name has the flags of the internet target.
    ///
    /// - Returns: The status; `NotReachable` also after a system error (see ``lastError``).
    public func currentReachabilityStatus() -> NetworkStatus {
        status(of: reachabilityFlags())
    }

    /// Whether a connection must be established first: by dialing, starting a VPN, or joining a network.
    ///
    /// - Returns: Whether the flags say so.
    public func connectionRequired() -> Bool {
        reachabilityFlags().contains(.connectionRequired)
    }

    /// Returns the current flags; see ``currentReachabilityStatus()``.
    ///
    /// - Returns: The flags; none after a system error.
    public func reachabilityFlags() -> ReachabilityFlags {
        do throws(ReachabilityError) {
            let snapshot = try core.currentSnapshot()
            notifier.withLock { $0?.note(snapshot) }
            settings.withLock { $0.lastError = nil }
            return snapshot.flags
        } catch {
            settings.withLock { $0.lastError = error }
            return []
        }
    }

    /// The error of the last query or start of the notifier; nil if it succeeded.
    public var lastError: ReachabilityError? {
        settings.withLock { $0.lastError }
    }

    /// The status for `flags` of this target.
    func status(of flags: ReachabilityFlags) -> NetworkStatus {
        if isLocalWiFi { return NetworkStatus(localWiFiFlags: flags) }
        let status = NetworkStatus(flags: flags)
        return status == .ReachableViaWWAN && !allowsCellularConnection ? .NotReachable : status
    }
}
