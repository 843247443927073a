// SPDX-License-Identifier: MIT
import BusTestSupport
import SystemServices
import Foundation
import NetworkReachability
import SwiftTestSupport
import Testing

@Suite("The real ModemManager", .needsDaemons, .blocking, .timeLimit(.minutes(10)))
struct RealDaemonTests {
    private static let root = "/org/freedesktop/ModemManager1"

    private let place: Place

    init() throws {
        place = try Place()
    }

    /// ModemManager on the test's bus, which learns of ports only through D-Bus calls.
    private func daemon() throws -> Child {
        let program = "/usr/sbin/ModemManager"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Missing(
                description: "\(program) is missing: apt-get install -y modemmanager "
                    + "libmbim-glib4 libqmi-glib5 libqrtr-glib0")
        }
        return try Child([
            "env", "DBUS_SESSION_BUS_ADDRESS=\(place.address)", "sh", "-c",
            "exec \(program) --test-session --test-no-udev --no-auto-scan --test-enable "
                + "--test-no-suspend-resume >/dev/null 2>&1",
        ])
    }

    private func call(_ path: String, _ arguments: String...) throws {
        let (output, status) = try Child.run(
            [
                "dbus-send", "--bus=\(place.address)", "--print-reply", "--reply-timeout=60000",
                "--dest=org.freedesktop.ModemManager1", path,
            ] + arguments)
        try #require(status == 0, "\(output)")
    }

    @Test("A modem with AT commands appears, registers, changes its technology, and disappears")
    func modem() async throws {
        try place.startBus()
        let modem = try ATModem()
        defer { modem.end() }
        let daemon = try daemon()
        let radio = place.radio()
        let listener = radio.addListener(queue: .test()) { _ in }
        #expect(await radio.first { $0.availability == .available }?.modems == [])
        try call(
            Self.root, "org.freedesktop.ModemManager1.Test.SetProfile", "string:t1",
            "string:generic", "array:string:\(modem.port)")
        #expect(await radio.firstModem { $0.state == .disabled }?.technology == nil)
        try call(path(0), "org.freedesktop.ModemManager1.Modem.Enable", "boolean:true")
        let registered = await radio.firstModem {
            $0.isRegistered && $0.registration != .unknown && $0.operatorName != nil
                && $0.technology != nil
        }
        #expect(registered?.technology == .lte && registered?.operatorName == "Example")
        #expect(registered?.registration == .home && registered?.lock == CellularLock.unlocked)
        #expect(registered?.isRadioOn == true)
        for (number, technology) in [
            (2, CellularTechnology.umts), (6, .hspa), (0, .gsm), (7, .lte),
        ] {
            modem.change(to: number)
            #expect(await radio.firstModem { $0.technology == technology } != nil)
        }
        end(daemon)
        #expect(await radio.first { $0.availability == .noDaemon }?.modems == [])
        listener.cancel()
    }

    private func end(_ daemon: consuming Child) {}
}
