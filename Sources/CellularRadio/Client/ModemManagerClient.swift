// SPDX-License-Identifier: MIT

@_implementationOnly import CSystemBus
package import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Where a client connects to, and how long it waits; tests have a bus of their own.
package struct CellularRadioOptions: Hashable, Sendable {
    /// D-Bus address; nil for `DBUS_SYSTEM_BUS_ADDRESS` or the system bus.
    package var address: String?
    /// Milliseconds before the first new attempt to connect; 0 for the default.
    package var retry: UInt32 = 0
    /// Milliseconds to wait for an answer; 0 for the default.
    package var answer: UInt32 = 0
    /// Milliseconds that the connection stays open after the last listener, so that a program that looks
    /// repeatedly reuses it.
    package var linger: Int64 = 5000

    package init(address: String? = nil) {
        self.address = address
    }
}

/// The owner of a C client of ModemManager.
///
/// Not safe for use by several threads at once.
@safe
package struct ModemManagerClient: ~Copyable {
    private let client: OpaquePointer

    package init(_ options: CellularRadioOptions = CellularRadioOptions()) throws(ReachabilityErrno)
    {
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
        unsafe client = opened
        unsafe system_bus_watch(client, 1 << SYSTEM_BUS_MODEM_MANAGER.rawValue)
    }

    deinit {
        unsafe system_bus_close(client)
    }

    /// The descriptor and the events to wait for with poll(), which change with every ``dispatch()``.
    package var polled: (descriptor: CInt, events: Int16) {
        unsafe (system_bus_fd(client), system_bus_events(client))
    }

    /// Milliseconds after which ``dispatch()`` is due, as poll() takes them; -1 for none.
    package var timeout: CInt {
        unsafe system_bus_timeout(client)
    }

    /// Reads what has arrived; true if ``state`` may have changed.
    package func dispatch() -> Bool {
        unsafe system_bus_dispatch(client) > 0
    }

    /// The state at the last ``dispatch()``.
    package var state: CellularRadioState {
        let error = ReachabilityErrno(rawValue: unsafe system_bus_error(client, SYSTEM_BUS_MODEM_MANAGER))
        switch unsafe system_bus_status(client, SYSTEM_BUS_MODEM_MANAGER) {
        case SYSTEM_BUS_NO_LIBRARY:
            let isStatic = error.rawValue == ENOEXEC
            return CellularRadioState(
                availability: .unavailable(.missingLibrary(error, isStatic: isStatic)))
        case SYSTEM_BUS_NO_BUS:
            return CellularRadioState(availability: .unavailable(.noBus(error)))
        case SYSTEM_BUS_REFUSED:
            return CellularRadioState(availability: .unavailable(.refused(error)))
        case SYSTEM_BUS_NO_DAEMON:
            return CellularRadioState(availability: .noDaemon)
        case SYSTEM_BUS_READY:
            return CellularRadioState(availability: .available, modems: modems)
        default:
            return .starting
        }
    }

    private var modems: [CellularModem] {
        var result: [CellularModem] = []
        var modem = modem_manager_modem()
        while unsafe modem_manager_modem(client, UInt32(result.count), &modem) == 1 {
            result.append(CellularModem(modem))
        }
        return result.sorted { $0.id < $1.id }
    }
}

extension CellularModem {
    fileprivate init(_ modem: modem_manager_modem) {
        let names = unsafe withUnsafeBytes(of: modem.interfaces) { bytes in
            let size = Int(MODEM_MANAGER_INTERFACE_SIZE)
            return (0..<Int(modem.interface_count)).map { position in
                unsafe text(
                    UnsafeRawBufferPointer(rebasing: bytes[(position * size)...].prefix(size)))
            }
        }
        let name = unsafe withUnsafeBytes(of: modem.operator_name) { unsafe text($0) }
        let data = unsafe withUnsafeBytes(of: modem.data_interface) { unsafe text($0) }
        self.init(
            id: unsafe withUnsafeBytes(of: modem.path) { unsafe text($0) },
            state: CellularModemState(rawValue: modem.state) ?? .unknown,
            accessTechnologies: modem.access_technologies,
            operatorName: name.isEmpty ? nil : name,
            signal: modem.signal == UInt32.max
                ? nil
                : CellularSignal(
                    percent: Int(modem.signal), isRecent: modem.signal_is_recent != 0),
            registration: CellularRegistration(rawValue: modem.registration) ?? .unknown,
            lock: CellularLock(rawValue: modem.unlock_required),
            networkInterfaces: names, dataInterface: data.isEmpty ? nil : data)
    }
}

/// The text before the first NUL.
@unsafe
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
