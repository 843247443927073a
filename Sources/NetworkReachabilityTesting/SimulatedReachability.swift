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
/// The ``manager`` is a `NetworkReachabilityManager` in every respect: listeners, key-path observers,
/// Observation and sequences get what they would get from the kernel. No socket is opened, no thread of the
/// monitor is started, and no privilege is needed.
///
/// ### What has happened when a call returns
///
/// While the manager is monitoring, each `set` function and ``fail(_:)`` returns after
/// - the properties of the manager have the new value, and Observation was notified,
/// - every sequence has the value in its buffer, which keeps the newest only,
/// - every callback that the change leads to was submitted to its queue, in order.
///
/// A state equal to the last one is reported to nobody, as by the kernel's monitor. The first value after
/// `startMonitoring()`, and the current value for a new listener, observer or sequence, are delivered before
/// those of the next `set` function, and before ``flush()`` returns. ``flush()`` also waits until the
/// callbacks have returned. Called from a key-path getter or an `onChange` closure of Observation, which run
/// in the middle of a delivery, a `set` function takes effect after it has returned.
///
/// The library's own engine computes each state, from the messages that the kernel of such a host sends:
/// loopback and one interface, by default with the addresses 198.51.100.2 and 2001:db8:1::2, and gateways
/// unless the interface is a modem or a tunnel. An address in the interface's prefix (/24, /64) is on its
/// link, so it's direct. The initial state is offline, without a route; a name has the address 192.0.2.1.
public final class SimulatedReachability: Sendable {
    /// The manager to hand to the code under test.
    ///
    /// `AFNetworkReachabilityManager(manager:)` and `Reachability(manager:)` of `AppleReachability` take it
    /// too.
    public let manager: NetworkReachabilityManager

    private let source = SimulatedSource()

    /// Creates a network with the manager of one target.
    ///
    /// - Parameter target: The target. Its policy, family and classes of interface have their effect; its
    ///   namespace need not exist.
    /// - Throws: `ReachabilityError` if its parts contradict each other.
    public init(target: ReachabilityTarget = .internet) throws(ReachabilityError) {
        manager = try NetworkReachabilityManager(target: target, source: source)
    }

    // MARK: The network

    /// Takes the network away.
    ///
    /// The interface stays the one of the last ``setOnline(over:interface:source:gateway:families:isMetered:)``.
    ///
    /// - Parameter reason: The reason in the snapshot, for example `.linkDown` for a pulled cable. As on a real
    ///   host, some targets have a state of their own: a loopback address stays reachable. A reason that no
    ///   network causes, such as `.noSuchName`, is reported unchanged.
    public func setOffline(_ reason: ReachabilityReason = .noRoute) {
        source.change { $0.setPath(.offline(reason)) }
    }

    /// Gives the host a usable route.
    ///
    /// - Parameters:
    ///   - interfaceClass: The class of the interface; `.cellular` sets the status `reachableViaWWAN`.
    ///   - interface: The name of the interface; nil for a usual one such as `wlan0`.
    ///   - source: The interface's address of its family, which the kernel chooses as source.
    ///   - gateway: The gateway of its family.
    ///   - families: The address families that have a route.
    ///   - isMetered: Whether traffic is charged, as NetworkManager would tell; nil if nothing tells, and
    ///     `isExpensive` follows from the class.
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

    /// Has the interface wait for a connection: WPA, 802.1X, a dial-up.
    ///
    /// - Parameter interfaceClass: The class of the interface.
    public func setConnectionRequired(over interfaceClass: NetworkInterfaceClass = .wifi) {
        source.change {
            $0.setPath(.online(SimulatedPath(interfaceClass: interfaceClass, isDormant: true)))
        }
    }

    /// Sets the state as a whole, whatever the network and the name are, until the next `set` function.
    ///
    /// - Parameter snapshot: The snapshot that the manager publishes.
    public func setSnapshot(_ snapshot: ReachabilitySnapshot) {
        source.change { $0.setPath(.fixed(snapshot)) }
    }

    // MARK: Names

    /// Has the name of the target resolve to these addresses.
    ///
    /// - Parameter addresses: The addresses in the resolver's order; none for a name without any.
    public func setNameResolved(to addresses: [NetworkAddress]) {
        source.change { $0.name = .resolved(addresses) }
    }

    /// Has the resolver not have answered yet: the flags follow the policy of the target.
    public func setNamePending() {
        source.change { $0.name = .pending }
    }

    /// Has the resolution of the name fail.
    ///
    /// `.noSuchName` and `.noAddress` remove its addresses. After other failures it keeps them.
    ///
    /// - Parameter reason: `.noSuchName`, `.resolverFailed` or `.noNetwork`.
    public func setNameFailed(_ reason: ReachabilityReason = .noSuchName) {
        source.change { $0.failName(reason) }
    }

    // MARK: Failures

    /// Has the monitor fail, as after a broken socket.
    ///
    /// The status is then `unknown`, sequences throw, and the manager is not monitoring any more. It can be
    /// started again.
    ///
    /// - Parameter errno: The error of the socket.
    public func fail(_ errno: ReachabilityErrno = .outOfMemory) {
        source.fail(errno)
    }

    /// Has `startMonitoring()`, `currentSnapshot()` and new sequences throw this error.
    ///
    /// - Parameter error: The error, nil for none. A manager that is monitoring goes on.
    public func setStartError(_ error: ReachabilityError?) {
        source.change { $0.startError = error }
    }

    // MARK: Waiting

    /// Waits until every callback that is due has returned, those included that callbacks lead to.
    ///
    /// The queues of the callbacks must be served meanwhile: on the main actor awaiting is enough, a
    /// thread that blocks the main queue is not. Tasks that iterate over a sequence run by themselves and
    /// are not waited for.
    public func flush() async {
        await source.flush()
    }
}
