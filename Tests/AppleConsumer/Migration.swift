// SPDX-License-Identifier: MIT

// A program with the lines of the migration page for SCNetworkReachability and of the porting page
// for NWPathMonitor. This file must compile, and a test checks the pages against it. Nothing runs it.

import AppleReachability

func linesForSCNetworkReachability(_ address: NetworkAddress) throws {
    let targets = [
        try ReachabilityTarget.domain("www.example.com", policy: .optimistic),
        ReachabilityTarget.address(address),
        try ReachabilityTarget.addressPair(local: nil, remote: address),
        try ReachabilityTarget.address(address).with(interface: "eth0"),
    ]
    for target in targets {
        let manager = try NetworkReachabilityManager(target: target)
        let snapshot = try manager.currentSnapshot()
        let flags: ReachabilityFlags = snapshot.flags
        print(flags, snapshot.addresses, snapshot.interface?.index ?? 0)
        let listener = manager.addListener(queue: .main) { print($0.flags) }
        do {
            try manager.startMonitoring()
        } catch {
            let error: ReachabilityError = error
            print(error)
        }
        listener.cancel()
        manager.stopMonitoring()
    }
}

func linesForPorting(_ other: ReachabilitySnapshot) async throws {
    let manager = NetworkReachabilityManager()
    try manager.startMonitoring()
    print(try NetworkReachabilityManager(domain: "www.example.com"))
    manager.addListener { print($0) }
    print(try manager.currentSnapshot(), try NetworkHost.current().supportsDNS)
    print(try NetworkInterface.all().filter { $0.isUsable && $0.interfaceClass != .loopback })
    let wifi = try NetworkReachabilityManager(target: .internet.with(interfaceClass: .wifi))
    wifi.addListener(queue: .main) { print($0.status, $0.reason) }
    try wifi.startMonitoring()
    for try await snapshot in manager.snapshots {
        if snapshot == other { manager.stopMonitoring() }
        print(snapshot.status.isReachable, snapshot.flags.contains(.connectionRequired))
        print(snapshot.status == .notReachable)
        if snapshot.interface?.interfaceClass == .wifi { manager.stopMonitoring() }
    }
    for try await status in manager.statuses { print(status) }
}

func linesForKeyValueObserving(_ manager: NetworkReachabilityManager) -> Any {
    manager.observe(\.isReachable, options: [.initial, .prior, .old, .new], queue: .main) {
        manager, change in
        print(manager.isReachable, change)
    }
}
