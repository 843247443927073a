// SPDX-License-Identifier: MIT

internal import CSystemBus
internal import NetworkReachability

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
        let operatorName = cText(of: modem.operator_name)
        let dataInterface = cText(of: modem.data_interface)
        self.init(
            id: cText(of: modem.path),
            state: CellularModemState(rawValue: modem.state) ?? .unknown,
            accessTechnologies: modem.access_technologies,
            operatorName: operatorName.isEmpty ? nil : operatorName,
            signalQuality: modem.signal == UInt32.max ? nil : Int(modem.signal),
            isSignalRecent: modem.signal_is_recent != 0,
            registration: CellularRegistration(rawValue: modem.registration) ?? .unknown,
            lock: CellularLock(rawValue: modem.unlock_required), networkInterfaces: names,
            dataInterface: dataInterface.isEmpty ? nil : dataInterface,
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
        let checkURI = cText(of: state.check_uri)
        self.init(
            availability: availability,
            metered: NetworkManagerMetered(rawValue: state.metered) ?? .unknown,
            connectivity: NetworkManagerConnectivity(rawValue: state.connectivity) ?? .unknown,
            checksConnectivity: state.checks != 0,
            checkURI: checkURI.isEmpty ? nil : checkURI, devices: devices)
    }
}
