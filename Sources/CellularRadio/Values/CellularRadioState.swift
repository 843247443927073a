// SPDX-License-Identifier: MIT

package import SystemBus

/// The state of the cellular radio: all modems, and whether they can be known.
///
///     let state = CellularRadio.shared.currentState()
///     switch state.availability {
///     case .available: print("\(state.modems.count) modems")
///     case .noDaemon: print("ModemManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public struct CellularRadioState: Hashable, Sendable {
    /// Whether the modems can be known.
    public enum Availability: Hashable, Sendable {
        /// There is no answer yet.
        case starting
        /// ModemManager runs.
        case available
        /// The bus works, and ModemManager does not run.
        case noDaemon
        /// libsystemd, the bus or an answer of ModemManager is missing; it is tried again.
        case unavailable(CellularRadioError)
    }

    /// Whether the modems can be known.
    public let availability: Availability

    /// The modems, sorted by ``CellularModem/id``, at most 16; empty unless ``availability`` is
    /// ``Availability/available``.
    public let modems: [CellularModem]

    /// Creates a state.
    public init(availability: Availability, modems: [CellularModem] = []) {
        self.availability = availability
        self.modems = modems
    }

    /// The state before the first answer.
    static let starting = CellularRadioState(availability: .starting)

    /// Why the modems cannot be known; nil if they can, or ModemManager does not run.
    public var error: CellularRadioError? {
        guard case .unavailable(let error) = availability else { return nil }
        return error
    }

    /// The modem that provides data: the first that is connected.
    public var dataModem: CellularModem? {
        modems.first(where: \.isConnected)
    }

    /// The modem that a network interface belongs to.
    ///
    /// - Parameter name: The name of the interface, for example `wwan0`.
    /// - Returns: The modem; nil if the interface is not that of a modem.
    public func modem(forInterface name: String) -> CellularModem? {
        modems.first { $0.networkInterfaces.contains(name) }
    }
}

extension CellularRadioState {
    /// The state that ModemManager told.
    package init(_ report: ModemManagerReport) {
        let availability: Availability =
            switch report.availability {
            case .starting: .starting
            case .available: .available
            case .noDaemon: .noDaemon
            case .unavailable(let failure): .unavailable(CellularRadioError(failure))
            }
        self.init(availability: availability, modems: report.modems.map(CellularModem.init))
    }
}

extension CellularModem {
    /// Five or six digits; nil for anything else.
    private static func operatorCode(_ text: String) -> String? {
        let isCode = 5...6 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isCode ? text : nil
    }

    private static func failedReason(_ modem: ModemManagerReport.Modem) -> CellularFailedReason? {
        guard modem.state == CellularModemState.failed.rawValue, modem.failedReason > 0 else {
            return nil
        }
        return CellularFailedReason(rawValue: modem.failedReason) ?? .unknown
    }

    fileprivate init(_ modem: ModemManagerReport.Modem) {
        self.init(
            id: modem.path, state: CellularModemState(rawValue: modem.state) ?? .unknown,
            accessTechnologies: modem.accessTechnologies,
            operatorName: modem.operatorName.isEmpty ? nil : modem.operatorName,
            signal: modem.signal.map {
                CellularSignal(percent: Int($0), isRecent: modem.isSignalRecent)
            },
            registration: CellularRegistration(rawValue: modem.registration) ?? .unknown,
            lock: CellularLock(rawValue: modem.lock), networkInterfaces: modem.interfaces,
            dataInterface: modem.dataInterface.isEmpty ? nil : modem.dataInterface,
            operatorCode: CellularModem.operatorCode(modem.operatorCode),
            powerState: CellularPowerState(rawValue: modem.power) ?? .unknown,
            failedReason: CellularModem.failedReason(modem))
    }
}
