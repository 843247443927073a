// SPDX-License-Identifier: MIT

internal import NetworkReachability

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
    /// same one. Call it once; of several handles the one that received a state last counts.
    ///
    /// - Parameter connectsOnTraffic: Whether something on the machine, such as a demand-dialling pppd,
    ///   connects a modem when there is traffic; ModemManager does not tell. If so the flags have
    ///   `connectionOnTraffic` too.
    /// - Returns: A handle that ends it.
    @discardableResult
    public func updateReachability(connectsOnTraffic: Bool = false) -> CellularRadioListener {
        let identity = RadioLoop.Identity()
        let loop = loop
        loop.feeds.add(identity)
        loop.subscribe(identity) { state in
            loop.feeds.set(
                identity,
                state.modems.map {
                    CellularModemCondition($0, connectsOnTraffic: connectsOnTraffic)
                })
        }
        return CellularRadioListener {
            guard loop.isOfThisProcess else { return }
            loop.unsubscribe(identity)
            loop.feeds.remove(identity)
        }
    }
}

/// The handles that feed verdicts, each with its latest modems.
///
/// The loop may call a subscriber shortly after its removal. Its handle is not in the list any more then, and
/// the call changes nothing.
final class ReachabilityFeeds: Sendable {
    private struct Feed: Sendable {
        let identity: ObjectIdentifier
        var modems: [CellularModemCondition] = []
    }

    /// In the order of their latest states; the modems of the last one are those of the verdicts.
    private let feeds = Lock<[Feed]>([])

    func add(_ identity: RadioLoop.Identity) {
        feeds.withLock { $0.insert(Feed(identity: ObjectIdentifier(identity)), at: 0) }
    }

    /// Under the lock, so that verdicts and the list agree; nothing of the application is called.
    func set(_ identity: RadioLoop.Identity, _ modems: [CellularModemCondition]) {
        let key = ObjectIdentifier(identity)
        feeds.withLock { feeds in
            guard let position = feeds.firstIndex(where: { $0.identity == key }) else { return }
            feeds.remove(at: position)
            feeds.append(Feed(identity: key, modems: modems))
            CellularModems.set(modems)
        }
    }

    func remove(_ identity: RadioLoop.Identity) {
        let key = ObjectIdentifier(identity)
        feeds.withLock { feeds in
            guard let position = feeds.firstIndex(where: { $0.identity == key }) else { return }
            let hasCounted = position == feeds.count - 1
            feeds.remove(at: position)
            if hasCounted { CellularModems.set(feeds.last?.modems ?? []) }
        }
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
