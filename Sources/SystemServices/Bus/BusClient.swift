// SPDX-License-Identifier: MIT

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
        // Can't fail: the services exist, and a child of fork() has its own client.
        _ = unsafe system_bus_watch(bus, services.rawValue)
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
        BusServices(rawValue: UInt32(max(0, unsafe system_bus_dispatch(bus))))
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
        var position: UInt32 = 0
        var device = network_manager_device()
        while unsafe system_bus_network_device(bus, position, &device) == 1 {
            position += 1
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
