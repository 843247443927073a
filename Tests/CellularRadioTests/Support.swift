// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import SwiftTestSupport
import SystemBus
import Testing

@testable import CellularRadio

extension Trait where Self == ConditionTrait {
    /// The suite needs daemons, which CI installs and so requires; elsewhere it is asked for.
    static var needsDaemons: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["REACH_TEST_DAEMONS"] != nil,
            """
            needs daemons: apt-get install -y dbus modemmanager libmbim-glib4 libqmi-glib5 libqrtr-glib0, \
            and set REACH_TEST_DAEMONS=1
            """)
    }
}

/// A process of a test that has to be installed, or a program of this package.
private func start(_ arguments: [String]) throws -> Child {
    do {
        return try Child(arguments)
    } catch {
        throw Missing(
            description: "\(error); apt-get install -y dbus modemmanager libmbim-glib4 "
                + "libqmi-glib5 libqrtr-glib0")
    }
}

struct Missing: Error, CustomStringConvertible {
    let description: String
}

/// A program that is built beside the tests.
func program(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent(name).path
}

/// A folder of a test's own, with the socket of a bus.
final class Place {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("radio-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    var socket: String { folder.appendingPathComponent("bus").path }

    var address: String { "unix:path=\(socket)" }

    /// A radio of this bus, which does not wait long.
    func radio(answer: UInt32 = 0, linger: Int64 = 0) -> CellularRadio {
        var options = SystemBusOptions(address: address)
        options.retry = 10
        options.answer = answer
        options.linger = linger
        return CellularRadio(bus: BusConnection(options))
    }
}

/// A dbus-daemon with no policy; killed when it goes out of scope.
struct Bus: ~Copyable {
    private var daemon: Child

    init(_ place: Place) throws {
        let configuration = place.folder.appendingPathComponent("bus.conf")
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(place.socket)</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """.write(to: configuration, atomically: false, encoding: .utf8)
        var daemon = try start([
            "dbus-daemon", "--config-file=\(configuration.path)", "--nofork", "--print-address",
        ])
        var line = daemon.line()
        while let text = line, !text.hasPrefix("unix:") { line = daemon.line() }
        if line == nil { throw Missing(description: "dbus-daemon does not start") }
        self.daemon = daemon
    }

    /// Ends it at once, as a crash does.
    consuming func crash() {}
}

/// The service of `Tests/FakeModemManager`; killed when it goes out of scope.
struct FakeModemManager: ~Copyable {
    private var service: Child

    init(_ place: Place, _ commands: String...) throws {
        var service = try start([program("FakeModemManager"), place.address])
        for command in commands { try Self.send(command, to: &service) }
        self.service = service
    }

    /// Makes it obey a line, see its main.c; returns when the messages are written.
    mutating func send(_ command: String) throws {
        try Self.send(command, to: &service)
    }

    private static func send(_ command: String, to service: inout Child) throws {
        service.write(command + "\n")
        let answer = service.line(within: 60)
        guard answer == "ok" else {
            throw Missing(description: "FakeModemManager, '\(command)': \(answer ?? "no answer")")
        }
    }

    /// Ends it at once, as a crash does.
    consuming func crash() {}
}

extension CellularRadio {
    /// Waits for a state.
    func first(where fits: (CellularRadioState) -> Bool) async -> CellularRadioState? {
        for await state in states where fits(state) { return state }
        return nil
    }

    func firstModem(where fits: (CellularModem) -> Bool) async -> CellularModem? {
        for await state in states {
            if let modem = state.modems.first, fits(modem) { return modem }
        }
        return nil
    }
}

/// The object path of a modem of the fake.
func path(_ number: Int) -> String { "/org/freedesktop/ModemManager1/Modem/\(number)" }
