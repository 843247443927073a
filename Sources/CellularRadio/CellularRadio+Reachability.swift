// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import SystemBus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension CellularRadio {
    /// Lets the modems count in the verdicts of `NetworkReachability`, until the handle is cancelled.
    ///
    /// Where the kernel has no route, a target is then as reachable as a modem can make it: over one that
    /// is registered and not connected a connection is required
    /// (`ReachabilityFlags.connectionRequired`, `transientConnection`, `isWWAN`), and over one that is
    /// locked the user has to act as well (`interventionRequired`). Without this call, and while
    /// ModemManager does not answer, verdicts are those of the kernel alone.
    ///
    /// It affects all monitors of the process in its own network namespace; ModemManager must run in the
    /// same one. Call it once; of several handles the one that received a state last counts. The index of
    /// a modem's interface is looked up when ModemManager reports something of a modem.
    ///
    /// - Parameter connectsOnTraffic: Whether something on the machine, such as a demand-dialling pppd,
    ///   connects a modem when there is traffic; ModemManager does not tell. If so the flags have
    ///   `connectionOnTraffic` too.
    /// - Returns: A handle that ends it.
    @discardableResult
    public func updateReachability(connectsOnTraffic: Bool = false) -> CellularRadioListener {
        let loop = bus.loop
        return CellularRadioListener(
            loop.feed(loop.modemFeeds) { (report: ModemManagerReport) in
                CellularRadioState(report).modems.map {
                    CellularModemCondition($0, connectsOnTraffic: connectsOnTraffic)
                }
            })
    }
}

extension CellularModemCondition {
    init(_ modem: CellularModem, connectsOnTraffic: Bool) {
        let name = modem.dataInterface ?? modem.networkInterfaces.first
        let index = name.map { unsafe if_nametoindex($0) } ?? 0
        self.init(
            interfaceIndex: index == 0 ? nil : index, isRegistered: modem.isRegistered,
            isConnected: modem.isConnected, isLocked: modem.isLocked,
            connectsOnTraffic: connectsOnTraffic)
    }
}
