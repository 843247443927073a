// SPDX-License-Identifier: MIT

/// The code that unlocks a modem or its SIM card, with the values of `MMModemLock`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems where modem.isLocked {
///         print(modem.lock == .simPIN ? "enter the PIN" : "locked: \(modem.lock)")
///     }
///
/// ``simPIN2`` and ``simPUK2`` lock functions of the card that a connection doesn't need.
public struct CellularLock: RawRepresentable, Hashable, Sendable {
    /// The number of `MMModemLock`.
    public let rawValue: UInt32

    /// Creates a lock from a number of `MMModemLock`.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Not known.
    public static let unknown = CellularLock(rawValue: 0)
    /// Unlocked.
    public static let unlocked = CellularLock(rawValue: 1)
    /// The PIN of the SIM card.
    public static let simPIN = CellularLock(rawValue: 2)
    /// The second PIN of the SIM card.
    public static let simPIN2 = CellularLock(rawValue: 3)
    /// The PUK of the SIM card.
    public static let simPUK = CellularLock(rawValue: 4)
    /// The second PUK of the SIM card.
    public static let simPUK2 = CellularLock(rawValue: 5)
}

extension CellularLock: CustomStringConvertible {
    /// `unknown`, `unlocked`, `simPIN`, `simPIN2`, `simPUK`, `simPUK2`, or `modem` for a lock of the modem.
    public var description: String {
        let names = ["unknown", "unlocked", "simPIN", "simPIN2", "simPUK", "simPUK2"]
        return rawValue < names.count ? names[Int(rawValue)] : "modem"
    }
}
