// SPDX-License-Identifier: MIT

internal import CSystemBus
package import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The owner of a C client of the bus.
///
/// Not safe for use by several threads at once.
@safe
package struct BusClient: ~Copyable {
    private let bus: OpaquePointer

    package init(_ options: SystemBusOptions = SystemBusOptions()) throws(ReachabilityErrno) {
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

    /// Replaces the set of services that are watched, none at first.
    package func watch(_ services: BusServices) {
        // The services exist, and a child of fork() has a client of its own.
        _ = unsafe system_bus_watch(bus, services.rawValue)
    }

    /// The descriptor and the events to wait for with poll(), which change with every ``watch(_:)`` and
    /// ``dispatch()``.
    package var polled: (descriptor: CInt, events: Int16) {
        unsafe (system_bus_fd(bus), system_bus_events(bus))
    }

    /// Milliseconds after which ``dispatch()`` is due, as poll() takes them; -1 for none.
    package var timeout: CInt {
        unsafe system_bus_timeout(bus)
    }

    /// Reads what has arrived, and returns the services whose report may have changed.
    package func dispatch() -> BusServices {
        BusServices(rawValue: UInt32(max(0, unsafe system_bus_dispatch(bus))))
    }

    /// The report of ModemManager at the last ``dispatch()``.
    package var modemManager: ModemManagerReport {
        let availability = availability(of: SYSTEM_BUS_MODEM_MANAGER)
        var modems: [ModemManagerReport.Modem] = []
        var modem = modem_manager_modem()
        while unsafe system_bus_modem(bus, UInt32(modems.count), &modem) == 1 {
            modems.append(ModemManagerReport.Modem(modem))
        }
        return ModemManagerReport(availability, modems.sorted { $0.path < $1.path })
    }

    /// The report of NetworkManager at the last ``dispatch()``.
    package var networkManager: NetworkManagerReport {
        var report = NetworkManagerReport(availability(of: SYSTEM_BUS_NETWORK_MANAGER))
        var state = network_manager_state()
        unsafe system_bus_network_state(bus, &state)
        report.metered = state.metered
        report.connectivity = state.connectivity
        report.checks = state.checks != 0
        report.checkURI = unsafe withUnsafeBytes(of: state.check_uri) { unsafe text($0) }
        var position: UInt32 = 0
        var device = network_manager_device()
        while unsafe system_bus_network_device(bus, position, &device) == 1 {
            position += 1
            report.devices.append(NetworkManagerReport.Device(device))
        }
        report.devices.removeAll { $0.interface.isEmpty }
        report.devices.sort { ($0.interface, $0.path) < ($1.interface, $1.path) }
        return report
    }

    private func availability(of service: system_bus_service) -> BusAvailability {
        let error = ReachabilityErrno(rawValue: unsafe system_bus_error(bus, service))
        let isExhausted = [EMFILE, ENFILE, ENOMEM].contains(error.rawValue)
        switch unsafe system_bus_status(bus, service) {
        case SYSTEM_BUS_NO_LIBRARY where isExhausted, SYSTEM_BUS_NO_BUS where isExhausted:
            return .unavailable(BusFailure(.outOfResources, error))
        case SYSTEM_BUS_NO_LIBRARY:
            let code: BusFailure.Code =
                error.rawValue == ENOEXEC ? .staticExecutable : .missingLibrary
            return .unavailable(BusFailure(code, error))
        case SYSTEM_BUS_NO_BUS: return .unavailable(BusFailure(.noBus, error))
        case SYSTEM_BUS_REFUSED: return .unavailable(BusFailure(.refused, error))
        case SYSTEM_BUS_NO_DAEMON: return .noDaemon
        case SYSTEM_BUS_READY: return .available
        default: return .starting
        }
    }
}

extension ModemManagerReport.Modem {
    fileprivate init(_ modem: modem_manager_modem) {
        let names = unsafe withUnsafeBytes(of: modem.interfaces) { bytes in
            let size = Int(MODEM_MANAGER_INTERFACE_SIZE)
            return (0..<Int(modem.interface_count)).map { position in
                unsafe text(
                    UnsafeRawBufferPointer(rebasing: bytes[(position * size)...].prefix(size)))
            }
        }
        self.init(
            path: unsafe withUnsafeBytes(of: modem.path) { unsafe text($0) },
            state: modem.state, accessTechnologies: modem.access_technologies,
            operatorName: unsafe withUnsafeBytes(of: modem.operator_name) { unsafe text($0) },
            operatorCode: unsafe withUnsafeBytes(of: modem.operator_code) { unsafe text($0) },
            signal: modem.signal == UInt32.max ? nil : modem.signal,
            isSignalRecent: modem.signal_is_recent != 0, registration: modem.registration,
            lock: modem.unlock_required, power: modem.power_state,
            failedReason: modem.failed_reason, interfaces: names,
            dataInterface: unsafe withUnsafeBytes(of: modem.data_interface) { unsafe text($0) })
    }
}

extension NetworkManagerReport.Device {
    fileprivate init(_ device: network_manager_device) {
        self.init(
            path: unsafe withUnsafeBytes(of: device.path) { unsafe text($0) },
            interface: unsafe withUnsafeBytes(of: device.interface) { unsafe text($0) },
            metered: device.metered, ipv4: device.connectivity.0, ipv6: device.connectivity.1,
            state: device.state)
    }
}

/// The text before the first NUL.
@unsafe
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
