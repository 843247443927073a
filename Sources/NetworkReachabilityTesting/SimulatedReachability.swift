// SPDX-License-Identifier: MIT

public import NetworkReachability

/// A network for tests: a real manager whose states the test sets.
///
///     let network = try SimulatedReachability(target: .domain("www.example.com"))
///     let app = App(manager: network.manager)
///     network.setOffline()
///     await network.flush()
///     #expect(app.isShowingBanner)
///
/// The ``manager`` behaves like any other `NetworkReachabilityManager`: listeners, key-path observers,
/// Observation, and sequences receive what they would receive with a real kernel. No socket is opened, no thread
/// of the monitor is started, and no privileges are needed.
///
/// ### What has happened when a call returns
///
/// While the manager is monitoring, each `set` function and ``fail(_:)`` returns after
/// - the properties of the manager have the new value, and Observation was notified,
/// - every sequence has the value in its buffer, which keeps the newest only,
/// - every callback that the change triggers was submitted to its queue, in order.
///
/// As with the kernel's monitor, a state equal to the last one isn't reported. The first value after
/// `startMonitoring()`, and the current value for a new listener, observer, or sequence, are delivered before
/// the values of the next `set` function, and before ``flush()`` returns. ``flush()`` also waits until the
/// callbacks have returned. Key-path getters and `onChange` closures of Observation run in the middle of a
/// delivery: a `set` function that they call takes effect after it has returned.
///
/// The library's own engine computes each state from the messages that a kernel would send. The simulated host
/// has loopback and one interface, by default with the addresses 198.51.100.2 and 2001:db8:1::2. It has gateways
/// unless the interface is a modem or a tunnel. Addresses in the interface's prefixes (/24, /64) are on its link,
/// so they are direct. At first, the host is offline, without a route. A name has the address 192.0.2.1.
public final class SimulatedReachability: Sendable {
    /// The manager to hand to the code under test.
    ///
    /// `AFNetworkReachabilityManager(manager:)` and `Reachability(manager:)` of `AppleReachability` take it
    /// too.
    public let manager: NetworkReachabilityManager

    private let source = SimulatedSource()

    /// Creates a network with a manager for one target.
    ///
    /// - Parameter target: The target. Its policy, family, and interface classes take effect; its
    ///   namespace need not exist.
    /// - Throws: `ReachabilityError` if the target's parts contradict each other.
    public init(target: ReachabilityTarget = .internet) throws(ReachabilityError) {
        manager = try NetworkReachabilityManager(target: target, source: source)
    }

    // MARK: The network

    /// Takes the network away.
    ///
    /// The interface of the last ``setOnline(over:interface:source:gateway:families:isMetered:)`` remains.
    ///
    /// - Parameter reason: The reason in the snapshot, for example `.linkDown` for a pulled cable. As on a real
    ///   host, some targets have their own state: a loopback address stays reachable. A reason that no state of
    ///   the network causes, such as `.noSuchName`, is reported unchanged.
    public func setOffline(_ reason: ReachabilityReason = .noRoute) {
        source.change { $0.setPath(.offline(reason)) }
    }

    /// Gives the host a usable route.
    ///
    /// - Parameters:
    ///   - interfaceClass: The class of the interface; `.cellular` sets the status `reachableViaWWAN`.
    ///   - interface: The name of the interface; nil for a usual one such as `wlan0`.
    ///   - source: The interface's IPv4 or IPv6 address, which the kernel chooses as the source for that family.
    ///   - gateway: The IPv4 or IPv6 gateway, for that family.
    ///   - families: The address families that have a route.
    ///   - isMetered: Whether traffic is metered, as NetworkManager would report it. With nil, nothing reports it,
    ///     and `isExpensive` follows from the class.
    public func setOnline(
        over interfaceClass: NetworkInterfaceClass = .wifi, interface: String? = nil,
        source: NetworkAddress? = nil, gateway: NetworkAddress? = nil,
        families: Set<NetworkAddress.Family> = [.ipv4, .ipv6], isMetered: Bool? = nil
    ) {
        self.source.change {
            $0.setPath(
                .online(
                    SimulatedPath(
                        interfaceClass: interfaceClass, interface: interface, source: source,
                        gateway: gateway, families: families, isMetered: isMetered)))
        }
    }

    /// Makes the interface wait for a connection: WPA, 802.1X, or a dial-up.
    ///
    /// - Parameter interfaceClass: The class of the interface.
    public func setConnectionRequired(over interfaceClass: NetworkInterfaceClass = .wifi) {
        source.change {
            $0.setPath(.online(SimulatedPath(interfaceClass: interfaceClass, isDormant: true)))
        }
    }

    /// Sets the whole state, regardless of the network and the name, until the next `set` function.
    ///
    /// - Parameter snapshot: The snapshot that the manager publishes.
    public func setSnapshot(_ snapshot: ReachabilitySnapshot) {
        source.change { $0.setPath(.fixed(snapshot)) }
    }

    // MARK: Names

    /// Resolves the target's name to these addresses.
    ///
    /// - Parameter addresses: The addresses in the resolver's order; empty for a name without addresses.
    public func setNameResolved(to addresses: [NetworkAddress]) {
        source.change { $0.name = .resolved(addresses) }
    }

    /// Makes the resolution of the name pending: the flags follow the target's policy.
    public func setNamePending() {
        source.change { $0.name = .pending }
    }

    /// Makes the resolution of the name fail.
    ///
    /// With `.noSuchName` or `.noAddress`, the name loses its addresses. With other reasons, it keeps them.
    ///
    /// - Parameter reason: `.noSuchName`, `.resolverFailed` or `.noNetwork`.
    public func setNameFailed(_ reason: ReachabilityReason = .noSuchName) {
        source.change { $0.failName(reason) }
    }

    // MARK: Failures

    /// Makes the monitor fail, as a broken socket would.
    ///
    /// The status is then `unknown`, sequences throw, and the manager no longer monitors. You can start it
    /// again.
    ///
    /// - Parameter errno: The error of the socket.
    public func fail(_ errno: ReachabilityErrno = .outOfMemory) {
        source.fail(errno)
    }

    /// Makes `startMonitoring()`, `currentSnapshot()`, and new sequences throw this error.
    ///
    /// - Parameter error: The error; nil for none. A manager that is already monitoring continues.
    public func setStartError(_ error: ReachabilityError?) {
        source.change { $0.startError = error }
    }

    // MARK: Waiting

    /// Waits until every callback that is due has returned, including those that other callbacks trigger.
    ///
    /// The notifications of `AppleReachability`'s objects have been posted then, too, except those of a `Reachability`
    /// whose notifier was started on another thread than the main one.
    ///
    /// The queues of the callbacks must run meanwhile. On the main actor, `await` lets the main queue run; don't
    /// block the main thread. The function doesn't wait for tasks that iterate over a sequence.
    public func flush() async {
        await source.flush()
    }
}
