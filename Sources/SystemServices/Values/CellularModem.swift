// SPDX-License-Identifier: MIT

/// A modem, as ModemManager described it last.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems where modem.isRegistered {
///         print(modem.operatorName ?? "unknown operator", modem.technology ?? "", modem.isRoaming)
///     }
public struct CellularModem: Hashable, Sendable, Identifiable {
    /// The D-Bus object path, unique among the modems of the machine until ModemManager restarts.
    public let id: String

    /// What the modem does.
    public let state: CellularModemState

    /// The radio access technology in use; nil if there is none or it is not known.
    public let technology: CellularTechnology?

    /// The bits of `MMModemAccessTechnology`, of which ``technology`` is the best.
    public let accessTechnologies: UInt32

    /// The name of the operator, at most 63 bytes of UTF-8; nil if it is not known.
    public let operatorName: String?

    /// The operator's mobile country code (three digits) and mobile network code (two or three), for
    /// example `26201`; nil if they aren't known.
    ///
    /// Like the name, they're those of the network in use: while roaming not those of the SIM card.
    public let operatorCode: String?

    /// The quality of the signal in percent, 0 to 100; nil if it is not known.
    public let signalQuality: Int?

    /// Whether ``signalQuality`` was measured recently; if not it may be outdated.
    public let isSignalRecent: Bool

    /// The registration with a 3GPP network.
    public let registration: CellularRegistration

    /// What has to be entered to unlock the modem or its SIM card.
    public let lock: CellularLock

    /// Whether the radio is on; false in airplane mode too, nil if it is not known.
    public let isRadioOn: Bool?

    /// Why the modem isn't usable; nil unless ``state`` is ``CellularModemState/failed``.
    public let failedReason: CellularFailedReason?

    /// The network interfaces of the modem, at most 8, in the network namespace of ModemManager: its own,
    /// then those of its bearers.
    public let networkInterfaces: [String]

    /// The network interface of the data connection; nil if there is none, or it has none of its own
    /// (PPP).
    public let dataInterface: String?

    /// Creates a description of a modem.
    public init(
        id: String, state: CellularModemState, accessTechnologies: UInt32 = 0,
        operatorName: String? = nil, signalQuality: Int? = nil, isSignalRecent: Bool = true,
        registration: CellularRegistration = .unknown, lock: CellularLock = .unknown,
        networkInterfaces: [String] = [], dataInterface: String? = nil,
        operatorCode: String? = nil, isRadioOn: Bool? = nil,
        failedReason: CellularFailedReason? = nil
    ) {
        self.id = id
        self.state = state
        self.accessTechnologies = accessTechnologies
        self.operatorName = operatorName
        self.signalQuality = signalQuality
        self.isSignalRecent = isSignalRecent
        self.registration = registration
        self.lock = lock
        self.networkInterfaces = networkInterfaces
        self.dataInterface = dataInterface
        self.operatorCode = operatorCode
        self.isRadioOn = isRadioOn
        self.failedReason = failedReason
        technology = CellularTechnology(accessTechnologies: accessTechnologies)
    }

    /// The generation of ``technology``.
    public var generation: CellularGeneration? { technology?.generation }

    /// Whether it is registered with the network of another operator.
    public var isRoaming: Bool { registration.isRoaming }

    /// Whether it is registered with a network, connected or not.
    public var isRegistered: Bool { state >= .registered }

    /// Whether it has a data connection.
    public var isConnected: Bool { state == .connected }

    /// Whether it does nothing until a PIN or another code is entered.
    public var isLocked: Bool { state == .locked }
}
