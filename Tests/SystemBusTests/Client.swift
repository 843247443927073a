// SPDX-License-Identifier: MIT
import BusTestSupport
import CSystemBus
import Glibc
import SwiftTestSupport
import Testing

let modems: UInt32 = 1 << SYSTEM_BUS_MODEM_MANAGER.rawValue
let network: UInt32 = 1 << SYSTEM_BUS_NETWORK_MANAGER.rawValue

/// The values of a device that the tests compare.
struct Device: Equatable {
    var interface: String
    var metered: UInt32 = 0
    var connectivity: [UInt32] = [0, 0]
    var state: UInt32 = 0
}

/// The C client, driven by the thread that waits.
@safe
final class Client {
    private let bus: OpaquePointer

    init(
        _ place: Place, watching services: UInt32, answer: UInt32 = 0, address: String? = nil
    ) throws {
        var opened: OpaquePointer?
        let result = unsafe (address ?? place.address).withCString { address in
            var options = unsafe system_bus_options(address: address, retry: 10, answer: answer)
            return unsafe system_bus_open(&opened, &options)
        }
        try SystemFailure.check("system_bus_open", result)
        unsafe bus = try #require(opened)
        watch(services)
    }

    deinit {
        unsafe system_bus_close(bus)
    }

    func watch(_ services: UInt32) { unsafe system_bus_watch(bus, services) }

    var descriptor: CInt { unsafe system_bus_fd(bus) }
    var timeout: CInt { unsafe system_bus_timeout(bus) }

    /// Bytes that have arrived.
    var pending: Int {
        var count: CInt = 0
        _ = unsafe ioctl(descriptor, UInt(FIONREAD), &count)
        return Int(count)
    }

    @discardableResult
    func dispatch() -> CInt { unsafe system_bus_dispatch(bus) }

    /// Waits until something is due, and dispatches.
    func step() -> CInt {
        var entry = pollfd(fd: descriptor, events: unsafe system_bus_events(bus), revents: 0)
        _ = unsafe poll(&entry, 1, timeout < 0 ? 60_000 : min(timeout, 60_000))
        return dispatch()
    }

    /// Steps until a condition holds, or two minutes have passed; true if it held.
    func wait(until fits: (Client) -> Bool) -> Bool {
        let end = monotonicSeconds() + 120
        while !fits(self) {
            if monotonicSeconds() > end { return false }
            _ = step()
        }
        return true
    }

    func wait(_ service: system_bus_service, _ status: system_bus_status) -> Bool {
        wait { $0.status(service) == status }
    }

    func status(_ service: system_bus_service) -> system_bus_status {
        unsafe system_bus_status(bus, service)
    }

    func error(_ service: system_bus_service) -> CInt {
        unsafe system_bus_error(bus, service)
    }

    var state: network_manager_state {
        var state = network_manager_state()
        unsafe system_bus_network_state(bus, &state)
        return state
    }

    var checkURI: String {
        unsafe withUnsafeBytes(of: state.check_uri) { unsafe text($0) }
    }

    /// The devices by the number in their paths.
    var devices: [Int: Device] {
        var result: [Int: Device] = [:]
        var device = network_manager_device()
        var position: UInt32 = 0
        while unsafe system_bus_network_device(bus, position, &device) == 1 {
            position += 1
            let path = unsafe withUnsafeBytes(of: device.path) { unsafe text($0) }
            let name = unsafe withUnsafeBytes(of: device.interface) { unsafe text($0) }
            result[path.split(separator: "/").last.flatMap { Int($0) } ?? -1] = Device(
                interface: name, metered: device.metered,
                connectivity: [device.connectivity.0, device.connectivity.1], state: device.state)
        }
        return result
    }

    var modemCount: Int {
        var modem = modem_manager_modem()
        var count: UInt32 = 0
        while unsafe system_bus_modem(bus, count, &modem) == 1 { count += 1 }
        return Int(count)
    }
}

@unsafe
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
