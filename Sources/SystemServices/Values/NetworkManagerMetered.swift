// SPDX-License-Identifier: MIT

/// Whether traffic is charged, with the values of `NMMetered`.
///
///     let device = NetworkManager.shared.currentState(timeout: .seconds(1)).device(forInterface: "wlan0")
///     if device?.metered.isMetered == true { print("no large downloads") }
public enum NetworkManagerMetered: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown = 0
    /// As the connection is configured (`connection.metered`).
    case yes = 1
    /// As the connection is configured.
    case no = 2
    /// As the device suggests: a modem, or an access point or DHCP server that says it is a phone.
    case guessYes = 3
    /// As the device suggests.
    case guessNo = 4

    /// Whether traffic is charged, guesses included; nil if it is not known.
    public var isMetered: Bool? {
        switch self {
        case .unknown: nil
        case .yes, .guessYes: true
        case .no, .guessNo: false
        }
    }

    /// The value for snapshots.
    ///
    /// ``guessNo`` is what NetworkManager says of every device that it knows nothing of, such as tunnels,
    /// and modems that it takes for Ethernet. The class of the interface says more.
    var verdict: Bool? { self == .guessNo ? nil : isMetered }
}

extension NetworkManagerMetered: CustomStringConvertible {
    /// `unknown`, `yes`, `no`, `guess-yes` or `guess-no`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .yes: "yes"
        case .no: "no"
        case .guessYes: "guess-yes"
        case .guessNo: "guess-no"
        }
    }
}
