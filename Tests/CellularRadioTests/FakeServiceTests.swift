// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import SystemServices

/// The whole path from D-Bus to a value, with a fake service that tests control.
@Suite("A fake ModemManager", .blocking, .timeLimit(.minutes(10)))
struct FakeServiceTests {
    private let place: Place
    private let radio: CellularRadio

    init() throws {
        place = try Place()
        try place.startBus()
        radio = place.radio()
    }

    private static let modem = modem(0)

    private static func modem(_ number: Int) -> String {
        "modem \(number) state=8 tech=0x4000 operator=Example ports=wwan0:2|ttyUSB0:3 signal=55 recent=1 "
            + "registration=1 lock=1 power=3 code=26201"
    }

    /// The second modem has its D-Bus interfaces in the other order.
    @Test("A modem with all its properties is reported", arguments: [0, 1])
    func everything(number: Int) async throws {
        try FakeModemManager(place, Self.modem(number), "own")
        let state = await radio.first { !$0.modems.isEmpty }
        #expect(
            state
                == CellularRadioState(
                    availability: .available,
                    modems: [
                        CellularModem(
                            id: path(number), state: .registered, accessTechnologies: 1 << 14,
                            operatorName: "Example",
                            signalQuality: 55,
                            registration: .home, lock: .unlocked, networkInterfaces: ["wwan0"],
                            operatorCode: "26201", isRadioOn: true)
                    ]))
        #expect(state?.modem(forInterface: "wwan0")?.generation == .fourth)
        #expect(state?.modem(forInterface: "ttyUSB0") == nil)
        #expect(radio.currentState(timeout: .seconds(120)) == state)
    }

    @Test("Changes of technology, lock, and registration, and the removal of a modem are reported")
    func changes() async throws {
        let service = try FakeModemManager(place, "own", Self.modem)
        for (tech, technology) in [
            ("0x4000", CellularTechnology.lte), ("0xc000", .nrNonStandalone), ("0x8000", .nr),
        ] {
            try service.send("modem 0 tech=\(tech)")
            let modem = await radio.firstModem { $0.technology == technology }
            #expect(modem?.operatorName == "Example")
        }
        try service.send("modem 0 state=2 lock=2 tech=0 registration=4 operator=")
        let modem = await radio.firstModem { $0.isLocked }
        #expect(modem?.lock == .simPIN && modem?.technology == nil)
        #expect(modem?.operatorName == nil)
        try service.send("modem 0 state=8 registration=5")
        #expect(await radio.firstModem { $0.isRoaming } != nil)
        try service.send("remove 0")
        #expect(await radio.first { $0.modems.isEmpty }?.availability == .available)
    }

    @Test(
        "A failed modem has its reason",
        arguments: [
            (1, CellularFailedReason.unknown), (2, .simMissing), (3, .simError),
            (4, .unknownCapabilities), (5, .eSIMWithoutProfiles), (77, .unknown),
        ])
    func failed(number: Int, reason: CellularFailedReason) async throws {
        let service = try FakeModemManager(
            place, "modem 0 state=-1 failed=\(number) power=1", "own")
        let failed = await radio.firstModem { $0.state == .failed }
        #expect(failed?.failedReason == reason && failed?.isRadioOn == false)
        // A modem in another state has no reason.
        try service.send("modem 0 state=3 power=2")
        let modem = await radio.firstModem { $0.state == .disabled }
        #expect(modem?.failedReason == nil && modem?.isRadioOn == false)
    }

    @Test(
        "An operator's code without five or six digits is ignored",
        arguments: ["1234", "1234567", "12a45", "123456789"])
    func codes(text: String) async throws {
        let service = try FakeModemManager(place, "modem 0 state=8 code=310410", "own")
        #expect(await radio.firstModem { $0.operatorCode == "310410" } != nil)
        try service.send("modem 0 state=9 code=\(text)")
        let modem = await radio.firstModem { $0.state == .disconnecting && $0.operatorCode == nil }
        #expect(modem != nil)
    }

    @Test("A bearer adds its interface, even if that is not a port of the modem")
    func bearer() async throws {
        let service = try FakeModemManager(
            place, Self.modem, "own", "bearer 3 interface=qmimux0 connected=0")
        #expect(await radio.firstModem { $0.networkInterfaces == ["wwan0"] } != nil)
        try service.send("modem 0 bearers=3")
        let idle = await radio.firstModem { $0.networkInterfaces == ["wwan0", "qmimux0"] }
        #expect(idle != nil && idle?.dataInterface == nil)
        try service.send("bearer 3 connected=1")
        #expect(await radio.firstModem { $0.dataInterface == "qmimux0" } != nil)
        try service.send("modem 0 bearers=")
        let last = await radio.firstModem { $0.dataInterface == nil }
        #expect(last?.networkInterfaces == ["wwan0"])
        // A port of the modem counts once.
        try service.send("bearer 3 interface=wwan0")
        try service.send("modem 0 bearers=3")
        let port = await radio.firstModem { $0.dataInterface == "wwan0" }
        #expect(port?.networkInterfaces == ["wwan0"])
    }

    @Test("The serial port of a PPP bearer is not a network interface", arguments: [2, 3])
    func pointToPoint(otherMethod: Int) async throws {
        let service = try FakeModemManager(
            place, Self.modem, "own", "bearer 3 interface=ttyUSB2 connected=1 method=1",
            "bearer 4 interface=qmimux0 connected=1 method=\(otherMethod)")
        try service.send("modem 0 bearers=3|4")
        let modem = await radio.firstModem { $0.networkInterfaces.contains("qmimux0") }
        #expect(modem?.networkInterfaces == ["wwan0", "qmimux0"])
        #expect(modem?.dataInterface == "qmimux0")
    }

    @Test(
        "Signals that another connection sends to the client change nothing",
        arguments: ["properties", "object", "owner"])
    func forged(signal: String) async throws {
        let service = try FakeModemManager(place, Self.modem, "own")
        let received = Recorder<CellularRadioState>()
        let listener = radio.addListener(queue: .test()) { received.record($0) }
        let before = await received.first { !$0.modems.isEmpty }
        try service.send("forge \(signal)")
        try service.send("modem 1 state=8")
        let after = await received.next()
        #expect(after?.availability == .available && after?.modems.map(\.id) == [path(0), path(1)])
        #expect(after?.modems.first == before?.modems.first)
        listener.cancel()
    }

    @Test("Properties of the wrong type and signals of the wrong form are ignored")
    func wrong() async throws {
        let service = try FakeModemManager(place, "own", Self.modem)
        let before = await radio.firstModem { $0.technology == .lte }
        try service.send("wrong 0")
        try service.send("modem 0 signal=56")
        let after = await radio.firstModem { $0.signalQuality == 56 }
        #expect(after?.state == before?.state)
        #expect(after?.networkInterfaces == before?.networkInterfaces)
        #expect(after?.technology == before?.technology && after?.lock == before?.lock)
    }

    @Test("The length of texts and the number of modems are bounded")
    func many() async throws {
        let service = try FakeModemManager(place, "many 100", "own")
        let state = await radio.first { !$0.modems.isEmpty }
        #expect(state?.modems.count == 16)
        for modem in state?.modems ?? [] {
            #expect(modem.operatorName?.utf8.count == 63 && modem.networkInterfaces.count == 1)
        }
        // Modems that had no room are reported when others are removed.
        for number in 100..<190 { try service.send("remove \(number)") }
        let rest = await radio.first { $0.modems.count == 10 && $0.modems.first?.id == path(190) }
        #expect(rest?.modems.map(\.id) == (190..<200).map { path($0) })
    }

    @Test("A listener that is cancelled while its queue is busy gets nothing more")
    func cancelled() async throws {
        try FakeModemManager(place, "own", Self.modem)
        let received = Recorder<CellularRadioState>()
        let queue = DispatchQueue.test()
        queue.suspend()
        let listener = radio.addListener(queue: queue) { received.record($0) }
        // The listener, added before, has its call by now.
        _ = await radio.firstModem { $0.technology == .lte }
        listener.cancel()
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(received.values.isEmpty)
    }

    @Test(
        "In a storm of signals, a suspended queue gets at most two states, and monitors keep working"
    )
    func storm() async throws {
        let service = try FakeModemManager(place, "own", Self.modem)
        _ = await radio.firstModem { $0.technology == .lte }
        let received = Recorder<CellularRadioState>()
        let queue = DispatchQueue.test()
        queue.suspend()
        let listener = radio.addListener(queue: queue) { received.record($0) }
        let manager = NetworkReachabilityManager(address: try NetworkAddress("127.0.0.1"))
        let told = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener(queue: .test("manager")) { told.record($0) }
        try service.send("storm 0 20000")
        try manager.startMonitoring()
        #expect(await told.next() == .reachableViaWiFi)
        try service.send("modem 0 signal=1 tech=0x8000")
        let last = await radio.first {
            $0.modems.first?.signalQuality == 1 && $0.modems.first?.technology == .nr
        }
        queue.resume()
        #expect(await received.first { $0 == last } != nil)
        // Besides the last state, at most one that was submitted earlier.
        #expect(received.values.count <= 2)
        listener.cancel()
        manager.stopMonitoring()
    }
}
