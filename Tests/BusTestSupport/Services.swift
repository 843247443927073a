// SPDX-License-Identifier: MIT
package import Foundation
import Glibc
import SwiftTestSupport
package import SystemServices
package import Testing

/// The root of an unpacked NetworkManager, if the real daemons are to be tested.
///
/// NetworkManager is not installed, since it would take over the interfaces of the machine.
package let daemons = ProcessInfo.processInfo.environment["REACH_TEST_DAEMONS"]

extension Trait where Self == ConditionTrait {
    /// Skips a suite unless the real daemons are present.
    package static var needsDaemons: Self {
        .enabled(if: daemons != nil, "needs daemons: run .ci/steps/daemons")
    }
}

/// Starts an installed program or one of this package.
private func start(_ arguments: [String]) throws -> Child {
    do {
        return try Child(arguments)
    } catch {
        throw Missing(description: "\(error); apt-get install -y dbus")
    }
}

package struct Missing: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// The path of a program that is built next to the tests.
package func program(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent(name).path
}

/// A temporary folder with the socket of a bus.
package final class Place: Sendable {
    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("radio-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    package var socket: String { folder.appendingPathComponent("bus").path }

    package var address: String { "unix:path=\(socket)" }

    /// A connection to this bus that first retries after 10 ms, and by default does not linger.
    package func connection(answer: UInt32 = 0, linger: Int64 = 0) -> SharedBusLoop {
        var options = SystemBusOptions(address: address)
        options.retry = 10
        options.answer = answer
        options.linger = linger
        return SharedBusLoop(options)
    }
}

/// A dbus-daemon that allows everything; killed when it goes out of scope.
package struct Bus: ~Copyable {
    private var daemon: Child

    /// - Parameters:
    ///   - place: Its folder.
    ///   - matches: The number of match rules that a connection may have.
    /// - Throws: ``Missing`` if it cannot be started.
    package init(_ place: Place, matches: Int = 512) throws {
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
          <limit name="max_match_rules_per_connection">\(matches)</limit>
        </busconfig>
        """.write(to: configuration, atomically: false, encoding: .utf8)
        // The daemon doesn't read its input, so a second process ends it with this one: each holds an
        // inotify instance, of which a user has 128.
        var daemon = try start([
            "sh", "-c", "exec 3<&0; (cat <&3; kill -9 $$) >/dev/null 2>&1 & exec \"$@\" 3<&-", "sh",
            "dbus-daemon", "--config-file=\(configuration.path)", "--nofork", "--print-address",
        ])
        var line = daemon.line()
        while let text = line, !text.hasPrefix("unix:") { line = daemon.line() }
        if line == nil { throw Missing(description: "dbus-daemon does not start") }
        self.daemon = daemon
    }

    /// Ends it at once, as a crash does.
    package consuming func crash() {}
}

/// A service of `Tests/FakeServices`.
package protocol FakeKind {
    static var name: String { get }
}

package enum ModemManagerKind: FakeKind {
    package static let name = "ModemManager"
}

package enum NetworkManagerKind: FakeKind {
    package static let name = "NetworkManager"
}

package typealias FakeModemManager = FakeService<ModemManagerKind>
package typealias FakeNetworkManager = FakeService<NetworkManagerKind>

/// A running fake; killed when it goes out of scope.
package struct FakeService<Kind: FakeKind>: ~Copyable {
    private var service: Child

    package init(_ place: Place, _ commands: String...) throws {
        var service = try start([program("FakeServices"), place.address, Kind.name])
        for command in commands { try Self.send(command, to: &service) }
        self.service = service
    }

    /// Sends a command (see the fake's sources), and returns once its messages are written.
    package mutating func send(_ command: String) throws {
        try Self.send(command, to: &service)
    }

    private static func send(_ command: String, to service: inout Child) throws {
        service.write(command + "\n")
        let answer = service.line(within: 120)
        guard answer == "ok" else {
            throw Missing(description: "\(Kind.name), '\(command)': \(answer ?? "no answer")")
        }
    }

    /// Ends it at once, as a crash does.
    package consuming func crash() {}
}
