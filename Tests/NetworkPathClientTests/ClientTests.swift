// SPDX-License-Identifier: MIT

// Clients as in SDKs for Apple's systems: a singleton that keeps the last path, a view model on the
// main actor, and a sequence.
import Dispatch
import Foundation
import NetworkPath
import Testing

final class ConnectivityTracker {
    static let shared = ConnectivityTracker()

    private let monitor = NWPathMonitor()
    private let queue = DispatchQueue(label: "connectivity")
    private var observers: [(Bool) -> Void] = []
    private(set) var isConnected = false
    private(set) var connectionType = "unknown"

    func start() {
        monitor.pathUpdateHandler = { [weak self] path in
            guard let self else { return }
            self.isConnected = path.status == .satisfied
            self.connectionType = self.type(of: path)
            for observer in self.observers { observer(self.isConnected) }
        }
        monitor.start(queue: queue)
    }

    func onChange(_ observer: @escaping (Bool) -> Void) {
        queue.sync { observers.append(observer) }
    }

    func stop() {
        monitor.cancel()
    }

    private func type(of path: NWPath) -> String {
        let types: [NWInterface.InterfaceType] = [
            .wifi, .cellular, .wiredEthernet, .loopback, .other,
        ]
        switch types.first(where: path.usesInterfaceType) {
        case .wifi: return "wifi"
        case .cellular: return "cellular"
        case .wiredEthernet: return "wired"
        case .loopback: return "loopback"
        case .other: return "other"
        case nil: return "none"
        @unknown default: return "unknown"
        }
    }
}

@MainActor
final class OfflineModel {
    var isOffline = true
    var isExpensive = false
    let monitor = NWPathMonitor(prohibitedInterfaceTypes: [.loopback])

    func follow(_ done: @escaping @MainActor () -> Void) {
        monitor.pathUpdateHandler = { path in
            DispatchQueue.main.async {
                self.isOffline = path.status != .satisfied
                self.isExpensive = path.isExpensive
                done()
            }
        }
        monitor.start(queue: DispatchQueue.global())
    }
}

@Suite("Clients of NWPathMonitor", .timeLimit(.minutes(10)))
struct ClientTests {
    @Test("A singleton calls its observers with the path's status")
    func tracker() async {
        let tracker = ConnectivityTracker.shared
        let isConnected = await withCheckedContinuation { continuation in
            tracker.onChange { continuation.resume(returning: $0) }
            tracker.start()
        }
        tracker.stop()
        #expect(isConnected == (tracker.connectionType != "none"))
    }

    @Test("A view model on the main actor follows the path")
    func model() async {
        let model = await OfflineModel()
        let (calls, continuation) = AsyncStream<Void>.makeStream()
        await model.follow { continuation.yield() }
        for await _ in calls {
            let isOffline = await model.isOffline
            // The host's path may have changed meanwhile. Then another call follows.
            if isOffline == (model.monitor.currentPath.status != .satisfied) { break }
        }
        model.monitor.cancel()
    }

    @Test("A sequence yields the current path")
    func sequence() async {
        for await path in NWPathMonitor() {
            #expect(path.unsatisfiedReason == .notAvailable)
            break
        }
    }
}
