// SPDX-License-Identifier: MIT

public import Foundation
internal import Synchronization

/// Watches one target by the names and rules of Apple's sample, with what the wrappers built on it added.
///
///     let reachability = Reachability.forInternetConnection()
///     reachability?.startNotifier()
///     if reachability?.currentReachabilityStatus() == NotReachable { … }
///
/// ``kReachabilityChangedNotification`` is posted, and the blocks are called, on the run loop on which
/// ``startNotifier()`` was called. Everything else can be used from any thread. Keep the object: it stops when
/// it goes away.
///
/// Initialisers with the sample's labels give nil for bad input, as they do there; `init(hostname:)`,
/// `init(url:)` and `init(reachabilityRef:)` throw an error that says what is wrong.
public final class Reachability: Sendable {
    /// Called when the target has become reachable, or not.
    public typealias NetworkReachable = @Sendable (_ reachability: Reachability) -> Void
    /// Called when the target has become reachable, or not.
    public typealias NetworkUnreachable = NetworkReachable
    /// Called with the flags whenever something has changed.
    public typealias NetworkReachability =
        @Sendable (
            _ reachability: Reachability, _ flags: ReachabilityFlags
        ) -> Void

    struct Settings {
        var reachableBlock: NetworkReachable?
        var unreachableBlock: NetworkUnreachable?
        var reachabilityBlock: NetworkReachability?
        var allowsCellularConnection = true
        var lastError: ReachabilityError?
    }

    let core: NetworkReachabilityManager
    let settings = Mutex(Settings())
    /// The running notifier; starts and stops take turns here.
    let notifier = Mutex<ReachabilityNotifier?>(nil)
    private let isLocalWiFi: Bool

    // MARK: Creating

    /// Watches a host name, by the sample's label.
    ///
    /// - Parameter hostName: A host name, or a URL that has one. Nil comes back for anything else;
    ///   ``init(hostname:)`` says why.
    public convenience init!(hostName: String) {
        try? self.init(hostname: hostName)
    }

    /// Watches the address in a `struct sockaddr_in` or `sockaddr_in6`.
    ///
    /// - Parameter address: The struct, of which the family decides how much is read and copied. Nil comes
    ///   back for any other family.
    public convenience init!(address: UnsafeRawPointer) {
        guard let address = try? unsafe NetworkAddress(socketAddress: address) else { return nil }
        try? self.init(reachabilityRef: .address(address))
    }

    /// Watches whether there is a way out at all.
    ///
    /// - Returns: A new object; optional only because the sample has it so.
    public static func forInternetConnection() -> Reachability! {
        try? Reachability(reachabilityRef: .internet)
    }

    /// Watches whether a usable Wi-Fi or wired interface has an address.
    ///
    /// - Returns: A new object; optional only because the sample has it so.
    public static func forLocalWiFi() -> Reachability! {
        try? Reachability(target: .localWiFi, isLocalWiFi: true)
    }

    /// Watches a host name.
    ///
    /// - Parameter hostname: A host name, or a URL that has one; see
    ///   `ReachabilityTarget.domain(_:policy:)`.
    /// - Throws: `ReachabilityError` for what is no host name.
    public convenience init(hostname: String) throws(ReachabilityError) {
        try self.init(reachabilityRef: .domain(hostname, policy: .optimistic))
    }

    /// Watches the host of a URL; the rest of it means nothing.
    ///
    /// - Parameter url: The URL.
    /// - Throws: `ReachabilityError` if it has no host.
    public convenience init(url: URL) throws(ReachabilityError) {
        try self.init(hostname: url.absoluteString)
    }

    /// Watches a target, which is here what an `SCNetworkReachabilityRef` is there.
    ///
    /// - Parameter target: The target.
    /// - Throws: `ReachabilityError` if its parts do not go together.
    public convenience init(
        reachabilityRef target: ReachabilityTarget
    ) throws(ReachabilityError) {
        try self.init(target: target, isLocalWiFi: false)
    }

    /// Watches a target with a monitor of these options.
    package init(
        target: ReachabilityTarget, isLocalWiFi: Bool, options: MonitorOptions = .standard
    ) throws(ReachabilityError) {
        core = try NetworkReachabilityManager(target: target, options: options)
        self.isLocalWiFi = isLocalWiFi
    }

    deinit {
        stopNotifier()
    }

    // MARK: State

    /// The status now, by the sample's rule.
    ///
    /// While it notifies, the latest status is returned; else the kernel is asked. A name is not waited
    /// for: until it is resolved it is as reachable as the internet.
    ///
    /// - Returns: The status, `NotReachable` also if the system refused to tell (see ``lastError``).
    public func currentReachabilityStatus() -> NetworkStatus {
        status(of: reachabilityFlags())
    }

    /// Whether a connection must be brought up first, by dialling, by a VPN, or by joining a network.
    ///
    /// - Returns: Whether the flags say so.
    public func connectionRequired() -> Bool {
        reachabilityFlags().contains(.connectionRequired)
    }

    /// The flags now; see ``currentReachabilityStatus()``.
    ///
    /// - Returns: The flags, none if the system refused to tell.
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

    /// Why the last attempt to ask or to start notifying failed; nil if it did not.
    public var lastError: ReachabilityError? {
        settings.withLock { $0.lastError }
    }

    /// The one rule that everything here goes by.
    func status(of flags: ReachabilityFlags) -> NetworkStatus {
        if isLocalWiFi { return NetworkStatus(localWiFiFlags: flags) }
        let status = NetworkStatus(flags: flags)
        return status == .ReachableViaWWAN && !allowsCellularConnection ? .NotReachable : status
    }
}
