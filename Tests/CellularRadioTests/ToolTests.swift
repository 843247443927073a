// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import Glibc
import SwiftTestSupport
import Testing

@Suite("reachctl and the radio", .blocking, .timeLimit(.minutes(10)))
struct ToolTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private func tool(_ arguments: String...) throws -> Child {
        try Child(
            ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(place.address)", program("reachctl")] + arguments)
    }

    private func output(_ arguments: String...) throws -> String {
        let (output, status) = try Child.run(
            ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(place.address)", program("reachctl")] + arguments)
        #expect(status == 0)
        return output
    }

    @Test("`interfaces` prints the technology, generation, and state of a modem")
    func interfaces() throws {
        #expect(!(try output("interfaces")).contains("RADIO"))
        try place.startBus()
        #expect(!(try output("interfaces")).contains("RADIO"))
        let service = try FakeModemManager(
            place,
            "modem 0 state=11 tech=0xc000 operator=Example ports=lo:2 signal=7 registration=5 "
                + "power=3 lock=1",
            "own")
        let lines = try output("interfaces").split(separator: "\n")
        #expect(lines.first?.contains("  RADIO            ADDRESSES") == true)
        #expect(
            lines.first { $0.contains("loopback") }?.contains("  NR NSA (5G NSA)  127.") == true)
        let json = try output("interfaces", "--json").split(separator: "\n")
        #expect(
            json.first { $0.contains(#""name":"lo""#) }?.hasSuffix(
                #""radio":{"technology":"NR NSA","generation":"5G NSA","operator":"Example","#
                    + #""signal":7,"roaming":true,"state":"connected","failedReason":null,"#
                    + #""power":"on","lock":"unlocked"}}"#) == true)
        for (command, text) in [
            ("state=-1 failed=2", "failed: simMissing"), ("state=2 lock=2", "locked: simPIN"),
            ("state=3 power=2", "disabled, radio off"),
        ] {
            try service.send("modem 0 tech=0 \(command)")
            let line = try output("interfaces").split(separator: "\n").first {
                $0.contains("loopback")
            }
            #expect(line?.contains("  \(text)  127.") == true)
        }
        // Another namespace has other interfaces of the same names.
        #expect(
            try output("interfaces", "--netns", "\(getpid())", "--json").contains(#""radio":{"#)
                == false)
    }

    @Test(
        "A setuid program ignores the bus address in its environment",
        .enabled(if: geteuid() == 0 && canBecomeNobody, "needs root, and another user"))
    func setuid() throws {
        try place.startBus()
        try FakeModemManager(
            place, "modem 0 state=11 tech=0x8000 operator=Planted ports=lo:2", "own")
        #expect(try output("interfaces", "--json").contains("Planted"))
        // The kernel sets AT_SECURE for the program. The bus would accept the program, which runs as root.
        let script = """
            chmod 755 "$1"
            install -m 4755 "$0" "$1/reachctl"
            DBUS_SYSTEM_BUS_ADDRESS="$2" setpriv --reuid=65534 --regid=65534 --clear-groups \
                "$1/reachctl" interfaces --json
            """
        let (json, status) = try Child.run([
            "sh", "-euc", script, program("reachctl"), place.folder.url.path, place.address,
        ])
        #expect(status == 0)
        #expect(json.contains(#""name":"lo""#))
        #expect(!json.contains("Planted"))
    }

    @Test("A change that does not affect the printed text prints no line")
    func sameText() throws {
        try place.startBus()
        let service = try FakeModemManager(
            place, "modem 0 state=11 tech=0x8000 ports=wwan0:2 signal=7", "own")
        var child = try tool("watch", "--radio", "127.0.0.1")
        let reachability = child.line()
        #expect(reachability?.hasSuffix("\tReachable,Local Address") == true)
        let first = child.line()
        #expect(first?.hasSuffix("\tradio\twwan0 NR (5G) 7%") == true, "\(first ?? "-")")
        for state in 8...10 { try service.send("modem 0 state=\(state)") }
        try service.send("modem 0 signal=50")
        let second = child.line()
        #expect(second?.hasSuffix("\tradio\twwan0 NR (5G) 50%") == true, "\(second ?? "-")")
        #expect(child.end().status == 0)
    }

    @Test("`watch --radio` prints a line when the radio changes")
    func watch() throws {
        try place.startBus()
        let service = try FakeModemManager(place, "own")
        var child = try tool("watch", "--radio", "--json", "127.0.0.1")
        func next(_ child: inout Child) throws -> [String: Any] {
            let read = child.line()
            let line = try #require(read)
            #expect(try schemaProblems(in: line, as: "event") == [])
            return try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let first = try next(&child)
        #expect(first["target"] as? String == "127.0.0.1")
        let second = try next(&child)
        #expect((second["radio"] as? [Any])?.isEmpty == true)
        try service.send("modem 0 state=11 tech=0x8000 ports=wwan0:2")
        let modems = try next(&child)["radio"] as? [[String: Any]]
        #expect(modems?.first?["generation"] as? String == "5G")
        #expect(modems?.first?["interfaces"] as? [String] == ["wwan0"])
        service.crash()
        let gone = try next(&child)
        #expect(gone["error"] as? String == "ModemManager does not run")
        #expect(child.end().status == 0)
    }

    @Test(
        "Without libsystemd, everything but the radio works, and the error says what to install",
        .needsNamespaces)
    func noLibrary() throws {
        // An empty file hides the library in the tool's own mount namespace.
        let script = """
            for file in $(ldconfig -p | sed -n 's/.*libsystemd.so.0 .*=> //p'); do
                mount --bind /dev/null "$file" || exit 99
            done
            "$0" interfaces && timeout --signal=INT 120 "$0" watch --radio 127.0.0.1 | head -n 2
            """
        let (output, status) = try Child.run([
            "unshare", "-m", "sh", "-c", script, program("reachctl"),
        ])
        #expect(status == 0 && output.contains("loopback"))
        #expect(output.contains("Reachable,Local Address"))
        #expect(output.contains("apt-get install libsystemd0"))
    }

    @Test("A program that links the module and does not use it loads no libsystemd")
    func notLoaded() throws {
        let (output, status) = try Child.run([
            "env", "LD_DEBUG=files", program("reachctl"), "status", "127.0.0.1",
        ])
        #expect(status == 0 && output.contains("libmnl.so"))
        #expect(!output.contains("libsystemd.so"))
    }
}
