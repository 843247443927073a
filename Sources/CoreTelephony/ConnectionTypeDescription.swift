// SPDX-License-Identifier: MIT

public import AppleReachability
internal import SystemServices
internal import NetworkReachability

extension CTTelephonyNetworkInfo {
    /// The connection to the internet, as text for people.
    ///
    /// `No network`, or `Wi-Fi` for any connection that isn't cellular. A cellular connection is one of `GPRS`,
    /// `2.75G EDGE`, `2G`, `3G`, `3.5G HSDPA`, `3.5G HSUPA`, `HRPD`, `4G`, `5G NSA`, `5G`, or `Cellular` if the
    /// technology isn't known.
    ///
    /// Queries the kernel. If the connection is cellular and ModemManager hasn't answered yet, it waits for at most
    /// a second.
    public var connectionTypeDescription: String {
        radio.connectionTypeDescription(of: NetworkReachabilityManager())
    }

    /// The text for a technology, as in ``connectionTypeDescription``.
    ///
    /// - Parameter technology: A `CTRadioAccessTechnology…` constant.
    /// - Returns: The text; `Cellular` for nil and any other text.
    public static func connectionTypeDescription(forTechnology technology: String?) -> String {
        guard let technology, let known = generations[technology] else { return "Cellular" }
        return known.text ?? known.generation.rawValue
    }
}

extension AFNetworkReachabilityManager {
    /// The connection to the manager's target, as text for people; see
    /// ``CTTelephonyNetworkInfo/connectionTypeDescription``.
    public var connectionTypeDescription: String {
        guard case .success(let core) = core else { return noNetwork }
        return CellularRadio.shared.connectionTypeDescription(of: core)
    }
}

extension Reachability {
    /// The connection to the object's target, as text for people; see
    /// ``CTTelephonyNetworkInfo/connectionTypeDescription``.
    public var connectionTypeDescription: String {
        CellularRadio.shared.connectionTypeDescription(of: core)
    }
}

private let noNetwork = "No network"

extension CellularRadio {
    fileprivate func connectionTypeDescription(of manager: NetworkReachabilityManager) -> String {
        guard let snapshot = try? manager.currentSnapshot() else { return noNetwork }
        return connectionTypeDescription(of: snapshot) {
            currentState(timeout: .seconds(1))
        }
    }

    /// The text for a state of a target; `radio` is called only if the connection is cellular.
    func connectionTypeDescription(
        of snapshot: ReachabilitySnapshot, radio: () -> CellularRadioState
    ) -> String {
        switch snapshot.status {
        case .unknown, .notReachable: return noNetwork
        case .reachableViaWiFi: return "Wi-Fi"
        case .reachableViaWWAN:
            let state = radio()
            // The modem of the interface. With PPP that isn't known, so the connected modem counts.
            let modem = snapshot.interface.flatMap { state.modem(forInterface: $0.name) }
            return CTTelephonyNetworkInfo.connectionTypeDescription(
                forTechnology: (modem ?? state.dataModem)?.technology?.radioAccessTechnology)
        }
    }
}
