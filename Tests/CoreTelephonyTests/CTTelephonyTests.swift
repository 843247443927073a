// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import SwiftTestSupport
import Testing

@testable import CellularRadio
@testable import CoreTelephony

@Suite("CTTelephonyNetworkInfo", .needsDaemons, .blocking, .timeLimit(.minutes(10)))
struct CTTelephonyTests {
    @Test("services, and notifications of those that change, once however many objects there are")
    func services() async throws {
        let place = try Place()
        let bus = try Bus(place)
        var service = try FakeModemManager(
            place, "modem 40 state=8 tech=0x20", "modem 41 state=11 tech=0x4000",
            "modem 42 state=7 tech=0x4000", "own")
        let radio = place.radio()
        let first = CTTelephonyNetworkInfo(radio: radio)
        let second = CTTelephonyNetworkInfo(radio: radio)
        #expect(
            first.serviceCurrentRadioAccessTechnology == [
                path(40): CTRadioAccessTechnologyWCDMA, path(41): CTRadioAccessTechnologyLTE,
            ])
        #expect(first.dataServiceIdentifier == path(41))
        #expect(second.currentRadioAccessTechnology == CTRadioAccessTechnologyLTE)

        let delegate = Delegate()
        first.delegate = delegate
        let posted = Recorder<String>()
        // Other tests, whose modems have other numbers, post to the same centre.
        let services = [path(40), path(41), path(42)]
        let tokens = [
            Notification.Name.CTServiceRadioAccessTechnologyDidChange,
            .CTRadioAccessTechnologyDidChange,
        ].map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                let service = $0.object as? String ?? "-"
                if services.contains(service) { posted.record("\(name.rawValue) \(service)") }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        // The first state has been delivered on the main queue: changes are posted from here on.
        await onMainQueue()
        try service.send("modem 41 state=8 tech=0xc000")
        let names = [
            "CTServiceRadioAccessTechnologyDidChangeNotification",
            "CTRadioAccessTechnologyDidChangeNotification",
        ]
        for name in names { #expect(await posted.next() == "\(name) \(path(41))") }
        #expect(
            first.serviceCurrentRadioAccessTechnology?[path(41)] == CTRadioAccessTechnologyNRNSA)
        #expect(await delegate.identifiers.next() == path(40))
        try service.send("remove 40")
        for name in names { #expect(await posted.next() == "\(name) \(path(40))") }
        #expect(await delegate.identifiers.next() == path(41))
        try service.send("remove 41")
        for name in names { #expect(await posted.next() == "\(name) \(path(41))") }
        #expect(first.serviceCurrentRadioAccessTechnology == nil)
        #expect(first.dataServiceIdentifier == nil)
        #expect(posted.values.count == 6)
        service.crash()
        bus.crash()
    }

    @Test("without a bus there is no service")
    func nothing() throws {
        let info = CTTelephonyNetworkInfo(radio: try Place().radio())
        #expect(info.serviceCurrentRadioAccessTechnology == nil)
        #expect(info.currentRadioAccessTechnology == nil)
        #expect(info.dataServiceIdentifier == nil)
    }

    private func onMainQueue() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}

private final class Delegate: CTTelephonyNetworkInfoDelegate {
    let identifiers = Recorder<String>()

    func dataServiceIdentifierDidChange(_ identifier: String) {
        identifiers.record(identifier)
    }
}
