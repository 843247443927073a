// SPDX-License-Identifier: MIT

#if canImport(CSystemBus)
internal import CSystemBus
internal import NetworkReachability
internal import ReachLibc

/// The owner of a C client of the bus.
///
/// Not safe for use by several threads at once.
@safe
struct BusClient: ~Copyable {
    private let bus: OpaquePointer

    init(_ options: SystemBusOptions = SystemBusOptions()) throws(ReachabilityErrno) {
        var opened: OpaquePointer?
        func open(_ address: UnsafePointer<CChar>?) -> CInt {
            var settings = unsafe system_bus_options(
                address: address, retry: options.retry, answer: options.answer)
            return unsafe system_bus_open(&opened, &settings)
        }
        let result =
            if let address = options.address {
                unsafe address.withCString { unsafe open($0) }
            } else {
                open(nil)
            }
        guard result == 0, let opened = unsafe opened else {
            throw ReachabilityErrno(rawValue: -result)
        }
        unsafe bus = opened
    }

    deinit {
        unsafe system_bus_close(bus)
    }

    /// Replaces the set of watched services, which is empty at first.
    func watch(_ services: BusServices) {
        unsafe system_bus_watch(bus, services.rawValue)
    }

    /// The descriptor and the events to wait for with poll(), which change with every ``watch(_:)`` and
    /// ``dispatch()``.
    var polled: (descriptor: CInt, events: Int16) {
        unsafe (system_bus_fd(bus), system_bus_events(bus))
    }

    /// Milliseconds until ``dispatch()`` is due, as the timeout of poll(); -1 for no limit.
    var timeout: CInt {
        unsafe system_bus_timeout(bus)
    }

    /// Reads what has arrived, and returns the services whose report may have changed.
    func dispatch() -> BusServices {
        BusServices(rawValue: unsafe UInt32(system_bus_dispatch(bus)))
    }

    /// The report of ModemManager as of the last ``dispatch()``.
    var modemManager: CellularRadioState {
        let availability = availability(of: SYSTEM_BUS_MODEM_MANAGER, .modemManager)
        var modems: [CellularModem] = []
        var modem = modem_manager_modem()
        while unsafe system_bus_modem(bus, UInt32(modems.count), &modem) == 1 {
            modems.append(CellularModem(modem))
        }
        return CellularRadioState(
            availability: availability, modems: modems.sorted { $0.id < $1.id })
    }

    /// The report of NetworkManager as of the last ``dispatch()``.
    var networkManager: NetworkManagerState {
        let availability = availability(of: SYSTEM_BUS_NETWORK_MANAGER, .networkManager)
        var state = network_manager_state()
        unsafe system_bus_network_state(bus, &state)
        var devices: [NetworkManagerDevice] = []
        var device = network_manager_device()
        while unsafe system_bus_network_device(bus, UInt32(devices.count), &device) == 1 {
            devices.append(NetworkManagerDevice(device))
        }
        devices.removeAll { $0.interface.isEmpty }
        devices.sort { ($0.interface, $0.id) < ($1.interface, $1.id) }
        return NetworkManagerState(state, availability, devices)
    }

    private func availability(
        of service: system_bus_service, _ words: BusService
    ) -> SystemServiceAvailability {
        let error = ReachabilityErrno(rawValue: unsafe system_bus_error(bus, service))
        let isExhausted = [EMFILE, ENFILE, ENOMEM].contains(error.rawValue)
        switch unsafe system_bus_status(bus, service) {
        case SYSTEM_BUS_NO_LIBRARY where isExhausted, SYSTEM_BUS_NO_BUS where isExhausted:
            return .unavailable(.outOfResources(words, error))
        case SYSTEM_BUS_NO_LIBRARY:
            return .unavailable(.missingLibrary(error, isStatic: error.rawValue == ENOEXEC))
        case SYSTEM_BUS_NO_BUS: return .unavailable(.noBus(error))
        case SYSTEM_BUS_REFUSED: return .unavailable(.refused(by: words, error))
        case SYSTEM_BUS_NO_DAEMON: return .noDaemon
        case SYSTEM_BUS_READY: return .available
        default: return .starting
        }
    }
}
#endif

/// The bus address and the times of a client; tests have a bus of their own.
package struct SystemBusOptions: Hashable, Sendable {
    /// D-Bus address; nil for `DBUS_SYSTEM_BUS_ADDRESS` or the system bus.
    package var address: String?
    /// Milliseconds before the first retry to connect; 0 for the default.
    package var retry: UInt32 = 0
    /// Milliseconds to wait for an answer; 0 for the default.
    package var answer: UInt32 = 0
    /// Milliseconds that a service stays watched after its last listener is gone.
    ///
    /// Thus a program that reads the state repeatedly doesn't start the watch each time.
    package var linger: Int64 = 5000

    package init(address: String? = nil) {
        self.address = address
    }
}

#if canImport(CSystemBus)
/// A set of services.
struct BusServices: OptionSet, Sendable {
    /// A mask of `1 << system_bus_service`.
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    static let modemManager = BusServices(rawValue: 1 << 0)
    static let networkManager = BusServices(rawValue: 1 << 1)
}

extension CellularModem {
    /// The report of ModemManager, with the numbers of ModemManager-enums.h.
    init(_ modem: modem_manager_modem) {
        let names = unsafe withUnsafeBytes(of: modem.interfaces) { bytes in
            let size = Int(MODEM_MANAGER_INTERFACE_SIZE)
            return (0..<Int(modem.interface_count)).map { position in
                unsafe cText(
                    UnsafeRawBufferPointer(rebasing: bytes[(position * size)...].prefix(size)))
            }
        }
        self.init(
            id: cText(of: modem.path),
            state: CellularModemState(rawValue: modem.state) ?? .unknown,
            accessTechnologies: modem.access_technologies,
            operatorName: cTextOrNil(of: modem.operator_name),
            signalQuality: modem.signal == UInt32.max ? nil : Int(modem.signal),
            isSignalRecent: modem.signal_is_recent != 0,
            registration: CellularRegistration(rawValue: modem.registration) ?? .unknown,
            lock: CellularLock(rawValue: modem.unlock_required), networkInterfaces: names,
            dataInterface: cTextOrNil(of: modem.data_interface),
            operatorCode: Self.operatorCode(
                cText(of: modem.operator_code)),
            // MM_MODEM_POWER_STATE_ON is 3, OFF and LOW are less, and UNKNOWN is 0.
            isRadioOn: 1...3 ~= modem.power_state ? modem.power_state == 3 : nil,
            failedReason: Self.failedReason(modem))
    }

    /// Five or six digits; nil for anything else.
    private static func operatorCode(_ text: String) -> String? {
        let isCode = 5...6 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isCode ? text : nil
    }

    private static func failedReason(_ modem: modem_manager_modem) -> CellularFailedReason? {
        guard modem.state == CellularModemState.failed.rawValue, modem.failed_reason > 0 else {
            return nil
        }
        return CellularFailedReason(rawValue: modem.failed_reason) ?? .unknown
    }
}

extension NetworkManagerDevice {
    /// The report of NetworkManager, with the numbers of nm-dbus-interface.h.
    init(_ device: network_manager_device) {
        self.init(
            id: cText(of: device.path),
            interface: cText(of: device.interface),
            metered: NetworkManagerMetered(rawValue: device.metered) ?? .unknown,
            ipv4Connectivity: NetworkManagerConnectivity(rawValue: device.connectivity.0)
                ?? .unknown,
            ipv6Connectivity: NetworkManagerConnectivity(rawValue: device.connectivity.1)
                ?? .unknown,
            // NM_DEVICE_STATE_ACTIVATED.
            isActivated: device.state == 100)
    }
}

extension NetworkManagerState {
    init(
        _ state: network_manager_state, _ availability: SystemServiceAvailability,
        _ devices: [NetworkManagerDevice]
    ) {
        self.init(
            availability: availability,
            metered: NetworkManagerMetered(rawValue: state.metered) ?? .unknown,
            connectivity: NetworkManagerConnectivity(rawValue: state.connectivity) ?? .unknown,
            checksConnectivity: state.checks != 0,
            checkURI: cTextOrNil(of: state.check_uri), devices: devices)
    }
}
#endif
