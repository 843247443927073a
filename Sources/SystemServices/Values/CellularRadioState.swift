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

/// A modem's step on the way to a connection, with the values of `MMModemState`; later steps are greater.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         print(modem.state >= .registered ? "has a network" : "has none: \(modem.state)")
///     }
public enum CellularModemState: Int32, Hashable, Sendable, CaseIterable {
    /// Not usable.
    case failed = -1
    /// Not known.
    case unknown = 0
    /// Initializing.
    case initializing = 1
    /// Locked; needs, for example, the PIN of its SIM card.
    case locked = 2
    /// Disabled.
    case disabled = 3
    /// Being disabled.
    case disabling = 4
    /// Being enabled.
    case enabling = 5
    /// Enabled, but not registered.
    case enabled = 6
    /// Searching for a network.
    case searching = 7
    /// Registered with a network.
    case registered = 8
    /// The data connection is being closed.
    case disconnecting = 9
    /// The data connection is being opened.
    case connecting = 10
    /// Has a data connection.
    case connected = 11
}

extension CellularModemState: Comparable {
    /// Whether one state comes before the other on the way to a connection.
    public static func < (left: CellularModemState, right: CellularModemState) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The registration with a 3GPP network, with the values of `MMModem3gppRegistrationState`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         if modem.registration == .denied { print("the network refused the SIM card") }
///     }
public enum CellularRegistration: UInt32, Hashable, Sendable, CaseIterable {
    /// Not registered, and not searching.
    case idle = 0
    /// Registered with the home network.
    case home = 1
    /// Searching for a network.
    case searching = 2
    /// Refused by the network.
    case denied = 3
    /// Not known.
    case unknown = 4
    /// Registered with the network of another operator.
    case roaming = 5
    /// Registered with the home network, for short messages only.
    case homeMessagesOnly = 6
    /// Registered with the network of another operator, for short messages only.
    case roamingMessagesOnly = 7
    /// Emergency calls only.
    case emergencyOnly = 8
    /// Registered with the home network; circuit-switched fallback isn't preferred.
    case homeWithoutFallback = 9
    /// Registered with the network of another operator; circuit-switched fallback isn't preferred.
    case roamingWithoutFallback = 10
    /// Attached to restricted local operator services.
    case restrictedLocalServices = 11

    /// Whether the modem is registered with the network of another operator.
    public var isRoaming: Bool {
        self == .roaming || self == .roamingMessagesOnly || self == .roamingWithoutFallback
    }
}

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

/// Why a modem isn't usable, with the values of `MMModemStateFailedReason`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         if modem.failedReason == .simMissing { print("insert a SIM card") }
///     }
public enum CellularFailedReason: UInt32, Hashable, Sendable, CaseIterable {
    /// ModemManager doesn't know the reason, or this version of the library doesn't.
    case unknown = 1
    /// There is no SIM card.
    case simMissing = 2
    /// The SIM card can't be used.
    case simError = 3
    /// ModemManager can't determine the modem's capabilities.
    case unknownCapabilities = 4
    /// The eSIM has no profile.
    case eSIMWithoutProfiles = 5
}
