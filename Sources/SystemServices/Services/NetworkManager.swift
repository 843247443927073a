// SPDX-License-Identifier: MIT

public import NetworkReachability

/// NetworkManager's view of the machine's network: which interfaces are metered, and how far packets get.
public typealias NetworkManager = SystemService<NetworkManagerState>

private let machine = NetworkManager(bus: .shared)

extension NetworkManager {
    /// The NetworkManager of the machine, on the system bus.
    public static var shared: NetworkManager { machine }

    package convenience init(bus: SharedBusLoop) {
        self.init(bus, \.networkManager)
    }

    /// Lets `isMetered` and `isExpensive` of snapshots follow NetworkManager, until you cancel the handle.
    ///
    ///     NetworkManager.shared.informReachability()
    ///     manager.addListener { print($0.isExpensive ? "metered" : "free") }
    ///
    /// `isMetered` of a snapshot is true if the interface's device is metered (``NetworkManagerMetered/yes``,
    /// ``NetworkManagerMetered/guessYes``). It is false if the connection is configured as not metered
    /// (``NetworkManagerMetered/no``). An interface of the class `vpn` without either value follows
    /// ``NetworkManagerState/metered``, the value of the default route.
    ///
    /// In all other cases `isMetered` is nil, and `isExpensive` depends on the class of the interface. The same
    /// holds without this call, and while NetworkManager doesn't answer.
    ///
    /// This affects all monitors of the process in its own network namespace. NetworkManager must run in the same
    /// namespace. Call it once: of several handles, the last one counts.
    ///
    /// - Returns: A handle; cancel it to stop following NetworkManager.
    @discardableResult
    public func informReachability() -> ReachabilityListener {
        #if canImport(CSystemBus)
        feed(.networkManager) { $0.facts }
        #else
        ReachabilityListener {}
        #endif
    }
}
