// SPDX-License-Identifier: MIT
import CoreTelephony
import Dispatch
import Synchronization

/// The product CoreTelephony.
///
/// Its class isn't Sendable, as Apple's isn't: one thread at a time uses an object.
final class Telephony: Product {
    let name = "CoreTelephony"
    private let infos = (0..<4).map { _ in Info() }

    private final class Info: Sendable {
        private let info = Mutex(CTTelephonyNetworkInfo())

        func use(_ body: (CTTelephonyNetworkInfo) -> Void) {
            info.withLock { body($0) }
        }

        func replace() {
            info.withLock { $0 = CTTelephonyNetworkInfo() }
        }
    }

    func act(_ hand: inout Hand) {
        let info = infos[hand.below(infos.count)]
        switch hand.below(8) {
        case 0: info.replace()
        case 1:
            info.use {
                $0.serviceSubscriberCellularProvidersDidUpdateNotifier = { _ in info.replace() }
            }
        case 2: info.use { $0.serviceSubscriberCellularProvidersDidUpdateNotifier = nil }
        case 3: info.use { $0.subscriberCellularProviderDidUpdateNotifier = { _ = $0.description } }
        case 4: info.use { _ = $0.serviceCurrentRadioAccessTechnology }
        case 5: info.use { _ = $0.serviceSubscriberCellularProviders }
        default: info.use { _ = $0.connectionTypeDescription }
        }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) -> @Sendable () -> Void {
        let info = Info()
        let read: @Sendable () -> Void = {
            info.use { info in
                guard let carrier = info.subscriberCellularProvider else { return }
                heard(carrier.carrierName == "On")
            }
        }
        info.use { $0.serviceSubscriberCellularProvidersDidUpdateNotifier = { _ in read() } }
        read()
        return { info.use { $0.serviceSubscriberCellularProvidersDidUpdateNotifier = nil } }
    }

    func end() {
        for info in infos { info.replace() }
    }
}
