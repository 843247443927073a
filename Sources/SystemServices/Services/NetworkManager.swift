// SPDX-License-Identifier: MIT

public import NetworkReachability

/// NetworkManager's view of the machine's network: which interfaces are metered, and how far each of them
/// gets.
public typealias NetworkManager = SystemService<NetworkManagerState>

private let machine = NetworkManager(bus: .shared)

extension NetworkManager {
    /// The NetworkManager of the machine that the system bus belongs to.
    public static var shared: NetworkManager { machine }

    package convenience init(bus: SharedBusLoop) {
        self.init(bus, \.networkManager)
    }

    /// Lets `isMetered` and `isExpensive` of snapshots follow NetworkManager, until the handle is cancelled.
    ///
    ///     NetworkManager.shared.informReachability()
    ///     manager.addListener { print($0.isExpensive ? "metered" : "free") }
    ///
    /// `isMetered` of a snapshot is true if the device of its interface is metered
    /// (``NetworkManagerMetered/yes``, ``NetworkManagerMetered/guessYes``), and false if its connection is
    /// configured as not metered (``NetworkManagerMetered/no``). An interface of the class `vpn` that has
    /// neither follows ``NetworkManagerState/metered``, the value of the default route. In all other cases,
    /// without this call, and while NetworkManager does not answer, `isMetered` is nil, and `isExpensive`
    /// follows from the class of the interface.
    ///
    /// It affects all monitors of the process in its own network namespace; NetworkManager must run in the
    /// same one. Call it once; of several handles the one that received a state last counts.
    ///
    /// - Returns: A handle that ends it.
    @discardableResult
    public func informReachability() -> ReachabilityListener {
        let loop = bus.loop
        return ReachabilityListener(
            loop.feed(loop.meteredFeeds, from: channel) { $0.meteredInterfaces })
    }
}
