// SPDX-License-Identifier: MIT
import CoreTelephony
import Testing

@Suite("Clients of CoreTelephony")
struct ClientTests {
    private let info = InfoDouble(
        technologies: ["1": CTRadioAccessTechnologyLTE],
        carriers: ["1": CarrierDouble(name: "Example", country: "de")])

    @Test("A client that reads when its delegate is called sees a change")
    func details() {
        let details = ConnectionDetails(info: info)
        #expect(
            details.attributes == [
                "type": "CTRadioAccessTechnologyLTE", "name": "Example", "country": "de",
                "mcc": "262", "mnc": "01",
            ])
        info.carriers = [:]
        info.delegate?.dataServiceIdentifierDidChange("1")
        #expect(details.attributes == ["type": "CTRadioAccessTechnologyLTE"])
    }

    @Test("A client is called with the service whose operator changed")
    func publisher() {
        let publisher = CarrierPublisher(info: info)
        #expect(publisher.initialValue == .init(name: "Example", country: "de", allowsVOIP: false))
        var received: [CarrierPublisher.Carrier?] = []
        publisher.publish { received.append($0) }
        info.carriers = ["1": CTCarrier()]
        info.serviceSubscriberCellularProvidersDidUpdateNotifier?("1")
        info.subscriberCellularProviderDidUpdateNotifier?(CTCarrier())
        info.serviceSubscriberCellularProvidersDidUpdateNotifier?("2")
        let none = CarrierPublisher.Carrier(name: nil, country: nil, allowsVOIP: true)
        #expect(received == [none, none, nil])
        publisher.cancel()
        #expect(info.serviceSubscriberCellularProvidersDidUpdateNotifier == nil)
    }
}
