// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
package import SwiftTestSupport
import Synchronization
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

/// Listens at a Unix socket; a name that begins with a zero is abstract.
package func listen(at name: [UInt8]) throws -> CInt {
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let result = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(listener, $0, size)
        }
    }
    guard result == 0, listen(listener, 8) == 0 else {
        throw SystemFailure(doing: "cannot listen at a Unix socket", code: errno)
    }
    return listener
}

/// A temporary folder with the socket of a bus.
package final class Place: Sendable {
    package let folder: Folder
    private let bus = Mutex<Bus?>(nil)
    private let services = Mutex<[any Sendable]>([])

    package init() throws {
        folder = try Folder("radio")
    }

    /// Starts its dbus-daemon, which ends with it; a connection may have this number of match rules.
    package func startBus(matches: Int = 512) throws {
        try bus.withLock { $0 = try Bus(self, matches: matches) }
    }

    /// Ends the dbus-daemon at once, as a crash does.
    package func endBus() {
        bus.withLock { $0 = nil }
    }

    fileprivate func keep(_ service: any Sendable) {
        services.withLock { $0.append(service) }
    }

    package var socket: String { folder.file("bus").path }

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
private struct Bus: ~Copyable {
    private var daemon: Child

    init(_ place: Place, matches: Int) throws {
        let configuration = place.folder.file("bus.conf")
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

/// A running fake; its place keeps it.
package final class FakeService<Kind: FakeKind>: Sendable {
    /// The standard library's `Mutex` can trap in a child of fork().
    private let service: Lock<Child?>

    @discardableResult
    package init(_ place: Place, _ commands: String...) throws {
        service = Lock(try start([program("FakeServices"), place.address, Kind.name]))
        for command in commands { try send(command) }
        place.keep(self)
    }

    /// Sends a command (see the fake's sources), and returns once its messages are written.
    package func send(_ command: String) throws {
        let answer = service.withLock { service in
            service?.write(command + "\n")
            return service?.line()
        }
        guard answer == "ok" else {
            throw Missing(description: "\(Kind.name), '\(command)': \(answer ?? "no answer")")
        }
    }

    /// Ends it at once, as a crash does.
    package func crash() {
        service.withLock { $0 = nil }
    }
}
