// SPDX-License-Identifier: MIT

/// A modem, with the latest values from ModemManager.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems where modem.isRegistered {
///         print(modem.operatorName ?? "unknown operator", modem.technology ?? "", modem.isRoaming)
///     }
public struct CellularModem: Hashable, Sendable, Identifiable {
    /// The D-Bus object path, unique among the modems of the machine until ModemManager restarts.
    public let id: String

    /// The modem's step on the way to a connection.
    public let state: CellularModemState

    /// The radio access technology in use; nil if there is none, or if it isn't known.
    public let technology: CellularTechnology?

    /// The bits of `MMModemAccessTechnology`; ``technology`` is the best of them.
    public let accessTechnologies: UInt32

    /// The name of the operator, at most 63 bytes of UTF-8; nil if it isn't known.
    public let operatorName: String?

    /// The operator's mobile country code (three digits) and mobile network code (two or three), for
    /// example `26201`; nil if they aren't known.
    ///
    /// Name and codes belong to the network in use. While roaming, they differ from those of the SIM card.
    public let operatorCode: String?

    /// The quality of the signal in percent, 0 to 100; nil if it isn't known.
    public let signalQuality: Int?

    /// Whether ``signalQuality`` was measured recently; if false, it may be outdated.
    public let isSignalRecent: Bool

    /// The registration with a 3GPP network.
    public let registration: CellularRegistration

    /// The code that unlocks the modem or its SIM card.
    public let lock: CellularLock

    /// Whether the radio is on; also false in airplane mode, and nil if it isn't known.
    public let isRadioOn: Bool?

    /// Why the modem isn't usable; nil unless ``state`` is ``CellularModemState/failed``.
    public let failedReason: CellularFailedReason?

    /// The modem's network interfaces in ModemManager's network namespace, at most 8: its own, then those of its
    /// bearers.
    public let networkInterfaces: [String]

    /// The network interface of the data connection; nil without a connection, or if the connection has no
    /// interface of its own (PPP).
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

    /// Whether the modem is registered with the network of another operator.
    public var isRoaming: Bool { registration.isRoaming }

    /// Whether the modem is registered with a network, connected or not.
    public var isRegistered: Bool { state >= .registered }

    /// Whether the modem has a data connection.
    public var isConnected: Bool { state == .connected }

    /// Whether the modem needs a PIN or another code before it can connect.
    public var isLocked: Bool { state == .locked }
}
