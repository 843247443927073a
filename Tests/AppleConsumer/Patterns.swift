// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverForceUnwrap

// Swift code for Apple's systems that uses both families. As on those systems, this file must
// compile in Swift 5 mode without a warning. Nothing runs it.

import AppleReachability
import Foundation

final class AFNetworkingClient {
    var status = AFNetworkReachabilityStatus.unknown
    let manager = AFNetworkReachabilityManager(forDomain: "www.example.com")

    func blocks() {
        AFNetworkReachabilityManager.shared().startMonitoring()
        AFNetworkReachabilityManager.shared().setReachabilityStatusChange { [weak self] (status) in
            self?.status = status
        }
        manager.setReachabilityStatusChange { (status: AFNetworkReachabilityStatus) -> Void in
            switch status {
            case .unknown: self.manager.stopMonitoring()
            case .notReachable: print(AFStringFromNetworkReachabilityStatus(status))
            case .reachableViaWWAN, .reachableViaWiFi: self.status = status
            }
        }
        manager.setReachabilityStatusChange { (status: AFNetworkReachabilityStatus?) in
            print(status?.rawValue ?? 0)
        }
        manager.setReachabilityStatusChange(nil)
    }

    func notifications() -> [Any] {
        let center = NotificationCenter.default
        let token = center.addObserver(
            forName: NSNotification.Name.AFNetworkingReachabilityDidChange, object: nil,
            queue: .main
        ) { notification in
            let item = notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem]
            print(item as? Int ?? -1, notification.object as? AFNetworkReachabilityManager ?? "")
        }
        return [token]
    }

    func everythingElse() -> [Any] {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let byAddress = AFNetworkReachabilityManager(forAddress: &address)
        let byTarget = AFNetworkReachabilityManager(reachability: .internet)
        return [
            byAddress.isReachable, byTarget.isReachableViaWWAN, manager.isReachableViaWiFi,
            AFNetworkReachabilityManager.manager().networkReachabilityStatus == .notReachable,
            manager.localizedNetworkReachabilityStatusString(), manager.lastError as Any,
            AFNetworkReachabilityManager.keyPathsForValuesAffectingValue(forKey: "reachable"),
        ]
    }
}

final class SampleClient {
    var reach: Reachability?
    var host: Reachability!

    func notifiers() {
        reach = Reachability.forInternetConnection()
        reach!.reachableOnWWAN = false
        reach!.allowsCellularConnection = true
        reach!.reachableBlock = { (reach: Reachability!) -> Void in self.update(reach) }
        reach!.unreachableBlock = { [weak self] reach in self?.update(reach) }
        reach!.reachabilityBlock = { reach, flags in PrintReachabilityFlags(flags, "changed") }
        reach!.startNotifier()
        host = Reachability(hostName: "www.example.com")
        if host.startNotifier() { host.stopNotifier() }
        _ = NotificationCenter.default.addObserver(
            forName: NSNotification.Name.reachabilityChanged, object: reach, queue: nil
        ) { note in
            if let reach = note.object as? Reachability, reach.isReachableViaWiFi() { return }
        }
        _ = NotificationCenter.default.addObserver(
            forName: kReachabilityChangedNotification, object: host, queue: nil
        ) { _ in }
    }

    func swiftWrapper() throws {
        let reachability = try Reachability()
        reachability.whenReachable = { reachability in
            if reachability.connection == .wifi { print("Wi-Fi") } else { print("cellular") }
        }
        reachability.whenUnreachable = { _ in print("none") }
        reachability.allowsCellularConnection = false
        reachability.startNotifier()
        switch reachability.connection {
        case .wifi: print("Wi-Fi")
        case .cellular: print("cellular")
        case .unavailable: print(reachability.connection.description)
        }
        reachability.stopNotifier()
    }

    func update(_ reach: Reachability) {
        switch reach.currentReachabilityStatus() {
        case NotReachable: print("none")
        case ReachableViaWiFi: print("Wi-Fi")
        default: print("cellular")
        }
        switch reach.currentReachabilityStatus() {
        case .NotReachable, .ReachableViaWiFi, .ReachableViaWWAN: break
        }
    }

    func statuses() -> [Bool] {
        let wifi: Reachability = Reachability.forLocalWiFi()
        return [
            wifi.currentReachabilityStatus() != NotReachable,
            Reachability.forInternetConnection().isReachable(),
            Reachability.forInternetConnection()?.isReachable() ?? false,
            Reachability(hostName: "192.0.2.1")?.currentReachabilityStatus() == ReachableViaWiFi,
            Reachability(hostName: "192.0.2.1").currentReachabilityStatus()
                == NetworkStatus.ReachableViaWWAN,
            wifi.isReachableViaWWAN(), wifi.connectionRequired(), wifi.isConnectionRequired(),
            wifi.isConnectionOnDemand(), wifi.isInterventionRequired(),
            wifi.reachabilityFlags().contains(.reachable),
        ]
    }

    func strings(_ url: URL) throws -> [String] {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let byAddress = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Reachability(address: $0) }
        }
        let byName = try Reachability(hostname: "www.example.com")
        return [
            byName.currentReachabilityString(), byName.currentReachabilityFlags(),
            byName.description, byAddress?.lastError?.description ?? "",
            try Reachability(url: url).description,
            try Reachability(reachabilityRef: .localWiFi).description,
        ]
    }
}
