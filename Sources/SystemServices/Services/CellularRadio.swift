// SPDX-License-Identifier: MIT

public import NetworkReachability
internal import ReachLibc

/// The cellular radio of the machine, by ModemManager: which technology and generation, which operator, how good
/// the signal is.
public typealias CellularRadio = SystemService<CellularRadioState>

private let machine = CellularRadio(bus: .shared)

extension CellularRadio {
    /// The radio of the machine that the system bus belongs to.
    public static var shared: CellularRadio { machine }

    package convenience init(bus: SharedBusLoop) {
        self.init(bus, \.modemManager)
    }

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
    public func informReachability(connectsOnTraffic: Bool = false) -> ReachabilityListener {
        let loop = bus.loop
        return ReachabilityListener(
            loop.feed(loop.modemFeeds, from: channel) { state in
                state.modems.map {
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
