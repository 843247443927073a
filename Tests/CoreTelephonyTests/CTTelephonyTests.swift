// SPDX-License-Identifier: MIT
import BusTestSupport
import SystemServices
import Foundation
import SwiftTestSupport
import Testing

@testable import CoreTelephony

@Suite("CTTelephonyNetworkInfo", .blocking, .timeLimit(.minutes(10)))
struct CTTelephonyTests {
    @Test("A change is posted once per service, whatever the number of info objects")
    func services() async throws {
        let place = try Place()
        try place.startBus()
        let service = try FakeModemManager(
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
        // Other tests, whose modems have other numbers, post to the same center.
        let services = [path(40), path(41), path(42)]
        let tokens = [
            Notification.Name.CTServiceRadioAccessTechnologyDidChange,
            .CTRadioAccessTechnologyDidChange,
        ].map { name in
            // The post waits for this queue, which the notifications come from.
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
                let service = $0.object as? String ?? "-"
                if services.contains(service) { posted.record("\(name.rawValue) \(service)") }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
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
        #expect(first.dataServiceIdentifier == nil && posted.values.count == 6)
        #expect(delegate.identifiers.values == [path(40), path(41)])
    }

    @Test("Without a bus there is no service")
    func nothing() throws {
        let info = CTTelephonyNetworkInfo(radio: try Place().radio())
        #expect(info.serviceCurrentRadioAccessTechnology == nil)
        #expect(info.currentRadioAccessTechnology == nil && info.dataServiceIdentifier == nil)
    }

    @Test("Services have operators, and notifiers are called when an operator changes")
    func carriers() async throws {
        let place = try Place()
        try place.startBus()
        let service = try FakeModemManager(
            place, "modem 50 state=11 tech=0x4000 operator=Example code=26201",
            "modem 51 state=3", "own")
        let info = CTTelephonyNetworkInfo(radio: place.radio())
        let services = Recorder<String>()
        let names = Recorder<String>()
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = { services.record($0) }
        info.subscriberCellularProviderDidUpdateNotifier = { names.record($0.description) }
        let carriers = try #require(info.serviceSubscriberCellularProviders)
        #expect(carriers.keys.sorted() == [path(50), path(51)])
        let carrier = try #require(carriers[path(50)])
        #expect(carrier.carrierName == "Example")
        #expect(carrier.mobileCountryCode == "262" && carrier.mobileNetworkCode == "01")
        #expect(carrier.isoCountryCode == "de" && carrier.allowsVOIP)
        #expect(info.subscriberCellularProvider == carrier && carriers[path(51)] == CTCarrier())
        // Signal and technology are not part of the operator.
        try service.send("modem 50 signal=30 tech=0x20")
        try service.send("modem 50 code=310410")
        #expect(await services.next() == path(50))
        #expect(await names.next() == "Example (310 410, us)")
        try service.send("remove 51")
        #expect(await services.next() == path(51))
        try service.send("remove 50")
        #expect(await services.next() == path(50))
        #expect(await names.next() == "unknown")
        #expect(info.serviceSubscriberCellularProviders == nil)
        #expect(info.subscriberCellularProvider == nil)
        #expect(services.values.count == 3 && names.values.count == 2)
    }

    /// If each read waited, the reads would take longer than the time limit of the suite.
    @Test("Only one read waits for a silent service, whose first answer is a change")
    func silent() async throws {
        let place = try Place()
        try place.startBus()
        let silent = try FakeModemManager(place, "answer nothing", "own")
        let info = CTTelephonyNetworkInfo(radio: place.radio(answer: 3_600_000, linger: 5000))
        let services = Recorder<String>()
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = { services.record($0) }
        let delegate = Delegate()
        info.delegate = delegate
        for _ in 0..<1000 {
            #expect(info.serviceCurrentRadioAccessTechnology == nil)
        }
        silent.crash()
        try FakeModemManager(place, "modem 60 state=11 tech=0x4000", "own")
        #expect(await services.next() == path(60))
        #expect(await delegate.identifiers.next() == path(60))
        #expect(info.currentRadioAccessTechnology == CTRadioAccessTechnologyLTE)
    }
}

private final class Delegate: CTTelephonyNetworkInfoDelegate {
    let identifiers = Recorder<String>()

    func dataServiceIdentifierDidChange(_ identifier: String) {
        identifiers.record(identifier)
    }
}
