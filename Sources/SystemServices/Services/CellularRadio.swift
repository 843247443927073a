// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The machine's cellular modems as ModemManager reports them: technology, operator, and signal quality.
public typealias CellularRadio = SystemService<CellularRadioState>

private let machine = CellularRadio(bus: .shared)

extension CellularRadio {
    /// The cellular radio of the machine, on the system bus.
    public static var shared: CellularRadio { machine }

    package convenience init(bus: SharedBusLoop) {
        self.init(bus, \.modemManager)
    }

    /// Lets `NetworkReachability` include the modems in its verdicts, until you cancel the handle.
    ///
    /// If the kernel has no route, a modem that is registered but not connected makes a target reachable
    /// after a connection: the flags are `ReachabilityFlags.reachable`, `connectionRequired`,
    /// `transientConnection`, and `isWWAN`. If no modem is registered, a locked one sets these flags and
    /// `interventionRequired`. Without this call, and while ModemManager doesn't answer, verdicts depend on
    /// the kernel alone.
    ///
    /// This affects all monitors of the process in its own network namespace. ModemManager must run in the same
    /// namespace. Call it once: of several handles, the last one counts.
    ///
    /// - Parameter connectsOnTraffic: Whether a program on the machine, such as a demand-dialling pppd, connects
    ///   a modem when there is traffic. ModemManager doesn't report that. If true, the flags also have
    ///   `connectionOnTraffic`.
    /// - Returns: A handle; cancel it to exclude the modems again.
    @discardableResult
    public func informReachability(connectsOnTraffic: Bool = false) -> ReachabilityListener {
        #if canImport(CSystemBus)
        feed(.modemManager) { state in
            state.modems.compactMap { $0.facts(connectsOnTraffic: connectsOnTraffic) }
        }
        #else
        ReachabilityListener {}
        #endif
    }
}

#if canImport(CSystemBus)
extension CellularModem {
    fileprivate func facts(connectsOnTraffic: Bool) -> InterfaceFacts? {
        let conditions: [(Bool, InterfaceFacts.Modem)] = [
            (isRegistered, .registered), (isConnected, .connected), (isLocked, .locked),
            (connectsOnTraffic, .onTraffic),
        ]
        return InterfaceFacts(
            name: dataInterface ?? networkInterfaces.first ?? "",
            modem: conditions.reduce(into: []) { if $1.0 { $0.insert($1.1) } })
    }
}
#endif
