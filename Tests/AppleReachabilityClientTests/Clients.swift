// SPDX-License-Identifier: MIT

import AppleReachability

// How applications keep what callbacks report: in a class on the main actor, and in one that isn't Sendable.

@MainActor
final class StatusView {
    var texts: [String] = []
    private var observation: ReachabilityObservation?
    private var listeners: [ReachabilityListener] = []

    func follow(_ manager: AFNetworkReachabilityManager) {
        manager.setReachabilityStatusChange { [weak self] status in
            self?.texts.append(AFStringFromNetworkReachabilityStatus(status))
        }
        manager.startMonitoring()
    }

    func follow(_ reachability: Reachability) {
        reachability.whenReachable = { [weak self] in self?.texts.append("when \($0.connection)") }
        reachability.whenUnreachable = { [weak self] reachability in
            self?.texts.append("when \(reachability.connection)")
        }
        reachability.reachableBlock = { [weak self] _ in self?.texts.append("reachable") }
        reachability.unreachableBlock = { [weak self] _ in self?.texts.append("unreachable") }
        reachability.reachabilityBlock = { [weak self] _, flags in
            self?.texts.append(flags.description)
        }
    }

    func follow(_ manager: NetworkReachabilityManager) throws {
        manager.setReachabilityStatusChangeBlock { [weak self] in self?.texts.append("block \($0)")
        }
        listeners = [
            manager.addListener { [weak self] snapshot in
                self?.texts.append("snapshot \(snapshot.flags)")
            },
            manager.addStatusListener { [weak self] status in self?.texts.append("\(status)") },
        ]
        observation = manager.observe(\.isReachable, options: .new) { [weak self] _, change in
            self?.texts.append("observed \(change.newValue == true)")
        }
        try manager.startMonitoring()
    }

    func end(_ manager: NetworkReachabilityManager) {
        listeners.forEach { $0.cancel() }
        observation?.invalidate()
        manager.setReachabilityStatusChangeBlock(nil)
        manager.stopMonitoring()
    }
}

final class StatusModel {
    var texts: [String] = []

    func follow(_ manager: AFNetworkReachabilityManager) {
        manager.setReachabilityStatusChange { [weak self] status in
            self?.texts.append(AFStringFromNetworkReachabilityStatus(status))
        }
        manager.startMonitoring()
    }

    func follow(_ reachability: Reachability) {
        reachability.whenReachable = { self.texts.append("when \($0.connection)") }
        reachability.whenUnreachable = { self.texts.append("when \($0.connection)") }
        reachability.reachableBlock = { [weak self] _ in self?.texts.append("reachable") }
        reachability.unreachableBlock = { [weak self] _ in self?.texts.append("unreachable") }
        reachability.reachabilityBlock = { [weak self] _, flags in
            self?.texts.append(flags.description)
        }
    }
}
