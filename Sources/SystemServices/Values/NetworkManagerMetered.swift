// SPDX-License-Identifier: MIT

/// Whether traffic is charged, with the values of `NMMetered`.
///
///     let device = NetworkManager.shared.currentState(timeout: .seconds(1)).device(forInterface: "wlan0")
///     if device?.metered.isMetered == true { print("no large downloads") }
public enum NetworkManagerMetered: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown = 0
    /// The connection is configured as metered (`connection.metered`).
    case yes = 1
    /// The connection is configured as not metered.
    case no = 2
    /// A guess: the device is a modem, or the access point or DHCP server identifies itself as a phone.
    case guessYes = 3
    /// A guess: nothing suggests that traffic is charged.
    case guessNo = 4

    /// Whether traffic is charged, guesses included; nil if it isn't known.
    public var isMetered: Bool? {
        switch self {
        case .unknown: nil
        case .yes, .guessYes: true
        case .no, .guessNo: false
        }
    }

    /// The value for snapshots.
    ///
    /// NetworkManager reports ``guessNo`` for every device without other evidence, such as tunnels, and modems
    /// that it takes for Ethernet. The class of the interface is better evidence.
    var verdict: Bool? { self == .guessNo ? nil : isMetered }
}

extension NetworkManagerMetered: CustomStringConvertible {
    /// `unknown`, `yes`, `no`, `guess-yes`, or `guess-no`.
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
