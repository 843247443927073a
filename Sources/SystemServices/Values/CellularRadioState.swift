// SPDX-License-Identifier: MIT

/// The state of the cellular radio: all modems, and whether ModemManager answers.
///
///     let state = CellularRadio.shared.currentState(timeout: .seconds(1))
///     switch state.availability {
///     case .available: print("\(state.modems.count) modems")
///     case .noDaemon: print("ModemManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public struct CellularRadioState: SystemServiceState {
    /// Whether ModemManager answers.
    public let availability: SystemServiceAvailability

    /// The modems, sorted by ``CellularModem/id``, at most 16; empty unless ``availability`` is
    /// ``SystemServiceAvailability/available``.
    public let modems: [CellularModem]

    /// Creates a state.
    public init(availability: SystemServiceAvailability, modems: [CellularModem]) {
        self.availability = availability
        self.modems = modems
    }

    /// Creates a state without modems.
    public init(availability: SystemServiceAvailability) {
        self.init(availability: availability, modems: [])
    }

    /// The modem that provides data: the first connected one; nil if none is connected.
    public var dataModem: CellularModem? {
        modems.first(where: \.isConnected)
    }

    /// Returns the modem that a network interface belongs to.
    ///
    /// - Parameter name: The name of the interface, for example `wwan0`.
    /// - Returns: The modem; nil if the interface belongs to no modem.
    public func modem(forInterface name: String) -> CellularModem? {
        modems.first { $0.networkInterfaces.contains(name) }
    }
}
